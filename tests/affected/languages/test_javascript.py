"""JavaScript beyond the matrix: workspaces, which runner is chosen, scripts, excluded tests."""

import json
import os

import pytest
from conftest import need

from hookwright.affected import run
from hookwright.affected.contract import Runner
from hookwright.affected.javascript.imports import imports, is_test
from hookwright.affected.javascript.package import package_in
from hookwright.affected.languages import javascript
from hookwright.affected.message import message
from hookwright.affected.projects import real, sorted_by_project
from hookwright.affected.settings import Settings

from .conftest import Workshop


@pytest.fixture
def node(workshop):
    need("node")
    return workshop("node", "javascript")


@pytest.fixture
def jest(workshop, node_modules):
    project = workshop("jest", "javascript")
    (project.top / "node_modules").symlink_to(node_modules)
    return project


@pytest.fixture
def vitest(workshop, node_modules):
    project = workshop("vitest", "typescript")
    (project.top / "node_modules").symlink_to(node_modules)
    return project


NEVER_COVERED = {"collectCoverage": True, "coverageThreshold": {"global": {"lines": 101}}}


@pytest.mark.parametrize("fixture", ["jest", "vitest"])
def test_workspace(request, fixture):
    """The runner of the workspace's top runs the tests of the edited package, without those that are left out.

    A threshold of coverage is meant for a whole run: a part of one must not fail by it.
    """
    project = request.getfixturevalue(fixture)
    (project.top / "packages" / "kiosk").mkdir(parents=True)
    for name in ("src", "test"):
        (project.top / name).rename(project.top / "packages" / "kiosk" / name)
    project.write("packages/kiosk/package.json", json.dumps({"name": "kiosk", "type": _type(fixture)}))
    ending = "ts" if fixture == "vitest" else "js"
    about = json.loads((project.top / "package.json").read_text())
    if fixture == "jest":
        project.write("package.json", json.dumps({**about, "jest": {**about.get("jest", {}), **NEVER_COVERED}}))
    verdict = project.edited(f"src/price.{ending}", inside="packages/kiosk", exclude=["test/cart.*"])
    assert (verdict.word, verdict.runner) == ("passed", fixture), message(verdict)
    assert verdict.report.ran == [f"test/till.test.{ending}::pay"]


@pytest.fixture
def workspace(node):
    """Three packages: price, used by cart by its name, used by till by a path in it."""
    node.write("package.json", json.dumps({"workspaces": ["packages/*"]}))
    for name, needs in {"price": [], "cart": ["@shop/price"], "till": ["@shop/cart"], "lonely": []}.items():
        about = {
            "name": f"@shop/{name}",
            "type": "module",
            "exports": {".": {"import": f"./src/{name}.js"}, "./*": "./*"},
            "dependencies": dict.fromkeys(needs, "*"),
            "scripts": {"test": "node --test"},
        }
        node.write(f"packages/{name}/package.json", json.dumps(about))
        link = node.top / "node_modules" / "@shop" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(node.top / "packages" / name)
        (node.top / "packages" / name / "src").mkdir()
        (node.top / "src" / f"{name}.js").rename(node.top / "packages" / name / "src" / f"{name}.js")
    for name in ("cart", "till"):
        node.write(f"packages/{name}/test/{name}.test.js", (node.top / "test" / f"{name}.test.js").read_text())
    node.replace("packages/cart/src/cart.js", "./price.js", "@shop/price")
    node.replace("packages/till/src/till.js", "./cart.js", "@shop/cart/src/cart.js")
    return node


def test_tests_of_other_packages(workspace):
    """Packages that use the edited one run their tests too, the nearest first, each as its own project."""
    top = real(str(workspace.top))
    found = sorted_by_project([f"{top}/packages/price/src/price.js"], Settings(top))
    assert [(edit.project.root[len(top) :], edit.files) for edit in found.edits] == [
        ("/packages/price", ["src/price.js"]),
        ("/packages/cart", ["test/cart.test.js"]),
        ("/packages/till", ["test/till.test.js"]),
    ]
    verdicts = [run.affected(edit.project, edit.files) for edit in found.edits[1:]]
    assert [verdict.word for verdict in verdicts] == ["failed", "passed"]
    assert verdicts[1].selection.reasons == {"test/till.test.js": "imports price/src/price.js"}


def test_two_packages_of_one_name(workspace):
    """A copy among somebody's test data does not confuse it."""
    workspace.write("zoo/price/package.json", '{"name": "@shop/price"}')
    top = real(str(workspace.top))
    found = sorted_by_project([f"{top}/packages/price/src/price.js"], Settings(top))
    assert [edit.files for edit in found.edits[1:]] == [["test/cart.test.js"], ["test/till.test.js"]]


def test_package_that_nobody_uses(workspace):
    top = real(str(workspace.top))
    found = sorted_by_project([f"{top}/packages/lonely/src/lonely.js"], Settings(top))
    assert [edit.files for edit in found.edits] == [["src/lonely.js"]]


def _type(fixture):
    return "module" if fixture == "vitest" else "commonjs"


def test_excluded(node):
    verdict = node.edited("src/price.js", exclude=["test/cart.*"])
    assert (verdict.word, verdict.report.passed) == ("passed", 1), message(verdict)


@pytest.mark.parametrize("fixture", ["jest", "vitest", "node"])
def test_everything(request, fixture):
    verdict = request.getfixturevalue(fixture).everything()
    assert (verdict.word, len(verdict.report.ran)) == ("failed", 3), message(verdict)


@pytest.mark.parametrize(
    ("script", "word"), [("node -e 0", "passed"), ("exit 3", "failed"), ("no-such-tool-at-all", "error")]
)
def test_package_script(node, script, word):
    """The last resort is judged by its exit code, whatever it prints."""
    need("npm")
    node.write("package.json", json.dumps({"scripts": {"test": script}}))
    verdict = node.edited("src/price.js")
    assert (verdict.word, verdict.runner, verdict.selection.kind) == (word, "npm test", "all"), message(verdict)


