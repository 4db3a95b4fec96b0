//! The numbers among CSV cells: which text becomes a number without losing a character.

/// How a cell without a type reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::transfer) enum CellForm {
    Int32(i32),
    Int64(i64),
    Double(f64),
    /// A number that would be written as other text, as `007`, `+1` or `1.10`.
    Altered {
        /// Only the notation would change, as in `1.10` and `2E10`: it is hardly a name.
        is_notation: bool,
    },
    /// A word for an infinite number or none: a double, but only next to numbers.
    NotFinite(f64),
    Bool(bool),
    /// A word for a missing value, as R, pandas and spreadsheets write it. Next to numbers or
    /// booleans the cell is empty.
    Missing,
    Text,
}

/// Digits that a double keeps, whatever they are.
const SURE_DIGITS: usize = 15;

/// Digits of the longest decimal that some double is written as.
const DIGITS_MAX: usize = 17;

/// How a text reads. A number is one only if its text comes back from it: as the program writes
/// it, or as Python, R and JavaScript do.
pub(in crate::transfer) fn cell_form(text: &str) -> CellForm {
    let bytes = text.as_bytes();
    let unsigned = bytes.strip_prefix(b"-").unwrap_or(bytes);
    match unsigned.first() {
        Some(b'0'..=b'9') => {}
        Some(b'.' | b'+') if unsigned.len() > 1 => {}
        _ => return word(text),
    }
    if unsigned.iter().all(u8::is_ascii_digit) {
        return whole(text, unsigned);
    }
    fraction(text, unsigned)
}

fn word(text: &str) -> CellForm {
    match text {
        "" | "NA" | "N/A" | "n/a" | "#N/A" | "#NA" | "<NA>" | "NaT" | "null" | "NULL" | "Null"
        | "None" | "-" | "--" | "?" | "." => CellForm::Missing,
        "NaN" | "nan" | "NAN" | "-nan" | "-NaN" => CellForm::NotFinite(f64::NAN),
        "Inf" | "inf" | "Infinity" => CellForm::NotFinite(f64::INFINITY),
        "-Inf" | "-inf" | "-Infinity" => CellForm::NotFinite(f64::NEG_INFINITY),
        "true" | "True" | "TRUE" => CellForm::Bool(true),
        "false" | "False" | "FALSE" => CellForm::Bool(false),
        _ => CellForm::Text,
    }
}

/// A number with a comma before its decimals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::transfer) struct CommaNumber {
    pub form: CellForm,
    /// The comma can't be one between thousands.
    pub is_sure: bool,
}

/// How a text with one comma reads if the comma comes before decimals. `None` for other text.
pub(in crate::transfer) fn comma_number(text: &str) -> Option<CommaNumber> {
    let (before, decimals) = text.split_once(',')?;
    if before.contains('.') || decimals.contains([',', '.']) {
        return None;
    }
    let form = cell_form(&format!("{before}.{decimals}"));
    let whole = before.trim_start_matches(['-', '+']);
    let is_group = decimals.len() == 3 && (1..=3).contains(&whole.len()) && !whole.starts_with('0');
    matches!(form, CellForm::Double(_) | CellForm::Altered { .. })
        .then_some(CommaNumber { form, is_sure: !is_group })
}

fn whole(text: &str, digits: &[u8]) -> CellForm {
    let has_zero = matches!(digits, [b'0', _, ..]) || text == "-0";
    match text.parse::<i64>() {
        Ok(number) if !has_zero => {
            i32::try_from(number).map_or(CellForm::Int64(number), CellForm::Int32)
        }
        _ => CellForm::Altered { is_notation: false },
    }
}

/// Digits before and after the point, and the exponent.
struct Parts<'t> {
    whole: &'t [u8],
    decimals: Option<&'t [u8]>,
    /// With its letter.
    exponent: Option<&'t [u8]>,
}

/// Splits a number; `None` for other text.
fn parts(unsigned: &[u8]) -> Option<Parts<'_>> {
    let end = unsigned.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let (mantissa, exponent) = unsigned.split_at(end.unwrap_or(unsigned.len()));
    let point = mantissa.iter().position(|byte| *byte == b'.');
    let (whole, decimals) = mantissa.split_at(point.unwrap_or(mantissa.len()));
    let decimals = decimals.strip_prefix(b".");
    let are_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let has_digits = !whole.is_empty() || decimals.is_some_and(|digits| !digits.is_empty());
    let is_exponent = match exponent {
        [] => true,
        [_, b'+' | b'-', digits @ ..] | [_, digits @ ..] => {
            !digits.is_empty() && are_digits(digits)
        }
    };
    let is_number = has_digits && are_digits(whole) && decimals.is_none_or(are_digits);
    (is_number && is_exponent).then_some(Parts {
        whole,
        decimals,
        exponent: Some(exponent).filter(|exponent| !exponent.is_empty()),
    })
}

