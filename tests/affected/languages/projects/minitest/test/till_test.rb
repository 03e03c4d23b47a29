require "minitest/autorun"
require "till"

class TillTest < Minitest::Test
  def test_pay
    assert_equal 4, Till.pay(2)
  end
end
