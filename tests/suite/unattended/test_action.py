"""action.yml and the example workflow: their own shell steps, run as GitHub's runner does."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import need
from suite.junit import problems
from suite.unattended.bed import SOURCE, Bed, echo

ROOT = Path(__file__).resolve().parents[3]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
WORKFLOW = yaml.safe_load((ROOT / "examples/workflows/suites.yml").read_text())


def filled(text, known):
    """`${{ a.b }}` replaced; an expression that is not known is an error, as it would be empty on GitHub."""
    return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda match: str(known[match[1]]), str(text))


class Runner:
    """The part of GitHub's runner that a composite action sees."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.summary, self.output = folder / "summary.md", folder / "output"
        programs = folder / "bin"
        programs.mkdir()
        for name, code in (("hookwright", "from hookwright.cli import main; import sys; sys.exit(main())"),):
            (programs / name).write_text(f"#!{sys.executable}\n{code}\n")
            (programs / name).chmod(0o755)
        (programs / "python").write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$PIP_LOG"\n')  # no registry is asked
        (programs / "python").chmod(0o755)
        self.env = {
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": SOURCE,
            "PIP_LOG": str(folder / "pip"),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_OUTPUT": str(self.output),
        }

    def use(self, **inputs: str) -> int:
        """Run the action's steps until one fails; its exit code."""
        assert set(inputs) <= set(ACTION["inputs"])
        given = {name: inputs.get(name, row["default"]) for name, row in ACTION["inputs"].items()}
        known = {f"inputs.{name}": value for name, value in given.items()} | {"github.action_path": ROOT}
        for step in ACTION["runs"]["steps"]:
            env = {**self.env, **{name: filled(value, known) for name, value in step.get("env", {}).items()}}
            command = [need("bash"), "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            code = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, timeout=60).returncode
            if code:
                return code
        return 0


@pytest.fixture
def runner(bed: Bed) -> Runner:
    return Runner(bed.folder)


def test_the_action_posts_the_report(bed, runner):
    """All reports, the summary, the outputs; the step fails when a test did."""
    bed.suite(echo("good"), echo("bad", expect=[{"contains": "nothing of the kind"}]))
    assert runner.use() == 1
    assert "# A suite: Test Report" in runner.summary.read_text() and "### ❌ bad" in runner.summary.read_text()
    assert runner.output.read_text() == "reports=hookwright-reports\nexit-code=1\n"
    names = {path.name for path in (bed.folder / "hookwright-reports").iterdir()}
    assert names == {"junit.xml", "report.html", "report.json", "report.md"}
    assert problems((bed.folder / "hookwright-reports/junit.xml").read_text()) == []
    assert (bed.folder / "pip").read_text().split("\n")[:2] == ["-m", "pip"]
    assert f"{ROOT}[suite,mcp]" in (bed.folder / "pip").read_text()


def test_inputs_are_words_not_commands(bed, runner):
    """Arguments one a line, blanks and quotes inside; nothing of them is run."""
    bed.suite(echo("a b; touch mark $(touch mark)"), echo("c"))
    assert runner.use(arguments="--id\na b; touch mark $(touch mark)\n", suite="tests/functional/tests.json") == 0
    assert "| 1 | a b; touch mark $(touch mark) |" in runner.summary.read_text()
    assert not (bed.folder / "mark").exists()


def test_a_run_that_cannot_begin_says_so(bed, runner):
    """On the run's page, too; an earlier step's report is not taken for this one's."""
    earlier = bed.folder / "hookwright-reports/report.md"
    earlier.parent.mkdir()
    earlier.write_text("all passed")
    assert runner.use(suite="none.yaml") == 3
    assert runner.summary.read_text() == "hookwright: the suite could not run (exit code 3).\n"


def test_the_example_workflow_uses_what_the_action_has(bed, runner):
    """Its inputs exist, its suite exists, its shards are the whole, and their arguments run."""
    job = WORKFLOW["jobs"]["direct"]
    (step,) = [step for step in job["steps"] if step.get("uses") == "./"]
    assert (ROOT / step["with"]["suite"]).is_file()
    shards = job["strategy"]["matrix"]["shard"]
    assert f"/{len(shards)}\n" in step["with"]["arguments"]
    assert set(ACTION["outputs"]) >= {name for name in re.findall(r"outputs\.([\w-]+)", str(job))}
    bed.suite(echo("one"), echo("two"), echo("three"))
    for shard in shards:
        words = filled(step["with"]["arguments"], {"matrix.shard": shard})
        assert runner.use(arguments=words) == 0
    shown = re.findall(r"^\| \d+ \| (\w+) \|", runner.summary.read_text(), re.MULTILINE)
    assert sorted(shown) == ["one", "three", "two"]
    installs = [step["run"] for step in job["steps"] if "npm install" in str(step.get("run"))]
    assert installs and installs[0].removeprefix("npm install ") in (ROOT / step["with"]["suite"]).read_text()
