//! The operators of filters and expressions, with a line of help and the text after the name.

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
    operator("$options", "'i'|", "i ignores case; m, s and x as in PCRE"),
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

/// Those of an update.
pub const UPDATES: &[Operator] = &[
    operator("$set", "{ | }", "set fields to values"),
    operator("$unset", "{ | }", "remove fields; the values are ignored"),
    operator("$inc", "{ | }", "add a number"),
    operator("$mul", "{ | }", "multiply by a number"),
    operator("$min", "{ | }", "set where the value is smaller"),
    operator("$max", "{ | }", "set where the value is greater"),
    operator("$rename", "{ | }", "give fields another name"),
    operator("$currentDate", "{ | }", "set to the time of the store"),
    operator("$push", "{ | }", "append to an array"),
    operator("$addToSet", "{ | }", "append to an array what it lacks"),
    operator("$pull", "{ | }", "remove from an array what matches"),
    operator("$pullAll", "{ | }", "remove these values from an array"),
    operator("$pop", "{ | }", "remove the last element with 1, the first with -1"),
    operator("$bit", "{ | }", "and, or, xor of bits"),
];

/// Those that make one value of the documents of a group.
pub const ACCUMULATORS: &[Operator] = &[
    operator("$sum", "|", "the sum; 1 counts documents"),
    operator("$avg", "|", "average"),
    operator("$min", "|", "smallest value"),
    operator("$max", "|", "greatest value"),
    operator("$first", "|", "value of the first document"),
    operator("$last", "|", "value of the last document"),
    operator("$push", "|", "array of all values"),
    operator("$addToSet", "|", "array of the different values"),
    operator("$count", "{}|", "number of documents"),
    operator("$stdDevPop", "|", "standard deviation of all"),
    operator("$stdDevSamp", "|", "standard deviation of a sample"),
    operator("$mergeObjects", "|", "embedded documents merged into one"),
    operator("$firstN", "{ input: |, n: 3 }", "first values"),
    operator("$lastN", "{ input: |, n: 3 }", "last values"),
    operator("$minN", "{ input: |, n: 3 }", "smallest values"),
    operator("$maxN", "{ input: |, n: 3 }", "greatest values"),
    operator("$top", "{ sortBy: { |: -1 }, output: '' }", "first by an order"),
    operator("$bottom", "{ sortBy: { |: -1 }, output: '' }", "last by an order"),
    operator("$topN", "{ sortBy: { |: -1 }, output: '', n: 3 }", "first by an order"),
    operator("$bottomN", "{ sortBy: { |: -1 }, output: '', n: 3 }", "last by an order"),
    operator("$median", "{ input: |, method: 'approximate' }", "median"),
    operator("$percentile", "{ input: |, p: [0.95], method: 'approximate' }", "percentiles"),
];

/// Those that only `$setWindowFields` has.
pub const WINDOW_FUNCTIONS: &[Operator] = &[
    operator("$rank", "{}|", "place in the order, with gaps after ties"),
    operator("$denseRank", "{}|", "place in the order, without gaps"),
    operator("$documentNumber", "{}|", "number in the order"),
    operator("$shift", "{ output: |, by: 1 }", "value of another document"),
    operator("$derivative", "{ input: | }", "change per step of the order"),
    operator("$integral", "{ input: | }", "area under the values"),
    operator("$expMovingAvg", "{ input: |, N: 3 }", "average that favors later values"),
    operator("$covariancePop", "[|, ]", "covariance of all"),
    operator("$covarianceSamp", "[|, ]", "covariance of a sample"),
    operator("$locf", "|", "last value that is not null"),
    operator("$linearFill", "|", "values on a line for gaps"),
    operator("$minMaxScaler", "{ input: | }", "place between least and greatest"),
];

