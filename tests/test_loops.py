"""An agent that is kept from stopping is never kept twice for the same reason."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from hookwright.hook import respond
from hookwright.loops import KEPT_AT_MOST, SAME_AT_MOST, TURN_S
from hookwright.testing import fire

KEEP = "from hookwright import on, {verb}\n@on.{event}\ndef keep(event): return {verb}({text})\n"


def keeps(answer):
    return bool(answer.stdout)


@pytest.mark.parametrize("event", ["Stop", "SubagentStop"])
@pytest.mark.parametrize("verb", ["block", "context"])
def test_the_same_reason_keeps_an_agent_only_once(project, event, verb):
    """The second Stop is let go with a note; a context keeps an agent going as a block does."""
    project.handlers(KEEP.format(event=event, verb=verb, text="'tests fail'"))
    assert keeps(project.hook(event, stop_hook_active=False))
    again = project.hook(event, stop_hook_active=True)
    assert not keeps(again)
    assert "same reason" in again.stderr
    assert "same reason" in project.journal()[-1]["notes"][0]


def test_a_new_reason_keeps_it_again_and_a_new_turn_starts_afresh(project):
    """Only the same words twice in one turn are a loop."""
    project.handlers(KEEP.format(event="Stop", verb="block", text="event.last_assistant_message"))
    assert keeps(project.hook("Stop", stop_hook_active=False, last_assistant_message="one"))
    assert keeps(project.hook("Stop", stop_hook_active=True, last_assistant_message="two"))
    assert not keeps(project.hook("Stop", stop_hook_active=True, last_assistant_message="one"))
    assert keeps(project.hook("Stop", stop_hook_active=False, last_assistant_message="one"))


def told(project, event, **fields):
    """The answer to an event of an agent that does not say whether it was kept before."""
    payload = {key: value for key, value in project.payload(event, **fields).items() if key != "stop_hook_active"}
    return respond(json.dumps(payload).encode())


@pytest.mark.parametrize(
    ("event", "other"), [("Stop", {"session_id": "other"}), ("TeammateIdle", {"teammate_name": "other"})]
)
def test_an_agent_that_does_not_say_so_is_let_go_all_the_same(project, event, other):
    """Teammates, and agents without `stop_hook_active`: the same reason keeps them five times within a turn's time."""
    project.handlers(KEEP.format(event=event, verb="block", text="'tests fail'"))
    assert [told(project, event).reply.decision for _ in range(SAME_AT_MOST)] == ["deny"] * SAME_AT_MOST
    again = told(project, event)
    assert again.reply.decision == ""
    assert "same reason" in again.notes[0]
    assert told(project, event, **other).reply.decision == "deny"


def test_long_after_it_is_another_turn(project):
    """What an agent was told more than ten minutes ago does not count, whichever way the clock was set."""
    project.handlers(KEEP.format(event="Stop", verb="block", text="'tests fail'"))
    for _ in range(SAME_AT_MOST):
        told(project, "Stop")
    memory = project.folder / ".hookwright/state/stops.json"
    for seconds in (-TURN_S - 60, TURN_S + 60):
        known = {who: [at + seconds, *["tests fail"] * 9] for who, (at, *_) in json.loads(memory.read_text()).items()}
        memory.write_text(json.dumps(known))
        assert told(project, "Stop").reply.decision == "deny"


@pytest.mark.parametrize("text", ["[]", "{", '{"s/": []}', '{"s/": ["reason"]}', '{"s/": {}}'])
def test_a_memory_that_is_not_ours_is_none(project, text):
    """A damaged file, or one of another version, keeps nobody and fails nothing."""
    project.handlers(KEEP.format(event="Stop", verb="block", text="'tests fail'"))
    told(project, "Stop", session_id="s")
    (project.folder / ".hookwright/state/stops.json").write_text(text)
    assert told(project, "Stop", session_id="s").reply.decision == "deny"


