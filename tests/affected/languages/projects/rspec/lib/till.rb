require_relative "cart"

class Till
  def self.pay(net)
    Cart.total(net)
  end
end
