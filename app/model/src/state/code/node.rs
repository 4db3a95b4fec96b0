//! Node.js with its driver.

use bson::{Bson, Document};
use mayfly_engine::value::iso_text;

use super::parts::{Part, block, double, fields, hex, parts, quoted};
use crate::state::Namespace;
use crate::state::documents::Query;

/// The names that code may import from the driver.
const NAMES: [&str; 11] = [
    "BSONRegExp",
    "Binary",
    "Code",
    "Decimal128",
    "Double",
    "Long",
    "MaxKey",
    "MinKey",
    "ObjectId",
    "Timestamp",
    "MongoClient",
];

pub(super) fn value(value: &Bson, depth: usize) -> String {
    match value {
        Bson::Document(inner) => document(inner, depth),
        Bson::Array(values) => {
            let parts: Vec<String> = values.iter().map(|it| self::value(it, depth + 1)).collect();
            block("[", &parts, "]", depth)
        }
        Bson::String(text) | Bson::Symbol(text) => quoted(text),
        Bson::Boolean(bool) => bool.to_string(),
        Bson::Null | Bson::DbPointer(_) => "null".to_owned(),
        Bson::Undefined => "undefined".to_owned(),
        Bson::Int32(int) => int.to_string(),
        Bson::Int64(int) => format!("Long.fromString(\"{int}\")"),
        // A whole number would be stored as an int.
        Bson::Double(number) if number.is_finite() && number.fract() == 0.0 => {
            format!("new Double({})", double(*number))
        }
        Bson::Double(number) if number.is_finite() => double(*number),
        Bson::Double(number) if number.is_nan() => "NaN".to_owned(),
        Bson::Double(number) if *number > 0.0 => "Infinity".to_owned(),
        Bson::Double(_) => "-Infinity".to_owned(),
        Bson::Decimal128(decimal) => format!("Decimal128.fromString(\"{decimal}\")"),
        Bson::DateTime(date) => match iso_text(date.timestamp_millis()) {
            Some(text) => format!("new Date(\"{text}\")"),
            None => format!("new Date({})", date.timestamp_millis()),
        },
        Bson::ObjectId(id) => format!("new ObjectId(\"{id}\")"),
        Bson::Binary(binary) => {
            let (bytes, subtype) = (hex(&binary.bytes), u8::from(binary.subtype));
            format!("new Binary(Buffer.from(\"{bytes}\", \"hex\"), {subtype})")
        }
        Bson::RegularExpression(regex) => {
            let (pattern, options) = (regex.pattern.as_str(), regex.options.as_str());
            format!("new BSONRegExp({}, {})", quoted(pattern), quoted(options))
        }
        Bson::Timestamp(at) => {
            format!("new Timestamp({{ t: {}, i: {} }})", at.time, at.increment)
        }
        Bson::JavaScriptCode(code) => format!("new Code({})", quoted(code)),
        Bson::JavaScriptCodeWithScope(code) => {
            format!("new Code({}, {})", quoted(&code.code), document(&code.scope, depth))
        }
        Bson::MinKey => "new MinKey()".to_owned(),
        Bson::MaxKey => "new MaxKey()".to_owned(),
    }
}

fn document(document: &Document, depth: usize) -> String {
    let parts: Vec<String> = fields(document)
        .map(|(name, value)| format!("{}: {}", key(name), self::value(value, depth + 1)))
        .collect();
    block("{", &parts, "}", depth)
}

fn key(name: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let is_bare = name.starts_with(|c: char| is_word(c) && !c.is_ascii_digit())
        && name.chars().all(is_word)
        // An object's own name for its prototype.
        && name != "__proto__";
    match name {
        "__proto__" => "[\"__proto__\"]".to_owned(),
        name if is_bare => name.to_owned(),
        name => quoted(name),
    }
}

pub(super) fn find(namespace: &Namespace, query: &Query) -> String {
    let (db, collection) = (quoted(&namespace.db), quoted(&namespace.collection));
    let options: Vec<String> = parts(query)
        .map(|part| match part {
            Part::Projection(part) => format!("projection: {}", document(part, 1)),
            Part::Sort(part) => format!("sort: {}", document(part, 1)),
            Part::Skip(number) => format!("skip: {number}"),
            Part::Limit(number) => format!("limit: {number}"),
            Part::Hint(hint) => format!("hint: {}", value(hint, 1)),
            Part::TimeLimit(ms) => format!("maxTimeMS: {ms}"),
            Part::Collation(rules) => format!("collation: {}", document(rules, 1)),
        })
        .collect();
    let mut find = document(&query.filter, 0);
    if !options.is_empty() {
        find = format!("{find}, {}", block("{", &options, "}", 0));
    }
    let code = format!(
        "const collection = client.db({db}).collection({collection});\n\
         const documents = await collection.find({find}).toArray();"
    );
    let is_named = |name: &&str| {
        *name == "MongoClient"
            || code.contains(&format!("new {name}("))
            || code.contains(&format!("{name}.fromString("))
    };
    let names: Vec<&str> = NAMES.into_iter().filter(is_named).collect();
    format!(
        "import {{ {} }} from \"mongodb\";\n\n\
         const client = new MongoClient(\"mongodb://127.0.0.1:27017\");\n{code}",
        names.join(", ")
    )
}
