"""Go beyond the matrix: workspaces, one failing package among passing ones, broken modules, excluded tests."""

import pytest
from conftest import need

from hookwright.affected.message import message


@pytest.fixture
def shop(workshop):
    need("go")
    return workshop("go", "go")


def test_nearest_packages_first(shop):
    """The edited package's importers come before theirs, each with its reason."""
    verdict = shop.edited("price/price.go")
    assert verdict.selection.reasons == {
        "example.com/shop/cart": "imports example.com/shop/price",
        "example.com/shop/till": "imports example.com/shop/cart -> example.com/shop/price",
    }
    failure = verdict.failures[0]
    assert (failure.where, failure.line) == ("cart/cart_test.go:13", 't.Errorf("Total(10) = %d, want 19 €", got)')


def test_workspace(shop):
    """Tests of another module of the workspace are affected too."""
    shop.write("go.work", "go 1.21\n\nuse (\n\t.\n\t./kiosk\n)\n")
    shop.write("kiosk/go.mod", "module example.com/kiosk\n\ngo 1.21\n")
    shop.write("kiosk/kiosk_test.go", KIOSK)
    verdict = shop.edited("till/till.go")
    assert sorted(verdict.report.ran) == ["example.com/kiosk.TestKiosk", "example.com/shop/till.TestPay"]


KIOSK = """package kiosk

import (
	"testing"

	"example.com/shop/till"
)

func TestKiosk(t *testing.T) {
	if till.Pay(2, 1) != 0 {
		t.Fatal("no change expected")
	}
}
"""


def test_subtests_are_told_by_their_parts(shop):
    body = '\tt.Run("à la carte", func(t *testing.T) { t.Fatal("no 🍰") })\n\tif got'
    shop.replace("till/till_test.go", "\tif got", body)
    verdict = shop.edited("till/till.go")
    assert [failure.test for failure in verdict.failures] == ["example.com/shop/till.TestPay/à_la_carte"]
    assert "no 🍰" in message(verdict)


def test_excluded(shop):
    """A package whose tests are all excluded does not run."""
    verdict = shop.edited("price/price.go", exclude=["cart/**"])
    assert (verdict.word, verdict.report.ran) == ("passed", ["example.com/shop/till.TestPay"])


def test_broken_module_file(shop):
    """Without a graph go itself says what is wrong."""
    shop.replace("go.mod", "go 1.21", "go one")
    verdict = shop.edited("price/price.go")
    assert verdict.word == "error"
    assert "go.mod:3" in message(verdict)


@pytest.mark.parametrize(("program", "word"), [("true", "passed"), ("false", "failed")])
def test_command_of_the_user(shop, program, word):
    verdict = shop.edited("price/price.go", commands={"go": [program, "{tests}"]})
    assert (verdict.word, verdict.runner) == (word, program)
    assert verdict.command == [program, "example.com/shop/cart", "example.com/shop/till"]


def test_everything(shop):
    verdict = shop.everything()
    assert (verdict.word, len(verdict.report.ran)) == ("failed", 3)


def test_edited_test_runs_itself(shop):
    assert shop.edited("till/till_test.go").report.ran == ["example.com/shop/till.TestPay"]


def test_nothing_is_downloaded(shop, monkeypatch):
    """Not even from the user's own proxy; go says that it may not."""
    monkeypatch.setenv("GOPROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("GOPRIVATE", "example.org/*")
    shop.replace("go.mod", "go 1.21", "go 1.21\n\nrequire example.org/absent v1.0.0")
    shop.replace("price/price.go", "package price", 'package price\n\nimport _ "example.org/absent"')
    verdict = shop.edited("price/price.go")
    assert verdict.word == "error", message(verdict)
    assert "example.org/absent" in message(verdict)
    assert "127.0.0.1" not in message(verdict)
