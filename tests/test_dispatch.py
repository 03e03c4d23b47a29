"""Handlers are called in order, guarded, and their answers merged."""

import pytest

from hookwright import dispatch as room
from hookwright.bindings import Binding
from hookwright.dispatch import dispatch
from hookwright.events import event_of
from hookwright.reply import context, deny


@pytest.fixture
def bind(monkeypatch):
    """Bindings of a kind that calls plain functions of the test."""
    import sys
    from types import ModuleType

    kind = ModuleType("kind_of_this_test")
    kind.handle = lambda event, binding, allowed_s: binding.options["call"](event, allowed_s)
    monkeypatch.setitem(sys.modules, kind.__name__, kind)
    monkeypatch.setitem(room.HANDLERS, "test", kind.__name__)

    def make(call, name="it", **options):
        return Binding("test", name, options={"call": call}, **options)

    return make


def test_answers_are_merged_in_config_order(bind):
    """Two contexts become two lines."""
    reply, ran = dispatch(event_of("PostToolUse", {}), [bind(lambda *_: context("a")), bind(lambda *_: context("b"))])
    assert reply.context == "a\nb"
    assert [one.outcome for one in ran] == ["context", "context"]


def test_on_a_deciding_event_the_first_refusal_ends_it(bind):
    """Later handlers are not called after a deny."""
    called = []
    bindings = [bind(lambda *_: deny("no")), bind(lambda *_: called.append(1))]
    reply, ran = dispatch(event_of("PreToolUse", {}), bindings)
    assert (reply.decision, called, len(ran)) == ("deny", [], 1)


def test_on_an_observing_event_all_run(bind):
    """After a tool has run there is nothing left to stop."""
    called = []
    dispatch(event_of("PostToolUse", {}), [bind(lambda *_: deny("no")), bind(lambda *_: called.append(1))])
    assert called == [1]


def test_a_crash_is_a_note_and_the_next_handler_runs(bind):
    """A broken handler never denies by accident."""

    def crash(*_):
        raise KeyError("x")

    reply, ran = dispatch(event_of("PreToolUse", {}), [bind(crash, "bad"), bind(lambda *_: context("b"))])
    assert (reply.decision, reply.context) == ("", "b")
    assert reply.notes == ("bad failed: KeyError: 'x'",)
    assert [one.outcome for one in ran] == ["failed", "context"]


def test_on_error_block_makes_a_crash_a_block_where_something_can_be_blocked(bind):
    """Fail closed where asked for; an observing event has nothing to block."""

    def crash(*_):
        raise RuntimeError("x")

    guard = bind(crash, "guard", on_error="block")
    assert dispatch(event_of("PreToolUse", {}), [guard])[0].decision == "deny"
    assert dispatch(event_of("PostToolUse", {}), [guard])[0].decision == ""


def test_a_handler_gets_its_own_limit_but_never_more_than_the_agent_leaves(bind):
    """The agent of this event waits 1.5 s; we are done before that."""
    seen = []
    bindings = [bind(lambda _, allowed_s: seen.append(allowed_s), timeout_s=limit) for limit in (0.5, 900, None)]
    dispatch(event_of("SessionEnd", {}), bindings)
    assert seen[0] == 0.5
    assert all(allowed_s <= 1.5 * 0.9 for allowed_s in seen)


def test_when_the_agents_patience_is_used_up_the_rest_is_not_run(bind, monkeypatch):
    """Better an answer without the last handlers than none."""
    clock = iter([0.0, 0.0, 1.0, 2.0, 2.0, 2.0])
    monkeypatch.setattr(room.time, "monotonic", lambda: next(clock))
    reply, _ = dispatch(event_of("SessionEnd", {}), [bind(lambda *_: context("a")), bind(lambda *_: context("b"), "b")])
    assert reply.context == "a"
    assert "b failed: not run" in reply.notes[0]
