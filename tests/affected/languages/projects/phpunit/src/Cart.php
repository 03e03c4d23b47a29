<?php

namespace Shop;

final class Cart
{
    public static function total(int $net): int
    {
        return Price::gross($net);
    }
}
