require_relative "../lib/till"

RSpec.describe Till do
  it "takes money" do
    expect(Till.pay(2)).to eq(4)
  end
end
