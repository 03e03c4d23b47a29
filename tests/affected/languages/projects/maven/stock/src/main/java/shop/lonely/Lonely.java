package shop.lonely;

public final class Lonely {}
