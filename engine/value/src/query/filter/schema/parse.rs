//! From the document of `$jsonSchema` to rules.

use std::collections::HashSet;

use bson::raw::{RawArray, RawArrayBuf, RawBson, RawBsonRef, RawDocument};

use super::{
    matching::has_duplicates,
    node::{Dependency, Items, Others, Properties, Rule, Schema},
};
use crate::{
    query::{
        QueryError,
        filter::{
            Pattern, TypeSet,
            number::{as_double, whole},
        },
    },
    value::{Decimal, bucket::normalized, scan::DEPTH_MAX},
};

/// Keywords of draft 4 that MongoDB does not take either.
const UNSUPPORTED: [&str; 6] = ["$ref", "$schema", "default", "definitions", "format", "id"];

type Read<T> = Result<T, QueryError>;

/// Parses a schema nested `depth` levels deep in another one.
pub(super) fn schema(source: &RawDocument, depth: usize) -> Read<Schema> {
    if depth > DEPTH_MAX {
        return Err(QueryError::failed_to_parse(format!(
            "$jsonSchema is nested too deep; at most {DEPTH_MAX} levels are possible"
        )));
    }
    if source.get("type")?.is_some() && source.get("bsonType")?.is_some() {
        return Err(QueryError::failed_to_parse(
            "Cannot specify both $jsonSchema keywords 'type' and 'bsonType'",
        ));
    }
    let mut rules = Vec::new();
    let mut properties = Properties::default();
    let mut seen = HashSet::new();
    for element in source {
        let (keyword, value) = element?;
        let keyword = keyword.as_str();
        if !seen.insert(keyword) {
            return Err(QueryError::failed_to_parse(format!(
                "Duplicate $jsonSchema keyword: {keyword}"
            )));
        }
        match keyword {
            "properties" => {
                properties.named = schemas_by_name(keyword, value, depth)?;
                properties.named.sort_by(|(a, _), (b, _)| a.cmp(b));
            }
            "patternProperties" => {
                for (name, schema) in schemas_by_name(keyword, value, depth)? {
                    properties.patterns.push((Pattern::new(&name, "")?, schema));
                }
            }
            "additionalProperties" => properties.others = others(keyword, value, depth)?,
            // Read together, once: each may hold the whole rest of the schema.
            "items" | "additionalItems" => {}
            "exclusiveMinimum" | "exclusiveMaximum" => exclusive(source, keyword, value)?,
            _ => rules.extend(rule(source, keyword, value, depth)?),
        }
    }
    rules.extend(items(source, depth)?);
    rules.push(Rule::Properties(properties));
    Ok(Schema { rules })
}

fn rule(
    source: &RawDocument,
    keyword: &str,
    value: RawBsonRef<'_>,
    depth: usize,
) -> Read<Option<Rule>> {
    Ok(Some(match keyword {
        "type" => Rule::Type(json_types(value)?),
        "bsonType" => Rule::Type(bson_types(value)?),
        "enum" => Rule::Enum(values(keyword, value)?),
        "minimum" => Rule::Minimum {
            value: number(keyword, value)?,
            exclusive: is_set(source, "exclusiveMinimum")?,
        },
        "maximum" => Rule::Maximum {
            value: number(keyword, value)?,
            exclusive: is_set(source, "exclusiveMaximum")?,
        },
        "multipleOf" => multiple_of(value)?,
        "minLength" => Rule::MinLength(count(keyword, value)?),
        "maxLength" => Rule::MaxLength(count(keyword, value)?),
        "pattern" => match value {
            RawBsonRef::String(pattern) => Rule::Pattern(Pattern::new(pattern, "")?),
            _ => return Err(wrong_type(keyword, "a string")),
        },
        "required" => Rule::Required(names(keyword, value)?),
        "minProperties" => Rule::MinProperties(count(keyword, value)?),
        "maxProperties" => Rule::MaxProperties(count(keyword, value)?),
        "dependencies" => Rule::Dependencies(dependencies(value, depth)?),
        "minItems" => Rule::MinItems(count(keyword, value)?),
        "maxItems" => Rule::MaxItems(count(keyword, value)?),
        "uniqueItems" => match value {
            RawBsonRef::Boolean(true) => Rule::UniqueItems,
            RawBsonRef::Boolean(false) => return Ok(None),
            _ => return Err(wrong_type(keyword, "a boolean")),
        },
        "allOf" => Rule::AllOf(schemas(keyword, value, depth)?),
        "anyOf" => Rule::AnyOf(schemas(keyword, value, depth)?),
        "oneOf" => Rule::OneOf(schemas(keyword, value, depth)?),
        "not" => Rule::Not(nested(keyword, value, depth)?),
        "title" | "description" => match value {
            RawBsonRef::String(_) => return Ok(None),
            _ => return Err(wrong_type(keyword, "of type string")),
        },
        _ if UNSUPPORTED.contains(&keyword) => {
            return Err(QueryError::failed_to_parse(format!(
                "$jsonSchema keyword '{keyword}' is not currently supported"
            )));
        }
        _ => {
            return Err(QueryError::failed_to_parse(format!(
                "Unknown $jsonSchema keyword: {keyword}"
            )));
        }
    }))
}

