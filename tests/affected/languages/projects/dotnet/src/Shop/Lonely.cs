namespace Shop;

public static class Lonely
{
}
