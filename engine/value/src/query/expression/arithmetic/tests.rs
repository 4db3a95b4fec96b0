use crate::query::expression::testing::{check, check_error};

const D: &str = "{i: 7, l: {'$numberLong': '9223372036854775807'}, f: 2.5, s: 'x', d: {'$date': {'$numberLong': '1000'}}, m: {'$numberDecimal': '1.5'}}";

#[test]
fn sums_keep_and_widen_types() {
    check("{$add: [1, 2]}", D, "3");
    check("{$add: [2147483647, 1]}", D, "{'$numberLong': '2147483648'}");
    check("{$add: ['$l', 1]}", D, "9.223372036854775807e18");
    check("{$add: ['$i', '$f']}", D, "9.5");
    check("{$add: ['$m', 1]}", D, "{'$numberDecimal': '2.5'}");
    check("{$add: ['$m', '$f']}", D, "{'$numberDecimal': '4.00000000000000'}");
    check("{$add: ['$m', 0.1]}", D, "{'$numberDecimal': '1.600000000000000'}");
    check("{$avg: ['$m', '$f']}", D, "{'$numberDecimal': '2.0'}");
    check("{$add: ['$d', 500]}", D, "{'$date': {'$numberLong': '1500'}}");
    check("{$add: ['$none', 1]}", D, "null");
    check("{$subtract: ['$d', '$d']}", D, "{'$numberLong': '0'}");
    check("{$subtract: ['$d', 1]}", D, "{'$date': {'$numberLong': '999'}}");
    check("{$multiply: [3, '$f']}", D, "7.5");
    check("{$divide: [6, 3]}", D, "2.0");
    check("{$mod: [-7, 3]}", D, "-1");
    check("{$mod: ['$f', 2]}", D, "0.5");
    check_error("{$add: ['$s']}", D, "$add only supports numeric or date types, not string");
    check_error("{$add: ['$d', '$d']}", D, "only one date allowed in an $add expression");
    check_error("{$subtract: [1, 'x']}", D, "can't $subtract string from int");
    check_error("{$divide: [1, 0]}", D, "can't $divide by zero");
    check_error("{$mod: [1, 0]}", D, "can't $mod by zero");
}

#[test]
fn operands_are_reckoned_one_after_the_other() {
    check("{$add: [1e100, 1.0, -1e100]}", D, "0.0");
    check("{$add: [0.1, 0.2, -0.3]}", D, "5.551115123125783e-17");
    check("{$sum: [1e100, 1.0, -1e100]}", D, "1.0");
    check("{$add: ['$l', 1, -1]}", D, "9.223372036854775807e18");
    check("{$add: [2147483647, 1, -1]}", D, "2147483647");
    check("{$add: [0.1, 0.2, '$m']}", D, "{'$numberDecimal': '1.800000000000000'}");
    check("{$add: ['$m', '$l', '$l']}", D, "{'$numberDecimal': '18446744073709551615.5'}");
    check("{$add: [0.5, '$d', 0.5]}", D, "{'$date': {'$numberLong': '1002'}}");
    check("{$add: ['$d', 0.4, 0.4]}", D, "{'$date': {'$numberLong': '1000'}}");
    check("{$add: [0.4, 0.4, '$d']}", D, "{'$date': {'$numberLong': '1001'}}");
    check("{$add: []}", D, "0");
    check("{$multiply: [100000, 100000, 0]}", D, "0");
    check("{$multiply: [65536, 65536]}", D, "{'$numberLong': '4294967296'}");
    check("{$multiply: [{'$numberLong': '2'}, 3]}", D, "{'$numberLong': '6'}");
    check("{$multiply: ['$l', 2, 0]}", D, "0.0");
    check("{$multiply: [0.1, 0.1, '$m']}", D, "{'$numberDecimal': '0.01500000000000000'}");
    check("{$multiply: ['$l', 2, '$m']}", D, "{'$numberDecimal': '2.767011611056440E+19'}");
    check("{$multiply: []}", D, "1");
}

#[test]
fn rounding_goes_half_to_even() {
    check("{$round: 2.5}", D, "2.0");
    check("{$round: [1234.567, 2]}", D, "1234.57");
    check("{$round: [1250, -2]}", D, "1200");
    check("{$trunc: -2.7}", D, "-2.0");
    check("{$abs: -2147483648}", D, "{'$numberLong': '2147483648'}");
    check("{$ceil: 1.2}", D, "2.0");
    check("{$floor: '$i'}", D, "7");
    check("{$floor: '$m'}", D, "{'$numberDecimal': '1'}");
    check_error("{$round: [1, 101]}", D, "value must be in [-20, 100]");
    check_error("{$abs: '$s'}", D, "$abs only supports numeric types, not string");
}

#[test]
fn powers_roots_angles_and_bits() {
    check("{$sqrt: 9}", D, "3.0");
    check("{$pow: [2, 10]}", D, "1024");
    check("{$pow: [2, 40]}", D, "{'$numberLong': '1099511627776'}");
    check("{$pow: [2, -1]}", D, "0.5");
    check("{$pow: [{$numberLong: '0'}, '$l']}", D, "{'$numberLong': '0'}");
    check("{$pow: [0, 0]}", D, "1");
    check("{$ln: 1}", D, "0.0");
    check("{$log10: 100}", D, "2.0");
    check("{$log: [8, 2]}", D, "3.0");
    check("{$exp: 0}", D, "1.0");
    check("{$cos: 0}", D, "1.0");
    check("{$degreesToRadians: 180}", D, "3.141592653589793");
    let decimal = |operator: &str, number: &str, expected: &str| {
        let wrapped = |number: &str| format!("{{'$numberDecimal': '{number}'}}");
        check(&format!("{{{operator}: {}}}", wrapped(number)), D, &wrapped(expected));
    };
    decimal("$degreesToRadians", "180", "3.141592653589793238462643383279503");
    decimal("$radiansToDegrees", "1", "57.29577951308232087679815481410517");
    decimal("$radiansToDegrees", "Infinity", "Infinity");
    check("{$bitAnd: [6, 3]}", D, "2");
    check("{$bitOr: []}", D, "0");
    check("{$bitNot: 5}", D, "-6");
    check_error("{$sqrt: -1}", D, "greater than or equal to 0");
    check_error("{$pow: [0, -1]}", D, "$pow cannot take a base of 0 and a negative exponent");
    check_error("{$acos: 2}", D, "cannot apply $acos to 2, value must be in [-1,1]");
    check_error("{$bitOr: [1.5]}", D, "$bitOr only supports int and long operands, not double.");
}
