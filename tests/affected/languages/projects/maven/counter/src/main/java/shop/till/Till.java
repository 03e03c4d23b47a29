package shop.till;

import shop.cart.Cart;

public final class Till {
    public static int pay(int given, int... nets) {
        return given - Cart.total(nets);
    }
}
