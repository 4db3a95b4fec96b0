//! Sizes and special forms of key bytes.

use bson::{Bson, DateTime, raw::RawBsonRef};

use crate::value::{
    key::{
        self, Direction, KEY_BYTES_KEPT, KEY_BYTES_MAX,
        ts::{self, TsEntry},
    },
    tests::holder,
    type_rank,
};

fn key_of(value: &Bson, direction: Direction) -> key::KeyBytes {
    key::encode(holder(value).get("v").unwrap(), direction)
}

#[test]
fn sizes_in_bytes() {
    let check = |value: Bson, expected: usize| {
        assert_eq!(key_of(&value, Direction::Ascending).bytes.len(), expected, "{value}");
    };
    check(Bson::Null, 1);
    check(Bson::Int32(0), 2);
    check(Bson::Int32(1), 5);
    check(Bson::Int64(i64::MAX), 13);
    check(Bson::Double(0.1), 12);
    check(Bson::String("abc".into()), 5);
    check(Bson::DateTime(DateTime::from_millis(0)), 9);
}

#[test]
fn dates_are_read_back() {
    for ms in [i64::MIN, -1, 0, 1, i64::MAX] {
        for direction in [Direction::Ascending, Direction::Descending] {
            let key = key::date_key(ms, direction);
            assert_eq!(key_of(&Bson::DateTime(DateTime::from_millis(ms)), direction).bytes, key);
            assert_eq!(key::decode_date(&key, direction), Some(ms));
            let (lower, upper) = key::type_section(45, direction);
            assert!(lower <= key && key < upper);
        }
    }
    let number = key_of(&Bson::Int64(5), Direction::Ascending).bytes;
    assert_eq!(key::decode_date(&number, Direction::Ascending), None);
}

#[test]
fn long_keys_are_cut_and_marked() {
    let text = |length: usize| Bson::String("x".repeat(length));
    for direction in [Direction::Ascending, Direction::Descending] {
        // Class and terminator take one byte each.
        assert!(key_of(&text(KEY_BYTES_KEPT - 2), direction).exact);
        let cut = key_of(&text(KEY_BYTES_KEPT - 1), direction);
        assert!(!cut.exact);
        assert_eq!(cut.bytes.len(), KEY_BYTES_MAX);
        assert_eq!(cut.ordered().len(), KEY_BYTES_KEPT);
        assert_ne!(cut, key_of(&text(KEY_BYTES_KEPT), direction));
        assert_eq!(cut, key_of(&text(KEY_BYTES_KEPT - 1), direction));
    }
}

#[test]
fn missing_is_null_and_sections_hold_their_values() {
    for direction in [Direction::Ascending, Direction::Descending] {
        assert_eq!(key::encode(None, direction), key::encode(Some(RawBsonRef::Null), direction));
        for value in [Bson::MinKey, Bson::MaxKey, Bson::Int32(7), Bson::Array(vec![])] {
            let document = holder(&value);
            let rank = type_rank(document.get("v").unwrap().unwrap());
            let (lower, upper) = key::type_section(rank, direction);
            let key = key_of(&value, direction).bytes;
            assert!(lower <= key && key < upper, "{value}");
        }
    }
}

#[test]
fn prefix_end_is_the_next_key() {
    assert_eq!(key::prefix_end(&[1, 2]), Some(vec![1, 3]));
    assert_eq!(key::prefix_end(&[1, 255]), Some(vec![2]));
    assert_eq!(key::prefix_end(&[255, 255]), None);
    assert_eq!(key::prefix_end(&[]), None);
}

#[test]
fn ts_entries_sort_and_come_back() {
    let entries = [
        TsEntry::Default { modified_ms: i64::MIN },
        TsEntry::Default { modified_ms: -1 },
        TsEntry::Default { modified_ms: i64::MAX },
        TsEntry::Own { threshold_ms: i64::MIN },
        TsEntry::Own { threshold_ms: 0 },
        TsEntry::Never { modified_ms: 5 },
    ];
    let keys = entries.map(ts::encode);
    assert!(keys.is_sorted());
    for (entry, key) in entries.iter().zip(&keys) {
        assert_eq!(ts::decode(key), Some(*entry));
        assert_eq!(ts::decode(key.get(..8).unwrap()), None);
    }
    assert_eq!(ts::decode(&key::date_key(0, Direction::Ascending)), None);
}
