//! A schema as a JSON Schema, and as a validator in MongoDB's form of it.

use bson::{Bson, Document, doc};

use super::kind::Kind;
use super::path::Step;
use super::report::{Field, Schema};

/// The demands of a validator on documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each asks for one thing, none depends on another"
)]
pub struct Demands {
    /// Each field that is there has a type that was seen.
    pub types: bool,
    /// A field with numbers may have any type of number.
    pub any_number: bool,
    /// Fields that every document has stay required.
    pub required: bool,
    /// There are no other fields.
    pub no_others: bool,
}

impl Default for Demands {
    fn default() -> Self {
        Self { types: true, any_number: true, required: true, no_others: false }
    }
}

#[derive(Clone, Copy)]
enum Form {
    /// That of `$jsonSchema`.
    Mongodb(Demands),
    /// The standard one. Values that JSON lacks are in relaxed Extended JSON.
    Standard,
}

/// The schema as a validator: a filter with `$jsonSchema`.
pub fn validator(schema: &Schema, demands: Demands) -> Document {
    let rules =
        object(&schema.fields, 0, schema.documents, Form::Mongodb(demands), &mut Vec::new());
    let mut whole = doc! { "bsonType": "object" };
    whole.extend(rules);
    doc! { "$jsonSchema": whole }
}

/// The schema as a JSON Schema, draft 2020-12, for documents in relaxed Extended JSON.
pub fn json_schema(schema: &Schema, title: &str) -> Document {
    let mut used = Vec::new();
    let rules = object(&schema.fields, 0, schema.documents, Form::Standard, &mut used);
    let mut whole = doc! {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
    };
    whole.extend(rules);
    if !used.is_empty() {
        used.sort_unstable();
        used.dedup();
        let definition = |kind: &Kind| (kind.label().to_owned(), Bson::Document(definition(*kind)));
        whole.insert("$defs", used.iter().map(definition).collect::<Document>());
    }
    whole
}

/// The rules for a document whose fields have `level` steps before them; `documents`: how many such
/// documents there were.
fn object(
    fields: &[Field],
    level: usize,
    documents: u64,
    form: Form,
    used: &mut Vec<Kind>,
) -> Document {
    let mut properties = Document::new();
    let mut required = Vec::new();
    for (field, inner) in children(fields, level) {
        let Some(Step::Field(name)) = field.path.steps().last() else { continue };
        properties.insert(name.clone(), value(field, inner, level + 1, form, used));
        if field.seen >= documents && documents > 0 {
            required.push(Bson::String(name.clone()));
        }
    }
    let mut rules = Document::new();
    let (is_required, no_others) = match form {
        Form::Mongodb(demands) => (demands.required, demands.no_others),
        Form::Standard => (true, false),
    };
    // An empty list is refused.
    if is_required && !required.is_empty() {
        rules.insert("required", required);
    }
    if !properties.is_empty() {
        rules.insert("properties", properties);
        if no_others {
            rules.insert("additionalProperties", false);
        }
    }
    rules
}

/// The fields one step below `level`, each with what is inside of it.
fn children(fields: &[Field], level: usize) -> impl Iterator<Item = (&Field, &[Field])> {
    let mut rest = fields;
    std::iter::from_fn(move || {
        let (first, others) = rest.split_first()?;
        let inner = others.iter().take_while(|one| one.path.steps().len() > level + 1).count();
        let (inside, after) = others.split_at(inner);
        rest = after;
        Some((first, inside))
    })
}

fn value(
    field: &Field,
    inner: &[Field],
    level: usize,
    form: Form,
    used: &mut Vec<Kind>,
) -> Document {
    let mut rules = types(field, form, used);
    let is_elements =
        |one: &&(&Field, &[Field])| one.0.path.steps().last() == Some(&Step::Elements);
    let parts: Vec<(&Field, &[Field])> = children(inner, level).collect();
    let objects = field.count_of(Kind::Object);
    if objects > 0 {
        let named = inner.split_at(
            inner
                .iter()
                .take_while(|one| one.path.steps().get(level) != Some(&Step::Elements))
                .count(),
        );
        rules.extend(object(named.0, level, objects, form, used));
    }
    if let Some((elements, inside)) = parts.iter().find(is_elements) {
        let items = value(elements, inside, level + 1, form, used);
        if !items.is_empty() {
            rules.insert("items", items);
        }
    }
    rules
}

fn types(field: &Field, form: Form, used: &mut Vec<Kind>) -> Document {
    let kinds: Vec<Kind> = field.kinds.iter().map(|(kind, _)| *kind).collect();
    match form {
        Form::Mongodb(demands) => bson_types(&kinds, demands),
        Form::Standard => json_types(&kinds, used),
    }
}

const NUMBERS: [Kind; 4] = [Kind::Int32, Kind::Long, Kind::Double, Kind::Decimal];

