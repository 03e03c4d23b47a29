"""Rust: cargo-nextest where it is installed, else `cargo test`, for the crates that depend on the edited ones."""

from __future__ import annotations

import os
import re
import shlex
from typing import Any

from hookwright.affected import junit
from hookwright.affected.contract import Failure, Project, Report, Runner, Selection
from hookwright.affected.dependents import dependents, reason
from hookwright.affected.libtest import Output, failure, printed_errors
from hookwright.affected.toolchain import (
    asked,
    documents,
    excluded,
    found,
    last_words,
    own_argv,
    own_runner,
    read,
    unreported,
    whole,
)

NAME = "rust"
BUDGET_S = 10.0
MARKERS = ("Cargo.toml",)
LIVE = ("cargo test",)
FORMAT_TESTED = ("cargo nextest",)
SIGNS = (("Cargo.toml", "cargo test"),)
LINT = "cargo check"
LOCKS = {"Cargo.lock": "cargo update"}
NEXTEST_PLACE = re.compile(r"panicked at ([^\s,']+\.rs):(\d+)")
TESTS_FAILED = 100  # nextest's
ABORT = "test abort"  # nextest's word for a test that a signal ended
ONLY = " --test "  # between a crate and one of its test binaries
# Nothing is downloaded: neither crates nor a toolchain. No test at all is no failure.
SETTINGS = {b"CARGO_NET_OFFLINE": b"true", b"RUSTUP_AUTO_INSTALL": b"0", b"NEXTEST_NO_TESTS": b"pass"}


def is_test(path: str) -> bool:
    *folders, name = path.split("/")
    return not {"tests", "benches"}.isdisjoint(folders) or name in ("tests.rs", "test.rs") or name.endswith("_test.rs")


def runner(project: Project) -> Runner | None:
    if project.command:
        return own_runner(project)
    cargo = found(project, "cargo")
    if not cargo or not os.path.exists(f"{project.root}/Cargo.toml"):
        return None
    project.environment.update(SETTINGS)
    facts = {"workspace": project.root}
    if found(project, "cargo-nextest"):
        return Runner("cargo nextest", (cargo, "nextest", "run", "--no-fail-fast"), facts)
    return Runner("cargo test", (cargo, "test", "--no-fail-fast", "--message-format=json"), facts)


def select(project: Project, runner: Runner, edited: list[str]) -> Selection:
    crates = _crates(project, runner)
    binaries = [_binary(project, path, crates) for path in edited]
    if crates and all(binaries):  # tests themselves, by hand: only these
        return whole("graph", dict.fromkeys(binaries, "it was edited"))
    touched = {name for path in edited if (name := _crate_of(os.path.join(project.root, path), crates))}
    ways = dependents({name: crate["needs"] for name, crate in crates.items()}, sorted(touched))
    reasons = {name: reason(way) for name, way in ways.items() if _has_tests(project, crates[name])}
    if not crates:  # Cargo.toml itself is broken: let cargo say why
        reasons = {"": "the crates are not known"}
    return whole("graph" if crates else "all", reasons, "no crate with tests depends on it")


def select_all(project: Project, runner: Runner) -> Selection:
    crates = _crates(project, runner)
    names = [name for name, crate in crates.items() if _has_tests(project, crate)]
    return whole("all", dict.fromkeys(names or [""], "all tests were asked for"))


def _crates(project: Project, runner: Runner) -> dict[str, dict[str, Any]]:
    """The crates of the workspace, and which of each other they need, for whatever purpose."""
    cargo = found(project, "cargo")
    answer = asked(project, cargo, "metadata", "--format-version=1", "--no-deps") if cargo else ""
    known = next(documents(answer), {})
    runner.facts["workspace"] = known.get("workspace_root", project.root)
    packages = known.get("packages", [])
    by_folder = {os.path.dirname(package["manifest_path"]): package["name"] for package in packages}
    return {
        package["name"]: {
            "folder": os.path.dirname(package["manifest_path"]),
            "needs": [by_folder[need["path"]] for need in package["dependencies"] if need.get("path") in by_folder],
        }
        for package in packages
    }


def _crate_of(path: str, crates: dict[str, dict[str, Any]]) -> str:
    """The crate with the deepest folder above a file."""
    above = [name for name, crate in crates.items() if path.startswith(f"{crate['folder']}/")]
    return max(above, key=lambda name: len(crates[name]["folder"]), default="")


def _binary(project: Project, path: str, crates: dict[str, dict[str, Any]]) -> str:
    """The crate and the test binary that a file of tests is; "" for any other file."""
    whole_path = os.path.join(project.root, path)
    crate = _crate_of(whole_path, crates)
    name, ending = os.path.splitext(os.path.basename(path))
    is_one = ending == ".rs" and crate and os.path.dirname(whole_path) == f"{crates[crate]['folder']}/tests"
    return f"{crate}{ONLY}{name}" if is_one and os.path.exists(whole_path) else ""


def _has_tests(project: Project, crate: dict[str, Any]) -> bool:
    """Whether any file of a crate speaks of tests, or has an example that is run as one."""
    for place, folders, names in os.walk(crate["folder"]):
        folders[:] = [name for name in folders if name not in ("target", ".git", "node_modules")]
        for name in names:
            path = f"{place}/{name}"
            if name.endswith(".rs") and not excluded(project, os.path.relpath(path, project.root)):
                text = read(path)
                if "test" in text or "```" in text:
                    return True
    return False


