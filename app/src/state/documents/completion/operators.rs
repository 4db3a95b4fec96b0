//! The operators of a filter, with a line of help and what is typed after the name.

/// The spelling of an operator. `|` is the place of the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operator {
    /// With its dollar sign.
    pub name: &'static str,
    /// A few words.
    pub help: &'static str,
    /// The text after the colon.
    pub argument: &'static str,
}

const fn operator(name: &'static str, argument: &'static str, help: &'static str) -> Operator {
    Operator { name, help, argument }
}

/// Those in the place of a field.
pub const LOGICAL: &[Operator] = &[
    operator("$and", "[{ | }]", "matches every filter of the list"),
    operator("$or", "[{ | }]", "matches at least one filter of the list"),
    operator("$nor", "[{ | }]", "matches no filter of the list"),
    operator("$expr", "{ | }", "an expression that compares fields"),
    operator("$jsonSchema", "{ | }", "documents that fit a JSON Schema"),
    operator("$comment", "'|'", "a note that changes nothing"),
];

/// Those that test a field.
pub const TESTS: &[Operator] = &[
    operator("$eq", "|", "equal to the value"),
    operator("$ne", "|", "not equal; also without the field"),
    operator("$gt", "|", "greater than"),
    operator("$gte", "|", "greater than or equal"),
    operator("$lt", "|", "less than"),
    operator("$lte", "|", "less than or equal"),
    operator("$in", "[|]", "one of the values"),
    operator("$nin", "[|]", "none of the values"),
    operator("$exists", "true|", "has the field, or lacks it with false"),
    operator("$type", "'|'", "of this type"),
    operator("$regex", "'|'", "text that fits a regular expression"),
    operator("$options", "'i'|", "i ignores case, m and s change ^, $ and ."),
    operator("$not", "{ | }", "does not fit the test"),
    operator("$elemMatch", "{ | }", "one element of the array fits everything"),
    operator("$all", "[|]", "an array with all of the values"),
    operator("$size", "|", "an array of this length"),
    operator("$mod", "[|, 0]", "divided by the first, leaves the second"),
    operator("$bitsAllSet", "|", "all of these bits are 1"),
    operator("$bitsAnySet", "|", "one of these bits is 1"),
    operator("$bitsAllClear", "|", "all of these bits are 0"),
    operator("$bitsAnyClear", "|", "one of these bits is 0"),
];

/// Common ones of an expression.
pub const EXPRESSIONS: &[Operator] = &[
    operator("$eq", "[|, ]", "the two are equal"),
    operator("$ne", "[|, ]", "the two are different"),
    operator("$gt", "[|, ]", "the first is greater"),
    operator("$gte", "[|, ]", "the first is greater or equal"),
    operator("$lt", "[|, ]", "the first is less"),
    operator("$lte", "[|, ]", "the first is less or equal"),
    operator("$and", "[|]", "all are true"),
    operator("$or", "[|]", "at least one is true"),
    operator("$not", "[|]", "it is false"),
    operator("$in", "[|, ]", "the first is in the array"),
    operator("$add", "[|, ]", "the sum; a date and milliseconds give a date"),
    operator("$subtract", "[|, ]", "the difference; two dates give milliseconds"),
    operator("$multiply", "[|, ]", "the product"),
    operator("$divide", "[|, ]", "the quotient"),
    operator("$size", "|", "the length of an array"),
    operator("$type", "|", "the name of the type"),
    operator("$ifNull", "[|, ]", "the first that is not null"),
    operator("$cond", "[|, , ]", "if, then, else"),
    operator("$strLenCP", "|", "characters of a text"),
    operator("$toLower", "|", "in lower case"),
    operator("$toDate", "|", "as a date"),
    operator("$dateDiff", "{ startDate: |, endDate: '$$NOW', unit: 'hour' }", "between two dates"),
    operator("$hour", "|", "the hour of a date, 0 to 23"),
    operator("$dayOfWeek", "|", "the day of a date, 1 is Sunday"),
];

/// The names of types that `$type` takes.
pub const TYPES: &[&str] = &[
    "double",
    "string",
    "object",
    "array",
    "binData",
    "objectId",
    "bool",
    "date",
    "null",
    "regex",
    "int",
    "timestamp",
    "long",
    "decimal",
    "number",
    "minKey",
    "maxKey",
];
