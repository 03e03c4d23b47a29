using Xunit;

namespace Shop.Tests;

public class CartTests
{
    [Fact]
    public void Total() => Assert.Equal(4, Cart.Total(2));

    [Fact]
    public void Discount() => Assert.Equal(19, Cart.Total(10));
}
