//! Why a document does not match a filter, in the form of MongoDB's `errInfo.details`.

use bson::{Bson, Document, RawDocumentBuf, doc, raw::RawBsonRef, raw::RawDocument};

use super::{parsed::Filter, schema::Schema};
use crate::{
    query::{Context, VariableNames, expression::bytes_of},
    value::{Path, type_name::type_name},
};

/// Details nest this deep; deeper operators are named without details.
const DEPTH_MAX: usize = 12;

/// A value is shown if it has at most this many bytes, and at most `SHOWN_VALUES_MAX` of them are.
/// Every clause shows its own, and the document may have sixteen million bytes.
const SHOWN_BYTES_MAX: usize = 4_096;
const SHOWN_VALUES_MAX: usize = 16;

/// Why the document does not match; empty when it does.
pub fn details(filter: &RawDocument, document: &RawDocument, context: &Context) -> Document {
    let Ok(filter) = Document::try_from(filter) else { return Document::new() };
    of_filter(&filter, document, context, 0).unwrap_or_default()
}

fn matches(filter: &Document, document: &RawDocument, context: &Context) -> bool {
    let Ok(raw) = RawDocumentBuf::try_from(filter) else { return false };
    Filter::parse_query(&raw, &VariableNames::of_collation(context.collation.clone()))
        .and_then(|filter| filter.matches_in(document, context))
        .unwrap_or(false)
}

/// `None` when the document matches.
fn of_filter(
    filter: &Document,
    document: &RawDocument,
    context: &Context,
    depth: usize,
) -> Option<Document> {
    if matches(filter, document, context) {
        return None;
    }
    let clauses = clauses(filter);
    match clauses.as_slice() {
        [] => Some(Document::new()),
        [only] => Some(of_clause(only, document, context, depth)),
        _ => Some(of_list("$and", &clauses, document, context, depth)),
    }
}

/// A filter as clauses of one operator each.
fn clauses(filter: &Document) -> Vec<Document> {
    let mut clauses = Vec::new();
    for (name, value) in filter {
        let operators = value
            .as_document()
            .filter(|inner| inner.keys().next().is_some_and(|name| name.starts_with('$')));
        match operators {
            Some(operators) if !name.starts_with('$') && !operators.contains_key("$regex") => {
                clauses.extend(operators.iter().map(|(op, value)| doc! { name: { op: value } }));
            }
            _ => clauses.push(doc! { name: value }),
        }
    }
    clauses
}

fn of_list(
    operator: &str,
    clauses: &[Document],
    document: &RawDocument,
    context: &Context,
    depth: usize,
) -> Document {
    let mut failed = Vec::new();
    for (index, clause) in clauses.iter().enumerate() {
        if depth < DEPTH_MAX
            && let Some(details) = of_filter(clause, document, context, depth + 1)
        {
            let index = i32::try_from(index).unwrap_or(i32::MAX);
            failed.push(doc! { "index": index, "details": details });
        }
    }
    doc! { "operatorName": operator, "clausesNotSatisfied": failed }
}

fn of_clause(
    clause: &Document,
    document: &RawDocument,
    context: &Context,
    depth: usize,
) -> Document {
    let Some((name, value)) = clause.iter().next() else { return Document::new() };
    match (name.as_str(), value) {
        ("$and" | "$or", Bson::Array(list)) => {
            let list: Vec<Document> = list.iter().filter_map(Bson::as_document).cloned().collect();
            of_list(name, &list, document, context, depth)
        }
        ("$nor", Bson::Array(list)) => {
            let holds = |part: &&Document| matches(part, document, context);
            let failed: Vec<Document> = list
                .iter()
                .filter_map(Bson::as_document)
                .enumerate()
                .filter(|(_, part)| holds(part))
                .map(|(index, part)| {
                    let index = i32::try_from(index).unwrap_or(i32::MAX);
                    doc! { "index": index, "details": { "specifiedAs": part } }
                })
                .collect();
            doc! { "operatorName": "$nor", "clausesNotSatisfied": failed }
        }
        ("$jsonSchema", Bson::Document(schema)) => {
            let rules = of_schema(schema, RawBsonRef::Document(document), depth);
            doc! { "operatorName": "$jsonSchema", "schemaRulesNotSatisfied": rules }
        }
        ("$expr", _) => doc! {
            "operatorName": "$expr",
            "specifiedAs": clause.clone(),
            "reason": "expression did not match",
            "expressionResult": false,
        },
        (special, _) if special.starts_with('$') => {
            doc! { "operatorName": special, "specifiedAs": clause.clone() }
        }
        (field, value) => of_field(field, value, clause, document),
    }
}

