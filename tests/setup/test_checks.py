"""The doctor's checks on settings that nobody would write: each says something, none stumbles."""

import json

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as tries
from hypothesis import strategies as st

from hookwright.setup import diagnosis
from hookwright.setup.checks import BAD, OK, WARN
from hookwright.setup.facts import Facts
from hookwright.setup.scopes import place

KEYS = ["hooks", "matcher", "type", "command", "timeout", "hookwright", "if", "PreToolUse", "Stop", "enabledPlugins"]
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS) | st.text(), inner, max_size=3),
    max_leaves=6,
)
HANDLERS = st.dictionaries(st.sampled_from(KEYS), ODD, max_size=4).map(lambda keys: {"hookwright": "1", **keys})
GROUPS = st.fixed_dictionaries({"hooks": st.lists(HANDLERS, max_size=2)}, optional={"matcher": ODD})
HOOKS = st.dictionaries(st.sampled_from(["PreToolUse", "Stop"]) | st.text(), st.lists(GROUPS, max_size=2), max_size=3)


@pytest.fixture
def project(homely, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    (homely / ".hookwright.yaml").write_text("stop: {commands: [{run: 'true'}]}\n")
    return homely


@tries(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ODD | st.builds(lambda hooks, rest: {**rest, "hooks": hooks}, HOOKS, st.dictionaries(st.text(), ODD, max_size=2))
)
@example({"hooks": {"Stop": [{"hooks": [{"hookwright": "1", "timeout": -(10**400)}]}]}})
@example({"hooks": {"Stop": [{"matcher": ["x"], "hooks": [{"hookwright": "1", "command": {"a": 1}}]}]}})
def test_settings_of_any_shape_are_looked_at(project, document):
    """Every check ends with findings that have a level and, where something is wrong, an advice."""
    path = place("local", project).path
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document))
    for _, findings in diagnosis.examined(Facts(project)):
        assert all(finding.level == OK or (finding.level in (WARN, BAD) and finding.do) for finding in findings)
