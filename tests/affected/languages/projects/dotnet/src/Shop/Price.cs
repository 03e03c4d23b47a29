namespace Shop;

public static class Price
{
    public static int Gross(int net) => net * 2;
}
