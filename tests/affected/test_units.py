"""Fingerprints: what leaves them as they are, and what changes which of them."""

import ast
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookwright.affected.python.additions import NAMES, only_added
from hookwright.affected.python.units import MODULE, resolved, units_of

SOURCE = dedent('''
    """Module."""
    import os

    LIMIT = 3

    def first(a, b=LIMIT):
        """Doc."""
        def inner():
            return a
        return inner() + b

    @staticmethod
    def second(x): return [y for y in x]

    class Box:
        """Doc."""
        size: int = 1

        @property
        def area(self):
            return self.size ** 2

        @area.setter
        def area(self, value):
            self.size = value

        async def wait(self):
            return lambda: 1
''')


def units(text):
    """Without the unit of names."""
    return {name: fingerprint for name, fingerprint in units_of(text.encode()).items() if name != NAMES}


def added(old, new):
    """Whether an edit only adds names at module level: nothing of before is another."""
    before, after = units_of(dedent(old).encode()), units_of(dedent(new).encode())
    same = {name for name in before if name != NAMES and before[name] == after.get(name)}
    return same == before.keys() - {NAMES} and only_added(before.get(NAMES, ""), after.get(NAMES, ""))


@pytest.mark.parametrize(
    "new",
    ["import re\n", "def new(a, b=1): return a\n", "def new(a: int) -> None: pass\n", "async def new(): pass\n"],
)
def test_new_names_leave_the_module_level_as_it_is(new):
    """A plain function or an import of the library that nothing at module level mentions."""
    assert added("X = 1\ndef old(): return X\n", f"X = 1\n{new}def old(): return X\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("X = 1\n", "X = 1\nimport elsewhere\n"),
        ("X = 1\n", "X = 1\nfrom re import nothing\n"),
        ("X = 1\n", "X = 1\ndef f(a=X): pass\n"),
        ("X = 1\n", "X = 1\ndef f(a: X): pass\n"),
        ("X = 1\n", "X = 1\n@X\ndef f(): pass\n"),
        ("X = 1\n", "X = 1\ndef X(): pass\n"),
        ("X = 1\n", "X = 1\ndef print(): pass\n"),
        ("X = 1\n", "X = 1\ndef __getattr__(name): pass\n"),
        ("X = 1\n", "X = 1\nclass New: pass\n"),
        ("X = vars()\n", "X = vars()\ndef f(): pass\n"),
        ("def f(): pass\n", "X = 1\n"),
        ("def f(): pass\n", "def f(a): pass\n"),
        ("def f(): pass\nX = g()\ndef g(): return f()\n", "X = g()\ndef f(): pass\ndef g(): return f()\n"),
        ("def g(): return f()\ndef f(): pass\nX = g()\n", "def g(): return f()\nX = g()\ndef f(): pass\n"),
    ],
)
def test_what_is_more_than_a_new_name(old, new):
    """What can fail, shadows something, is gone, has moved past other code, or is looked at."""
    assert not added(old, new)


def changed(old, new):
    before, after = units(SOURCE), units(SOURCE.replace(old, new))
    assert SOURCE.replace(old, new) != SOURCE
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def test_every_place_is_a_unit():
    """Functions, methods, class bodies and the module level, by the names that code objects carry."""
    assert set(units(SOURCE)) == {MODULE, "first", "first.<locals>.inner", "second", "Box", "Box.area", "Box.wait"}


def test_what_changes_which_unit():
    """An edit changes the unit that runs it, and no other."""
    assert changed("return inner() + b", "return inner() - b") == {"first"}
    assert changed("return a\n", "return a + 1\n") == {"first.<locals>.inner"}
    assert changed("LIMIT = 3", "LIMIT = 4") == {MODULE}
    assert changed("b=LIMIT", "b=None") == {MODULE, "first"}
    assert changed("@staticmethod", "@classmethod") == {MODULE}
    assert changed("size: int = 1", "size: int = 2") == {"Box"}
    assert changed("self.size = value", "self.size = 0") == {"Box.area"}
    assert changed("lambda: 1", "lambda: 2") == {"Box.wait"}
    assert changed("def second(x)", "def third(x)") == {MODULE, "second", "third"}
    assert changed("class Box", "class Crate") >= {MODULE, "Box", "Crate"}


def test_what_changes_nothing():
    """Comments, blank lines, line breaks, quotes and docstrings."""
    assert changed('"""Doc."""', '"""Other."""') == set()
    assert changed("return inner() + b", "return (inner()   # so\n            + b)\n") == set()
    assert changed("import os", "\n\n# why\nimport os") == set()
    assert changed('"""Module."""', "") == set()


@given(st.integers(0, 3), st.booleans())
def test_unparsed_and_parsed_again_is_the_same(blank, remark):
    """A file that another formatter wrote has the same fingerprints."""
    text = ("# remark\n" if remark else "") + "\n" * blank + ast.unparse(ast.parse(SOURCE))
    assert units(text) == units(SOURCE)


@given(st.binary(max_size=200))
def test_any_bytes(content):
    """Whatever a file holds, it has a module level, and the same bytes have the same fingerprints."""
    assert MODULE in units_of(content)
    assert units_of(content) == units_of(content)


def test_broken_file_is_one_unit():
    assert set(units("def f(:\n")) == {MODULE}
    assert units("def f(:\n") != units("def g(:\n")


def test_code_without_a_unit_of_its_own():
    """Lambdas and comprehensions belong to what is around them."""
    known = units(SOURCE)
    assert resolved("first.<locals>.<lambda>", known) == "first"
    assert resolved("first.<locals>.inner.<locals>.<genexpr>", known) == "first.<locals>.inner"
    assert resolved("Box.<lambda>", known) == "Box"
    assert resolved("<listcomp>", known) == MODULE
    assert resolved("gone.<locals>.too", known) == MODULE


def names_of_code(code):
    yield code.co_qualname
    for constant in code.co_consts:
        if hasattr(constant, "co_qualname"):
            yield from names_of_code(constant)


def test_names_are_those_of_code_objects():
    """Every unit is named as Python names its code."""
    assert set(units(SOURCE)) <= set(names_of_code(compile(SOURCE, "x", "exec")))