OFFLINE = "process.env.CI === 'true' && process.env.npm_config_offline === 'true'"


def test_package_script_is_offline_and_unwatched(node):
    """It is told so in the words that runners and managers know."""
    need("npm")
    node.write("package.json", json.dumps({"scripts": {"test": f'node -e "process.exit({OFFLINE} ? 0 : 1)"'}}))
    assert node.edited("src/price.js").word == "passed"


@pytest.mark.parametrize(
    ("lock", "name"),
    [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lockb", "bun"), ("package-lock.json", "npm")],
)
def test_manager_by_its_lock_file(node, monkeypatch, lock, name):
    """A stand-in by each name: the one whose lock file is there is asked for `test`."""
    for program in ("npm", "pnpm", "yarn", "bun"):
        node.write(f"bin/{program}", f'#!/bin/sh\n[ "$1" = test ] && [ {program} = {name} ]\n')
        (node.top / "bin" / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{node.top}/bin:/bin:/usr/bin")
    node.write("package.json", json.dumps({"scripts": {"test": "ava"}}))
    node.write(lock, "")
    verdict = node.edited("src/price.js")
    assert (verdict.word, verdict.runner) == ("passed", f"{name} test"), message(verdict)


@pytest.mark.parametrize(
    "script",
    ["tap --watch", "tap --watchAll=true", "npm run test:watch", "nodemon -x tap", "echo no test specified", ""],
)
def test_no_script_to_run(node, script):
    """One that would watch is never started; npm's placeholder is none."""
    node.write("package.json", json.dumps({"scripts": {"test": script}}))
    (node.top / "test" / "cart.test.js").unlink()
    (node.top / "test" / "till.test.js").unlink()
    assert javascript.runner(node.project()) is None


def test_node_without_a_word_about_it(node):
    """Tests that import node:test are run by node."""
    node.write("package.json", '{"type": "module"}')
    assert node.edited("src/till.js").runner == "node --test"


@pytest.mark.parametrize(
    ("given", "tool"),
    [
        ({"scripts": {"test": "vitest --watch"}, "devDependencies": {"jest": "1"}}, "vitest"),
        ({"devDependencies": {"jest": "1"}}, "jest"),
        ({"jest": {}}, "jest"),
        ({"scripts": {"test": "node --import tsx --test"}}, "node"),
        ({"scripts": {"test": "npm run lint && npm run -s unit", "lint": "eslint", "unit": "c8 node --test"}}, "node"),
        ({"scripts": {"test": "npm run test", "unit": "vitest"}}, ""),
        ({"scripts": {"test": "yarn unit", "unit": "yarn test"}}, ""),
        ({"scripts": {"test": "ava"}}, ""),
        ({"scripts": None, "dependencies": []}, ""),
    ],
)
def test_runner_by_package(tmp_path, given, tool):
    """The script's word before the dependencies."""
    (tmp_path / "package.json").write_text(json.dumps(given))
    assert package_in(str(tmp_path)).tool() == tool


def test_loaders_of_the_script_are_kept(tmp_path):
    (tmp_path / "package.json").write_text('{"scripts": {"test": "node --import tsx --test --require=x src"}}')
    assert package_in(str(tmp_path)).node_options() == ["--import", "tsx", "--require=x"]


def test_imports(tmp_path):
    """All four ways to import, endings left out, folders, and TypeScript's .js."""
    files = {
        "a.ts": "import x from './b.js'; export * from './c'; const d = await import('./d'); require('./e.cjs')",
        "b.ts": "",
        "c/index.ts": "",
        "d.jsx": "",
        "e.cjs": "import './node_modules/x'; import 'react'",
        "dist/a.js": "import './b'",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    assert imports(str(tmp_path))["a.ts"] == ["b.ts", "c/index.ts", "d.jsx", "e.cjs"]
    assert "dist/a.js" not in imports(str(tmp_path))


@pytest.mark.parametrize(
    ("about", "entry"),
    [({}, "index.js"), ({"main": "lib/shop"}, "lib/shop.js"), ({"exports": {".": "./lib/shop.js"}}, "lib/shop.js")],
)
@pytest.mark.parametrize("words", ["require('..')", "require('../')", "import shop from 'shop'"])
def test_tests_that_import_the_whole_package(tmp_path, about, entry, words):
    """Most tests of a small package do: an edit behind its entry reaches them."""
    top = tmp_path / "a"
    files = {"test/x.test.js": words, entry: "require('./part')", f"{entry.rpartition('/')[0] or '.'}/part.js": ""}
    for path, text in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(text)
    (top / "package.json").write_text(json.dumps({"name": "shop", "scripts": {"test": "node --test"}, **about}))
    project = Workshop(top, "javascript").project()
    edited = [path for path in files if path.endswith("part.js")]
    chosen = javascript.select(project, Runner("node --test", ("node",)), [os.path.normpath(*edited)])
    assert chosen.tests == ["test/x.test.js"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [("src/a.test.ts", True), ("src/__tests__/a.js", True), ("src/a.spec.mjs", True), ("src/testing.ts", False)],
)
def test_test_files(path, expected):
    assert is_test(path) is expected


def test_both_languages_are_one_run(tmp_path):
    """JavaScript and TypeScript of one package are one project."""
    (tmp_path / "package.json").write_text("{}")
    settings = Settings(str(tmp_path))
    found = sorted_by_project([f"{tmp_path}/a.ts", f"{tmp_path}/b.js"], settings)
    assert [edit.files for edit in found.edits] == [["a.ts", "b.js"]]
