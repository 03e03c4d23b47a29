"""Record what rspec, minitest, phpunit and mix leave behind on their fixture projects, where they are installed.

Run by hand: `.venv/bin/python tests/affected/languages/record.py`. The tests play these recordings.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from affected.languages.standins import RECORDED, ROWS, Row

from hookwright.affected.languages.table import language
from hookwright.affected.projects import project, real
from hookwright.affected.settings import Settings

PROJECTS = Path(__file__).parent / "projects"
REPORTS = {"rspec": "ruby.report", "minitest": "ruby.report", "phpunit": "phpunit.xml", "mix": "exunit.report"}


def record(row: Row, scene: str) -> None:
    """One scene of one runner, run without the engine's deadline."""
    top = Path(tempfile.mkdtemp()) / "a project"
    shutil.copytree(PROJECTS / row.folder, top)
    edited = {"passing": row.passing, "failing": row.failing, "broken": row.broken[0]}[scene]
    if scene == "broken":
        text = (top / edited).read_text(encoding="utf-8")
        (top / edited).write_text(text.replace(*row.broken[1:]), encoding="utf-8")
    root, spoken = real(str(top)), language(row.language)
    at_work = project(root, row.language, Settings(root))
    runner = spoken.runner(at_work)
    assert runner is not None, f"{row.runner} is not installed"
    command = spoken.argv(at_work, runner, spoken.select(at_work, runner, [edited]))
    done = subprocess.run(command, cwd=root, env=at_work.environment, capture_output=True, check=False)
    folder = RECORDED / row.folder / scene
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    report = Path(at_work.file(REPORTS[row.folder]))
    told = {"stdout": done.stdout, "stderr": done.stderr, "exit": str(done.returncode).encode()}
    if report.exists():
        told["report"] = report.read_bytes()
    for name, content in told.items():
        if content:
            (folder / name).write_text(content.decode().replace(root, "{root}"), encoding="utf-8")
    shutil.rmtree(top.parent)


if __name__ == "__main__":
    for each in ROWS:
        if each.real and all(map(shutil.which, each.tools)):
            for name in ("passing", "failing", "broken"):
                record(each, name)
                print(f"{each.runner}: {name}")
