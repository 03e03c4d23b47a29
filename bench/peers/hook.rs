//! The same decision with nothing but the standard library: for machines that cannot have crates.
use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    if text.contains("push --force") {
        print!("{{\"decision\":\"block\",\"reason\":\"Force-push is not allowed in this repository.\"}}");
    }
}
