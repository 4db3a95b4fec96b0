//! Python with `PyMongo`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use bson::spec::BinarySubtype;
use bson::{Bson, Document};

use super::parts::{Part, block, double, fields, hex, parts, quoted};
use crate::state::Namespace;
use crate::state::documents::Query;

pub(super) fn value(value: &Bson, depth: usize) -> String {
    match value {
        Bson::Document(inner) => document(inner, depth),
        Bson::Array(values) => {
            let parts: Vec<String> = values.iter().map(|it| self::value(it, depth + 1)).collect();
            block("[", &parts, "]", depth)
        }
        Bson::String(text) | Bson::Symbol(text) => quoted(text),
        Bson::Boolean(true) => "True".to_owned(),
        Bson::Boolean(false) => "False".to_owned(),
        Bson::Null | Bson::Undefined | Bson::DbPointer(_) => "None".to_owned(),
        Bson::Int32(int) => int.to_string(),
        Bson::Int64(int) => format!("Int64({int})"),
        Bson::Double(number) if number.is_finite() => double(*number),
        Bson::Double(number) => format!("float(\"{number}\")"),
        Bson::Decimal128(decimal) => format!("Decimal128(\"{decimal}\")"),
        Bson::DateTime(date) => date_time(*date),
        Bson::ObjectId(id) => format!("ObjectId(\"{id}\")"),
        Bson::Binary(binary) if binary.subtype == BinarySubtype::Uuid => {
            format!("Binary(bytes.fromhex(\"{}\"), 4)", hex(&binary.bytes))
        }
        Bson::Binary(binary) => {
            let subtype = u8::from(binary.subtype);
            format!("Binary(bytes.fromhex(\"{}\"), {subtype})", hex(&binary.bytes))
        }
        Bson::RegularExpression(regex) => {
            let (pattern, options) = (quoted(regex.pattern.as_str()), regex.options.as_str());
            format!("Regex({pattern}, {})", quoted(options))
        }
        Bson::Timestamp(at) => format!("Timestamp({}, {})", at.time, at.increment),
        Bson::JavaScriptCode(code) => format!("Code({})", quoted(code)),
        Bson::JavaScriptCodeWithScope(code) => {
            format!("Code({}, {})", quoted(&code.code), document(&code.scope, depth))
        }
        Bson::MinKey => "MinKey()".to_owned(),
        Bson::MaxKey => "MaxKey()".to_owned(),
    }
}

fn document(document: &Document, depth: usize) -> String {
    let parts: Vec<String> = fields(document)
        .map(|(name, value)| format!("{}: {}", quoted(name), self::value(value, depth + 1)))
        .collect();
    block("{", &parts, "}", depth)
}

/// Python's dates end with the year 9999.
fn date_time(date: bson::DateTime) -> String {
    let ms = date.timestamp_millis();
    match date.try_to_rfc3339_string() {
        Ok(text) if (-62_135_596_800_000..253_402_300_800_000).contains(&ms) => {
            format!("datetime.fromisoformat(\"{}\")", text.replace('Z', "+00:00"))
        }
        _ => format!("DatetimeMS({ms})"),
    }
}

/// The lines that import what the code names.
fn imports(code: &str) -> String {
    const BSON: [(&str, &str); 10] = [
        ("ObjectId(", "from bson import ObjectId"),
        ("Int64(", "from bson.int64 import Int64"),
        ("Decimal128(", "from bson.decimal128 import Decimal128"),
        ("Binary(", "from bson.binary import Binary"),
        ("Regex(", "from bson.regex import Regex"),
        ("Timestamp(", "from bson.timestamp import Timestamp"),
        ("Code(", "from bson.code import Code"),
        ("DatetimeMS(", "from bson.datetime_ms import DatetimeMS"),
        ("MinKey(", "from bson.min_key import MinKey"),
        ("MaxKey(", "from bson.max_key import MaxKey"),
    ];
    let named = BSON.into_iter().filter(|(name, _)| code.contains(name)).map(|(_, line)| line);
    let mut lines: BTreeSet<&str> = named.collect();
    lines.insert("from pymongo import MongoClient");
    let mut text = String::new();
    if code.contains("datetime.fromisoformat(") {
        text.push_str("from datetime import datetime\n");
    }
    for line in lines {
        let _ = writeln!(text, "{line}");
    }
    text
}

pub(super) fn find(namespace: &Namespace, query: &Query) -> String {
    let pairs = |keys: &Document| {
        let pairs: Vec<String> = fields(keys)
            .map(|(name, value)| format!("({}, {})", quoted(name), self::value(value, 2)))
            .collect();
        block("[", &pairs, "]", 1)
    };
    let options = parts(query).map(|part| match part {
        Part::Projection(part) => format!("projection={}", document(part, 1)),
        Part::Sort(part) => format!("sort={}", pairs(part)),
        Part::Skip(number) => format!("skip={number}"),
        Part::Limit(number) => format!("limit={number}"),
        Part::Hint(Bson::Document(keys)) => format!("hint={}", pairs(keys)),
        Part::Hint(name) => format!("hint={}", value(name, 1)),
        Part::TimeLimit(ms) => format!("max_time_ms={ms}"),
        Part::Collation(rules) => format!("collation={}", document(rules, 1)),
    });
    let (db, collection) = (quoted(&namespace.db), quoted(&namespace.collection));
    let mut code =
        format!("collection = client[{db}][{collection}]\ndocuments = collection.find(\n");
    for part in [document(&query.filter, 1)].into_iter().chain(options) {
        let _ = writeln!(code, "    {part},");
    }
    code.push(')');
    format!("{}\nclient = MongoClient(\"mongodb://127.0.0.1:27017\")\n{code}", imports(&code))
}
