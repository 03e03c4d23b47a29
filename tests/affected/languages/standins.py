"""Runners that CI does not have: stand-ins that take their arguments and leave behind what the tool was recorded to.

`recorded/<folder>/<scene>/` holds stdout, stderr, exit and what goes into the report, with {root} for the project.
Those of rspec, minitest, phpunit and mix are real (`record.py` makes them anew where the tools are installed); those
of swift, dart, flutter and dotnet are written after the formats that these tools document.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

RECORDED = Path(__file__).parent / "recorded"
SCENES = ("passing", "failing", "broken")


class Row(NamedTuple):
    """One runner on its fixture project: edits, and what must come of them."""

    runner: str  # its label
    language: str
    folder: str  # in projects/ and recorded/
    tools: tuple[str, ...]  # the programs that must be there; the first one is started
    passing: str  # an edit here reaches only the passing test
    failing: str  # an edit here reaches, in two steps, the failing test too
    failed: str  # that test
    says: str  # what its message must tell
    untested: str  # nothing tests this
    broken: tuple[str, str, str]  # file, old, new: it does not compile
    complaint: str  # where the compiler sees it
    words: tuple[str, ...]  # the command of the failing edit; {report} is a file of ours, {ours} a folder
    hint: str
    real: bool  # recorded from the tool itself
    resolved: str = ""  # a file that the tool's package manager leaves behind


ROWS = (
    Row(
        runner="rspec",
        language="ruby",
        folder="rspec",
        tools=("rspec",),
        passing="lib/till.rb",
        failing="lib/price.rb",
        failed="spec/cart_spec.rb:8 Cart gives a discount in €",
        says="expected: 19",
        untested="lib/lonely.rb",
        broken=("lib/price.rb", "net * 2", "net * * 2 ("),
        complaint="at lib/price.rb:3",
        words=("--no-color", "--format", "json", "--out", "{report}", "spec/cart_spec.rb", "spec/till_spec.rb"),
        hint="rspec spec/cart_spec.rb:8",
        real=True,
    ),
    Row(
        runner="minitest",
        language="ruby",
        folder="minitest",
        tools=("ruby",),
        passing="lib/till.rb",
        failing="lib/price.rb",
        failed="test/cart_test.rb::CartTest#test_discount",
        says="in €.",
        untested="lib/lonely.rb",
        broken=("lib/price.rb", "net * 2", "net * * 2 ("),
        complaint="at lib/price.rb:3",
        words=(
            *("-Ilib", "-Itest", "{ours}/_hookwright_minitest.rb", "{report}"),
            *("test/cart_test.rb", "test/till_test.rb"),
        ),
        hint="ruby -Ilib -Itest test/cart_test.rb -n test_discount",
        real=True,
    ),
    Row(
        runner="phpunit",
        language="php",
        folder="phpunit",
        tools=("phpunit", "php"),
        passing="src/Till.php",
        failing="src/Price.php",
        failed="Shop\\Tests\\CartTest::testDiscount",
        says="Failed asserting that 20 is identical to 19.",
        untested="src/Lonely.php",
        broken=("src/Price.php", "$net * 2", "$net * * 2"),
        complaint="at src/Price.php:9",
        words=(
            *("--colors=never", "--log-junit", "{report}"),
            *("--filter", r"/^(?:Shop\\Tests\\CartTest|Shop\\Tests\\TillTest)::/", "./tests"),
        ),
        hint="phpunit --filter CartTest::testDiscount ./tests",
        real=True,
    ),
    Row(
        runner="mix test",
        language="elixir",
        folder="mix",
        tools=("elixir", "mix"),
        passing="lib/shop/till.ex",
        failing="lib/shop/price.ex",
        failed="test/shop/cart_test.exs:9 test gives a discount in €",
        says="left: 20",
        untested="lib/shop/lonely.ex",
        broken=("lib/shop/price.ex", "net * 2", "net * * 2"),
        complaint="at lib/shop/price.ex:2",
        words=(
            *("-r", "{ours}/_hookwright_exunit.exs", "-S", "mix", "test", "--formatter", "Hookwright.Formatter"),
            *("test/shop/cart_test.exs", "test/shop/till_test.exs"),
        ),
        hint="mix test test/shop/cart_test.exs:9",
        real=True,
    ),
    Row(
        runner="swift test",
        language="swift",
        folder="swift",
        tools=("swift",),
        passing="Sources/Till/Till.swift",
        failing="Sources/Price/Price.swift",
        failed="CartTests.CartTests/testDiscount",
        says='XCTAssertEqual failed: ("20") is not equal to ("19") - in €',
        untested="Sources/Price/Lonely.swift",
        broken=("Sources/Price/Price.swift", "net * 2", "net * * 2"),
        complaint="at Sources/Price/Price.swift:2",
        words=(
            *("test", "--parallel", "--xunit-output={report}"),
            *(r"--filter=^CartTests\.CartTests[/(]", r"--filter=^TillTests\.takesMoney[/(]"),
        ),
        hint="swift test --filter CartTests.CartTests/testDiscount",
        real=False,
    ),
    Row(
        runner="dart test",
        language="dart",
        folder="dart",
        tools=("dart",),
        passing="lib/till.dart",
        failing="lib/price.dart",
        failed="test/cart_test.dart::gives a discount in €",
        says="Expected: <19>",
        untested="lib/lonely.dart",
        broken=("lib/price.dart", "net * 2", "net * * 2"),
        complaint="at lib/price.dart:1",
        words=("test", "--reporter=json", "test/cart_test.dart", "test/till_test.dart"),
        hint="dart test --plain-name 'gives a discount in €' test/cart_test.dart",
        real=False,
        resolved=".dart_tool/package_config.json",
    ),
    Row(
        runner="flutter test",
        language="dart",
        folder="flutter",
        tools=("flutter",),
        passing="lib/till.dart",
        failing="lib/price.dart",
        failed="test/cart_test.dart::gives a discount in €",
        says="Expected: <19>",
        untested="lib/lonely.dart",
        broken=("lib/price.dart", "net * 2", "net * * 2"),
        complaint="at lib/price.dart:1",
        words=("test", "--no-pub", "--reporter=json", "test/cart_test.dart", "test/till_test.dart"),
        hint="flutter test --plain-name 'gives a discount in €' test/cart_test.dart",
        real=False,
        resolved=".dart_tool/package_config.json",
    ),
    Row(
        runner="dotnet test",
        language="csharp",
        folder="dotnet",
        tools=("dotnet",),
        passing="src/Shop/Till.cs",
        failing="src/Shop/Price.cs",
        failed="Shop.Tests.CartTests.Discount",
        says="Expected: 19",
        untested="src/Shop/Lonely.cs",
        broken=("src/Shop/Price.cs", "net * 2", 'net * "two"'),
        complaint="at src/Shop/Price.cs:5",
        words=(
            *("test", "tests/Shop.Tests/Shop.Tests.csproj", "--no-restore"),
            *("--logger", "trx;LogFilePrefix=hookwright", "--results-directory", "{report}", "--filter"),
            "FullyQualifiedName~Shop.Tests.CartTests|FullyQualifiedName~Shop.Tests.TillTests",
        ),
        hint="dotnet test tests/Shop.Tests/Shop.Tests.csproj --filter 'FullyQualifiedName~Shop.Tests.CartTests.Discount'",
        real=False,
    ),
)

# What each tool is told about the place of its report; a tool that is missing here reports on stdout.
STAND_IN = """#!{python} -IS
import os, sys, time
scene = os.environ["STAND_IN_SCENE"]
def recorded(name):
    try:
        with open(os.path.join(scene, name), encoding="utf-8") as file:
            return file.read().replace("{{root}}", os.getcwd())
    except FileNotFoundError:
        return None
