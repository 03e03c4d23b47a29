"""Java and Kotlin beyond the matrix: the graph, Maven's modules and crashes, Gradle by a stand-in, compilers' words."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace

import pytest
from conftest import need

from hookwright.affected.jvm.builds import GRADLE, MAVEN, is_report_of, module_of, top_of
from hookwright.affected.jvm.sources import imports, named_after, source, sources, with_heirs
from hookwright.affected.languages import jvm
from hookwright.affected.message import message
from hookwright.output import Captured

STOCK = "stock/src/test/java/shop/cart/CartTest.java"


def written(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return str(folder)


def test_imports_of_both_languages(tmp_path):
    """By import, by star, by a name of the same package, by a qualified name, by an operator; Kotlin's functions too."""
    root = written(
        tmp_path,
        {
            "A.java": "package a;\nimport b.B;\nclass A { c.C c; }",
            "Star.java": "package a; import x.Y; import b.*; class Star { B b; }",
            "Same.java": "package b;\nclass Same { B b; }",
            "B.java": "package b;\npublic class B {}",
            "C.java": "package c;\npublic class C {}",
            "use.kt": "package d\nimport e.gross as g\nval x = g(1)",
            "prices.kt": "package e\nfun gross(net: Int) = net\nprivate class Hidden",
            "plus.kt": "package f\noperator fun Money.plus(other: Money) = this",
            "sum.kt": "package f\nval total = one + two",
        },
    )
    assert imports(sources(root)) == {
        "A.java": ["B.java", "C.java"],
        "Star.java": ["B.java"],
        "Same.java": ["B.java"],
        "B.java": [],
        "C.java": [],
        "use.kt": ["prices.kt"],
        "prices.kt": [],
        "plus.kt": [],
        "sum.kt": ["plus.kt"],
    }


def test_comments_say_nothing(tmp_path):
    """`This class is` declares no `is`; a name in a comment is no use; // in a text begins no comment."""
    root = written(
        tmp_path,
        {
            "A.java": "package a;\n/** This class is\n great. */\nclass A {}",
            "B.java": 'package a; // what is like A\nclass B { String at = "http://x"; C c; }',
            "C.java": "package a; class C {}",
        },
    )
    assert imports(sources(root)) == {"A.java": [], "B.java": ["C.java"], "C.java": []}


def test_classes_of_a_test_file(tmp_path):
    """Each class with tests of its own or inherited ones; none that is abstract or only helps."""
    text = """package shop
        class Helper
        abstract class BaseTest { @Test fun base() {} }
        class CartTest { @Test fun total() {} }
        internal class TillTest : BaseTest()
        class PriceSpec : StringSpec({})
        """
    root = written(tmp_path, {"ShopTest.kt": "\n".join(map(str.strip, text.splitlines()))})
    written(tmp_path, {"OneLineTest.java": "package shop; public class OneLineTest { @Test void total() {} }"})
    assert source(root, "OneLineTest.java").test_classes == ["shop.OneLineTest"]
    assert source(root, "ShopTest.kt").test_classes == ["shop.CartTest", "shop.TillTest", "shop.PriceSpec"]


def test_named_after(tmp_path):
    """A test may reach its class only by reflection; its name tells."""
    names = ["Cart.java", "CartTest.java", "TestCart.java", "CartIT.kt", "CartsTest.java"]
    root = written(tmp_path, dict.fromkeys(names, ""))
    assert sorted(named_after(sources(root), ["Cart.java"])) == ["CartIT.kt", "CartTest.java", "TestCart.java"]


def test_what_a_container_hands_out(tmp_path):
    """Who uses an interface may be given what implements it."""
    root = written(
        tmp_path,
        {
            "Tax.java": "package a; public interface Tax {}",
            "GermanTax.java": "package a; class GermanTax implements Tax {}",
            "CartTest.java": "package a; class CartTest { Tax tax; }",
        },
    )
    files = sources(root)
    assert with_heirs(files, imports(files))["Tax.java"] == ["GermanTax.java"]


