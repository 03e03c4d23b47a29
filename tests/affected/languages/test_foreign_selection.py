"""Which tests an edit reaches, where a language is read as text: imports, names, namespaces."""

import os
from pathlib import Path

import pytest

from hookwright.affected.contract import Runner
from hookwright.affected.languages.table import LANGUAGES, language
from hookwright.affected.projects import project, real, root_of
from hookwright.affected.settings import Settings
from hookwright.affected.sources import NAMED


@pytest.fixture
def selected(tmp_path):
    """The tests that an edit of the first file selects in a project of these files."""

    def choose(name: str, files: dict[str, str], *edited: str, runner: str = ""):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text, encoding="utf-8")
        root = real(str(tmp_path))
        at_work = project(root, name, Settings(root))
        return language(name).select(at_work, Runner(runner, ("x",)), list(edited) or [next(iter(files))])

    return choose


RAILS = {
    "app/models/order_line.rb": "class OrderLine < ApplicationRecord\nend\n",
    "app/models/order.rb": "class Order < ApplicationRecord\n  has_many :lines, class_name: 'OrderLine'\nend\n",
    "app/models/user.rb": "class User < ApplicationRecord\nend\n",
    "spec/models/order_spec.rb": "RSpec.describe Order do\nend\n",
    "spec/models/user_spec.rb": "RSpec.describe User do\nend\n",
}


def test_ruby_constants(selected):
    """Rails requires nothing: a constant is found by the name of its file."""
    chosen = selected("ruby", RAILS, runner="rspec")
    assert chosen.reasons == {
        "spec/models/order_spec.rb": "imports app/models/order.rb -> app/models/order_line.rb",
    }


def test_ruby_helper_of_all_specs(selected):
    """What .rspec requires is a part of every spec."""
    files = {
        "lib/money.rb": "X = 1\n",
        "spec/spec_helper.rb": 'require "money"\n',
        "spec/a_spec.rb": "",
        "test/b_test.rb": "",
        ".rspec": "--color\n--require spec_helper\n",
    }
    chosen = selected("ruby", files, runner="rspec")
    assert chosen.reasons == {"spec/a_spec.rb": "imports spec/spec_helper.rb -> lib/money.rb"}


def test_ruby_name(selected):
    """Where nothing is said, the name is."""
    files = {"lib/shop/price.rb": "", "test/test_price.rb": "", "test/test_price_list.rb": ""}
    chosen = selected("ruby", files, runner="minitest")
    assert (chosen.kind, chosen.reasons) == ("name", {"test/test_price.rb": NAMED})


def test_ruby_specs_of_minitest(selected):
    """minitest has specs too, and they stand below test/."""
    files = {"lib/price.rb": "", "test/spec_price.rb": "", "test/price_spec.rb": "", "test/spec_helper.rb": ""}
    assert selected("ruby", files, runner="minitest").tests == ["test/price_spec.rb", "test/spec_price.rb"]
    assert selected("ruby", files, runner="rspec").tests == []


def test_php_namespaces(selected):
    """A class of the same name in another namespace is another class."""
    files = {
        "src/Money/Price.php": "<?php\nnamespace Shop\\Money;\nclass Price {}\n",
        "src/Other/Price.php": "<?php\nnamespace Shop\\Other;\nclass Price {}\n",
        "src/functions.php": "<?php\nfunction helper() {}\n",
        "tests/GroupTest.php": "<?php\nnamespace Tests;\nuse Shop\\{Money\\Price, Cart};\nclass GroupTest {}\n",
        "tests/OtherTest.php": "<?php\nnamespace Tests;\nuse Shop\\Other\\Price;\nclass OtherTest {}\n",
        "tests/IncludeTest.php": "<?php\nrequire_once __DIR__ . '/../src/functions.php';\nclass IncludeTest {}\n",
    }
    assert list(selected("php", files).reasons) == ["tests/GroupTest.php"]
    assert list(selected("php", files, "src/functions.php").reasons) == ["tests/IncludeTest.php"]


def test_dart_imports(selected):
    """Packages, relative paths, exports, parts and choices by platform."""
    files = {
        "lib/src/price.dart": "part of '../money.dart';\n",
        "lib/money.dart": "part 'src/price.dart';\n",
        "lib/shop.dart": "export 'money.dart';\n",
        "lib/io.dart": "",
        "test/shop_test.dart": "import 'package:shop/shop.dart';\n",
        "test/io_test.dart": "import 'none.dart' if (dart.library.io) '../lib/io.dart';\n",
        "test/other_test.dart": "import 'package:other/shop.dart';\n",
        "pubspec.yaml": "name: shop\n",
        ".dart_tool/package_config.json": "{}",
    }
    chosen = selected("dart", files, runner="dart test")
    assert list(chosen.reasons) == ["test/shop_test.dart"]
    assert list(selected("dart", files, "lib/io.dart", runner="dart test").reasons) == ["test/io_test.dart"]


def test_dart_without_packages(selected):
    """Packages that are not resolved would be downloaded: nothing is run, and why is said."""
    chosen = selected("dart", {"lib/a.dart": "", "test/a_test.dart": "", "pubspec.yaml": "name: shop\n"})
    assert (chosen.tests, "pub get" in chosen.note) == ([], True)


ELIXIR = {
    "lib/shop/money/price.ex": "defmodule Shop.Money.Price do\nend\n",
    "lib/shop/cart.ex": "defmodule Shop.Cart do\n  alias Shop.{Money.Price, Till}\nend\n",
    "lib/other.ex": "defmodule Other.Price do\nend\n",
    "test/cart_test.exs": "defmodule Shop.CartTest do\n  alias Shop.Cart\nend\n",
    "test/other_test.exs": "defmodule OtherTest do\n  Other.Price\nend\n",
    "mix.exs": "",
}


