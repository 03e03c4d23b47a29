defmodule Shop.Lonely do
end
