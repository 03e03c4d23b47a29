defmodule Shop.Price do
  def gross(net), do: net * 2
end
