//! Numbers and sizes as a person reads them.

/// A count with separators: `12,408`.
#[must_use]
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

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

/// `1 document`, `12,408 documents`.
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
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
    fn counts() {
        let check = |number, expected: &str| assert_eq!(count(number), expected);
        check(0, "0");
        check(999, "999");
        check(1_000, "1,000");
        check(1_234_567, "1,234,567");
        assert_eq!(short_count(1_249_000), "1.2 M");
        assert_eq!(counted(1, "document", "documents"), "1 document");
        assert_eq!(counted(0, "document", "documents"), "0 documents");
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
