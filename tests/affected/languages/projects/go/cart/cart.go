package cart

import "example.com/shop/price"

func Total(nets ...int) int {
	sum := 0
	for _, net := range nets {
		sum += price.Gross(net)
	}
	return sum
}
