"""Which edits are worth a run in the languages of small files: not tests, generated files, settings, lock files."""

import pytest

from hookwright.affected.languages.table import language, language_of
from hookwright.affected.trigger import passed_over


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("lib/cart.rb", ""),
        ("app/models/contest.rb", ""),
        ("spec/cart_spec.rb", "it is a test"),
        ("test/test_cart.rb", "it is a test"),
        ("spec/support/factory.rb", "it belongs to the tests"),
        ("lib/api_pb.rb", "it is generated"),
        ("gems.rb", "it is configuration"),
        ("src/Cart.php", ""),
        ("src/Latest.php", ""),
        ("tests/CartTest.php", "it is a test"),
        ("tests/bootstrap.php", "it belongs to the tests"),
        ("vendor/autoload.php", "it is not the project's own"),
        ("lib/shop/cart.ex", ""),
        ("test/shop/cart_test.exs", "it is a test"),
        ("test/support/case.ex", "it belongs to the tests"),
        ("mix.exs", "it is configuration"),
        ("_build/dev/lib/a.ex", "it is generated"),
        ("Sources/Shop/Cart.swift", ""),
        ("Sources/Shop/Contests.swift", ""),
        ("Tests/ShopTests/Support.swift", "it is a test"),
        ("Package.swift", "it is configuration"),
        (".build/checkouts/A/a.swift", "it is not the project's own"),
        ("Sources/Api/api.pb.swift", "it is generated"),
        ("lib/cart.dart", ""),
        ("test/cart_test.dart", "it is a test"),
        ("integration_test/app.dart", "it is a test"),
        ("lib/cart.g.dart", "it is generated"),
        ("lib/cart.freezed.dart", "it is generated"),
        (".dart_tool/build/a.dart", "it is not the project's own"),
        ("src/Shop/Cart.cs", ""),
        ("src/Shop/Contest.cs", ""),
        ("tests/Shop.Tests/CartTests.cs", "it is a test"),
        ("src/Shop.UnitTests/Fake.cs", "it is a test"),
        ("src/Shop/Form.Designer.cs", "it is generated"),
        ("src/Shop/obj/Debug/Shop.AssemblyInfo.cs", "it is generated"),
    ],
)
def test_passed_over(path, why):
    """By the file's name and its folders."""
    row = language_of(path)
    assert row is not None
    assert passed_over(path, language(row.name).is_test(path)) == why


@pytest.mark.parametrize(
    "path",
    [
        *("Gemfile", "Gemfile.lock", "composer.json", "composer.lock", "mix.lock", "pubspec.yaml", "pubspec.lock"),
        *("Package.resolved", "Shop.csproj", "Shop.sln", "packages.lock.json", "phpunit.xml.dist", ".rspec"),
    ],
)
def test_no_language(path):
    """Lock files and project files run nothing."""
    row = language_of(path)
    assert row is None or path.endswith(row.also)
