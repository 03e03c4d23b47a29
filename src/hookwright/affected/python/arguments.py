"""The selected tests as arguments: few enough for any system, and so precise that nothing else is collected."""

from __future__ import annotations

from hookwright.affected.contract import Selection

MOST_FUNCTIONS = 40  # of one file; beyond that its name does, and the plugin keeps to the selected tests
MOST_BYTES = 60_000


def arguments(selection: Selection) -> list[str]:
    """Files and functions, in the order of the selection; [] stands for all tests."""
    if selection.files == ("",):
        return []
    by_file: dict[str, dict[str, None]] = {}
    for test in selection.tests:
        by_file.setdefault(test.split("::")[0], {})[test.split("[")[0]] = None
    whole = set(selection.files)
    precise = [
        argument
        for file, functions in by_file.items()
        for argument in ([file] if file in whole or len(functions) > MOST_FUNCTIONS else functions)
    ]
    for candidate in (precise, list(by_file)):
        if sum(len(argument.encode()) + 9 for argument in candidate) <= MOST_BYTES:
            return candidate
    return []
