"""From edited files to projects: the nearest marker above each file; several projects in one batch are several runs."""

from __future__ import annotations

import hashlib
import os
import posix
from dataclasses import dataclass, field, replace
from typing import cast

from hookwright.affected.contract import AcrossProjects, Language, Project
from hookwright.affected.languages.table import MODULES, language, language_of
from hookwright.affected.settings import Settings
from hookwright.affected.trigger import passed_over
from hookwright.paths import make_folders, make_own, state_folder

# What an outer pytest, or a hook above us, means for itself.
NOT_INHERITED = ("PYTEST_CURRENT_TEST", "PYTEST_XDIST_", "HOOKWRIGHT_CONTROL", "PYTHONHOME", "PYTEST_VERSION")
RECORDING = ("python",)  # the languages that know which data files a test opened
# documents and configuration, and what no edit of a text is about
NOT_DATA = (".md", ".rst", ".adoc", ".toml", ".ini", ".cfg", ".yaml", ".yml", ".lock", ".env", ".log", ".ipynb")


@dataclass
class Edit:
    """The edited files of one project, by their paths in it."""

    project: Project
    files: list[str] = field(default_factory=list)


@dataclass
class Sorted:
    """Edits by project, and the files that run nothing, with the reason."""

    edits: list[Edit] = field(default_factory=list)
    passed_over: dict[str, str] = field(default_factory=dict)


def sorted_by_project(paths: list[str], settings: Settings, by_hand: bool = False) -> Sorted:
    """Each file to its project. By hand also a test counts: it is run itself."""
    found = Sorted()
    edits: dict[tuple[str, str], Edit] = {}
    for path in dict.fromkeys(map(real, paths)):
        name = _language_name(path, settings)
        if not name or not _within(path, settings.folder):
            found.passed_over[path] = "it is outside the project" if name else "no language for it"
            continue
        root = root_of(path, name, settings.folder)
        inside = path[len(root) :].lstrip("/")
        why = passed_over(inside, is_test(language(name), root, inside))
        if why and not by_hand:
            found.passed_over[path] = why
            continue
        edit = edits.setdefault((root, MODULES[name]), Edit(project(root, name, settings)))
        edit.files.append(inside)
    for (_, module), edit in list(edits.items()):
        spoken = cast(AcrossProjects, language(edit.project.language))
        others = spoken.elsewhere(edit.project, edit.files) if hasattr(spoken, "elsewhere") else {}
        for root, tests in others.items():
            other = replace(project(root, edit.project.language, settings), because=f"imports {_name(edit)}")
            files = edits.setdefault((root, module), Edit(other)).files
            files += [test for test in tests if test not in files]
    found.edits = list(edits.values())
    return found


def _name(edit: Edit) -> str:
    return os.path.join(os.path.basename(edit.project.root), edit.files[0])


def _language_name(path: str, settings: Settings) -> str:
    """The language of a file; of a data file, the one whose tests were seen to open it; "" for any other."""
    row = language_of(path)
    if row is not None:
        return row.name
    return "" if path.endswith(NOT_DATA) else recorded_by(path, settings)


def recorded_by(path: str, settings: Settings) -> str:
    """The language whose recorded tests know this file, be it there or not; "" for none."""
    for name in RECORDING if _within(path, settings.folder) else ():
        root = root_of(path, name, settings.folder)
        state = _state_path(settings.folder, root, MODULES[name])
        if os.path.isdir(state) and language(name).opened_in(state, path[len(root) :].lstrip("/")):  # type: ignore[attr-defined]
            return name
    return ""


def is_test(spoken: Language, root: str, path: str) -> bool:
    """A language may have its names of tests configured: then it offers `is_test_in` as well."""
    configured = getattr(spoken, "is_test_in", None)
    return bool(configured(root, path)) if configured else spoken.is_test(path)


def root_of(path: str, name: str, top: str) -> str:
    """The nearest folder above a file with one of the language's markers; the top where there is none."""
    folder = os.path.dirname(path)
    while _within(folder, top):
        if is_marked(folder, name):
            return folder
        if folder == top:
            break
        folder = os.path.dirname(folder)
    return top


def is_marked(folder: str, name: str) -> bool:
    """Whether a folder has one of the language's markers."""
    markers = language(name).MARKERS
    endings = tuple(marker[1:] for marker in markers if marker.startswith("*"))
    if endings and os.path.isdir(folder) and any(each.endswith(endings) for each in os.listdir(folder)):
        return True
    return any(os.path.exists(f"{folder}/{marker}") for marker in markers)


def project(root: str, name: str, settings: Settings) -> Project:
    """A project as the settings have it, with a folder for what we remember of it."""
    own = settings.for_project(root)
    return Project(
        root=root,
        language=name,
        state=_state(settings.folder, root, MODULES[name]),
        budget_s=float(own.budget_s or language(name).BUDGET_S),
        command=tuple(own.commands.get(name) or ()),
        exclude=tuple((include, text) for include, text in own.exclude),
        leave_out=tuple(own.leave_out),
        warm=own.warm,
        environment=_environment(),
    )


def top_folder(start: str) -> str:
    """Where there is no config: the repository that a folder is in, else the folder itself."""
    folder = real(start)
    while folder != "/":
        if os.path.exists(f"{folder}/.git"):
            return folder
        folder = os.path.dirname(folder)
    return real(start)


def real(path: str) -> str:
    """The one name of a file; macOS keeps /tmp in /private/tmp, and pytest follows links too."""
    return os.path.realpath(path)


def _state(folder: str, root: str, name: str) -> str:
    """Beside the config. Raises OSError where nothing can be written."""
    make_folders(f"{folder.rstrip('/')}/.")
    state = _state_path(folder, root, name)
    make_own(state)
    for entry in os.scandir(state):
        if entry.is_symlink():  # we make none: it came with the repository, for us to write elsewhere
            os.unlink(entry.path)
    return state


def _state_path(folder: str, root: str, name: str) -> str:
    inside = os.path.relpath(root, folder)
    key = hashlib.blake2b(f"{name}:{inside}".encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    return f"{state_folder(folder.rstrip('/') + '/.')}/affected-{key}"


def _environment() -> dict[bytes, bytes]:
    unwanted = tuple(name.encode() for name in NOT_INHERITED)
    return {name: value for name, value in posix.environ.items() if not name.startswith(unwanted)}


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")
