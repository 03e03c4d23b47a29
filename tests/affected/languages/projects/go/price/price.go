package price

func Gross(net int) int { return net * 2 }
