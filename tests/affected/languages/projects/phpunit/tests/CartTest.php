<?php

namespace Shop\Tests;

use PHPUnit\Framework\TestCase;
use Shop\Cart;

require_once __DIR__ . '/autoload.php';

final class CartTest extends TestCase
{
    public function testTotal(): void
    {
        $this->assertSame(4, Cart::total(2));
    }

    public function testDiscount(): void
    {
        $this->assertSame(19, Cart::total(10), 'in €');
    }
}
