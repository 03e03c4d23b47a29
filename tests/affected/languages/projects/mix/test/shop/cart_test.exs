defmodule Shop.CartTest do
  use ExUnit.Case
  alias Shop.Cart

  test "adds up" do
    assert Cart.total(2) == 4
  end

  test "gives a discount in €" do
    assert Cart.total(10) == 19
  end
end
