require_relative "../lib/cart"

RSpec.describe Cart do
  it "adds up" do
    expect(Cart.total(2)).to eq(4)
  end

  it "gives a discount in €" do
    expect(Cart.total(10)).to eq(19)
  end
end
