pub fn pay(given: i64, nets: &[i64]) -> i64 {
    given - cart::total(nets)
}