fn wrong_type(keyword: &str, wanted: &str) -> QueryError {
    QueryError::type_mismatch(format!("$jsonSchema keyword '{keyword}' must be {wanted}"))
}

fn refused(keyword: &str, wanted: &str) -> QueryError {
    QueryError::failed_to_parse(format!("$jsonSchema keyword '{keyword}' {wanted}"))
}

fn nested(keyword: &str, value: RawBsonRef<'_>, depth: usize) -> Read<Schema> {
    match value {
        RawBsonRef::Document(source) => schema(source, depth + 1),
        _ => Err(wrong_type(keyword, "an object")),
    }
}

fn array<'v>(keyword: &str, value: RawBsonRef<'v>) -> Read<&'v RawArray> {
    value.as_array().ok_or_else(|| wrong_type(keyword, "an array"))
}

fn schemas(keyword: &str, value: RawBsonRef<'_>, depth: usize) -> Read<Vec<Schema>> {
    let list = array(keyword, value)?;
    if list.is_empty() {
        return Err(QueryError::bad_value(format!(
            "$jsonSchema keyword '{keyword}' must be a non-empty array"
        )));
    }
    list.into_iter().map(|item| nested(keyword, item?, depth)).collect()
}

fn schemas_by_name(
    keyword: &str,
    value: RawBsonRef<'_>,
    depth: usize,
) -> Read<Vec<(String, Schema)>> {
    let Some(document) = value.as_document() else { return Err(wrong_type(keyword, "an object")) };
    let mut schemas = Vec::new();
    for element in document {
        let (name, value) = element?;
        schemas.push((name.as_str().to_owned(), nested(keyword, value, depth)?));
    }
    Ok(schemas)
}

fn others(keyword: &str, value: RawBsonRef<'_>, depth: usize) -> Read<Others> {
    match value {
        RawBsonRef::Boolean(true) => Ok(Others::Allowed),
        RawBsonRef::Boolean(false) => Ok(Others::Forbidden),
        RawBsonRef::Document(source) => Ok(Others::Keep(Box::new(schema(source, depth + 1)?))),
        _ => Err(wrong_type(keyword, "an object or a boolean")),
    }
}

/// The rule of `items` and `additionalItems`. The latter counts only next to a list of items.
fn items(source: &RawDocument, depth: usize) -> Read<Option<Rule>> {
    let others = match source.get("additionalItems")? {
        Some(value) => others("additionalItems", value, depth)?,
        None => Others::Allowed,
    };
    let items = match source.get("items")? {
        None => return Ok(None),
        Some(value @ RawBsonRef::Document(_)) => {
            Items::All(Box::new(nested("items", value, depth)?))
        }
        Some(RawBsonRef::Array(list)) => {
            let each = list.into_iter().map(|item| nested("items", item?, depth));
            Items::Each(each.collect::<Read<_>>()?)
        }
        Some(_) => return Err(wrong_type("items", "an array or an object")),
    };
    Ok(Some(Rule::Items { items, others }))
}

fn json_types(value: RawBsonRef<'_>) -> Read<TypeSet> {
    let alias = |value: RawBsonRef<'_>| match value {
        RawBsonRef::String("boolean") => Ok("bool".to_owned()),
        RawBsonRef::String("integer") => Err(QueryError::failed_to_parse(
            "$jsonSchema type 'integer' is not currently supported.",
        )),
        RawBsonRef::String(name @ ("string" | "object" | "number" | "array" | "null")) => {
            Ok(name.to_owned())
        }
        RawBsonRef::String(name) => {
            Err(QueryError::bad_value(format!("Unknown type name alias: {name}")))
        }
        _ => Err(wrong_type("type", "either a string or an array of strings")),
    };
    let aliases = match value {
        RawBsonRef::Array(list) => {
            list.into_iter().map(|item| alias(item?)).collect::<Read<RawArrayBuf>>()?
        }
        value => std::iter::once(alias(value)?).collect(),
    };
    bson_types(RawBsonRef::Array(&aliases))
}

