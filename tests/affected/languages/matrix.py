"""What is expected of every runner that is here, as one row each."""

from __future__ import annotations

from typing import NamedTuple


class Live(NamedTuple):
    """One runner on its fixture project: edits, and what must come of them."""

    runner: str  # its label
    language: str
    folder: str  # in projects/
    tools: tuple[str, ...]
    passing: str  # an edit here reaches only the passing test
    failing: str  # an edit here reaches, in two steps, the failing test too
    failed: str  # that test
    says: str  # what its message must tell
    untested: str  # nothing tests this
    broken: tuple[str, str, str]  # file, old, new: it does not compile
    complaint: str  # what the compiler says of it
    slow: tuple[str, str, str]  # file, old, new: it takes longer than the budget
    hint: str
    exits: tuple[str, str, str]  # file, old, new: the test ends its process as if all were well
    counts: str = "1 failed, 2 passed"
    modules: bool = False  # it needs packages of npm


# Pinned: what vitest and jest write is part of what is tested.
PACKAGES = ("vitest@3.2.4", "jest@29.7.0", "mocha@10.8.2")

LIVE = (
    Live(
        runner="go test",
        language="go",
        folder="go",
        tools=("go",),
        passing="till/till.go",
        failing="price/price.go",
        failed="example.com/shop/cart.TestDiscount",
        says="Total(10) = 20, want 19 €",
        untested="lonely/lonely.go",
        broken=("price/price.go", "net * 2", 'net * "two"'),
        complaint="price/price.go:3",
        slow=("till/till_test.go", "if got", "for {\n\t}\n\tif got"),
        hint="go test -run '^TestDiscount$' ./cart",
        exits=(
            "till/till_test.go",
            '"testing"\n',
            '"testing"\nimport "os"\nfunc TestExit(*testing.T) { os.Exit(0) }\n',
        ),
    ),
    Live(
        runner="vitest",
        language="typescript",
        folder="vitest",
        tools=("node", "npm"),
        passing="src/till.ts",
        failing="src/price.ts",
        failed="test/cart.test.ts::discount in €",
        says="expected 20 to be 19",
        untested="src/lonely.ts",
        broken=("src/price.ts", "net * 2", "net * * 2"),
        complaint="src/price.ts:1",
        slow=("test/till.test.ts", "  expect", "  for (;;) {}\n  expect"),
        hint="npx vitest run test/cart.test.ts",
        exits=("test/till.test.ts", "  expect", "  process.exit(0);\n  expect"),
        modules=True,
    ),
    Live(
        runner="jest",
        language="javascript",
        folder="jest",
        tools=("node", "npm"),
        passing="src/till.js",
        failing="src/price.js",
        failed="test/cart.test.js::discount in €",
        says="Expected: 19",
        untested="src/lonely.js",
        broken=("src/price.js", "net * 2", "net * * 2"),
        complaint="price.js:1",
        slow=("test/till.test.js", "  expect", "  for (;;) {}\n  expect"),
        hint="npx jest test/cart.test.js",
        exits=("test/till.test.js", "  expect", "  process.exit(0);\n  expect"),
        modules=True,
    ),
    Live(
        runner="mocha",
        language="javascript",
        folder="mocha",
        tools=("node", "npm"),
        passing="src/till.js",
        failing="src/price.js",
        failed="test/cart.js::discount in €",
        says="20 == 19",
        untested="src/lonely.js",
        broken=("src/price.js", "net * 2", "net * * 2"),
        complaint="src/price.js:1",
        slow=("test/till.js", "  assert", "  for (;;) {}\n  assert"),
        hint="npx mocha test/cart.js",
        exits=("test/till.js", "  assert", "  process.exit(0);\n  assert"),
        modules=True,
    ),
    Live(
        runner="node --test",
        language="javascript",
        folder="node",
        tools=("node",),
        passing="src/till.js",
        failing="src/price.js",
        failed="test/cart.test.js::discount in €",
        says="20 == 19",
        untested="src/lonely.js",
        broken=("src/price.js", "net * 2", "net * * 2"),
        complaint="src/price.js:1",
        slow=("test/till.test.js", "  assert", "  for (;;) {}\n  assert"),
        hint="node --test test/cart.test.js",
        exits=("test/till.test.js", "  assert", "  process.exit(0);\n  assert"),
    ),
    Live(
        runner="cargo test",
        language="rust",
        folder="rust",
        tools=("cargo",),
        passing="till/src/lib.rs",
        failing="price/src/lib.rs",
        failed="cart::tests::discount",
        says="assertion `left == right` failed: in €",
        untested="lonely/src/lib.rs",
        broken=("price/src/lib.rs", "net * 2", 'net * "two"'),
        complaint="price/src/lib.rs:2",
        slow=("till/tests/pay.rs", "    assert", "    loop {}\n    assert"),
        hint="cargo test -p cart tests::discount",
        exits=("till/tests/pay.rs", "    assert", "    std::process::exit(0);\n    assert"),
    ),
    Live(
        runner="mvn test",
        language="java",
        folder="maven",
        tools=("java", "mvn"),
        passing="counter/src/main/java/shop/till/Till.java",
        failing="stock/src/main/java/shop/price/Price.java",
        failed="shop.cart.CartTest.discount",
        says="in € ==> expected: <19> but was: <20>\n     at stock/src/test/java/shop/cart/CartTest.java:15: assert",
        untested="stock/src/main/java/shop/lonely/Lonely.java",
        broken=("stock/src/main/java/shop/price/Price.java", "net * 2", 'net * "two"'),
        complaint="shop/price/Price.java:5",
        slow=(
            "counter/src/test/java/shop/till/TillTest.java",
            "assertEquals(4",
            "for (int i = 0; ; i %= 2) ;\n    }\n    void never() {\n        assertEquals(4",
        ),
        hint="mvn test '-Dtest=shop.cart.CartTest#discount'",
        exits=(
            "counter/src/test/java/shop/till/TillTest.java",
            "assertEquals(4",
            "System.exit(0);\n        assertEquals(4",
        ),
        counts="1 failed, 1 passed",  # Maven leaves out the modules behind a failing one
    ),
)