fn of_field(field: &str, value: &Bson, clause: &Document, document: &RawDocument) -> Document {
    let operator = value
        .as_document()
        .and_then(|inner| inner.keys().next())
        .filter(|name| name.starts_with('$'))
        .map_or("$eq", String::as_str);
    let mut details = doc! { "operatorName": operator, "specifiedAs": clause.clone() };
    let mut found = Vec::new();
    let mut is_missing = true;
    if let Ok(path) = Path::parse_any(field) {
        let _ = path.match_values(document, &mut |candidate| {
            is_missing &= candidate.value.is_none();
            if found.len() < SHOWN_VALUES_MAX {
                found.extend(candidate.value.and_then(shown));
            }
            std::ops::ControlFlow::<()>::Continue(())
        });
    }
    let reason = match operator {
        _ if is_missing && operator != "$exists" => "field was missing",
        "$type" => "type did not match",
        "$in" => "no matching value found in array",
        "$regex" => "regular expression did not match",
        "$exists" if is_missing => "path does not exist",
        "$exists" => "path does exist",
        "$size" => "array length was not equal to given size",
        "$mod" => "$mod did not evaluate to expected remainder",
        _ => "comparison failed",
    };
    details.insert("reason", reason);
    match <[Bson; 1]>::try_from(found) {
        Ok([only]) => {
            details.insert("consideredValue", only);
        }
        Err(found) if !found.is_empty() => {
            details.insert("consideredValues", found);
        }
        Err(_) => {}
    }
    details
}

/// A value as it is shown; none if it is long.
fn shown(value: RawBsonRef<'_>) -> Option<Bson> {
    (bytes_of(value) <= SHOWN_BYTES_MAX).then(|| Bson::try_from(value).ok())?
}

/// The rules of a schema that a value breaks.
fn of_schema(schema: &Document, value: RawBsonRef<'_>, depth: usize) -> Vec<Document> {
    let mut broken = Vec::new();
    for (keyword, rule) in schema {
        // A bound and whether it is exclusive, and the kinds of items, are read together.
        let mut alone = doc! { keyword: rule };
        for with in ["exclusiveMinimum", "exclusiveMaximum", "items"] {
            let goes_along = match with {
                "exclusiveMinimum" => keyword == "minimum",
                "exclusiveMaximum" => keyword == "maximum",
                _ => keyword == "additionalItems",
            };
            if let (true, Some(given)) = (goes_along, schema.get(with)) {
                alone.insert(with, given);
            }
        }
        if keyword == "additionalProperties" {
            for with in ["properties", "patternProperties"] {
                if let Some(Bson::Document(given)) = schema.get(with) {
                    // Only the names count here.
                    let names = given.keys().map(|name| (name.clone(), doc! {}.into()));
                    alone.insert(with, names.collect::<Document>());
                }
            }
        }
        if !breaks(&alone, value) {
            continue;
        }
        broken.push(of_keyword(keyword, rule, &alone, value, depth));
    }
    broken
}

fn breaks(schema: &Document, value: RawBsonRef<'_>) -> bool {
    let Ok(raw) = RawDocumentBuf::try_from(schema) else { return false };
    Schema::parse(RawBsonRef::Document(&raw))
        .is_ok_and(|schema| matches!(schema.holds(value), Ok(false)))
}

fn of_keyword(
    keyword: &str,
    rule: &Bson,
    alone: &Document,
    value: RawBsonRef<'_>,
    depth: usize,
) -> Document {
    let fields = value.as_document();
    let has = |name: &str| fields.is_some_and(|fields| matches!(fields.get(name), Ok(Some(_))));
    let mut details = doc! { "operatorName": keyword };
    match (keyword, rule) {
        ("properties", Bson::Document(properties)) if depth < DEPTH_MAX => {
            let mut failed = Vec::new();
            for (name, schema) in properties {
                let found = fields.and_then(|fields| fields.get(name).ok().flatten());
                if let (Some(found), Some(schema)) = (found, schema.as_document()) {
                    let rules = of_schema(schema, found, depth + 1);
                    if !rules.is_empty() {
                        let mut property = doc! { "propertyName": name };
                        if let Some(text) = schema.get("description") {
                            property.insert("description", text);
                        }
                        property.insert("details", rules);
                        failed.push(property);
                    }
                }
            }
            details.insert("propertiesNotSatisfied", failed);
        }
        ("required", Bson::Array(names)) => {
            let missing = names.iter().filter(|name| name.as_str().is_some_and(|name| !has(name)));
            let missing: Vec<Bson> = missing.cloned().collect();
            details.extend(doc! { "specifiedAs": alone.clone(), "missingProperties": missing });
        }
        _ => {
            details.insert("specifiedAs", doc! { keyword: rule });
            let reason = match keyword {
                "bsonType" | "type" => "type did not match",
                "enum" => "value was not found in enum",
                "pattern" => "regular expression did not match",
                "minLength" | "maxLength" => "specified string length was not satisfied",
                "minItems" | "maxItems" => "array did not match specified length",
                "minProperties" | "maxProperties" => {
                    "specified number of properties was not satisfied"
                }
                "uniqueItems" => "found a duplicate item",
                "multipleOf" => "considered value is not a multiple of the specified value",
                _ => "comparison failed",
            };
            details.insert("reason", reason);
            if let Some(considered) = shown(value) {
                details.insert("consideredValue", considered);
            }
            if matches!(keyword, "bsonType" | "type") {
                details.insert("consideredType", type_name(value));
            }
        }
    }
    details
}
