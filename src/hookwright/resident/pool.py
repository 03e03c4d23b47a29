"""The workers as the server sees them: forked when needed, given one event each, replaced when they die or grow old."""

import _signal  # type: ignore[import-not-found]
import mmap
import posix
import time

from hookwright.resident import worker
from hookwright.resident.forked import Job, Result, Worker, bury, fork

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ALWAYS, AT_MOST = 2, 64
AT_ONCE = max(ALWAYS, min(4, posix.cpu_count() or 1))  # so many are forked as soon as events wait
SLOW_S = 0.025  # a worker that takes longer over an event may take for ever: others need not wait for it
UNUSED_S = 10.0  # after which a worker beyond those that are always there may go
LONGEST_S = 610.0  # no agent waits longer for an answer
WARY_S = 1.0
TRIES = 3
GRACE_S = 2.0  # between asking a worker to end and ending it


class Pool:
    """All workers of a server. It is told of what happens by `watch` and `done`, and decides nothing about answers."""

    def __init__(
        self,
        project: str,
        watch: "Callable[[int, Callable[[int], None] | None, bool], None]",
        done: "Callable[[Job, int, bytes, bool], None]",
        complain: "Callable[[str], None]",
    ) -> None:
        self.project = project
        self.watch = watch  # (descriptor, what to call or None, whether it waits to be written)
        self.done = done  # (job, status or 0 where it was lost, body, whether its note was told)
        self.complain = complain
        self.workers: dict[int, Worker] = {}  # by descriptor
        self.free: list[Worker] = []  # the one that has waited longest first: the others may still be at the journal
        self.queue: list[Job] = []
        self.begun = mmap.mmap(-1, AT_MOST)  # shared with all workers: whether each has begun what it was given
        self.slots = list(range(AT_MOST))
        self.wary_until = 0.0  # a worker died without having been given anything: others may, too

    @property
    def busy(self) -> bool:
        return bool(self.queue) or len(self.free) < len(self.workers)

    def add(self, job: Job) -> None:
        """Have an event answered."""
        self.queue.append(job)
        self.hand_out()

    def hand_out(self) -> None:
        """Give waiting events to free workers; fork one where all are slow."""
        while self.queue:
            if not self.free and not self._may_fork():
                return
            if not self.free and not self._fork():
                self._give_up()
                return
            self._give(self.free.pop(0), self.queue.pop(0))

    def _may_fork(self) -> bool:
        if len(self.workers) < AT_ONCE:
            return True
        now = time.monotonic()
        return len(self.workers) < AT_MOST and all(now - one.since >= SLOW_S for one in self.workers.values())

    def keep_ready(self) -> None:
        """Have as many workers as there are always; not one after the other where they die by themselves."""
        while time.monotonic() >= self.wary_until and len(self.workers) < ALWAYS and self._fork():
            pass

    def _give_up(self) -> None:
        """No process can be had: who waits goes on waiting for those there are, or is told where there are none."""
        while self.queue and not self.workers:
            self.done(self.queue.pop(0), 0, b"", False)

    def _fork(self) -> bool:
        """One more worker; False where the system has no room for it."""
        slot = self.slots.pop()
        self.begun[slot] = 0
        one = fork(self.project, self.begun, slot)
        if one is None:
            self.slots.append(slot)
            return False
        self.workers[one.outbox.fd] = one
        self.free.append(one)
        self.watch(one.outbox.fd, self._ready, False)
        return True

    def _give(self, one: Worker, job: Job) -> None:
        one.job, one.since = job, time.monotonic()
        job.given += 1
        self.begun[one.slot] = 0
        self._write(one, worker.job(job.payload, job.note))

    def _write(self, one: Worker, data: bytes = b"") -> None:
        waited = bool(one.outbox.left)
        try:
            whole = one.outbox.send(data)
        except OSError:  # it died; the end of its channel tells what becomes of the event
            whole = True
        if waited or not whole:
            self.watch(one.outbox.fd, self._ready, not whole)

    def _ready(self, fd: int) -> None:
        """A worker can be read from or written to."""
        one = self.workers[fd]
        if one.outbox.left:
            self._write(one)
        there = one.read()
        while result := one.next_result():
            self._take(one, result)
        if not there:
            self._lost(one)
        self.hand_out()

    def _take(self, one: Worker, result: Result) -> None:
        if not result.status:
            self.complain(result.body.decode("utf-8", "replace"))
            return
        job, one.job, one.since, one.served = one.job, None, time.monotonic(), True
        one.leaving = result.leaving
        if one.stays:  # its end may come after its answer
            self.free.append(one)
        if job is not None:
            self.done(job, result.status, result.body, result.told)

    def _lost(self, one: Worker) -> None:
        """A worker is gone. What it had not begun is given to another; what it had begun is never run again."""
        self.forget(one)
        job = one.job
        if not (one.served or one.told_to_end or self.begun[one.slot]):
            self.wary_until = time.monotonic() + WARY_S
        if job is None:
            return
        if not self.begun[one.slot] and not one.told_to_end and job.given < TRIES:
            self.queue.insert(0, job)
            self.hand_out()
        else:
            self.done(job, 0, b"", False)

    def forget(self, one: Worker) -> None:
        """Close what we have of a worker; without its channel it ends by itself after the event it is at."""
        fd = one.outbox.fd
        self.watch(fd, None, False)
        posix.close(fd)
        del self.workers[fd]
        self.slots.append(one.slot)
        if one in self.free:
            self.free.remove(one)
        bury()

    def abandon(self, job: Job) -> None:
        """Whoever asked has gone: end what is being done for them, as an agent ends a hook that it started."""
        job.connection = None
        if job in self.queue:
            self.queue.remove(job)
            self.done(job, 0, b"", False)  # what was to be told with it is told with another
        for one in self.workers.values():
            if one.job is job:
                self._end(one)

    def _end(self, one: Worker) -> None:
        one.told_to_end = one.told_to_end or time.monotonic()
        one.end(_signal.SIGTERM)

    def look_around(self, now: float) -> None:
        """Once in a while: end what does not end, let go of what is not needed."""
        bury()
        for one in list(self.workers.values()):
            waited = now - one.since
            if one.told_to_end and now - one.told_to_end > GRACE_S:
                one.end(_signal.SIGKILL)
            elif one.job and waited > LONGEST_S and not one.told_to_end:
                self._end(one)
            elif not one.job and one in self.free and waited > UNUSED_S and len(self.workers) > ALWAYS:
                self.forget(one)

    def close(self) -> None:
        """Let all go: who is at an event is asked to end it, and its children with it."""
        for one in list(self.workers.values()):
            if one.job:
                one.end(_signal.SIGTERM)
            self.forget(one)
