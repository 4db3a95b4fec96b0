//! Numbers and sizes as text.

pub use mayfly_engine::value::{count, counted};

/// A count that fits a narrow place: `12,408`, `1.2 M`.
#[must_use]
pub fn short_count(number: u64) -> String {
    let tenths = |unit: u64, name: &str| {
        let tenths = number / (unit / 10);
        format!("{}.{} {name}", tenths / 10, tenths % 10)
    };
    match number {
        0..1_000_000 => count(number),
        1_000_000..1_000_000_000 => tenths(1_000_000, "M"),
        _ => tenths(1_000_000_000, "G"),
    }
}

/// Seconds, exactly: `45 s`, `3,600 s`.
#[must_use]
pub fn secs(secs: i64) -> String {
    let sign = if secs < 0 { "-" } else { "" };
    format!("{sign}{} s", count(secs.unsigned_abs()))
}

/// A size: `412 B`, `3.1 MB`.
#[must_use]
pub fn bytes(size: u64) -> String {
    let tenths = |unit: u64, name: &str| {
        let tenths = size / (unit / 10);
        if tenths >= 1_000 {
            format!("{} {name}", tenths / 10)
        } else {
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
    };
    match size {
        0..1_000 => format!("{size} B"),
        1_000..1_000_000 => tenths(1_000, "kB"),
        1_000_000..1_000_000_000 => tenths(1_000_000, "MB"),
        _ => tenths(1_000_000_000, "GB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_counts() {
        assert_eq!(short_count(999_999), "999,999");
        assert_eq!(short_count(1_249_000), "1.2 M");
        assert_eq!(short_count(3_000_000_000), "3.0 G");
    }

    #[test]
    fn seconds() {
        let check = |given, expected: &str| assert_eq!(secs(given), expected);
        check(45, "45 s");
        check(3_600, "3,600 s");
        check(-3_600, "-3,600 s");
    }

    #[test]
    fn sizes() {
        let check = |size, expected: &str| assert_eq!(bytes(size), expected);
        check(412, "412 B");
        check(3_149_000, "3.1 MB");
        check(412_000, "412 kB");
        check(1_000, "1.0 kB");
    }
}
