//! The order of values, as tables.

use std::cmp::Ordering;

use crate::value::{compare, shell, tests::holder};

/// Each line is one class of equal values in the shell's notation; lines ascend.
fn check(ascending: &[&[&str]]) {
    let lines = ascending.iter().enumerate();
    let values: Vec<_> =
        lines.flat_map(|(rank, line)| line.iter().map(move |v| (rank, *v))).collect();
    for (a_rank, a_text) in &values {
        for (b_rank, b_text) in &values {
            let a = holder(&shell::read_value(a_text).unwrap());
            let b = holder(&shell::read_value(b_text).unwrap());
            let found = compare(a.get("v").unwrap().unwrap(), b.get("v").unwrap().unwrap());
            assert_eq!(found, a_rank.cmp(b_rank), "{a_text} against {b_text}");
            if found == Ordering::Equal {
                use crate::value::{Direction, key};
                let key = |v| key::encode(Some(v), Direction::Ascending);
                let (a, b) = (a.get("v").unwrap().unwrap(), b.get("v").unwrap().unwrap());
                assert_eq!(key(a), key(b), "keys of {a_text} and {b_text}");
            }
        }
    }
}

#[test]
fn classes() {
    check(&[
        &["MinKey"],
        &["undefined"],
        &["null"],
        &["NaN", "Decimal128('NaN')"],
        &["-Infinity"],
        &["5", "Long(5)", "Double(5)", "Decimal128('5')", "Decimal128('5.00')"],
        &["Infinity", "Decimal128('Infinity')"],
        &["''", "BSONSymbol('')"],
        &["'z'", "BSONSymbol('z')"],
        &["{}"],
        &["{a: 1}"],
        &["[]"],
        &["[1]"],
        &["BinData(0, '')"],
        &["ObjectId('000000000000000000000000')"],
        &["false"],
        &["true"],
        &["new Date(-1)"],
        &["new Date(0)"],
        &["Timestamp(0, 1)"],
        &["Timestamp(1, 0)"],
        &["/a/", "BSONRegExp('a', '')"],
        &["/a/i"],
        &["DBPointer('a', ObjectId('000000000000000000000000'))"],
        &["Code('a')"],
        &["Code('a', {})"],
        &["Code('a', {x: 1})"],
        &["Code('b', {})"],
        &["MaxKey"],
    ]);
}

#[test]
fn numbers_by_value() {
    check(&[
        &["Decimal128('-1E+6000')"],
        &["-1.7976931348623157e308"],
        &["Decimal128('-9223372036854775809')"],
        &["Long('-9223372036854775808')", "-9223372036854775808.0"],
        &["Long('-9223372036854775807')"],
        &["-1", "-1.0"],
        &["-5e-324"],
        &["Decimal128('-1E-6176')"],
        &["0", "-0.0", "Long(0)", "Decimal128('-0')", "Decimal128('0E+100')"],
        &["Decimal128('1E-6176')"],
        &["5e-324"],
        &["Decimal128('0.1')", "Decimal128('0.10')"],
        &["0.1"],
        &["Decimal128('0.1000000000000000055511151231257828')"],
        &["0.5", "Decimal128('0.5')"],
        &["Long('9007199254740991')"],
        &["Long('9007199254740992')", "9007199254740992.0"],
        &["Long('9007199254740993')", "Decimal128('9007199254740993')"],
        &["9007199254740994.0"],
        &["Long('9223372036854775806')"],
        &["Long('9223372036854775807')", "Decimal128('9223372036854775807')"],
        &["9223372036854775808.0", "Decimal128('9223372036854775808')"],
        &["Decimal128('9999999999999999999999999999999998')"],
        &["Decimal128('9999999999999999999999999999999999')"],
        &["Decimal128('1E+34')"],
        &["1.7976931348623157e308"],
        &["Decimal128('9.999999999999999999999999999999998E+6144')"],
        &["Decimal128('9.999999999999999999999999999999999E+6144')"],
    ]);
}

#[test]
fn nested() {
    check(&[
        &["{}"],
        // The class of the value counts before the name.
        &["{z: 1}", "{z: 1.0}"],
        &["{z: 1, a: 1}"],
        &["{z: 2}"],
        &["{a: 'x'}"],
        &["{b: 'a'}"],
        &["{a: {}}"],
        &["{a: {b: 1}}"],
        &["{a: {b: 1}, c: 1}"],
        &["{a: {b: 2}}"],
        &["[]"],
        &["[null]"],
        &["[1]"],
        &["[1, 1]"],
        &["[1, 2]"],
        &["[2]"],
        &["['a']"],
        &["[[]]"],
    ]);
}

#[test]
fn bytes_and_text() {
    check(&[
        &["''"],
        &["'\\0'"],
        &["'\\0a'"],
        &["'\\x01'"],
        &["'a'"],
        &["'a\\0'"],
        &["'a\\x01'"],
        &["'aa'"],
        &["'b'"],
        &["'é'"],
        &["BinData(0, 'AA==')"],
        &["BinData(5, 'AA==')"],
        &["BinData(0, 'AAA=')"],
        &["BinData(0, 'AAE=')"],
    ]);
}