def test_where_maven_begins(tmp_path):
    """At the outermost pom that lists the module, or what it is in; not at a stranger's."""
    modules = "<project><modules>{}</modules></project>".format
    root = written(
        tmp_path,
        {
            "pom.xml": modules("<module>other</module>"),
            "shop/pom.xml": modules("<module> parts </module>"),
            "shop/parts/pom.xml": modules("<module>cart</module>"),
            "shop/parts/cart/pom.xml": "<project/>",
        },
    )
    assert top_of(MAVEN, f"{root}/shop/parts/cart", root) == f"{root}/shop"
    assert top_of(MAVEN, f"{root}/shop", root) == f"{root}/shop"


def test_too_many_classes_for_a_command():
    """One argument may be 128 KB long; beyond that everything runs."""
    command = MAVEN.argv("/x", {"a": [f"shop.Class{number}Test" for number in range(10_000)]})
    assert command[-1] == "test" and max(map(len, command)) < 100


@pytest.mark.parametrize(
    ("test", "hint"),
    [
        ("shop.CartTest.total(int)[1]", "mvn test '-Dtest=shop.CartTest#total'"),
        ("shop.CartTest.total{int}[1]", "mvn test '-Dtest=shop.CartTest#total'"),
        ("shop.CartTest.", "mvn test -Dtest=shop.CartTest"),  # its @BeforeAll failed
        ("shop.CartTest", "mvn test -Dtest=shop.CartTest"),
    ],
)
def test_hint(workshop, test, hint):
    runner = jvm.Runner("mvn test", ("/usr/bin/mvn",), {"paths": {"shop.CartTest": "CartTest.java"}})
    assert jvm.hint(workshop("maven", "java").project(), runner, [test]) == hint


def test_container_in_a_selection(tmp_path, workshop):
    """Only where nothing speaks of it by its name."""
    shop = workshop("maven", "java")
    shop.write("stock/src/main/java/shop/cart/Tax.java", "package shop.cart;\npublic interface Tax {}\n")
    shop.write(
        "stock/src/main/java/shop/cart/GermanTax.java", "package shop.cart;\nclass GermanTax implements Tax {}\n"
    )
    shop.replace(STOCK, "class CartTest {", "class CartTest {\n    Tax tax;\n")
    project = shop.project("stock")
    runner = jvm.Runner("mvn test", ("mvn",), jvm.facts_of(project))
    chosen = jvm.select(project, runner, ["src/main/java/shop/cart/GermanTax.java"])
    assert chosen.reasons == {"shop.cart.CartTest": "imports Tax.java -> GermanTax.java"}


def test_modules(workshop):
    """Only the modules with chosen classes, and what they need; the edit may be in another one."""
    project = workshop("maven", "java").project("stock")
    runner = jvm.Runner("mvn test", ("mvn",), jvm.facts_of(project))
    command = jvm.argv(project, runner, jvm.select(project, runner, ["src/main/java/shop/price/Price.java"]))
    assert command[-4:] == ["-pl", "stock,counter", "-am", "test"]
    assert "-Dtest=shop.cart.CartTest,shop.till.TillTest" in command


PASSED = '<testsuite><testcase name="pay" classname="shop.till.TillTest"/></testsuite>'


@pytest.mark.parametrize(("hidden", "word"), [(False, "nothing"), (True, "error")])
def test_missing_report(workshop, hidden, word):
    """Where a pom ignores failures, as an old surefire did with crashes too, success without a report is none."""
    shop = workshop("maven", "java")
    shop.write("mvnw", "#!/bin/sh\nexit 0\n")
    (shop.top / "mvnw").chmod(0o755)
    if hidden:
        shop.replace("pom.xml", "<properties>", "<!-- <testFailureIgnore>true</testFailureIgnore> --><properties>")
    shop.write("counter/target/surefire-reports/TEST-shop.till.TillTest.xml", PASSED)
    verdict = shop.edited("counter/src/main/java/shop/till/Till.java")
    assert verdict.word == word, message(verdict)


