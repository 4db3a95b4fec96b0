//! The filters that clicks in the Schema view add.

use bson::{Bson, DateTime, Document, doc};

use crate::inspect::schema::{Bar, Field, Kind, whole};

/// A filter for documents that match both.
pub fn both(first: &Document, second: &Document) -> Document {
    if first.is_empty() {
        return second.clone();
    }
    if first == second {
        return first.clone();
    }
    let mut joined = first.clone();
    for (name, condition) in second {
        let Some(known) = joined.get_mut(name) else {
            joined.insert(name, condition.clone());
            continue;
        };
        let merged = match (&known, condition) {
            (known, condition) if *known == condition => Some(condition.clone()),
            (Bson::Document(known), Bson::Document(more)) => merged(known, more),
            _ => None,
        };
        match merged {
            Some(merged) => *known = merged,
            None => return all(first, second),
        }
    }
    joined
}

/// Operators of two conditions on one field, if they don't name the same one.
fn merged(known: &Document, more: &Document) -> Option<Bson> {
    let is_plain = |condition: &Document| {
        !condition.is_empty() && condition.keys().all(|name| name.starts_with('$'))
    };
    if !is_plain(known) || !is_plain(more) || more.keys().any(|name| known.contains_key(name)) {
        return None;
    }
    let mut merged = known.clone();
    merged.extend(more.clone());
    Some(Bson::Document(merged))
}

fn all(first: &Document, second: &Document) -> Document {
    let mut parts = match first.get_array("$and") {
        Ok(parts) if first.len() == 1 => parts.clone(),
        _ => vec![Bson::Document(first.clone())],
    };
    parts.push(Bson::Document(second.clone()));
    doc! { "$and": parts }
}

/// Documents with a value of this type at a path. `None` if no filter can express it.
pub fn type_filter(field: &Field, kind: Kind) -> Option<Document> {
    let mut condition = doc! { "$type": kind.alias()? };
    // `$type` looks into arrays too.
    if kind != Kind::Array && field.count_of(Kind::Array) > 0 {
        condition.insert("$not", doc! { "$type": "array" });
    }
    field.path.filter(&Bson::Document(condition))
}

/// Documents with this value at a path.
pub fn value_filter(field: &Field, value: &Bson) -> Option<Document> {
    let condition = match value {
        // Missing is null to an equality.
        Bson::Null => Bson::Document(doc! { "$type": "null" }),
        other => other.clone(),
    };
    field.path.filter(&condition)
}

/// Documents with a number in an interval. The largest number closes the last one.
pub fn number_filter(field: &Field, bar: &Bar<f64>) -> Option<Document> {
    let range = doc! { "$gte": number(bar.from), "$lt": number(bar.to) };
    field.path.filter(&Bson::Document(range))
}

/// A number as it is typed: whole ones without a point.
fn number(value: f64) -> Bson {
    match whole(value) {
        Some(whole) => i32::try_from(whole).map_or(Bson::Int64(whole), Bson::Int32),
        None => Bson::Double(value),
    }
}

/// Documents with a date in an interval.
pub fn time_filter(field: &Field, bar: &Bar<i64>) -> Option<Document> {
    let at = |ms| DateTime::from_millis(ms);
    field.path.filter(&Bson::Document(doc! { "$gte": at(bar.from), "$lt": at(bar.to) }))
}

/// Documents with a date in this hour of the day, in UTC; `None` inside of arrays.
pub fn hour_filter(field: &Field, hour: usize) -> Option<Document> {
    part_filter(field, "$hour", i32::try_from(hour).ok()?)
}

/// Documents with a date on this day of the week, 0 for Monday, in UTC; `None` inside of arrays.
pub fn weekday_filter(field: &Field, weekday: usize) -> Option<Document> {
    part_filter(field, "$isoDayOfWeek", i32::try_from(weekday).ok()? + 1)
}

fn part_filter(field: &Field, part: &str, value: i32) -> Option<Document> {
    if field.is_in_array() {
        return None;
    }
    let path = format!("${}", field.path.dotted()?);
    // A value that isn't a date has no hour, and ends the query with an error.
    let is_date = doc! { "$eq": [{ "$type": path.as_str() }, "date"] };
    let fits = doc! { "$eq": [{ part: path.as_str() }, value] };
    Some(doc! { "$expr": { "$and": [is_date, fits] } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_joined_as_a_user_would_write_them() {
        let check = |first: Document, second: Document, expected: Document| {
            assert_eq!(both(&first, &second), expected, "{first} and {second}");
        };
        check(doc! {}, doc! { "a": 1 }, doc! { "a": 1 });
        check(doc! { "a": 1 }, doc! { "b": 2 }, doc! { "a": 1, "b": 2 });
        check(doc! { "a": 1 }, doc! { "a": 1 }, doc! { "a": 1 });
        check(
            doc! { "a": { "$type": "int" } },
            doc! { "a": { "$gte": 1, "$lt": 2 } },
            doc! { "a": { "$type": "int", "$gte": 1, "$lt": 2 } },
        );
        check(doc! { "a": 1 }, doc! { "a": 2 }, doc! { "$and": [{ "a": 1 }, { "a": 2 }] });
        check(
            doc! { "$and": [{ "a": 1 }, { "a": 2 }] },
            doc! { "$and": [{ "a": 3 }] },
            doc! { "$and": [{ "a": 1 }, { "a": 2 }, { "$and": [{ "a": 3 }] }] },
        );
        check(
            doc! { "a": { "x": 1 } },
            doc! { "a": { "$gt": 1 } },
            doc! { "$and": [{ "a": { "x": 1 } }, { "a": { "$gt": 1 } }] },
        );
    }
}
