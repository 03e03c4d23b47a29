"""Which edited files are worth a test run: code, and neither tests, configuration, documents, generated nor foreign."""

from __future__ import annotations

import os

FOREIGN_FOLDERS = frozenset(
    [
        ".git",
        ".hg",
        ".svn",
        ".hookwright",
        ".venv",
        "venv",
        ".tox",
        ".nox",
        "node_modules",
        "bower_components",
        "vendor",
        "vendored",
        "_vendor",
        "third_party",
        "site-packages",
        "dist-packages",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        ".eggs",
        ".pixi",
        ".gradle",
        ".idea",
        ".vscode",
        "DerivedData",
        "Pods",
        ".dart_tool",
        ".build",
        ".swiftpm",
        ".elixir_ls",
        ".bundle",
        ".next",
        ".nuxt",
    ]
)
GENERATED_FOLDERS = frozenset(("generated", "__generated__"))
TEST_FOLDERS = frozenset(("tests", "Tests", "__tests__", "__test__"))
# Deeper down these are names of packages (coverage, django.test); only at the top of a project do they mean this.
TOP_FOLDERS = {
    **dict.fromkeys(("build", "_build", "dist", "out", "target", "coverage", "htmlcov"), "it is generated"),
    **dict.fromkeys(("test", "spec", "specs", "e2e", "integration_test", "test_driver"), "it belongs to the tests"),
    **dict.fromkeys(("docs", "doc", "documentation"), "it is documentation"),
}
CONFIG_NAMES = frozenset(
    [
        "setup.py",
        "noxfile.py",
        "Gruntfile.js",
        "gulpfile.js",
        "Package.swift",
        "gems.rb",
        "mix.exs",
        ".formatter.exs",
        ".credo.exs",
        ".php-cs-fixer.php",
        ".php-cs-fixer.dist.php",
        "rector.php",
    ]
)
GENERATED_ENDINGS = (
    *("_pb2.py", "_pb2_grpc.py", ".pb.go", ".min.js", ".d.ts"),
    *(
        ".g.dart",
        ".freezed.dart",
        ".mocks.dart",
        ".gr.dart",
        ".pb.dart",
        ".pbenum.dart",
        ".pbgrpc.dart",
        ".pbjson.dart",
    ),
    *(".pb.swift", ".grpc.swift", "_pb.rb", ".pb.ex"),
    *(".g.cs", ".g.i.cs", ".Designer.cs", ".designer.cs", ".AssemblyInfo.cs", ".AssemblyAttributes.cs"),
)


def is_foreign_folder(root: str, folder: str) -> bool:
    """Whether nothing in this folder is the project's own code: an environment, a cache, somebody else's."""
    name = folder.rpartition("/")[2]
    return name in FOREIGN_FOLDERS or name.endswith(".egg-info") or os.path.exists(f"{root}/{folder}/pyvenv.cfg")


def passed_over(path: str, is_test: bool) -> str:
    """Why an edit of this file (its path in the project) runs nothing; "" when it does."""
    *folders, name = path.split("/")
    if is_test:
        return "it is a test"
    for names, why in _FOLDER_RULES:
        if not names.isdisjoint(folders):
            return why
    if folders and folders[0] in TOP_FOLDERS:
        return TOP_FOLDERS[folders[0]]
    if name in CONFIG_NAMES or ".config." in name:
        return "it is configuration"
    if name.endswith(GENERATED_ENDINGS):
        return "it is generated"
    return ""


_FOLDER_RULES = (
    (FOREIGN_FOLDERS, "it is not the project's own"),
    (GENERATED_FOLDERS, "it is generated"),
    (TEST_FOLDERS, "it belongs to the tests"),
)
