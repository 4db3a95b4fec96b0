//! Rust with the driver and bson.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use bson::{Bson, Document};
use mayfly_engine::value::iso_text;

use super::parts::{Part, Rules, block, double, fields, parts};
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
        Bson::Boolean(bool) => bool.to_string(),
        Bson::Null => "Bson::Null".to_owned(),
        Bson::Undefined | Bson::DbPointer(_) => "Bson::Undefined".to_owned(),
        Bson::Int32(int) => int.to_string(),
        Bson::Int64(int) => format!("{int}_i64"),
        Bson::Double(number) if number.is_finite() => double(*number),
        Bson::Double(number) if number.is_nan() => "f64::NAN".to_owned(),
        Bson::Double(number) if *number > 0.0 => "f64::INFINITY".to_owned(),
        Bson::Double(_) => "f64::NEG_INFINITY".to_owned(),
        Bson::Decimal128(decimal) => format!("\"{decimal}\".parse::<Decimal128>()?"),
        Bson::DateTime(date) => {
            if let Ok(text) = date.try_to_rfc3339_string() {
                format!("DateTime::parse_rfc3339_str(\"{text}\")?")
            } else {
                let ms = date.timestamp_millis();
                let note = iso_text(ms).map_or_else(String::new, |text| format!(" /* {text} */"));
                format!("DateTime::from_millis({ms}{note})")
            }
        }
        Bson::ObjectId(id) => format!("ObjectId::parse_str(\"{id}\")?"),
        Bson::Binary(binary) => {
            let (bytes, subtype) = (&binary.bytes, u8::from(binary.subtype));
            format!("Binary {{ subtype: {subtype}.into(), bytes: vec!{bytes:?} }}")
        }
        Bson::RegularExpression(regex) => {
            let (pattern, options) = (regex.pattern.as_str(), regex.options.as_str());
            let (pattern, options) = (quoted(pattern), quoted(options));
            format!("Regex {{ pattern: {pattern}.try_into()?, options: {options}.try_into()? }}")
        }
        Bson::Timestamp(at) => {
            format!("Timestamp {{ time: {}, increment: {} }}", at.time, at.increment)
        }
        Bson::JavaScriptCode(code) => format!("Bson::JavaScriptCode({}.into())", quoted(code)),
        Bson::JavaScriptCodeWithScope(code) => {
            let (scope, code) = (document(&code.scope, depth), quoted(&code.code));
            format!("JavaScriptCodeWithScope {{ code: {code}.into(), scope: {scope} }}")
        }
        Bson::MinKey => "Bson::MinKey".to_owned(),
        Bson::MaxKey => "Bson::MaxKey".to_owned(),
    }
}

/// Rust's own notation has braces around the number of a character.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn document(document: &Document, depth: usize) -> String {
    let parts: Vec<String> = fields(document)
        .map(|(name, value)| {
            let inner = match value {
                Bson::Document(inner) => plain(inner, depth + 1),
                value => self::value(value, depth + 1),
            };
            format!("{}: {inner}", quoted(name))
        })
        .collect();
    block("doc! {", &parts, "}", depth)
}

/// A document within `doc!`, which needs no further macro.
fn plain(inner: &Document, depth: usize) -> String {
    let text = document(inner, depth);
    text.strip_prefix("doc! ").map(ToOwned::to_owned).unwrap_or(text)
}

pub(super) fn find(namespace: &Namespace, query: &Query) -> String {
    let (db, collection) = (quoted(&namespace.db), quoted(&namespace.collection));
    let mut code = format!(
        "let collection = client.database({db}).collection::<Document>({collection});\n\
         let documents = collection\n    .find({})",
        document(&query.filter, 1)
    );
    for part in parts(query) {
        let call = match part {
            Part::Projection(part) => format!("projection({})", document(part, 1)),
            Part::Sort(part) => format!("sort({})", document(part, 1)),
            Part::Skip(number) => format!("skip({number})"),
            Part::Limit(number) => format!("limit({number})"),
            Part::Hint(Bson::Document(keys)) => {
                format!("hint(Hint::Keys({}))", document(keys, 1))
            }
            Part::Hint(name) => format!("hint(Hint::Name({}.into()))", value(name, 1)),
            Part::TimeLimit(ms) => format!("max_time(Duration::from_millis({ms}))"),
            Part::Collation(rules) => collation(rules),
        };
        let _ = write!(code, "\n    .{call}");
    }
    code.push_str("\n    .await?;");
    format!("{}\n{code}", imports(&code))
}

fn collation(rules: &Document) -> String {
    let Rules { locale, strength, is_numeric } = Rules::of(rules);
    let mut text = format!("collation(Collation::builder().locale({})", quoted(locale));
    if let Some(strength) = strength {
        let _ = write!(text, ".strength(CollationStrength::{strength})");
    }
    if is_numeric {
        text.push_str(".numeric_ordering(true)");
    }
    text + ".build())"
}

fn imports(code: &str) -> String {
    const BSON: [(&str, &str); 9] = [
        ("Bson::", "Bson"),
        ("Decimal128>", "Decimal128"),
        ("DateTime::", "DateTime"),
        ("Binary {", "Binary"),
        ("Regex {", "Regex"),
        ("Timestamp {", "Timestamp"),
        ("JavaScriptCodeWithScope {", "JavaScriptCodeWithScope"),
        ("ObjectId::", "oid::ObjectId"),
        ("doc! {", "doc"),
    ];
    let mut names: BTreeSet<&str> =
        BSON.into_iter().filter(|(name, _)| code.contains(name)).map(|(_, it)| it).collect();
    names.extend(["Document", "doc"]);
    let names: Vec<&str> = names.into_iter().collect();
    let mut text = String::new();
    if code.contains("Duration::") {
        text.push_str("use std::time::Duration;\n\n");
    }
    let _ = writeln!(text, "use mongodb::bson::{{{}}};", names.join(", "));
    let options = [
        ("Collation::builder", "Collation"),
        ("CollationStrength::", "CollationStrength"),
        ("Hint::", "Hint"),
    ];
    let used = options.into_iter().filter(|(part, _)| code.contains(part));
    match used.map(|(_, name)| name).collect::<Vec<_>>().as_slice() {
        [] => {}
        [one] => drop(writeln!(text, "use mongodb::options::{one};")),
        more => drop(writeln!(text, "use mongodb::options::{{{}}};", more.join(", "))),
    }
    text
}
