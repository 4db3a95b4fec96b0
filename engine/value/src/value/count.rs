//! Counts as the window and messages show them.

/// A count with separators: `12,408`.
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

/// `1 document`, `12,408 documents`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
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
        assert_eq!(counted(1, "document", "documents"), "1 document");
        assert_eq!(counted(0, "document", "documents"), "0 documents");
    }
}
