//! The Schema view of one tab.

use std::collections::BTreeSet;
use std::sync::Arc;

use bson::{Bson, Document};

use crate::inspect::schema::{Field, Frequent, Kind, Path, Schema};

/// How far the analysis is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stage {
    #[default]
    Idle,
    Reading,
    /// Every document that matches was read, at this instant in milliseconds since 1970.
    Done(i64),
    Stopped,
    /// The store could not read on: why.
    Failed(String),
}

/// The Schema view of one tab.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing; none excludes another")]
pub struct SchemaView {
    pub asked: bool,
    /// `None` until a document was read.
    pub schema: Option<Arc<Schema>>,
    /// Whether that is about a sample of the collection.
    pub is_sample: bool,
    pub read: u64,
    pub stage: Stage,
    pub filter: Document,
    /// How the text of the filter compares.
    pub collation: Document,
    /// Whether the data changed after it was read.
    pub is_stale: bool,
    /// The path in the inspector.
    pub selected: Option<Path>,
    /// Documents and arrays whose inner paths are shown.
    pub open: BTreeSet<Path>,
    /// Whether every candidate for a TTL is listed; else only the first.
    pub lists_candidates: bool,
    pub generation: u64,
}

impl SchemaView {
    /// Begins an analysis. What is known stays until the first report.
    pub fn begin(&mut self, filter: Document, generation: u64) {
        self.asked = true;
        if self.filter != filter {
            self.schema = None;
        }
        (self.filter, self.generation) = (filter, generation);
        (self.stage, self.read, self.is_stale) = (Stage::Reading, 0, false);
    }

    /// Whether documents are being read.
    pub fn is_reading(&self) -> bool {
        self.stage == Stage::Reading
    }

    /// The path in the inspector, if it is still there.
    pub fn selected_field(&self) -> Option<&Field> {
        self.schema.as_ref()?.field(self.selected.as_ref()?)
    }

    /// The paths to list: those whose surroundings are open.
    pub fn rows(&self) -> Vec<&Field> {
        let Some(schema) = &self.schema else { return Vec::new() };
        let mut rows = Vec::new();
        let mut closed: Option<&Path> = None;
        for field in &schema.fields {
            if closed.is_some_and(|closed| closed.holds(&field.path)) {
                continue;
            }
            closed = (field.has_inner && !self.open.contains(&field.path)).then_some(&field.path);
            rows.push(field);
        }
        rows
    }

    /// Opens a path that is closed, and closes one that is open. The inspector keeps no path that is
    /// no longer listed.
    pub fn fold(&mut self, path: &Path) {
        if self.open.remove(path) {
            self.selected.take_if(|selected| path.holds(selected));
        } else {
            self.open.insert(path.clone());
        }
    }

    /// Every path that a filter can name, with its types, the most frequent first. For completion.
    pub fn known_paths(&self) -> impl Iterator<Item = (String, &[(Kind, u64)])> {
        let fields = self.schema.iter().flat_map(|schema| &schema.fields);
        fields
            .filter(|field| field.path.name() != "[]")
            .filter_map(|field| Some((field.path.dotted()?, field.kinds.as_slice())))
    }

    /// The most frequent values at a dotted path, those of arrays too. For completion.
    pub fn frequent_values(&self, dotted: &str) -> Vec<&Bson> {
        let fields = self.schema.iter().flat_map(|schema| &schema.fields);
        let here = fields.filter(|field| field.path.dotted().as_deref() == Some(dotted));
        let mut found: Vec<&Frequent> = here.flat_map(|field| &field.top).collect();
        found.sort_by_key(|frequent| std::cmp::Reverse(frequent.count));
        found.into_iter().map(|frequent| &frequent.value).collect()
    }
}

#[cfg(test)]
mod tests {
    use bson::{RawDocumentBuf, doc};

    use super::*;
    use crate::inspect::schema::Analysis;

    fn view() -> SchemaView {
        let mut analysis = Analysis::new(0);
        for document in [
            doc! { "a": { "b": { "c": 1 } }, "tags": ["x", "y"], "z": "v" },
            doc! { "a": { "b": { "c": 2 } }, "tags": ["x"], "z": "v" },
        ] {
            analysis.add(&RawDocumentBuf::try_from(&document).expect("a document"));
        }
        SchemaView { schema: Some(Arc::new(analysis.report())), ..SchemaView::default() }
    }

    fn rows(view: &SchemaView) -> Vec<String> {
        view.rows().iter().map(|field| field.path.to_string()).collect()
    }

    #[test]
    fn nested_paths_are_folded_until_they_are_opened() {
        let mut view = view();
        assert_eq!(rows(&view), ["a", "tags", "z"]);
        let fields = view.schema.as_ref().expect("a schema").fields.clone();
        let path = |text: &str| {
            fields.iter().map(|f| &f.path).find(|path| path.to_string() == text).expect("a path")
        };
        view.fold(path("a"));
        view.fold(path("tags"));
        assert_eq!(rows(&view), ["a", "a.b", "tags", "tags[]", "z"]);
        view.fold(path("a.b"));
        assert_eq!(rows(&view), ["a", "a.b", "a.b.c", "tags", "tags[]", "z"]);
        view.selected = Some(path("a.b.c").clone());
        view.fold(path("tags"));
        view.fold(path("tags"));
        assert!(view.selected_field().is_some());
        view.fold(path("a"));
        assert!(view.selected_field().is_none(), "the list lacks it");
        assert_eq!(rows(&view), ["a", "tags", "tags[]", "z"], "with what is inside");
    }

    #[test]
    fn completion_knows_paths_and_frequent_values() {
        let view = view();
        let paths: Vec<String> = view.known_paths().map(|(path, _)| path).collect();
        assert_eq!(paths, ["a", "a.b", "a.b.c", "tags", "z"]);
        let values = view.frequent_values("tags");
        assert_eq!(values, [&Bson::String("x".to_owned()), &Bson::String("y".to_owned())]);
        assert!(view.frequent_values("nope").is_empty());
    }
}
