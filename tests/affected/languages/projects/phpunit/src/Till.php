<?php

namespace Shop;

final class Till
{
    public static function pay(int $net): int
    {
        return Cart::total($net);
    }
}