def test_elixir_aliases(selected):
    """Several aliases in braces."""
    chosen = selected("elixir", ELIXIR)
    assert chosen.reasons == {"test/cart_test.exs": "imports lib/shop/cart.ex -> lib/shop/money/price.ex"}


def test_elixir_stale(selected, tmp_path):
    """Where mix keeps a list of what is stale, mix chooses; not for a file that its list already has, by its date."""
    files = {**ELIXIR, "_build/test/lib/shop/.mix/compile.test_stale": ""}
    assert selected("elixir", files).tests == ["test/cart_test.exs"]
    os.utime(tmp_path / "_build/test/lib/shop/.mix/compile.test_stale", (1, 1))
    root = real(str(tmp_path))
    at_work, runner = project(root, "elixir", Settings(root)), Runner("mix test", ("mix",))
    chosen = language("elixir").select(at_work, runner, ["lib/shop/money/price.ex"])
    assert chosen.reasons == {"lib/shop/money/price.ex": "tests that use it, by mix test --stale"}
    assert language("elixir").argv(at_work, runner, chosen)[-1] == "--stale"


def test_swift_targets(selected):
    """A name of another target counts only where that target is imported."""
    files = {
        "Sources/Money/Price.swift": "public extension Int {\n    func gross() -> Int { self * 2 }\n}\n",
        "Sources/Shop/Cart.swift": "import Money\nfunc total(_ net: Int) -> Int { net.gross() }\n",
        "Tests/ShopTests/CartTests.swift": "@testable import Shop\n@Suite struct Carts {\n  @Test func a() { total(1) }\n}\n",
        "Tests/OtherTests/OtherTests.swift": "import XCTest\nfinal class Others: XCTestCase { func testA() { total() } }\n",
        "Package.swift": "",
    }
    assert selected("swift", files).reasons == {
        "ShopTests.Carts": "imports Sources/Shop/Cart.swift -> Sources/Money/Price.swift"
    }


def test_swift_members(selected):
    """Members of the same name do not tie everything together: a type is what is spoken of."""
    files = {
        "Sources/Shop/Price.swift": 'struct Price {\n    func description() -> String { "" }\n}\n',
        "Tests/ShopTests/OtherTests.swift": "@testable import Shop\n// class for Price\nfinal class Others: XCTestCase {\n    func testA() { description() }\n}\n",
        "Package.swift": "",
    }
    assert selected("swift", files).tests == []
    assert selected("swift", files, "Tests/ShopTests/OtherTests.swift").tests == ["ShopTests.Others"]


def test_csharp_remarks(selected):
    """Words of a comment declare nothing."""
    files = {
        "src/Shop/Price.cs": "namespace Shop;\n/// <summary>This class is used</summary>\n// a class is\npublic class Price {}\n",
        "tests/A.Tests/ATests.cs": "namespace Shop.A;\n// Price\nclass ATests { [Fact] void X() { if (a is b) {} } }",
        "tests/A.Tests/BTests.cs": "namespace Shop.A;\nclass BTests { [Fact] void X() => new Price(); }",
    }
    assert selected("csharp", files).tests == ["Shop.A.BTests"]


CSHARP = {
    "src/Shop/Price.cs": "namespace Shop.Money { public static class Prices { public static int Gross(this int n) => n; } }",
    "tests/A.Tests/A.Tests.csproj": "<PackageReference Include='Microsoft.NET.Test.Sdk' />",
    "tests/A.Tests/Usings.cs": "global using Shop.Money;",
    "tests/A.Tests/ATests.cs": "namespace A;\npublic class ATests { [Fact] public void X() => 1.Gross(); }",
    "tests/B.Tests/B.Tests.csproj": "<!-- what it needs stands in Directory.Build.props -->",
    "tests/B.Tests/BTests.cs": "namespace B;\npublic class BTests { [Test] public void X() => 1.Gross(); }",
}


def test_csharp_of_two_projects(tmp_path, monkeypatch):
    """Several test projects are run by the solution; without one, the nearest of them is."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "dotnet").write_text("")
    (tmp_path / "bin" / "dotnet").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for path, text in CSHARP.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    root = real(str(tmp_path))
    spoken, at_work = language("csharp"), project(root, "csharp", Settings(root))
    runner = spoken.runner(at_work)
    assert runner is not None
    assert spoken.select(at_work, runner, ["src/Shop/Price.cs"]).tests == ["A.ATests"]
    assert runner.facts["target"] == "tests/A.Tests/A.Tests.csproj"
    (tmp_path / "Shop.sln").touch()
    assert spoken.select(at_work, runner, ["src/Shop/Price.cs"]).tests == ["A.ATests", "B.BTests"]
    assert runner.facts["target"] == "Shop.sln"


def test_csharp_root(tmp_path):
    """The solution is the project, whatever it is called; a .csproj below it is not."""
    (tmp_path / "repo/src/Shop").mkdir(parents=True)
    (tmp_path / "repo/Shop.sln").touch()
    (tmp_path / "repo/src/Shop/Shop.csproj").touch()
    top = real(str(tmp_path))
    assert root_of(f"{top}/repo/src/Shop/A.cs", "csharp", top) == f"{top}/repo"


def test_every_language_has_a_project():
    """One file, one row, one fixture project."""
    projects = Path(__file__).parent / "projects"
    endings = {file.suffix for file in projects.rglob("*.*")}
    without = [row.name for row in LANGUAGES if endings.isdisjoint(row.extensions)]
    assert set(without) <= {
        "python",
        "kotlin",
    }  # those of Python are written by its own tests; Kotlin wants its compiler
