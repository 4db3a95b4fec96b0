//! Imports and exports that can be asked for again, and the list of them that survives a restart.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::time::Duration;

use mayfly_engine::transfer::Compression;
use serde::{Deserialize, Serialize};

use super::export::{Content, ShownDocuments};
use super::{Dialog, DumpExportDraft, ExportDraft, ExportForm, ImportDraft};
use crate::limits::{DATE_MS_MAX, OPERATIONS_KEPT_MAX};
use crate::state::Namespace;
use crate::state::documents::QueryText;
use crate::state::operations::{OperationId, Operations, Stage};

/// The choices that fill the dialog in when an operation is asked for again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Again {
    Import {
        files: Vec<PathBuf>,
        db: String,
        collection: String,
        /// The collections of the files where each became one.
        #[serde(default)]
        targets: Vec<String>,
        /// Whether it created the indexes of the files' definitions.
        create_indexes: bool,
        /// Whether it stopped at the first rejected document.
        stop_on_error: bool,
    },
    Export {
        db: String,
        collection: String,
        /// The label of its form.
        form: String,
        /// The ending that its compression adds to the name of the file.
        compression: String,
        /// Whether it wrote index definitions.
        indexes: bool,
        /// The query of the list it was asked from, as typed.
        query: Box<QueryText>,
        /// The columns that were hidden there.
        hidden: BTreeSet<String>,
        /// Whether it wrote what that list showed, and not the whole collection.
        as_shown: bool,
        /// The file.
        path: String,
    },
    ExportDatabase {
        db: String,
        /// The ending that its compression adds to the names of the files.
        compression: String,
        /// The folder that holds that of the database.
        path: String,
    },
}

impl Again {
    /// The choices of a dialog, if its operation can be asked for again.
    pub fn of(dialog: &Dialog) -> Option<Self> {
        match dialog {
            Dialog::Import(draft) => Some(Self::Import {
                files: draft.files.clone(),
                db: draft.db.trim().to_owned(),
                collection: draft.collection.trim().to_owned(),
                targets: draft.apart_names(),
                create_indexes: draft.create_indexes,
                stop_on_error: draft.stop_on_error,
            }),
            // Its dialog opens again on what the folder holds then.
            Dialog::Dump(draft) => Some(Self::Import {
                files: vec![draft.path.clone()],
                db: draft.db.trim().to_owned(),
                collection: String::new(),
                targets: Vec::new(),
                create_indexes: false,
                stop_on_error: false,
            }),
            Dialog::ExportDatabase(draft) => Some(Self::ExportDatabase {
                db: draft.db.clone(),
                compression: draft.compression.ending().to_owned(),
                path: draft.path.clone(),
            }),
            Dialog::Export(draft) if draft.content == Content::Documents => Some(Self::Export {
                db: draft.namespace.db.clone(),
                collection: draft.namespace.collection.clone(),
                form: draft.form.label().to_owned(),
                compression: draft.compression.ending().to_owned(),
                indexes: draft.indexes,
                query: Box::new(draft.shown.query.clone()),
                hidden: draft.shown.hidden.clone(),
                as_shown: draft.as_shown,
                path: draft.path.clone(),
            }),
            _ => None,
        }
    }

    /// The dialog, filled in.
    pub fn dialog(&self, now_ms: i64) -> Dialog {
        match self.clone() {
            Self::Import { files, db, collection, targets, create_indexes, stop_on_error } => {
                let mut draft = ImportDraft::new(files, &db);
                (draft.collection, draft.is_named) = (collection, true);
                draft.set_targets(targets);
                (draft.create_indexes, draft.stop_on_error) = (create_indexes, stop_on_error);
                Dialog::Import(Box::new(draft))
            }
            Self::Export {
                db,
                collection,
                form,
                compression,
                indexes,
                query,
                hidden,
                as_shown,
                path,
            } => {
                let namespace = Namespace::new(&db, &collection);
                let shown = ShownDocuments { query: *query, hidden };
                let mut draft = ExportDraft::new(namespace, shown, now_ms);
                let form = ExportForm::ALL.into_iter().find(|known| known.label() == form);
                draft.form = form.unwrap_or_default();
                draft.compression = compression_of(&compression);
                (draft.indexes, draft.as_shown) = (indexes, as_shown);
                (draft.path, draft.is_named) = (path, true);
                Dialog::Export(Box::new(draft))
            }
            Self::ExportDatabase { db, compression, path } => {
                let compression = compression_of(&compression);
                let draft = DumpExportDraft { path, compression, ..DumpExportDraft::new(db, None) };
                Dialog::ExportDatabase(Box::new(draft))
            }
        }
    }
}

fn compression_of(ending: &str) -> Compression {
    let known = Compression::ALL.into_iter().find(|known| known.ending() == ending);
    known.unwrap_or(Compression::None)
}

/// An operation that ended, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PastOperation {
    title: String,
    started_ms: i64,
    took_ms: u64,
    end: PastEnd,
    words: String,
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    again: Option<Again>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum PastEnd {
    Done,
    Cancelled,
    Failed,
}

/// The latest operations that ended, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PastOperations(Vec<PastOperation>);

