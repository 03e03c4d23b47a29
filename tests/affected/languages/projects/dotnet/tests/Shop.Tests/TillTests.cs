using Xunit;

namespace Shop.Tests;

public class TillTests
{
    [Theory]
    [InlineData("€")]
    public void Pay(string currency) => Assert.Equal("4 €", $"{Till.Pay(2)} {currency}");
}
