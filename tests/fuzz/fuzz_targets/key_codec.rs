//! Key bytes sort as values do.
#![no_main]

use bson::RawBsonRef;
use libfuzzer_sys::fuzz_target;
use mayfly_engine::value::{Direction, KEY_BYTES_MAX, compare, key, scan};

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = scan::check(bytes) else { return };
    let values: Vec<RawBsonRef<'_>> =
        document.into_iter().flatten().map(|(_, value)| value).take(8).collect();
    for a in &values {
        for b in &values {
            check(*a, *b);
        }
    }
});

fn check(a: RawBsonRef<'_>, b: RawBsonRef<'_>) {
    let order = compare(a, b);
    for direction in [Direction::Ascending, Direction::Descending] {
        let expected = if direction == Direction::Descending { order.reverse() } else { order };
        let (a, b) = (key::encode(Some(a), direction), key::encode(Some(b), direction));
        assert!(a.bytes.len() <= KEY_BYTES_MAX && b.bytes.len() <= KEY_BYTES_MAX);
        if a.exact && b.exact {
            assert_eq!(a.bytes.cmp(&b.bytes), expected);
        } else if a.ordered() != b.ordered() {
            assert_eq!(a.ordered().cmp(b.ordered()), expected);
        }
    }
}
