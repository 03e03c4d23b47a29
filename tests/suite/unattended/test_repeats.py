"""pass@k and pass^k."""

from itertools import combinations
from math import isclose

from hypothesis import given
from hypothesis import strategies as st

from hookwright.suite.unattended.repeats import figures, pass_all, pass_at


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.data())
def test_they_count_the_ways_to_choose_k_runs(runs, data):
    """Of all ways to choose k of the runs: the share with at least one pass, and with nothing but passes."""
    k = data.draw(st.integers(1, len(runs)))
    chosen = list(combinations(runs, k))
    assert isclose(pass_at(k, len(runs), sum(runs)), sum(map(any, chosen)) / len(chosen))
    assert isclose(pass_all(k, len(runs), sum(runs)), sum(map(all, chosen)) / len(chosen))


def test_rounds_that_did_not_run_say_nothing():
    """Neither for nor against."""
    assert figures(["pass", "skip", "not run", "fail"])["runs"] == 2
    assert figures(["skip", "skip"]) == {"runs": 0, "passed": 0, "pass_at": {}, "pass_all": {}}
