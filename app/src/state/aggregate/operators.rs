//! The operators that are offered while a stage is typed, with one line about each.

pub type Operator = (&'static str, &'static str);

/// Those of a filter, as in `$match`.
pub const FILTER: &[Operator] = &[
    ("$eq", "Equal to a value"),
    ("$ne", "Not equal to a value"),
    ("$gt", "Greater than"),
    ("$gte", "Greater than or equal"),
    ("$lt", "Less than"),
    ("$lte", "Less than or equal"),
    ("$in", "One of these values"),
    ("$nin", "None of these values"),
    ("$exists", "Whether the field is there"),
    ("$type", "Of a type, such as 'date'"),
    ("$regex", "Text that matches a pattern"),
    ("$not", "Not matching"),
    ("$and", "All of these filters"),
    ("$or", "One of these filters"),
    ("$nor", "None of these filters"),
    ("$elemMatch", "An element that matches all of it"),
    ("$all", "An array with all of these values"),
    ("$size", "An array of this length"),
    ("$mod", "A remainder: [divisor, remainder]"),
    ("$expr", "An expression that is true"),
];

/// Those that make one value of the documents of a group.
pub const ACCUMULATORS: &[Operator] = &[
    ("$sum", "Sum; { $sum: 1 } counts"),
    ("$avg", "Average"),
    ("$min", "Smallest value"),
    ("$max", "Greatest value"),
    ("$first", "Value of the first document"),
    ("$last", "Value of the last document"),
    ("$push", "Array of all values"),
    ("$addToSet", "Array of the different values"),
    ("$count", "Number of documents: {}"),
    ("$stdDevPop", "Standard deviation of all"),
    ("$stdDevSamp", "Standard deviation of a sample"),
    ("$mergeObjects", "Embedded documents merged into one"),
    ("$firstN", "First values: { input, n }"),
    ("$lastN", "Last values: { input, n }"),
    ("$minN", "Smallest values: { input, n }"),
    ("$maxN", "Greatest values: { input, n }"),
    ("$top", "First by an order: { sortBy, output }"),
    ("$bottom", "Last by an order: { sortBy, output }"),
    ("$topN", "First by an order: { sortBy, output, n }"),
    ("$bottomN", "Last by an order: { sortBy, output, n }"),
    ("$median", "Median: { input, method: 'approximate' }"),
    ("$percentile", "Percentiles: { input, p, method }"),
];

/// Those of an expression.
pub const EXPRESSIONS: &[Operator] = &[
    ("$add", "Adds numbers, or milliseconds to a date"),
    ("$subtract", "Subtracts; of two dates: milliseconds"),
    ("$multiply", "Multiplies"),
    ("$divide", "Divides"),
    ("$mod", "Remainder"),
    ("$abs", "Without its sign"),
    ("$round", "Rounds to digits"),
    ("$floor", "Next smaller integer"),
    ("$ceil", "Next greater integer"),
    ("$trunc", "Cuts digits"),
    ("$sum", "Sum of several values"),
    ("$avg", "Average of several values"),
    ("$min", "Smallest of several values"),
    ("$max", "Greatest of several values"),
    ("$cond", "One of two values: { if, then, else }"),
    ("$ifNull", "Another value for null or missing"),
    ("$switch", "The first branch that is true"),
    ("$eq", "Whether equal"),
    ("$ne", "Whether different"),
    ("$gt", "Whether greater"),
    ("$gte", "Whether greater or equal"),
    ("$lt", "Whether less"),
    ("$lte", "Whether less or equal"),
    ("$cmp", "-1, 0 or 1"),
    ("$and", "Whether all are true"),
    ("$or", "Whether one is true"),
    ("$not", "Whether false"),
    ("$in", "Whether in an array"),
    ("$concat", "Joins text"),
    ("$split", "Splits text"),
    ("$substrCP", "Part of a text"),
    ("$strLenCP", "Length of a text"),
    ("$toLower", "Lower case"),
    ("$toUpper", "Upper case"),
    ("$trim", "Without space at the ends: { input }"),
    ("$replaceAll", "Replaces text: { input, find, replacement }"),
    ("$regexMatch", "Whether a pattern matches: { input, regex }"),
    ("$size", "Length of an array"),
    ("$arrayElemAt", "Element at a place"),
    ("$first", "First element"),
    ("$last", "Last element"),
    ("$slice", "Part of an array"),
    ("$filter", "Elements that match: { input, as, cond }"),
    ("$map", "Each element computed: { input, as, in }"),
    ("$reduce", "One value of an array: { input, initialValue, in }"),
    ("$range", "Numbers from, to, step"),
    ("$concatArrays", "Joins arrays"),
    ("$setUnion", "Values of either array"),
    ("$sortArray", "Sorts an array: { input, sortBy }"),
    ("$objectToArray", "Fields as { k, v }"),
    ("$arrayToObject", "Fields of { k, v }"),
    ("$mergeObjects", "Documents merged into one"),
    ("$getField", "A field by its name"),
    ("$literal", "A value as it is"),
    ("$type", "Name of the type"),
    ("$convert", "To a type: { input, to, onError, onNull }"),
    ("$toString", "As text"),
    ("$toInt", "As an int"),
    ("$toDouble", "As a double"),
    ("$toDate", "As a date"),
    ("$dateTrunc", "Start of a unit: { date, unit }"),
    ("$dateToString", "Date as text: { date, format }"),
    ("$dateFromString", "Text as a date: { dateString, format }"),
    ("$dateAdd", "Later date: { startDate, unit, amount }"),
    ("$dateDiff", "Units between: { startDate, endDate, unit }"),
    ("$year", "Year of a date"),
    ("$month", "Month of a date"),
    ("$dayOfMonth", "Day of the month"),
    ("$dayOfWeek", "Day of the week, Sunday is 1"),
    ("$hour", "Hour of a date"),
    ("$minute", "Minute of a date"),
    ("$rand", "Random number from 0 to 1"),
    ("$let", "Named values: { vars, in }"),
];

/// The variables of an expression.
pub const VARIABLES: &[Operator] = &[
    ("$$ROOT", "The whole document"),
    ("$$NOW", "The time of the store"),
    ("$$CURRENT", "The document where the expression is"),
    ("$$REMOVE", "No field"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_is_offered_once_and_in_one_line() {
        for list in [FILTER, ACCUMULATORS, EXPRESSIONS, VARIABLES] {
            for (at, (name, help)) in list.iter().enumerate() {
                assert!(name.starts_with('$') && !help.ends_with('.'), "{name}");
                assert!(help.chars().count() <= 60, "{name}: {help}");
                assert!(list.iter().skip(at + 1).all(|(other, _)| other != name), "{name} twice");
            }
        }
    }
}