fn fraction(text: &str, unsigned: &[u8]) -> CellForm {
    let digits = if text.starts_with('-') {
        unsigned
    } else {
        unsigned.strip_prefix(b"+").unwrap_or(unsigned)
    };
    let Some(parts) = parts(digits) else { return CellForm::Text };
    let has_zero = matches!(parts.whole, [b'0', _, ..]);
    let is_name = has_zero || digits.len() < unsigned.len();
    let altered = CellForm::Altered { is_notation: !is_name };
    let is_plain = !parts.whole.is_empty()
        && match (parts.decimals, parts.exponent) {
            (Some([.., b'0']), Some(_)) | (Some([]), _) | (Some([_, .., b'0']), None) => false,
            (_, Some(exponent)) => matches!(parts.whole, [b'1'..=b'9']) && is_written(exponent),
            (_, None) => true,
        };
    if is_name || !is_plain {
        return altered;
    }
    let Ok(number) = text.parse::<f64>() else { return altered };
    let significant = significant(&parts);
    let comes_back = number.is_finite()
        && (number != 0.0 || significant == 0)
        && match parts.exponent {
            None if significant <= SURE_DIGITS => digits.len() <= 300,
            _ => significant <= DIGITS_MAX && has_digits_of(number, &parts, significant),
        };
    if comes_back {
        CellForm::Double(number)
    } else {
        CellForm::Altered { is_notation: significant <= DIGITS_MAX }
    }
}

/// Whether some language writes exponents like this: `e+05`, `e-07`, `e16` and `e-7`, but not `E5`.
fn is_written(exponent: &[u8]) -> bool {
    match exponent {
        [b'e', b'+' | b'-', b'0', digit] => digit.is_ascii_digit() && *digit != b'0',
        [b'e', b'+' | b'-', first, _] | [b'e', b'+' | b'-', first, _, _] => *first != b'0',
        [b'e', b'-', digit] => (b'5'..=b'9').contains(digit),
        [b'e', b'1', digit] => *digit >= b'6' && digit.is_ascii_digit(),
        [b'e', b'2'..=b'9', _] | [b'e', b'1'..=b'9', _, _] => true,
        _ => false,
    }
}

/// Digits from the first to the last that isn't zero.
fn significant(parts: &Parts<'_>) -> usize {
    let decimals = parts.decimals.unwrap_or_default();
    let all = || parts.whole.iter().chain(decimals);
    let is_some = |digit: &&u8| **digit != b'0';
    let Some(first) = all().position(|digit| is_some(&digit)) else { return 0 };
    let count = parts.whole.len() + decimals.len();
    let zeros =
        parts.whole.iter().chain(decimals).rev().take_while(|digit| !is_some(digit)).count();
    count - first - zeros
}