fn bson_types(value: RawBsonRef<'_>) -> Read<TypeSet> {
    match value {
        RawBsonRef::Array(list) => {
            let mut seen = HashSet::new();
            for item in list {
                let RawBsonRef::String(name) = item? else {
                    return Err(wrong_type("bsonType", "either a string or an array of strings"));
                };
                if !seen.insert(name) {
                    return Err(refused("bsonType", "has duplicate value"));
                }
            }
        }
        RawBsonRef::String(_) => {}
        _ => return Err(wrong_type("bsonType", "either a string or an array of strings")),
    }
    TypeSet::parse("$jsonSchema keyword 'bsonType'", value)
}

fn values(keyword: &str, value: RawBsonRef<'_>) -> Read<Vec<RawBson>> {
    let list = array(keyword, value)?.into_iter();
    // The order of an object's fields does not count.
    let mut values: Vec<RawBson> =
        list.map(|item| item.map(normalized)).collect::<Result<_, _>>()?;
    if values.is_empty() {
        return Err(refused(keyword, "cannot be an empty array"));
    }
    if has_duplicates(&mut values) {
        return Err(refused(keyword, "array cannot contain duplicate values."));
    }
    Ok(values)
}

fn number(keyword: &str, value: RawBsonRef<'_>) -> Read<RawBson> {
    as_double(value).map(|_| value.into()).ok_or_else(|| wrong_type(keyword, "a number"))
}

fn multiple_of(value: RawBsonRef<'_>) -> Read<Rule> {
    let unit = number("multipleOf", value)?;
    let is_positive = match value {
        RawBsonRef::Decimal128(unit) => {
            let unit = Decimal::from(unit);
            unit.is_finite() && !unit.is_zero() && !unit.is_negative()
        }
        _ => as_double(value).is_some_and(|unit| unit > 0.0 && unit.is_finite()),
    };
    if is_positive {
        return Ok(Rule::MultipleOf(unit));
    }
    Err(refused("multipleOf", "must have a positive value"))
}

fn count(keyword: &str, value: RawBsonRef<'_>) -> Read<usize> {
    let count = whole(value).and_then(|count| usize::try_from(count).ok());
    count.ok_or_else(|| refused(keyword, "must be a non-negative integer"))
}

fn is_set(source: &RawDocument, keyword: &str) -> Read<bool> {
    Ok(source.get(keyword)?.and_then(RawBsonRef::as_bool).unwrap_or(false))
}

fn exclusive(source: &RawDocument, keyword: &str, value: RawBsonRef<'_>) -> Read<()> {
    let bound = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
    if value.as_bool().is_none() {
        return Err(wrong_type(keyword, "a boolean"));
    }
    if source.get(bound)?.is_none() {
        return Err(refused(bound, &format!("must be a present if {keyword} is present")));
    }
    Ok(())
}

fn names(keyword: &str, value: RawBsonRef<'_>) -> Read<Vec<String>> {
    let (mut names, mut seen) = (Vec::new(), HashSet::new());
    for item in array(keyword, value)? {
        let RawBsonRef::String(name) = item? else {
            return Err(wrong_type(keyword, "an array of strings"));
        };
        if !seen.insert(name) {
            return Err(refused(keyword, "array cannot contain duplicate values"));
        }
        names.push(name.to_owned());
    }
    if names.is_empty() {
        return Err(refused(keyword, "cannot be an empty array"));
    }
    Ok(names)
}

fn dependencies(value: RawBsonRef<'_>, depth: usize) -> Read<Vec<(String, Dependency)>> {
    const KEYWORD: &str = "dependencies";
    let Some(document) = value.as_document() else { return Err(wrong_type(KEYWORD, "an object")) };
    let mut all = Vec::new();
    for element in document {
        let (name, value) = element?;
        let dependency = match value {
            RawBsonRef::Document(source) => Dependency::Keep(schema(source, depth + 1)?),
            value => Dependency::Fields(names(KEYWORD, value)?),
        };
        all.push((name.as_str().to_owned(), dependency));
    }
    Ok(all)
}
