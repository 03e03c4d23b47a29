"""Our entries as they stand: what was altered is told, by how much it matters."""

import pytest
from setup.running import alter, register

from hookwright.setup import changes, checks, facts, install, settings_file, standing
from hookwright.setup.scopes import place
from hookwright.setup.settings import entries


@pytest.mark.parametrize(
    "keys, level, told",
    [
        ({"matcher": "Nope"}, "bad", "PreToolUse has the matcher 'Nope', the config asks for 'Bash|Edit'"),
        ({"matcher": "Bash"}, "bad", "PreToolUse has the matcher 'Bash'"),
        ({"matcher": ""}, "warn", "PreToolUse has no matcher"),
        ({"if": "Bash(ls)"}, "bad", "PreToolUse has 'if': 'Bash(ls)', which we did not write"),
        ({"async": True}, "bad", "'async': True"),
        ({"asyncRewake": True}, "bad", "'asyncRewake': True"),
        ({"args": ["x"]}, "bad", "has 'args', which we did not write"),
        ({"shell": "powershell"}, "bad", "'shell': 'powershell'"),
        ({"once": True}, "bad", "'once': True"),
        ({"type": "prompt", "prompt": "x"}, "bad", "'type': 'prompt'"),
        ({"timeout": 900}, "warn", "'timeout': 900"),
        ({"statusMessage": "guarding"}, "warn", "'statusMessage': 'guarding'"),
        ({"hookwright": "0"}, "warn", "'hookwright': '0'"),
    ],
)
def test_an_entry_of_ours_that_was_altered(homely, keys, level, told):
    """Red where events are lost or answered otherwise, yellow where not; registering again mends it."""
    register(homely, "preToolUse: {commands: [{run: 'true', tool: '{Bash,Edit}'}]}\n")
    assert [finding.level for finding in checks.registered(facts.Facts(homely))] == ["ok"]
    alter(homely, "PreToolUse", **keys)
    found = list(checks.registered(facts.Facts(homely)))
    assert found[0].level == level and told in found[0].text and found[0].do == "hookwright sync"
    register(homely)
    assert [finding.level for finding in checks.registered(facts.Facts(homely))] == ["ok"]


@pytest.mark.parametrize("scope", ["project", "local", "user"])
def test_what_was_just_written_differs_in_nothing(homely, scope):
    """In every scope, straight after `init`."""
    (homely / ".hookwright.yaml").write_text("stop: {commands: [{run: 'true'}]}\n")
    changes.apply(install.to_install(homely, scope, None).changes)
    written = place(scope, homely)
    wanted = install.of_scope(written, install.bound(facts.Facts(homely).table))
    found = entries(settings_file.document_of(written))
    assert found and list(standing.differences(written, found, wanted)) == []
    assert [standing.why_not_run(written, entry, {}) for entry in found] == [""] * len(found)
