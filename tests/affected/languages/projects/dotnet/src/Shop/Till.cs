namespace Shop;

public static class Till
{
    public static int Pay(int net) => Cart.Total(net);
}
