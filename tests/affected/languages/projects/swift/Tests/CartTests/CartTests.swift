import Cart
import XCTest

final class CartTests: XCTestCase {
    func testTotal() {
        XCTAssertEqual(Cart.total(2), 4)
    }

    func testDiscount() {
        XCTAssertEqual(Cart.total(10), 19, "in €")
    }
}