def test_the_same_words_in_another_order_are_the_same_reason(project):
    """Tests that fail are told in the order they ran, and what passed before does not run again."""
    project.handlers(KEEP.format(event="Stop", verb="block", text="event.last_assistant_message"))
    assert keeps(
        project.hook("Stop", stop_hook_active=False, last_assistant_message="2 failed, 3 passed\n test_a\n test_b")
    )
    assert not keeps(
        project.hook("Stop", stop_hook_active=True, last_assistant_message="2 failed, 0 passed\n test_b\n test_a")
    )


def test_the_lock_follows_no_link(project, tmp_path_factory):
    """A dangling link in the lock's place makes no file elsewhere, and the agent is kept all the same."""
    project.handlers(KEEP.format(event="Stop", verb="block", text="'no'"))
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "file"
    (project.folder / ".hookwright" / "state").mkdir()
    (project.folder / ".hookwright" / "state" / "stops.lock").symlink_to(elsewhere)
    assert keeps(project.hook("Stop", stop_hook_active=False))
    assert not elsewhere.exists()


def test_ever_new_reasons_do_not_keep_it_for_ever(project):
    """After twenty reasons in one turn the agent is let go, and the journal says why."""
    project.handlers(KEEP.format(event="Stop", verb="block", text="event.last_assistant_message"))
    kept = [
        keeps(project.hook("Stop", stop_hook_active=turn > 0, last_assistant_message=f"reason {turn}"))
        for turn in range(KEPT_AT_MOST + 1)
    ]
    assert kept == [True] * KEPT_AT_MOST + [False]
    assert f"{KEPT_AT_MOST} times in this turn" in project.journal()[-1]["notes"][0]


def test_sessions_and_subagents_are_told_apart(project):
    """What one conversation was told does not silence another."""
    project.handlers(KEEP.format(event="SubagentStop", verb="block", text="'more'"))
    assert keeps(project.hook("SubagentStop", stop_hook_active=True, session_id="a"))
    assert keeps(project.hook("SubagentStop", stop_hook_active=True, session_id="b"))
    assert keeps(project.hook("SubagentStop", stop_hook_active=True, session_id="b", agent_id="x"))
    assert not keeps(project.hook("SubagentStop", stop_hook_active=True, session_id="a"))


def test_sessions_that_stop_at_once_do_not_lose_each_others_memory(project):
    """Eight at the same time, each kept once."""
    project.handlers(KEEP.format(event="Stop", verb="block", text="'more'"))
    project.hook("Stop")
    sessions = [f"s{n}" for n in range(8)]
    for active, expected in ((False, True), (True, False)):
        with ThreadPoolExecutor(8) as pool:
            stop = partial(project.hook, "Stop", stop_hook_active=active)
            answers = pool.map(lambda session, stop=stop: stop(session_id=session), sessions)
        assert [keeps(answer) for answer in answers] == [expected] * 8


def test_a_rehearsal_is_not_remembered(project, run_cli):
    """`fire` and tests do not count as having kept an agent."""
    project.handlers(KEEP.format(event="Stop", verb="block", text="'more'"))
    for _ in range(2):
        assert fire("Stop", project=project.folder, stop_hook_active=True, session_id="x").decision == "block"
        assert '"decision": "block"' in run_cli("fire", "Stop").stdout
    assert keeps(project.hook("Stop", stop_hook_active=True, session_id="x"))


def test_when_nothing_can_be_remembered_the_agent_is_let_go(project):
    """Better one block too few than an endless conversation."""
    project.handlers(KEEP.format(event="Stop", verb="block", text="'more'"))
    project.hook("PreToolUse")
    state = project.folder / ".hookwright" / "state" / "stops.json"
    state.mkdir()  # the file cannot be written any more
    assert keeps(project.hook("Stop", stop_hook_active=False))
    assert not keeps(project.hook("Stop", stop_hook_active=True))
