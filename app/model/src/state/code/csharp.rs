//! C# with its driver.

use std::fmt::Write as _;

use bson::{Bson, Document};
use mayfly_engine::value::iso_text;

use super::parts::{Part, Rules, block, double, fields, hex, parts, quoted};
use crate::state::Namespace;
use crate::state::documents::Query;

pub(super) fn value(value: &Bson, depth: usize) -> String {
    match value {
        Bson::Document(inner) => document(inner, depth),
        Bson::Array(values) if values.is_empty() => "new BsonArray()".to_owned(),
        Bson::Array(values) => {
            let parts: Vec<String> = values.iter().map(|it| self::value(it, depth + 1)).collect();
            block("new BsonArray {", &parts, "}", depth)
        }
        Bson::String(text) | Bson::Symbol(text) => quoted(text),
        Bson::Boolean(bool) => bool.to_string(),
        Bson::Null | Bson::DbPointer(_) => "BsonNull.Value".to_owned(),
        Bson::Undefined => "BsonUndefined.Value".to_owned(),
        Bson::Int32(int) => int.to_string(),
        Bson::Int64(int) => format!("{int}L"),
        Bson::Double(number) if number.is_finite() => double(*number),
        Bson::Double(number) if number.is_nan() => "double.NaN".to_owned(),
        Bson::Double(number) if *number > 0.0 => "double.PositiveInfinity".to_owned(),
        Bson::Double(_) => "double.NegativeInfinity".to_owned(),
        Bson::Decimal128(decimal) => format!("Decimal128.Parse(\"{decimal}\")"),
        Bson::DateTime(date) => {
            let ms = date.timestamp_millis();
            match iso_text(ms) {
                Some(text) => format!("new BsonDateTime({ms}L /* {text} */)"),
                None => format!("new BsonDateTime({ms}L)"),
            }
        }
        Bson::ObjectId(id) => format!("new ObjectId(\"{id}\")"),
        Bson::Binary(binary) => {
            let (bytes, subtype) = (hex(&binary.bytes), u8::from(binary.subtype));
            format!(
                "new BsonBinaryData(Convert.FromHexString(\"{bytes}\"), (BsonBinarySubType){subtype})"
            )
        }
        Bson::RegularExpression(regex) => {
            let (pattern, options) = (regex.pattern.as_str(), regex.options.as_str());
            format!("new BsonRegularExpression({}, {})", quoted(pattern), quoted(options))
        }
        Bson::Timestamp(at) => format!("new BsonTimestamp({}, {})", at.time, at.increment),
        Bson::JavaScriptCode(code) => format!("new BsonJavaScript({})", quoted(code)),
        Bson::JavaScriptCodeWithScope(code) => {
            let scope = document(&code.scope, depth);
            format!("new BsonJavaScriptWithScope({}, {scope})", quoted(&code.code))
        }
        Bson::MinKey => "BsonMinKey.Value".to_owned(),
        Bson::MaxKey => "BsonMaxKey.Value".to_owned(),
    }
}

fn document(document: &Document, depth: usize) -> String {
    if document.is_empty() {
        return "new BsonDocument()".to_owned();
    }
    let parts: Vec<String> = fields(document)
        .map(|(name, value)| format!("{{ {}, {} }}", quoted(name), self::value(value, depth + 1)))
        .collect();
    block("new BsonDocument {", &parts, "}", depth)
}

fn collation(rules: &Document) -> String {
    let Rules { locale, strength, is_numeric } = Rules::of(rules);
    let mut text = format!("new Collation({}", quoted(locale));
    if let Some(strength) = strength {
        let _ = write!(text, ", strength: CollationStrength.{strength}");
    }
    if is_numeric {
        text.push_str(", numericOrdering: true");
    }
    text + ")"
}

pub(super) fn find(namespace: &Namespace, query: &Query) -> String {
    let (db, collection) = (quoted(&namespace.db), quoted(&namespace.collection));
    let (mut options, mut calls) = (Vec::new(), String::new());
    for part in parts(query) {
        let _ = match part {
            Part::Projection(part) => write!(calls, "\n    .Project({})", document(part, 1)),
            Part::Sort(part) => write!(calls, "\n    .Sort({})", document(part, 1)),
            Part::Skip(number) => write!(calls, "\n    .Skip({number})"),
            Part::Limit(number) => write!(calls, "\n    .Limit({number})"),
            Part::Hint(hint) => {
                options.push(format!("Hint = {}", value(hint, 1)));
                Ok(())
            }
            Part::TimeLimit(ms) => {
                options.push(format!("MaxTime = TimeSpan.FromMilliseconds({ms})"));
                Ok(())
            }
            Part::Collation(rules) => {
                options.push(format!("Collation = {}", collation(rules)));
                Ok(())
            }
        };
    }
    let mut find = document(&query.filter, 0);
    if !options.is_empty() {
        find = format!("{find}, {}", block("new FindOptions {", &options, "}", 0));
    }
    format!(
        "using System;\nusing MongoDB.Bson;\nusing MongoDB.Driver;\n\n\
         var client = new MongoClient(\"mongodb://127.0.0.1:27017\");\n\
         var collection = client.GetDatabase({db}).GetCollection<BsonDocument>({collection});\n\
         var documents = collection.Find({find}){calls}\n    .ToList();"
    )
}