/// Whether a number has these digits: as the shortest that lead to it, or as all of that many.
fn has_digits_of(number: f64, parts: &Parts<'_>, significant: usize) -> bool {
    let digits = parts.whole.iter().chain(parts.decimals.unwrap_or_default());
    let wanted: Vec<u8> =
        digits.copied().skip_while(|digit| *digit == b'0').take(significant).collect();
    let has = |text: String| {
        let mantissa = text.split('e').next().unwrap_or_default();
        let mut digits = mantissa.bytes().filter(u8::is_ascii_digit).collect::<Vec<u8>>();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        digits == wanted
    };
    has(format!("{number:e}")) || has(format!("{number:.*e}", significant.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_comes_back_is_a_number() {
        for (text, form) in [
            ("0", CellForm::Int32(0)),
            ("-7", CellForm::Int32(-7)),
            ("2147483648", CellForm::Int64(2_147_483_648)),
            ("-9223372036854775808", CellForm::Int64(i64::MIN)),
            ("0.5", CellForm::Double(0.5)),
            ("-0.0", CellForm::Double(-0.0)),
            ("100.0", CellForm::Double(100.0)),
            ("0.30000000000000004", CellForm::Double(0.300_000_000_000_000_04)),
            ("1e+05", CellForm::Double(1e5)),
            ("1.5e-07", CellForm::Double(1.5e-7)),
            ("1e-7", CellForm::Double(1e-7)),
            ("1e16", CellForm::Double(1e16)),
            ("5e-324", CellForm::Double(5e-324)),
        ] {
            assert_eq!(cell_form(text), form, "{text}");
        }
    }

    #[test]
    fn text_that_would_change_is_no_number() {
        for text in [
            "+1",
            "+4917012345",
            "007",
            "-0",
            "00",
            "-01",
            "+01",
            "00.5",
            "01e3",
            "0123456789",
            "9223372036854775808",
            "-9223372036854775809",
        ] {
            assert_eq!(cell_form(text), CellForm::Altered { is_notation: false }, "{text}");
        }
        for text in
            ["1.10", "2E10", "1e5", "10.00", ".5", "5.", "1e-400", "3e-324", "0.00", "1.0e5"]
        {
            assert_eq!(cell_form(text), CellForm::Altered { is_notation: true }, "{text}");
        }
        for text in ["0.1234567890123456789", "1e400", "12345678901234567890.5"] {
            assert!(matches!(cell_form(text), CellForm::Altered { .. }), "{text}");
        }
        for text in ["NA", "", "-", "null", "<NA>"] {
            assert_eq!(cell_form(text), CellForm::Missing, "{text}");
        }
        for text in ["NaN", "-Inf", "Infinity"] {
            assert!(matches!(cell_form(text), CellForm::NotFinite(_)), "{text}");
        }
        for (text, is) in [("True", true), ("FALSE", false), ("true", true)] {
            assert_eq!(cell_form(text), CellForm::Bool(is), "{text}");
        }
        for text in
            ["1,5", "1-2", "1e", "e5", "--1", "1 2", "0x10", "1.2.3", "+", "-x", "1e+", "tRUE"]
        {
            assert_eq!(cell_form(text), CellForm::Text, "{text}");
        }
    }

    #[test]
    fn a_comma_comes_before_decimals_unless_it_may_be_one_of_thousands() {
        for (text, expected) in [
            ("3,25", Some((CellForm::Double(3.25), true))),
            ("-0,5", Some((CellForm::Double(-0.5), true))),
            ("0,125", Some((CellForm::Double(0.125), true))),
            ("1,234", Some((CellForm::Double(1.234), false))),
            ("1234,567", Some((CellForm::Double(1234.567), true))),
            ("12,50", Some((CellForm::Altered { is_notation: true }, true))),
            ("1,234,567", None),
            ("1.234,5", None),
            ("1,2.3", None),
            ("a,b", None),
            ("5", None),
            (",", None),
        ] {
            let found = comma_number(text).map(|found| (found.form, found.is_sure));
            assert_eq!(found, expected, "{text}");
        }
    }

    proptest::proptest! {
        /// Whatever is written for a number reads as that number.
        #[test]
        fn numbers_come_back_from_what_is_written(bits: u64, int: i64) {
            let double = f64::from_bits(bits);
            if double.is_finite() {
                assert_eq!(cell_form(&format!("{double:?}")), CellForm::Double(double));
            }
            let form = cell_form(&int.to_string());
            match i32::try_from(int) {
                Ok(int) => assert_eq!(form, CellForm::Int32(int)),
                Err(_) => assert_eq!(form, CellForm::Int64(int)),
            }
        }

        /// Whatever becomes a number has the digits of its text.
        #[test]
        fn text_comes_back_from_its_number(text in "[+-]?[0-9]{0,19}(\\.[0-9]{0,19})?([eE][+-]?[0-9]{1,3})?") {
            match cell_form(&text) {
                CellForm::Int32(int) => assert_eq!(int.to_string(), text),
                CellForm::Int64(int) => assert_eq!(int.to_string(), text),
                CellForm::Double(double) => {
                    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, ""));
                    let point = mantissa.find('.').map_or(0, |at| mantissa.len() - at - 1);
                    let again = if exponent.is_empty() {
                        format!("{double:.point$}")
                    } else {
                        let again = format!("{double:.point$e}");
                        again.split_once('e').expect("an exponent").0.to_owned()
                    };
                    assert_eq!(again, mantissa);
                }
                _ => {}
            }
        }
    }
}