impl PastOperations {
    /// Takes down what has ended.
    pub fn of(operations: &Operations, again: &HashMap<OperationId, Again>) -> Self {
        let past = operations.list().iter().filter_map(|known| {
            let (end, words) = match &known.stage {
                Stage::Running => return None,
                Stage::Done(words) => (PastEnd::Done, words),
                Stage::Cancelled(words) => (PastEnd::Cancelled, words),
                Stage::Failed(words) => (PastEnd::Failed, words),
            };
            let took = known.took(Duration::ZERO).as_millis();
            Some(PastOperation {
                title: known.title.clone(),
                started_ms: known.started_ms,
                took_ms: u64::try_from(took).unwrap_or(u64::MAX),
                end,
                words: words.clone(),
                file: known.file.clone(),
                again: again.get(&known.id).cloned(),
            })
        });
        Self(past.take(OPERATIONS_KEPT_MAX).collect())
    }

    /// Bounds the instants and times of a file.
    pub fn bound(&mut self) {
        for past in &mut self.0 {
            past.started_ms = past.started_ms.clamp(0, DATE_MS_MAX);
            past.took_ms = past.took_ms.min(DATE_MS_MAX.unsigned_abs());
        }
    }

    /// Lists them again.
    pub fn restore(&self, operations: &mut Operations, again: &mut HashMap<OperationId, Again>) {
        for past in self.0.iter().take(OPERATIONS_KEPT_MAX).cloned() {
            let stage = match past.end {
                PastEnd::Done => Stage::Done(past.words),
                PastEnd::Cancelled => Stage::Cancelled(past.words),
                PastEnd::Failed => Stage::Failed(past.words),
            };
            let took = Duration::from_millis(past.took_ms);
            let id = operations.restore(past.title, past.started_ms, took, stage, past.file);
            if let Some(known) = past.again {
                again.insert(id, known);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_that_ended_survive_a_restart() {
        let (mut operations, mut again) = (Operations::default(), HashMap::new());
        let draft = ImportDraft {
            create_indexes: true,
            ..ImportDraft::new(vec!["/tmp/a.json".into()], "shop")
        };
        let id = operations.begin("Import a.json".to_owned(), 7, Duration::from_secs(1), None);
        again.extend(Again::of(&Dialog::Import(Box::new(draft))).map(|known| (id, known)));
        operations.tick(Duration::from_secs(4));
        operations.end(id, Stage::Done("5 documents imported".to_owned()));
        operations.begin("Export".to_owned(), 8, Duration::from_secs(5), None);
        let kept = serde_json::to_string(&PastOperations::of(&operations, &again)).expect("kept");
        let kept: PastOperations = serde_json::from_str(&kept).expect("read");
        let (mut operations, mut again) = (Operations::default(), HashMap::new());
        kept.restore(&mut operations, &mut again);
        let [known] = operations.list().iter().collect::<Vec<_>>()[..] else { panic!("one") };
        assert_eq!((known.title.as_str(), known.started_ms), ("Import a.json", 7));
        assert_eq!(known.took(Duration::from_mins(1)), Duration::from_secs(3));
        assert_eq!(known.stage, Stage::Done("5 documents imported".to_owned()));
        let Some(Dialog::Import(draft)) = again.get(&known.id).map(|it| it.dialog(0)) else {
            panic!("an import")
        };
        assert_eq!(draft.title(), "Import a.json into shop.a");
        assert!(draft.create_indexes);
    }

    #[test]
    fn an_export_is_asked_for_again_as_it_was() {
        let query = QueryText { filter: "{a: 1}".to_owned(), ..QueryText::default() };
        let shown = ShownDocuments { query, hidden: BTreeSet::from(["b".to_owned()]) };
        let mut draft = ExportDraft::new(Namespace::new("shop", "carts"), shown, 0);
        (draft.form, draft.compression) = (ExportForm::Canonical, Compression::Gzip);
        "/tmp/x.ndjson".clone_into(&mut draft.path);
        draft.is_named = true;
        let dialog = Dialog::Export(Box::new(draft));
        assert_eq!(Again::of(&dialog).map(|known| known.dialog(0)), Some(dialog));
        let draft = DumpExportDraft {
            compression: Compression::Zstd,
            ..DumpExportDraft::new("shop".to_owned(), Some(std::path::Path::new("/tmp")))
        };
        let dialog = Dialog::ExportDatabase(Box::new(draft));
        assert_eq!(Again::of(&dialog).map(|known| known.dialog(0)), Some(dialog));
        let results =
            ExportDraft::of(Namespace::new("a", "b"), Content::JsonSchema(String::new()), 0);
        assert_eq!(Again::of(&Dialog::Export(Box::new(results))), None);
    }

    #[test]
    fn the_list_is_bounded() {
        let mut operations = Operations::default();
        for _ in 0..OPERATIONS_KEPT_MAX + 20 {
            let id = operations.begin("One".to_owned(), 0, Duration::ZERO, None);
            operations.end(id, Stage::Failed("why".to_owned()));
        }
        let kept = PastOperations::of(&operations, &HashMap::new());
        assert_eq!(kept.0.len(), OPERATIONS_KEPT_MAX);
    }
}
