//! `$convert`, and an operator for each type.

use bson::spec::ElementType;

use super::{
    binary::Bytes,
    target::{Format, Target, is_big_endian},
    value::convert,
};
use crate::query::{
    Code, QueryError,
    expression::{
        arguments::{is_nullish, name_of, null, owned},
        operator::{Arguments, CallArgs, NamedMistake, Operator, Outcome},
    },
};

pub(in crate::query::expression) static OPERATORS: &[Operator] = &[
    Operator {
        name: "$convert",
        arguments: Arguments::Named {
            fields: &[
                ("input", true),
                ("to", true),
                ("format", false),
                ("byteOrder", false),
                ("onError", false),
                ("onNull", false),
            ],
            refuse: refuse_convert,
        },
        run: convert_any,
    },
    Operator { name: "$toBool", arguments: Arguments::Exactly(1), run: to_bool },
    Operator { name: "$toDate", arguments: Arguments::Exactly(1), run: to_date },
    Operator { name: "$toDecimal", arguments: Arguments::Exactly(1), run: to_decimal },
    Operator { name: "$toDouble", arguments: Arguments::Exactly(1), run: to_double },
    Operator { name: "$toInt", arguments: Arguments::Exactly(1), run: to_int },
    Operator { name: "$toLong", arguments: Arguments::Exactly(1), run: to_long },
    Operator { name: "$toObjectId", arguments: Arguments::Exactly(1), run: to_object_id },
    Operator { name: "$toString", arguments: Arguments::Exactly(1), run: to_string },
    Operator { name: "$toUUID", arguments: Arguments::Exactly(1), run: to_uuid },
];

fn convert_any(given: &CallArgs<'_>) -> Outcome {
    let target = Target::parse(given.named("to"))?;
    let input = given.named("input");
    let Some(value) = input.filter(|value| !is_nullish(Some(*value))) else {
        return if given.has("onNull") { owned(given, "onNull") } else { null() };
    };
    let Some(target) = target else { return null() };
    let how = Bytes {
        format: Format::parse(given.named("format"))?,
        big_endian: is_big_endian(given.named("byteOrder"))?,
    };
    match convert(value, target, how) {
        Err(error) if given.has("onError") && error.code == Code::CONVERSION_FAILURE => {
            owned(given, "onError")
        }
        result => result.map(Some),
    }
}

fn short(given: &CallArgs<'_>, target: Target, format: Option<Format>) -> Outcome {
    match given.at(0) {
        Some(value) if !is_nullish(Some(value)) => {
            convert(value, target, Bytes { format, big_endian: false }).map(Some)
        }
        _ => null(),
    }
}

fn to_bool(given: &CallArgs<'_>) -> Outcome {
    short(given, Target::of(ElementType::Boolean), None)
}

fn to_date(given: &CallArgs<'_>) -> Outcome {
    short(given, Target::of(ElementType::DateTime), None)
}

fn to_decimal(given: &CallArgs<'_>) -> Outcome {
    short(given, Target::of(ElementType::Decimal128), None)
}

fn to_double(given: &CallArgs<'_>) -> Outcome {
    short(given, Target::of(ElementType::Double), None)
}

fn to_int(given: &CallArgs<'_>) -> Outcome {
    short(given, Target::of(ElementType::Int32), None)
}

fn to_long(given: &CallArgs<'_>) -> Outcome {
    short(given, Target::of(ElementType::Int64), None)
}

fn to_object_id(given: &CallArgs<'_>) -> Outcome {
    short(given, Target::of(ElementType::ObjectId), None)
}

fn to_string(given: &CallArgs<'_>) -> Outcome {
    short(given, Target::of(ElementType::String), Some(Format::Auto))
}

fn to_uuid(given: &CallArgs<'_>) -> Outcome {
    let target = Target { element_type: ElementType::Binary, subtype: 4 };
    short(given, target, Some(Format::Uuid))
}

fn refuse_convert(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    QueryError::failed_to_parse(match mistake {
        NamedMistake::NotDocument(value) => format!(
            "{operator} expects an object of named arguments but found: {}",
            name_of(Some(value))
        ),
        NamedMistake::Unknown(field) => format!("{operator} found an unknown argument: {field}"),
        NamedMistake::Missing(field) => format!("Missing '{field}' parameter to {operator}"),
    })
}

#[cfg(test)]
mod tests {
    use crate::query::{
        Code,
        expression::testing::{check, refused},
    };