def test_kotlin(workshop):
    """Kotlin by Maven: a function of a file, used by a class, used by a test with a name in backticks."""
    need("java")
    need("mvn")
    shop = workshop("kotlin", "kotlin")
    verdict = shop.edited("src/main/kotlin/shop/prices.kt")
    assert verdict.selection.reasons == {"shop.CartTest": "imports Cart.kt -> prices.kt"}
    lines = message(verdict).splitlines()
    assert lines[:2] == ["❌ Tests failed (mvn test)", "   1 failed, 1 passed"]
    assert [(failure.test, failure.where) for failure in verdict.failures] == [
        ("shop.CartTest.discount in €", "src/test/kotlin/shop/CartTest.kt:11")
    ]


@pytest.mark.parametrize(
    ("said", "where", "words"),
    [
        ("[ERROR] {root}/a b/Price.java:[5,22] incompatible types", "a b/Price.java:5", "incompatible types"),
        ("{root}/a b/Price.java:5: error: incompatible types", "a b/Price.java:5", "incompatible types"),
        ("[ERROR] {root}/prices.kt: (3, 32) None of these", "prices.kt:3", "None of these"),
        ("[ERROR] {root}/prices.kt:[3,32] None of these", "prices.kt:3", "None of these"),
        ("e: {root}/prices.kt: (3, 32): None of these", "prices.kt:3", "None of these"),
        ("e: file://{root}/a%20b/prices.kt:3:32 None of these", "a b/prices.kt:3", "None of these"),
    ],
)
def test_words_of_the_compilers(tmp_path, said, where, words):
    """javac and kotlinc, by Maven and by Gradle."""
    output = Captured()
    output.take(said.format(root=tmp_path).encode())
    told = jvm.Report()
    jvm._take_compiler(SimpleNamespace(root=str(tmp_path)), told, SimpleNamespace(stdout=output, stderr=Captured()))
    assert [(fault.where, fault.text) for fault in told.broken] == [(where, (words,))]


FORK = """\x1b[0m[ERROR] Failed to execute goal (default-test) on project counter: The forked VM terminated
[ERROR] Command was /bin/sh -c java
"""
WENT_WRONG = """
* What went wrong:
Execution failed for task ':test'.
> Process 'Gradle Test Executor 1' finished with non-zero exit value 1

* Try:
Run with --stacktrace
"""


@pytest.mark.parametrize(("said", "told"), [(FORK, "The forked VM terminated"), (WENT_WRONG, "Gradle Test Executor 1")])
def test_words_of_a_crash(tmp_path, said, told):
    """What went wrong, not the advice that always follows."""
    output = Captured()
    output.take(said.encode())
    report = jvm.Report(problem="mvn test ended with exit code 1, and no report")
    jvm._take_compiler(SimpleNamespace(root=str(tmp_path)), report, SimpleNamespace(stdout=output, stderr=Captured()))
    assert told in report.problem and "stacktrace" not in report.problem


@pytest.mark.parametrize(
    ("name", "is_one"), [("", True), ("$Empty", True), ("-slow", True), ("2", False), (".Inner", False)]
)
def test_report_of_a_class(name, is_one):
    assert is_report_of(f"/x/TEST-shop.CartTest{name}.xml", "shop.CartTest") is is_one