fn bson_types(kinds: &[Kind], demands: Demands) -> Document {
    // A field that was always null says nothing about what else it may be.
    if !demands.types || kinds == [Kind::Null] {
        return Document::new();
    }
    let mut names: Vec<&str> = Vec::new();
    for kind in kinds {
        let name = match kind {
            kind if demands.any_number && NUMBERS.contains(kind) => "number",
            Kind::Code => "javascript",
            kind => match kind.alias() {
                Some(name) => name,
                // It has several names, and no document has it on purpose.
                None => return Document::new(),
            },
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.as_slice() {
        [only] => doc! { "bsonType": *only },
        names => doc! { "bsonType": names.to_vec() },
    }
}

fn json_types(kinds: &[Kind], used: &mut Vec<Kind>) -> Document {
    let mut plain: Vec<Bson> = Vec::new();
    let mut references = Vec::new();
    for kind in kinds {
        let name = match kind {
            Kind::String => "string",
            Kind::Int32 | Kind::Long => "integer",
            Kind::Double => "number",
            Kind::Boolean => "boolean",
            Kind::Object => "object",
            Kind::Array => "array",
            Kind::Null => "null",
            other => {
                used.push(*other);
                let path = format!("#/$defs/{}", other.label());
                references.push(Bson::Document(doc! { "$ref": path }));
                continue;
            }
        };
        if !plain.iter().any(|known| known.as_str() == Some(name)) {
            plain.push(Bson::String(name.to_owned()));
        }
    }
    // Every integer is a number.
    if plain.iter().any(|name| name.as_str() == Some("number")) {
        plain.retain(|name| name.as_str() != Some("integer"));
    }
    let mut plain_rule = Document::new();
    if plain.len() == 1 {
        plain_rule.extend(plain.pop().map(|only| ("type".to_owned(), only)));
    } else if !plain.is_empty() {
        plain_rule.insert("type", plain);
    }
    match (plain_rule.is_empty(), references.len()) {
        (_, 0) => plain_rule,
        (true, 1) => {
            references.pop().and_then(|one| one.as_document().cloned()).unwrap_or_default()
        }
        (is_empty, _) => {
            if !is_empty {
                references.insert(0, Bson::Document(plain_rule));
            }
            doc! { "anyOf": references }
        }
    }
}

/// A type of BSON in relaxed Extended JSON.
fn definition(kind: Kind) -> Document {
    let key = match kind {
        Kind::Date => "$date",
        Kind::ObjectId => "$oid",
        Kind::Decimal => "$numberDecimal",
        Kind::Binary => "$binary",
        Kind::Regex => "$regularExpression",
        Kind::Timestamp => "$timestamp",
        Kind::Code => "$code",
        Kind::MinKey => "$minKey",
        Kind::MaxKey => "$maxKey",
        _ => return doc! { "type": "object" },
    };
    doc! { "type": "object", "properties": { key: {} }, "required": [key] }
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, RawDocumentBuf, oid::ObjectId};

    use super::*;
    use crate::inspect::schema::Analysis;

    fn schema() -> Schema {
        let mut analysis = Analysis::new(0);
        for document in [
            doc! {
                "_id": ObjectId::from_bytes([1; 12]), "n": 1, "at": DateTime::from_millis(0),
                "in": { "a": 1.5, "b": "x" }, "list": [{ "p": 1, "q": true }, { "p": 2 }],
                "nothing": Bson::Null,
            },
            doc! {
                "_id": ObjectId::from_bytes([2; 12]), "n": "text", "at": "2020",
                "in": { "a": 2 }, "list": [], "nothing": Bson::Null,
            },
        ] {
            analysis.add(&RawDocumentBuf::try_from(&document).expect("a document"));
        }
        analysis.report()
    }

    #[test]
    fn a_validator_says_what_was_seen() {
        let expected = doc! { "$jsonSchema": {
            "bsonType": "object",
            "required": ["_id", "n", "at", "in", "list", "nothing"],
            "properties": {
                "_id": { "bsonType": "objectId" },
                "n": { "bsonType": ["string", "number"] },
                "at": { "bsonType": ["string", "date"] },
                "in": {
                    "bsonType": "object", "required": ["a"],
                    "properties": { "a": { "bsonType": "number" }, "b": { "bsonType": "string" } },
                },
                "list": { "bsonType": "array", "items": {
                    "bsonType": "object", "required": ["p"],
                    "properties": { "p": { "bsonType": "number" }, "q": { "bsonType": "bool" } },
                } },
                "nothing": {},
            },
        } };
        assert_eq!(validator(&schema(), Demands::default()), expected);
    }

    #[test]
    fn demands_can_be_left_out() {
        let none = Demands { types: false, any_number: true, required: false, no_others: true };
        let found = validator(&schema(), none);
        let rules = found.get_document("$jsonSchema").expect("rules");
        assert!(!rules.contains_key("required"));
        assert_eq!(rules.get("additionalProperties"), Some(&Bson::Boolean(false)));
        let exact = Demands { any_number: false, ..Demands::default() };
        let found = validator(&schema(), exact).to_string();
        assert!(found.contains("int") && !found.contains("number"), "{found}");
    }

    #[test]
    fn the_standard_form_defines_what_json_lacks() {
        let found = json_schema(&schema(), "shop.orders");
        let properties = found.get_document("properties").expect("properties");
        assert_eq!(
            properties.get("_id"),
            Some(&Bson::Document(doc! { "$ref": "#/$defs/ObjectId" }))
        );
        let at = doc! { "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/Date" }] };
        assert_eq!(properties.get("at"), Some(&Bson::Document(at)));
        let names: Vec<&String> =
            found.get_document("$defs").expect("definitions").keys().collect();
        assert_eq!(names, ["Date", "ObjectId"]);
    }
}
