//! A document as a question shows it.

use bson::{Bson, Document};
use mayfly_engine::value::shell::{self, Layout};

/// A document that a question is about.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentAmong {
    pub id: Bson,
    /// Its other fields, on one line.
    pub fields: String,
}

impl DocumentAmong {
    /// `None` for a document without an `_id`.
    pub fn of(document: &Document) -> Option<Self> {
        let id = document.get("_id")?.clone();
        let fields = document.iter().filter(|(name, _)| *name != "_id");
        let fields = fields.map(|(name, value)| (name.clone(), value.clone())).collect();
        let text = shell::write_value(&Bson::Document(fields), Layout::OneLine);
        let fields = text.trim_start_matches('{').trim_end_matches('}').trim();
        let is_long = fields.chars().count() > FIELDS_CHARS_MAX;
        let start: String = fields.chars().take(FIELDS_CHARS_MAX).collect();
        Some(Self { id, fields: if is_long { format!("{start}…") } else { start } })
    }
}

/// Characters of a document's fields in a question.
const FIELDS_CHARS_MAX: usize = 60;

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn a_document_shows_its_fields_without_its_id() {
        let found = DocumentAmong::of(&doc! {"_id": "a", "at": "2020", "n": {"b": 1}}).unwrap();
        assert_eq!((found.id, found.fields.as_str()), ("a".into(), "at: '2020', n: { b: 1 }"));
        let found = DocumentAmong::of(&doc! {"at": "x".repeat(100), "_id": 1}).unwrap();
        assert!(found.fields.ends_with("xx…") && found.fields.chars().count() == 61);
        assert_eq!(DocumentAmong::of(&doc! {"_id": 1}).unwrap().fields, "");
        assert_eq!(DocumentAmong::of(&doc! {"at": 1}), None);
    }
}
