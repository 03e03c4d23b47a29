"""Files are changed as a whole or not at all."""

import os
import resource
import stat

import pytest

from hookwright.errors import Refusal
from hookwright.setup import changes
from hookwright.setup.changes import Change


def test_a_write_that_breaks_off_leaves_the_file_as_it_was(tmp_path):
    """A full disk in its middle: the old text, no draft beside it, and a sentence."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8, hard))
    try:
        with pytest.raises(Refusal, match=r"cannot write .*settings\.json: "):
            changes.apply([Change(path, b"old", b"a text of more than eight bytes")])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["settings.json"]


def test_the_copy_of_settings_is_for_their_owner_only(tmp_path):
    """They may hold keys; it is there before the settings are changed."""
    path, backup = tmp_path / "settings.json", tmp_path / "kept"
    path.write_bytes(b"old")
    changes.apply([Change(path, b"old", b"new", backup=backup, kept=b"old")])
    assert (path.read_bytes(), backup.read_bytes()) == (b"new", b"old")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    changes.apply([Change(path, b"new", b"old", backup=backup)])
    assert path.read_bytes() == b"old" and not backup.exists()
