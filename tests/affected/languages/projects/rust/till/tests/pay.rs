#[test]
fn change() {
    assert_eq!(till::pay(10, &[1, 2]), 4);
}
