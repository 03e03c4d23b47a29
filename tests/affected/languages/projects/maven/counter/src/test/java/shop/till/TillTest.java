package shop.till;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class TillTest {
    @Test
    void pay() {
        assertEquals(4, Till.pay(10, 1, 2));
    }
}
