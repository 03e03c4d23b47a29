public enum Price {
    public static func gross(_ net: Int) -> Int { net * 2 }
}
