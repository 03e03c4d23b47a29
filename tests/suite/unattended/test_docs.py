"""docs/suites-in-ci.md: what is written there is so."""

import argparse
import re
import sys
from pathlib import Path

import yaml
from suite.unattended.bed import SOURCE

from hookwright.verbs import suite_run

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/suites-in-ci.md").read_text(encoding="utf-8")


def test_the_page_names_every_option_and_no_other():
    """Of `suite run`, and of the pytest plugin."""
    parser = argparse.ArgumentParser()
    suite_run.arguments(verbs := parser.add_subparsers())
    options = {
        word for action in verbs.choices["run"]._actions for word in action.option_strings if word.startswith("--")
    }
    plugin = set(re.findall(r'"(--hookwright-[\w-]+)"', (ROOT / "src/hookwright/pytest_plugin.py").read_text()))
    named = set(re.findall(r"(--[a-z][a-z-]+)", PAGE))
    known = options - {"--help", "--no-isolate", "--suite", "--quiet"} | plugin
    assert named - {"--junitxml"} == known


def test_the_suite_shown_passes(bed):
    """As a reader would copy it; `python` is the one that has hookwright."""
    shown = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]
    suite = yaml.safe_load(shown)
    suite["servers"]["demo"] |= {"command": sys.executable, "env": {"PYTHONPATH": SOURCE}}
    (bed.folder / "tests/functional/tests.yaml").write_text(yaml.safe_dump(suite))
    assert bed.run().statuses == {"keep": "pass", "read": "pass"}


def test_the_action_has_the_inputs_and_outputs_that_are_named():
    """All of them."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    named = set(re.findall(r"`([\w-]+)`", PAGE.partition("Inputs: ")[2].partition("## Examples")[0]))
    assert named == set(action["inputs"]) | set(action["outputs"])