# Format-tested: a script in the place of gradlew. Its XML and its last words are those of Gradle 4.4.1 for such a run.
GRADLEW = """#!{python}
import os, subprocess, sys
top = sys.argv[sys.argv.index("-p") + 1]
open(f"{{top}}/asked", "w").write("\\n".join(sys.argv[1:]))
folder = f"{{top}}/counter/build/test-results/test"
os.makedirs(folder, exist_ok=True)
mode = open(f"{{top}}/mode").read()
# The daemon: it keeps our pipes open, and is not ours to end.
open(f"{{top}}/daemon", "w").write(str(subprocess.Popen(["sleep", "60"], start_new_session=True).pid))
FAULT = '''<failure message="java.lang.AssertionError: in € expected:&lt;19&gt; but was:&lt;20&gt;" type="java.lang.AssertionError">java.lang.AssertionError: in €
\\tat org.junit.Assert.fail(Assert.java:89)
\\tat shop.till.TillTest.pay(TillTest.java:9)
</failure>'''
if mode in ("passed", "failed"):
    with open(f"{{folder}}/TEST-shop.till.TillTest.xml", "w") as file:
        file.write(f'''<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="shop.till.TillTest" tests="2" skipped="0" failures="{{mode == 'failed':d}}" errors="0" timestamp="2026-01-01T00:00:00" hostname="h" time="0.029">
  <properties/>
  <testcase name="ok" classname="shop.till.TillTest" time="0.005"/>
  <testcase name="pay" classname="shop.till.TillTest" time="0.007">{{FAULT if mode == 'failed' else ''}}</testcase>
  <system-out><![CDATA[BUILD FAILED]]></system-out>
</testsuite>
''')
if mode == "up to date":
    print(":counter:test UP-TO-DATE")
print("\\nBUILD FAILED in 1s" if mode == "failed" else "\\nBUILD SUCCESSFUL in 1s")
sys.exit(mode == "failed")
"""


@pytest.fixture
def gradle(workshop):
    shop = workshop("maven", "java")
    for pom in shop.top.rglob("pom.xml"):
        pom.unlink()
    shop.write("settings.gradle", "rootProject.name = 'shop'\ninclude ':stock',\n    ':counter'\n")
    shop.write("gradlew", GRADLEW.format(python=sys.executable))
    (shop.top / "gradlew").chmod(0o755)
    yield shop
    if (shop.top / "daemon").exists():
        os.kill(int((shop.top / "daemon").read_text()), 9)  # raises when it is gone: we had ended it


@pytest.mark.parametrize(
    ("mode", "word", "told"),
    [
        ("passed", "passed", "✅ Tests passed (gradle test)\n   2 passed"),
        ("failed", "failed", "❌ Tests failed (gradle test)\n   1 failed, 1 passed"),
        ("up to date", "nothing", ""),
    ],
)
def test_gradle(gradle, mode, word, told):
    """The wrapper first, each module's own task, the verdict by exit code and XML; an old report does not count."""
    gradle.write("mode", mode)
    gradle.write(
        "counter/build/test-results/test/TEST-shop.till.TillTest.xml",
        "<testsuite><testcase name='old' classname='x'/></testsuite>",
    )
    verdict = gradle.edited("counter/src/main/java/shop/till/Till.java")
    assert (verdict.word, verdict.runner) == (word, "gradle test"), message(verdict)
    assert message(verdict).startswith(told)
    asked = (gradle.top / "asked").read_text().split("\n")
    assert asked[:3] == ["--offline", "--console=plain", "--continue"]
    assert asked[-3:] == [":counter:test", "--tests", "shop.till.TillTest"]
    if word == "failed":
        assert verdict.failures[0].where == "counter/src/test/java/shop/till/TillTest.java:9"


def test_gradle_module_without_a_file_of_its_own(tmp_path):
    """Settings name it; Maven's modules always have a pom."""
    root = written(
        tmp_path, {"settings.gradle.kts": 'include("a:b", ":c")', "build.gradle.kts": "", "c/build.gradle.kts": ""}
    )
    found = [module_of(GRADLE, root, path) for path in ("a/b/src/X.kt", "c/src/X.kt", "src/X.kt")]
    assert found == ["a/b", "c", "."]
    assert module_of(MAVEN, root, "a/b/src/X.kt") == "."
    assert ":test" in GRADLE.argv(root, {".": ["X"]})
