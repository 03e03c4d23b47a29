"""The doctor's checks on settings that nobody would write: each says something, none stumbles."""

import json

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as tries
from hypothesis import strategies as st

from hookwright.setup import changes, diagnosis, install, standing
from hookwright.setup.checks import BAD, OK, WARN
from hookwright.setup.facts import Facts
from hookwright.setup.scopes import place
from hookwright.setup.settings import entries

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
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".hookwright.yaml").write_text("stop: {commands: [{run: 'true'}]}\n")
    return folder


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


@pytest.mark.parametrize("scope", ["project", "local", "user"])
def test_what_was_just_written_differs_in_nothing(project, scope):
    """In every scope, straight after `init`."""
    changes.apply(install.to_install(project, scope, None).changes)
    written = place(scope, project)
    wanted = install.of_scope(written, install.bound(Facts(project).table))
    found = entries(install.document_of(written))
    assert found and list(standing.differences(written, found, wanted)) == []
    assert [standing.why_not_run(written, entry, {}) for entry in found] == [""] * len(found)