def after(option):
    return sys.argv[sys.argv.index(option) + 1]
def joined(option):
    return next(word for word in sys.argv if word.startswith(option + "="))[len(option) + 1 :]
PLACES = {{
    "rspec": lambda: {{"report": after("--out")}},
    "ruby": lambda: {{"report": sys.argv[4]}},
    "phpunit": lambda: {{"report": after("--log-junit")}},
    "elixir": lambda: {{"report": os.environ["HOOKWRIGHT_EXUNIT_REPORT"]}},
    "swift": lambda: {{
        "report": joined("--xunit-output"),
        "report-swift-testing": joined("--xunit-output")[: -len(".xml")] + "-swift-testing.xml",
    }},
    "dotnet": lambda: {{"report": os.path.join(after("--results-directory"), "hookwright_net8.0_20260101.trx")}},
}}
for name, path in PLACES.get(os.path.basename(sys.argv[0]), dict)().items():
    text = recorded(name)
    if text is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
for stream, name in ((sys.stdout, "stdout"), (sys.stderr, "stderr")):
    stream.reconfigure(encoding="utf-8")
    stream.write(recorded(name) or "")
    stream.flush()
if recorded("sleep"):
    time.sleep(60)
sys.exit(int(recorded("exit")))
"""


def install(folder: Path, tools: tuple[str, ...]) -> None:
    """Put stand-ins of these programs into a folder for the PATH."""
    folder.mkdir()
    for tool in tools:
        (folder / tool).write_text(STAND_IN.format(python=os.path.realpath(sys.executable)), encoding="utf-8")
        (folder / tool).chmod(0o755)
