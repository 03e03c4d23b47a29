defmodule Shop.Till do
  def pay(net), do: Shop.Cart.total(net)
end
