"""What can be answered, and how several answers become one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hookwright
from hookwright.reply import Reply, ask, block, context, deny, halt, merge, permission, rewrite, tell_user

texts = st.text(max_size=20)
replies = st.builds(
    Reply,
    st.sampled_from(["", "allow", "deny", "ask", "defer"]),
    texts,
    context=texts,
    user=texts,
    halt=st.none() | texts,
    extra=st.dictionaries(st.sampled_from("ab"), texts),
)
STRICTEST = ["deny", "defer", "ask", "allow", ""]


@given(st.lists(replies, max_size=6))
def test_the_strictest_decision_wins(several):
    """deny beats defer beats ask beats allow beats silence."""
    expected = min((reply.decision for reply in several), key=STRICTEST.index, default="")
    assert merge(several).decision == expected


@given(st.lists(replies, max_size=6))
def test_texts_are_joined_in_order_and_empty_ones_dropped(several):
    """Contexts and messages of all handlers survive, a line each."""
    merged = merge(several)
    assert merged.context == "\n".join(reply.context for reply in several if reply.context)
    assert merged.user == "\n".join(reply.user for reply in several if reply.user)


@given(st.lists(replies, max_size=6))
def test_a_halt_survives_every_merge(several):
    """Once one handler ends the turn, no other takes that back."""
    assert (merge(several).halt is not None) == any(reply.halt is not None for reply in several)


@given(replies)
def test_one_answer_is_merged_into_itself(reply):
    """A reason without a decision is nothing; all else stays."""
    merged = merge([reply])
    assert (merged.decision, merged.context, merged.user, merged.halt) == (
        reply.decision,
        reply.context,
        reply.user,
        reply.halt,
    )


@given(st.lists(replies, max_size=4), st.lists(replies, max_size=4))
def test_merging_in_two_steps_is_merging_at_once(first, second):
    """It does not matter how handlers are grouped."""
    assert merge([merge(first), merge(second)]).parts() == merge([*first, *second]).parts()


def test_only_the_winning_decision_gives_its_reasons():
    """The reason of a weaker decision would contradict the answer."""
    merged = merge([ask("sure?"), deny("no"), deny("never")])
    assert (merged.decision, merged.reason) == ("deny", "no\nnever")


def test_the_last_rewrite_wins():
    """As in the client, the last rewritten input is the one that runs."""
    assert merge([rewrite({"command": "a"}), context("x"), rewrite({"command": "b"})]).input == {"command": "b"}


def test_the_verbs_of_the_contract_exist():
    """Every verb the contract names can be imported from the package."""
    for verb in [
        "allow",
        "deny",
        "ask",
        "defer",
        "block",
        "context",
        "tell_user",
        "rewrite",
        "halt",
        "keep_working",
        "reject_task",
        "permission",
        "answer",
        "on",
    ]:
        assert callable(getattr(hookwright, verb)) or verb == "on"


def test_block_is_the_same_refusal_by_another_name():
    """A handler may say block or deny; the event decides what is written."""
    assert block("no") == deny("no") != tell_user("no")


def test_wrong_use_is_refused_where_it_happens():
    """A handler's mistake is told with the right form, not sent to the agent."""
    with pytest.raises(ValueError, match="let the person decide"):
        permission("ask")
    with pytest.raises(TypeError, match="whole tool input"):
        rewrite("ls")
    for value in ({(1, 2): "x"}, {"k": {1, 2}}, {"k": [float("nan")]}, {"k": object()}):
        with pytest.raises(TypeError, match=r"JSON cannot hold|must be text"):
            rewrite(value)
    with pytest.raises(AttributeError, match="frobnicate"):
        hookwright.frobnicate  # noqa: B018


def test_none_is_no_text():
    """Nobody wants to read "None"."""
    assert (deny(None).reason, context(None).context, halt(None).halt) == ("", "", "")


def test_an_answer_shows_only_what_it_says():
    """The repr of an answer is short enough for a test's failure message."""
    assert repr(halt("done")) == "Reply(halt='done')"
