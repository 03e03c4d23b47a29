defmodule Shop.Cart do
  alias Shop.Price

  def total(net), do: Price.gross(net)
end