def has_tests(project: Project) -> bool:
    """Whether there is any test, which in Rust may stand among the code."""
    return _has_tests(project, {"folder": project.root})


def argv(project: Project, runner: Runner, selection: Selection) -> list[str]:
    crates = [name for name in selection.tests if name]
    if project.command:
        return own_argv(project, crates)
    told = _nextest_report(project) if runner.name == "cargo nextest" else []
    return [*runner.argv, *told, *_chosen(crates)]


def _nextest_report(project: Project) -> list[str]:
    """nextest writes JUnit only where a configuration says so; a tool may bring its own, below the user's."""
    output, settings = project.file("nextest.xml"), project.file("nextest.toml")
    if os.path.exists(output):
        os.remove(output)
    with open(settings, "w", encoding="utf-8") as file:
        file.write(f"[profile.default.junit]\npath = '''{output}'''\n")
    return ["--tool-config-file", f"hookwright:{settings}"]


def report(project: Project, runner: Runner, selection: Selection, outcome: Any) -> Report:
    reader = {"cargo test": _cargo, "cargo nextest": _nextest}.get(runner.name)
    return reader(project, runner, outcome) if reader and not project.command else Report()


def _cargo(project: Project, runner: Runner, outcome: Any) -> Report:
    """The exit code decides; the names are what the test binaries printed."""
    output = Output(outcome.stdout.text(), outcome.stderr.text())
    broken = output.errors(runner.facts["workspace"])
    if output.was_built is False:
        crate = broken[0].test if broken else "it"
        return Report(broken=broken, problem=f"{crate} does not compile", found=True, whole=True)
    if not output.binaries and not (output.was_built and outcome.exit_code in (0, 101)):
        return unreported(runner.name, outcome)
    if not output.binaries and outcome.exit_code == 0:  # a harness of its own: its exit code is all we know
        return Report()
    report = Report(found=True, whole=not outcome.timed_out, collected=sum(each.tests for each in output.binaries))
    for binary in output.binaries:
        prefix = f"{binary.name}::" if binary.name else ""
        ended = list(binary.ended.values())
        report.passed += ended.count("ok")
        report.skipped += ended.count("ignored")
        report.ran += [prefix + test for test, how in binary.ended.items() if how != "ignored"]
        for test in [test for test, how in binary.ended.items() if how == "FAILED"]:
            report.failures.append(failure(prefix + test, binary.details.get(test, []), runner.facts["workspace"]))
    if outcome.exit_code == 0:
        report.failures = []
        cut = next((each for each in output.binaries if not each.is_whole), None)
        report.problem = f"{cut.name} ended in the middle of its tests" if cut else ""
    elif outcome.exit_code == 101 and not report.failures:  # a harness of its own, or a binary that crashed
        report.failures = [Failure("", tuple(last_words(outcome, 4)))]
    return report


def _junit(cases: list[junit.Case], workspace: str) -> Report:
    """By crate and test, as `cargo test` has them; nextest's groups name the binary too, its messages say little."""
    for case in cases:
        case.group = case.group.partition("::")[0]
    report = junit.report_of(cases, workspace, NEXTEST_PLACE, "::")
    faults = [case.trace().splitlines() for case in cases if case.fault is not None]
    report.failures = [
        failure(told.test, trace, workspace) if told.where else told
        for told, trace in zip(report.failures, faults, strict=True)
    ]
    return report


def _nextest(project: Project, runner: Runner, outcome: Any) -> Report:
    """Its JUnit; where the user's own configuration sends that elsewhere, its exit code."""
    text = read(project.file("nextest.xml"))
    cases = junit.cases(text)
    if outcome.timed_out:  # it passes our signal on to the tests, and reports those as failed
        cases = [case for case in cases if case.fault is None or not case.fault.get("type", "").startswith(ABORT)]
    if text:
        return _junit(cases, runner.facts["workspace"])
    if outcome.exit_code == 0:
        return Report()
    if outcome.exit_code == TESTS_FAILED:
        return Report(failures=[Failure("", tuple(last_words(outcome, 4)))], found=True)
    told = unreported(runner.name, outcome)
    told.broken = printed_errors(outcome.stderr.text(), runner.facts["workspace"])
    if told.broken:
        told.problem = f"{told.broken[0].where.rpartition(':')[0]} does not compile"
    return told


def hint(project: Project, runner: Runner, tests: list[str]) -> str:
    crates = list(dict.fromkeys(test.partition("::")[0] for test in tests if test))[:5]
    if project.command:
        return shlex.join(own_argv(project, crates))
    only = [tests[0].partition("::")[2]] if len(tests) == 1 and "::" in tests[0] else []
    return shlex.join([*runner.name.split(), *(["run"] if "nextest" in runner.name else []), *_chosen(crates), *only])


def _chosen(names: list[str]) -> list[str]:
    """-p for each crate, and --test where only one of its binaries is meant."""
    pairs = [name.partition(ONLY) for name in names]
    chosen = dict.fromkeys(("-p", crate) for crate, _, _ in pairs)
    chosen |= dict.fromkeys(("--test", binary) for _, _, binary in pairs if binary)
    return [word for pair in chosen for word in pair]
