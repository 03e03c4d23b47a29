package till

import "example.com/shop/cart"

func Pay(given int, nets ...int) int { return given - cart.Total(nets...) }
