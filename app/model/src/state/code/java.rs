//! Java with the synchronous driver.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use bson::{Bson, Document};
use mayfly_engine::value::iso_text;

use super::parts::{
    LINE_CHARS_MAX, Part, Rules, block, double, fields, hex, indent, parts, quoted,
};
use crate::state::Namespace;
use crate::state::documents::Query;

pub(super) fn value(value: &Bson, depth: usize) -> String {
    match value {
        Bson::Document(inner) => document(inner, depth),
        Bson::Array(values) => {
            let parts: Vec<String> = values.iter().map(|it| self::value(it, depth + 1)).collect();
            // Unlike List.of it takes null.
            let line = format!("Arrays.asList({})", parts.join(", "));
            if !line.contains('\n') && 4 * depth + line.chars().count() <= LINE_CHARS_MAX {
                return line;
            }
            block("Arrays.asList(", &parts, ")", depth)
        }
        Bson::String(text) | Bson::Symbol(text) => quoted(text),
        Bson::Boolean(bool) => bool.to_string(),
        Bson::Null | Bson::Undefined | Bson::DbPointer(_) => "null".to_owned(),
        Bson::Int32(int) => int.to_string(),
        Bson::Int64(int) => format!("{int}L"),
        Bson::Double(number) if number.is_finite() => double(*number),
        Bson::Double(number) if number.is_nan() => "Double.NaN".to_owned(),
        Bson::Double(number) if *number > 0.0 => "Double.POSITIVE_INFINITY".to_owned(),
        Bson::Double(_) => "Double.NEGATIVE_INFINITY".to_owned(),
        Bson::Decimal128(decimal) => format!("Decimal128.parse(\"{decimal}\")"),
        Bson::DateTime(date) => match iso_text(date.timestamp_millis()) {
            Some(text) => format!("Date.from(Instant.parse(\"{text}\"))"),
            None => format!("new Date({}L)", date.timestamp_millis()),
        },
        Bson::ObjectId(id) => format!("new ObjectId(\"{id}\")"),
        Bson::Binary(binary) => {
            let (bytes, subtype) = (hex(&binary.bytes), u8::from(binary.subtype));
            format!("new Binary((byte) {subtype}, HexFormat.of().parseHex(\"{bytes}\"))")
        }
        Bson::RegularExpression(regex) => {
            let (pattern, options) = (regex.pattern.as_str(), regex.options.as_str());
            format!("new BsonRegularExpression({}, {})", quoted(pattern), quoted(options))
        }
        Bson::Timestamp(at) => format!("new BsonTimestamp({}, {})", at.time, at.increment),
        Bson::JavaScriptCode(code) => format!("new Code({})", quoted(code)),
        Bson::JavaScriptCodeWithScope(code) => {
            let scope = document(&code.scope, depth);
            format!("new CodeWithScope({}, {scope})", quoted(&code.code))
        }
        Bson::MinKey => "new MinKey()".to_owned(),
        Bson::MaxKey => "new MaxKey()".to_owned(),
    }
}

fn document(document: &Document, depth: usize) -> String {
    let mut pairs = fields(document)
        .map(|(name, value)| format!("{}, {}", quoted(name), self::value(value, depth + 1)));
    let Some(first) = pairs.next() else { return "new Document()".to_owned() };
    let rest: Vec<String> = pairs.map(|pair| format!(".append({pair})")).collect();
    let line = format!("new Document({first}){}", rest.concat());
    if !line.contains('\n') && 4 * depth + line.chars().count() <= LINE_CHARS_MAX {
        return line;
    }
    let inner = indent(depth + 1);
    let mut text = format!("new Document({first})");
    for part in rest {
        let _ = write!(text, "\n{inner}{part}");
    }
    text
}

fn collation(rules: &Document) -> String {
    let Rules { locale, strength, is_numeric } = Rules::of(rules);
    let mut text = format!("collation(Collation.builder().locale({})", quoted(locale));
    if let Some(strength) = strength {
        let _ = write!(text, ".collationStrength(CollationStrength.{})", strength.to_uppercase());
    }
    if is_numeric {
        text.push_str(".numericOrdering(true)");
    }
    text + ".build())"
}

fn imports(code: &str) -> String {
    const NAMES: [(&str, &str); 17] = [
        ("Collation.builder", "com.mongodb.client.model.Collation"),
        ("CollationStrength.", "com.mongodb.client.model.CollationStrength"),
        ("Arrays.", "java.util.Arrays"),
        ("Date.from", "java.util.Date"),
        ("new Date(", "java.util.Date"),
        ("Instant.", "java.time.Instant"),
        ("HexFormat.", "java.util.HexFormat"),
        ("new Binary(", "org.bson.types.Binary"),
        ("new ObjectId(", "org.bson.types.ObjectId"),
        ("Decimal128.", "org.bson.types.Decimal128"),
        ("new Code(", "org.bson.types.Code"),
        ("new CodeWithScope(", "org.bson.types.CodeWithScope"),
        ("new MinKey(", "org.bson.types.MinKey"),
        ("new MaxKey(", "org.bson.types.MaxKey"),
        ("new BsonRegularExpression(", "org.bson.BsonRegularExpression"),
        ("new BsonTimestamp(", "org.bson.BsonTimestamp"),
        ("TimeUnit.", "java.util.concurrent.TimeUnit"),
    ];
    let named = NAMES.into_iter().filter(|(name, _)| code.contains(name)).map(|(_, it)| it);
    let mut all: BTreeSet<&str> = named.collect();
    all.extend([
        "com.mongodb.client.FindIterable",
        "com.mongodb.client.MongoClient",
        "com.mongodb.client.MongoClients",
        "com.mongodb.client.MongoCollection",
        "org.bson.Document",
    ]);
    all.into_iter().fold(String::new(), |mut text, name| {
        let _ = writeln!(text, "import {name};");
        text
    })
}

pub(super) fn find(namespace: &Namespace, query: &Query) -> String {
    let (db, collection) = (quoted(&namespace.db), quoted(&namespace.collection));
    let mut code = format!(
        "MongoCollection<Document> collection =\n    client.getDatabase({db}).getCollection({collection});\n\
         FindIterable<Document> documents = collection.find({})",
        document(&query.filter, 0)
    );
    for part in parts(query) {
        let call = match part {
            Part::Projection(part) => format!("projection({})", document(part, 1)),
            Part::Sort(part) => format!("sort({})", document(part, 1)),
            Part::Skip(number) => format!("skip({number})"),
            Part::Limit(number) => format!("limit({number})"),
            Part::Hint(Bson::Document(keys)) => format!("hint({})", document(keys, 1)),
            Part::Hint(name) => format!("hintString({})", value(name, 1)),
            Part::TimeLimit(ms) => format!("maxTime({ms}, TimeUnit.MILLISECONDS)"),
            Part::Collation(rules) => collation(rules),
        };
        let _ = write!(code, "\n    .{call}");
    }
    code.push(';');
    format!(
        "{}\nMongoClient client = MongoClients.create(\"mongodb://127.0.0.1:27017\");\n{code}",
        imports(&code)
    )
}
