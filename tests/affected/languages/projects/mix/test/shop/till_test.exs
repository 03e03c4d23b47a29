defmodule Shop.TillTest do
  use ExUnit.Case

  test "takes money" do
    assert Shop.Till.pay(2) == 4
  end
end
