package shop

fun gross(net: Int): Int = net * 2
