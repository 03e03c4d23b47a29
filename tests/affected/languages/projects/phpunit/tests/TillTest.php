<?php

namespace Shop\Tests;

use PHPUnit\Framework\TestCase;
use Shop\Till;

require_once __DIR__ . '/autoload.php';

final class TillTest extends TestCase
{
    public function testPay(): void
    {
        $this->assertSame(4, Till::pay(2));
    }
}
