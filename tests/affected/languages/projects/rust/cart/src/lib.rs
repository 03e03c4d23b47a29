pub fn total(nets: &[i64]) -> i64 {
    nets.iter().map(|net| price::gross(*net)).sum()
}

#[cfg(test)]
mod tests {
    use super::total;

    #[test]
    fn sums() {
        assert_eq!(total(&[1, 2]), 6);
    }

    #[test]
    fn discount() {
        assert_eq!(total(&[10]), 19, "in €");
    }
}
