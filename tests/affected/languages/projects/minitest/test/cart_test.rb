require "minitest/autorun"
require "cart"

class CartTest < Minitest::Test
  def test_total
    assert_equal 4, Cart.total(2)
  end

  def test_discount
    assert_equal 19, Cart.total(10), "in €"
  end
end