/// Those of an expression.
pub const EXPRESSIONS: &[Operator] = &[
    operator("$add", "[|, ]", "adds numbers, or milliseconds to a date"),
    operator("$subtract", "[|, ]", "subtracts; of two dates: milliseconds"),
    operator("$multiply", "[|, ]", "multiplies"),
    operator("$divide", "[|, ]", "divides"),
    operator("$mod", "[|, ]", "remainder"),
    operator("$abs", "|", "without its sign"),
    operator("$round", "[|, ]", "rounds to digits"),
    operator("$floor", "|", "next smaller integer"),
    operator("$ceil", "|", "next greater integer"),
    operator("$trunc", "[|, ]", "cuts digits"),
    operator("$sum", "|", "sum of several values"),
    operator("$avg", "|", "average of several values"),
    operator("$min", "|", "smallest of several values"),
    operator("$max", "|", "greatest of several values"),
    operator("$cond", "{ if: |, then: '', else: '' }", "one of two values"),
    operator("$ifNull", "[|, ]", "another value for null or missing"),
    operator(
        "$switch",
        "{ branches: [{ case: |, then: '' }], default: '' }",
        "the first branch that is true",
    ),
    operator("$eq", "[|, ]", "whether equal"),
    operator("$ne", "[|, ]", "whether different"),
    operator("$gt", "[|, ]", "whether greater"),
    operator("$gte", "[|, ]", "whether greater or equal"),
    operator("$lt", "[|, ]", "whether less"),
    operator("$lte", "[|, ]", "whether less or equal"),
    operator("$cmp", "[|, ]", "-1, 0 or 1"),
    operator("$and", "[|]", "whether all are true"),
    operator("$or", "[|]", "whether one is true"),
    operator("$not", "[|]", "whether false"),
    operator("$in", "[|, ]", "whether in an array"),
    operator("$concat", "[|]", "joins text"),
    operator("$split", "[|, ]", "splits text"),
    operator("$substrCP", "[|, 0, 1]", "part of a text"),
    operator("$strLenCP", "|", "length of a text"),
    operator("$toLower", "|", "lower case"),
    operator("$toUpper", "|", "upper case"),
    operator("$trim", "{ input: | }", "without space at the ends"),
    operator("$replaceAll", "{ input: |, find: '', replacement: '' }", "replaces text"),
    operator("$regexMatch", "{ input: |, regex: '' }", "whether a pattern matches"),
    operator("$size", "|", "length of an array"),
    operator("$arrayElemAt", "[|, ]", "element at a place"),
    operator("$first", "|", "first element"),
    operator("$last", "|", "last element"),
    operator("$slice", "[|, ]", "part of an array"),
    operator("$filter", "{ input: |, as: 'it', cond: {} }", "elements that match"),
    operator("$map", "{ input: |, as: 'it', in: '$$it' }", "each element computed"),
    operator(
        "$reduce",
        "{ input: |, initialValue: 0, in: { $add: ['$$value', '$$this'] } }",
        "one value of an array",
    ),
    operator("$range", "[|0, 10, 1]", "numbers from, to, step"),
    operator("$concatArrays", "[|]", "joins arrays"),
    operator("$setUnion", "[|]", "values of either array"),
    operator("$sortArray", "{ input: |, sortBy: 1 }", "sorts an array"),
    operator("$objectToArray", "|", "fields as { k, v }"),
    operator("$arrayToObject", "|", "fields of { k, v }"),
    operator("$mergeObjects", "|", "documents merged into one"),
    operator("$getField", "'|'", "a field by its name"),
    operator("$literal", "|", "a value as it is"),
    operator("$type", "|", "name of the type"),
    operator("$convert", "{ input: |, to: 'date', onError: null, onNull: null }", "to a type"),
    operator("$toString", "|", "as text"),
    operator("$toInt", "|", "as an int"),
    operator("$toDouble", "|", "as a double"),
    operator("$toDate", "|", "as a date"),
    operator("$dateTrunc", "{ date: |, unit: 'day' }", "start of a unit"),
    operator("$dateToString", "{ date: |, format: '%Y-%m-%d' }", "date as text"),
    operator("$dateFromString", "{ dateString: | }", "text as a date"),
    operator("$dateAdd", "{ startDate: |, unit: 'day', amount: 1 }", "later date"),
    operator("$dateDiff", "{ startDate: |, endDate: '$$NOW', unit: 'hour' }", "units between"),
    operator("$year", "|", "year of a date"),
    operator("$month", "|", "month of a date"),
    operator("$dayOfMonth", "|", "day of the month"),
    operator("$dayOfWeek", "|", "day of the week, Sunday is 1"),
    operator("$hour", "|", "hour of a date"),
    operator("$minute", "|", "minute of a date"),
    operator("$rand", "{}|", "random number from 0 to 1"),
    operator("$let", "{ vars: { | }, in: '' }", "named values"),
];

/// The variables of an expression. They have no argument.
pub const VARIABLES: &[Operator] = &[
    operator("$$ROOT", "", "the whole document"),
    operator("$$NOW", "", "the time of the store"),
    operator("$$CURRENT", "", "the document where the expression is"),
    operator("$$REMOVE", "", "no field"),
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
