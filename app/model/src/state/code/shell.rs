//! mongosh and Extended JSON.

use std::fmt::Write as _;

use bson::{Bson, Document, RawDocumentBuf};
use mayfly_engine::value::extjson::{self, Style};
use mayfly_engine::value::{Layout, shell};

use super::parts::{LINE_CHARS_MAX, Part, parts, quoted};
use crate::state::Namespace;
use crate::state::documents::Query;

pub(super) fn value(value: &Bson) -> String {
    let line = shell::write_value(value, Layout::OneLine);
    if line.chars().count() <= LINE_CHARS_MAX {
        line
    } else {
        shell::write_value(value, Layout::Indented)
    }
}

pub(super) fn json(document: &Document) -> String {
    let raw = RawDocumentBuf::try_from(document).unwrap_or_default();
    extjson::write_document(&raw, Style::Typed, Layout::OneLine)
}

pub(super) fn json_value(value: &Bson) -> String {
    match value {
        Bson::Document(document) => json(document),
        Bson::Array(values) => {
            let values: Vec<String> = values.iter().map(json_value).collect();
            format!("[{}]", values.join(","))
        }
        // The writer takes documents: the value of the only field.
        other => {
            let document = json(&bson::doc! { "v": other.clone() });
            let inner = document.strip_prefix("{\"v\":").and_then(|it| it.strip_suffix('}'));
            inner.unwrap_or(&document).to_owned()
        }
    }
}

pub(super) fn find(namespace: &Namespace, query: &Query) -> String {
    let (db, collection) = (quoted(&namespace.db), quoted(&namespace.collection));
    let document = |document: &Document| value(&Bson::Document(document.clone()));
    let (mut find, mut calls) = (document(&query.filter), String::new());
    for part in parts(query) {
        let _ = match part {
            Part::Projection(part) => write!(find, ", {}", document(part)),
            Part::Sort(part) => write!(calls, ".sort({})", document(part)),
            Part::Skip(number) => write!(calls, ".skip({number})"),
            Part::Limit(number) => write!(calls, ".limit({number})"),
            Part::Hint(hint) => write!(calls, ".hint({})", value(hint)),
            Part::TimeLimit(ms) => write!(calls, ".maxTimeMS({ms})"),
            Part::Collation(rules) => write!(calls, ".collation({})", document(rules)),
        };
    }
    format!("db.getSiblingDB({db}).getCollection({collection}).find({find}){calls}")
}
