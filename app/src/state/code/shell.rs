//! mongosh and Extended JSON.

use std::fmt::Write as _;

use bson::{Bson, Document, RawDocumentBuf};
use mayfly_engine::value::extjson::{self, Style};
use mayfly_engine::value::{Layout, shell};

use super::{numbers, quoted};
use crate::state::Namespace;
use crate::state::documents::Query;

pub(super) fn value(value: &Bson) -> String {
    let line = shell::write_value(value, Layout::OneLine);
    if line.chars().count() <= super::LINE_CHARS_MAX {
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
    let mut find = document(&query.filter);
    if !query.projection.is_empty() {
        find = format!("{find}, {}", document(&query.projection));
    }
    let mut text = format!("db.getSiblingDB({db}).getCollection({collection}).find({find})");
    if !query.sort.is_empty() {
        let _ = write!(text, ".sort({})", document(&query.sort));
    }
    for (name, number) in numbers(query) {
        let _ = write!(text, ".{name}({number})");
    }
    if let Some(hint) = &query.hint {
        let _ = write!(text, ".hint({})", value(hint));
    }
    if let Some(ms) = query.max_time_ms {
        let _ = write!(text, ".maxTimeMS({ms})");
    }
    text
}
