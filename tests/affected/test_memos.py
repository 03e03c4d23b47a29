"""Results that outlive the test that asked for them."""

import ast
from textwrap import dedent

import pytest

from hookwright.affected.python.memos import habits_of, keepers

CODE = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "kept.py": """
        import functools

        _made = {}


        class Tool:
            def __init__(self, kind):
                self.rules = rules_of(kind)

            def use(self):
                return self.rules[0]


        def rules_of(kind):
            return [kind.upper()]


        def tool(kind):
            if kind not in _made:
                _made[kind] = Tool(kind)
            return _made[kind]


        @functools.lru_cache
        def answer():
            return deep() + 1


        def deep():
            return 41


        def asked():
            return answer()
        """,
    "test_kept.py": """
        import kept

        def test_tool_1(): assert kept.tool("a").use() == "A"
        def test_tool_2(): assert kept.tool("a").use() == "A"
        def test_answer_1(): assert kept.asked() == 42
        def test_answer_2(): assert kept.asked() == 42
        def test_other(): assert 1
        """,
}


@pytest.mark.parametrize(
    ("old", "new", "fails"),
    [
        ("kind.upper()", "kind.lower()", ["test_tool_1", "test_tool_2"]),
        ("self.rules = rules_of(kind)", "self.rules = ['x']", ["test_tool_1", "test_tool_2"]),
        ("return 41", "return 40", ["test_answer_1", "test_answer_2"]),
        ("deep() + 1", "deep() + 2", ["test_answer_1", "test_answer_2"]),
    ],
)
def test_every_user_of_a_kept_result_runs(make, old, new, fails):
    """The first test made the result, the second only used it: both are affected by how it is made."""
    project = make(CODE)
    assert project.record().word == "passed"
    project.replace("kept.py", old, new)
    verdict = project.edited("kept.py")
    assert sorted(failure.test.removeprefix("test_kept.py::") for failure in verdict.failures) == fails
    assert "test_kept.py::test_other" not in verdict.selection.tests


def test_which_functions_keep():
    """By decorator, `global`, or storing into something of the module; not by storing into one's own."""
    source = """
        import functools
        CACHE = {}
        LAST: int | None = None

        @functools.cache
        def a(): ...
        def b(k): CACHE[k] = 1
        def c():
            global LAST
            LAST = 1
        def d(k): return CACHE.setdefault(k, [])
        def e(k):
            own = {}
            own[k] = 1
        def f(self): self.cache[1] = 2
        class G:
            @classmethod
            def h(cls): cls.cache[1] = 2
    """
    habits = habits_of(ast.parse(dedent(source)))
    assert habits.decorated == ["a"]
    assert habits.storing == ["b", "c", "d", "G.h"]


def test_common_names_say_nothing():
    """A method called like many others does not reach everything."""
    source = (
        "C = {}\n"
        + "".join(f"def f{n}(x): return x.get()\n" for n in range(40))
        + "def keep(x): C[1] = x.get()\nclass A:\n    def get(self): pass\n"
    )
    assert keepers([("a.py", "A.get")], {"a.py": habits_of(ast.parse(source))}) == {}
