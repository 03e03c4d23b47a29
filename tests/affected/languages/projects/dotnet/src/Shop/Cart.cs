namespace Shop;

public static class Cart
{
    public static int Total(int net) => Price.Gross(net);
}
