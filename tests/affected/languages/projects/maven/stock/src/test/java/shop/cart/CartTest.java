package shop.cart;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CartTest {
    @Test
    void total() {
        assertEquals(6, Cart.total(1, 2));
    }

    @Test
    void discount() {
        assertEquals(19, Cart.total(10), "in €");
    }
}
