pub fn gross(net: i64) -> i64 {
    net * 2
}
