package shop

import kotlin.test.Test
import kotlin.test.assertEquals

class CartTest {
    @Test
    fun total() = assertEquals(6, Cart(listOf(1, 2)).total())

    @Test
    fun `discount in €`() = assertEquals(19, Cart(listOf(10)).total(), "of ten")
}