    #[test]
    fn values_change_their_type() {
        let is = |expression: &str, expected: &str| check(expression, "{}", expected);
        is("{$toInt: '42'}", "42");
        is("{$toInt: 5.9}", "5");
        is("{$toInt: -5.9}", "-5");
        is("{$toInt: true}", "1");
        is("{$toInt: {$numberDecimal: '7.9'}}", "7");
        is("{$toInt: null}", "null");
        is("{$toLong: {$date: {$numberLong: '1500'}}}", "{$numberLong: '1500'}");
        is("{$toLong: '-7'}", "{$numberLong: '-7'}");
        is("{$toDouble: '1.5e3'}", "1500.0");
        is("{$toDouble: {$numberDecimal: '2.5'}}", "2.5");
        is("{$toDecimal: 2.5}", "{$numberDecimal: '2.50000000000000'}");
        is("{$toDecimal: '1E+10'}", "{$numberDecimal: '1E+10'}");
        is("{$toDecimal: true}", "{$numberDecimal: '1'}");
        is("{$toString: 1.5}", "'1.5'");
        is("{$toString: 2.0}", "'2'");
        is("{$toString: {$numberDecimal: '1E+10'}}", "'1E+10'");
        is("{$toString: {$numberDouble: 'NaN'}}", "'NaN'");
        is("{$toString: true}", "'true'");
        is("{$toString: {$oid: '5ab9c3da31c2ab715d421285'}}", "'5ab9c3da31c2ab715d421285'");
        is("{$toString: {$date: '2018-03-27T16:58:51.538Z'}}", "'2018-03-27T16:58:51.538Z'");
        is("{$toBool: 'false'}", "true");
        is("{$toBool: 0.0}", "false");
        is("{$toBool: {$numberDecimal: '-0'}}", "false");
        is("{$toBool: {$numberDecimal: '1E-6000'}}", "true");
        is("{$toBool: {$minKey: 1}}", "true");
        is("{$toBool: [[]]}", "true");
        is("{$toDate: '2018-03-03'}", "{$date: '2018-03-03T00:00:00Z'}");
        is("{$toDate: {$numberLong: '120000000000'}}", "{$date: '1973-10-20T21:20:00Z'}");
        is("{$toDate: 1.9}", "{$date: {$numberLong: '1'}}");
        is("{$toDate: {$oid: '5ab9c3da31c2ab715d421285'}}", "{$date: '2018-03-27T04:08:58Z'}");
        is("{$toDate: {$timestamp: {t: 5, i: 1}}}", "{$date: {$numberLong: '5000'}}");
        is("{$toObjectId: '5ab9cbfa31c2ab715d42129e'}", "{$oid: '5ab9cbfa31c2ab715d42129e'}");
        is(
            "{$toUUID: '0e3b9063-8abd-4eb3-9f9f-f4c59fd30a60'}",
            "{$binary: {base64: 'DjuQY4q9TrOfn/TFn9MKYA==', subType: '04'}}",
        );
        is(
            "{$toString: {$toUUID: '0e3b9063-8abd-4eb3-9f9f-f4c59fd30a60'}}",
            "'0e3b9063-8abd-4eb3-9f9f-f4c59fd30a60'",
        );
        is("{$convert: {input: 'x', to: 'int', onError: 'bad'}}", "'bad'");
        is("{$convert: {input: null, to: 'int', onNull: 0}}", "0");
        is("{$convert: {input: '1', to: 'int', onError: {$divide: [1, 0]}}}", "1");
        is("{$convert: {input: 1, to: null}}", "null");
        is("{$convert: {input: 1, to: 'bool'}}", "true");
        is("{$convert: {input: '7', to: 18}}", "{$numberLong: '7'}");
        is(
            "{$convert: {input: 'aGk=', to: {type: 'binData', subtype: 0}, format: 'base64'}}",
            "{$binary: {base64: 'aGk=', subType: '00'}}",
        );
        is(
            "{$convert: {input: {$binary: {base64: 'aGk=', subType: '00'}}, to: 'string', format: 'utf8'}}",
            "'hi'",
        );
        is(
            "{$convert: {input: {$binary: {base64: 'aGk=', subType: '00'}}, to: 'string', format: 'hex'}}",
            "'6869'",
        );
        is(
            "{$convert: {input: 1, to: 'binData', byteOrder: 'big'}}",
            "{$binary: {base64: 'AAAAAQ==', subType: '00'}}",
        );
        is(
            "{$convert: {input: {$binary: {base64: 'AAAAAQ==', subType: '00'}}, to: 'int', byteOrder: 'big'}}",
            "1",
        );
        refused("{$toInt: '1.5'}", Code::CONVERSION_FAILURE);
        refused("{$toInt: 3000000000}", Code::CONVERSION_FAILURE);
        refused("{$toInt: '0x1F'}", Code::CONVERSION_FAILURE);
        refused("{$toLong: {$numberDouble: 'NaN'}}", Code::CONVERSION_FAILURE);
        refused("{$toLong: 1e19}", Code::CONVERSION_FAILURE);
        refused("{$toDate: 5}", Code::CONVERSION_FAILURE);
        refused("{$toDate: 'not a date'}", Code::CONVERSION_FAILURE);
        refused("{$toObjectId: '5ab9'}", Code::CONVERSION_FAILURE);
        refused("{$toString: [[1]]}", Code::CONVERSION_FAILURE);
        refused("{$toInt: {$date: {$numberLong: '5'}}}", Code::CONVERSION_FAILURE);
        refused("{$toDouble: 'abc'}", Code::CONVERSION_FAILURE);
        refused("{$toDouble: {$numberDecimal: '1E+400'}}", Code::CONVERSION_FAILURE);
        refused("{$toDecimal: 'x'}", Code::CONVERSION_FAILURE);
        refused("{$convert: {input: 'a', to: 'binData'}}", 4341115);
        refused("{$convert: {input: 'a', to: 'binData', format: 'x'}}", 4341125);
        refused("{$convert: {input: 'a', to: 'binData', format: 1}}", 4341114);
        refused("{$convert: {input: 'a', to: {type: 'binData', subtype: 'a'}}}", 4341108);
        refused("{$convert: {input: 'a', to: {type: 'binData', subtype: 10}}}", 4341107);
        refused("{$convert: {input: 'a', to: 'binData', byteOrder: 'x', format: 'hex'}}", 9130002);
        refused(
            "{$convert: {input: 'a', to: {type: 'binData', subtype: 4}, format: 'hex'}}",
            Code::CONVERSION_FAILURE,
        );
    }
}
