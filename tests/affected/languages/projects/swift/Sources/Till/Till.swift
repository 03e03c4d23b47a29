import Cart

public enum Till {
    public static func pay(_ net: Int) -> Int { Cart.total(net) }
}
