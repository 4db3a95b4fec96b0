//! Changes of many documents, in steps: what to change, how far it is, and what it did.

use std::path::PathBuf;
use std::sync::Arc;

use bson::{Bson, Document, RawDocumentBuf, doc};

use super::convert::Conversion;
use super::{End, Gauge, Namespace, TrashScope};

/// The documents that a change is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Those with these `_id`s.
    Ids(Vec<Bson>),
    Matching(Document),
    /// Those that match a filter whose text compares as a collation says.
    Collated {
        filter: Document,
        collation: Document,
    },
}

impl Target {
    /// The filter that matches them.
    pub fn filter(&self) -> Document {
        match self {
            Self::Ids(ids) => match ids.as_slice() {
                [id] => doc! { "_id": { "$eq": id.clone() } },
                ids => doc! { "_id": { "$in": ids.to_vec() } },
            },
            Self::Matching(filter) | Self::Collated { filter, .. } => filter.clone(),
        }
    }

    /// The collation of the filter. Empty for that of the collection.
    pub fn collation(&self) -> Document {
        match self {
            Self::Collated { collation, .. } => collation.clone(),
            Self::Ids(_) | Self::Matching(_) => Document::new(),
        }
    }
}

/// One document before and after a change. `None` if it was not there.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    pub before: Option<RawDocumentBuf>,
    pub after: Option<RawDocumentBuf>,
}

/// A change that was made, with everything that is needed to take it back.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    pub namespace: Namespace,
    pub pairs: Vec<Pair>,
    /// The change as a past participle: `Updated`.
    pub verb: &'static str,
    /// The only field that changed, with dots. The pairs have no other one but `_id`.
    pub field: Option<String>,
}

impl Made {
    /// Bytes of the documents that are kept.
    pub fn bytes(&self) -> usize {
        self.pairs.iter().map(Pair::bytes).sum()
    }
}

impl Pair {
    /// Bytes of both documents.
    pub fn bytes(&self) -> usize {
        [&self.before, &self.after].into_iter().flatten().map(|raw| raw.as_bytes().len()).sum()
    }
}

/// The change of the documents.
#[derive(Debug, Clone, PartialEq)]
pub enum BulkChange {
    Delete(Target),
    Update {
        target: Target,
        /// Update operators, or a pipeline.
        update: Bson,
    },
    /// Text and numbers of a field become dates.
    Convert(Conversion),
    Copy {
        target: Target,
        to: Namespace,
        /// The data folder of another store, or `None` for the same one.
        folder: Option<PathBuf>,
    },
    /// All documents of the collection are deleted; nothing is kept to take that back.
    Empty,
    /// Makes another collection in the same database and copies the documents to it. An unfinished
    /// copy is removed.
    Duplicate {
        /// The collection that is made, in the same database.
        to: Namespace,
        indexes: Vec<Document>,
    },
    /// Removed documents are restored from the trash. The store puts the rules that would remove
    /// them again on hold first, and takes each out of the trash in the transaction that restores it.
    Restore(TrashScope),
    /// A change that was made is taken back.
    Back(Arc<Made>),
    /// A change that was taken back is made again.
    Again(Arc<Made>),
}

impl BulkChange {
    /// The words for a list of operations.
    pub fn title(&self, namespace: &Namespace, is_redo: bool) -> String {
        match self {
            Self::Delete(_) => format!("Delete documents from {namespace}"),
            Self::Update { .. } => format!("Update documents of {namespace}"),
            Self::Convert(Conversion { path, .. }) => {
                format!("Convert {path} of {namespace} to dates")
            }
            Self::Copy { to, folder: None, .. } => {
                format!("Copy documents of {namespace} to {to}")
            }
            Self::Copy { to, folder: Some(folder), .. } => {
                format!("Copy documents of {namespace} to {to} in {}", folder.display())
            }
            Self::Empty => format!("Empty {namespace}"),
            Self::Duplicate { to, .. } => format!("Duplicate {namespace} as {to}"),
            Self::Restore(scope) => scope.title(),
            Self::Back(made) | Self::Again(made) => {
                let way = if is_redo { "Redo" } else { "Undo" };
                let what = match made.verb {
                    "Deleted" => "the deletion of documents from",
                    "Copied" => "the copy of documents to",
                    "Converted" => "the conversion to dates in",
                    _ => "the update of documents of",
                };
                format!("{way} {what} {}", made.namespace)
            }
        }
    }

    /// The collection whose documents change, of a change of those in `namespace`.
    pub fn changes<'n>(&'n self, namespace: &'n Namespace) -> &'n Namespace {
        match self {
            Self::Copy { to, .. } | Self::Duplicate { to, .. } => to,
            Self::Back(made) | Self::Again(made) => &made.namespace,
            _ => namespace,
        }
    }

    /// The change as a past participle.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Delete(_) | Self::Empty => "Deleted",
            Self::Update { .. } => "Updated",
            Self::Convert(_) => "Converted",
            Self::Copy { .. } | Self::Duplicate { .. } => "Copied",
            Self::Restore(_) => "Restored",
            Self::Back(made) | Self::Again(made) => made.verb,
        }
    }

    /// The only field that it reads and writes.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Convert(conversion) => Some(&conversion.path),
            Self::Back(made) | Self::Again(made) => made.field.as_deref(),
            _ => None,
        }
    }

    /// The notes that undo it.
    pub fn made(&self, namespace: &Namespace, pairs: Vec<Pair>) -> Arc<Made> {
        let (namespace, field) = (self.changes(namespace).clone(), self.field().map(str::to_owned));
        Arc::new(Made { namespace, pairs, verb: self.verb(), field })
    }

    /// Whether what it does can be taken back, as long as there is room for what that takes.
    pub fn is_undoable(&self) -> bool {
        !matches!(
            self,
            Self::Copy { folder: Some(_), .. }
                | Self::Empty
                | Self::Duplicate { .. }
                | Self::Restore(_)
        )
    }
}

/// A change of many documents.
#[derive(Debug, Clone)]
pub struct BulkWork {
    pub namespace: Namespace,
    pub change: BulkChange,
    /// The journal of the change that was cut short, and that this continues or takes back.
    pub journal: Option<PathBuf>,
    /// How far it is; stops it.
    pub gauge: Arc<Gauge>,
}

/// The result of a change.
#[derive(Debug, Clone, PartialEq)]
pub struct BulkReport {
    pub changed: u64,
    /// Documents left as they are: the update does not change them, or their `_id` is in the other
    /// collection already, or they are not what they were when the change was made.
    pub unchanged: u64,
    /// Documents that the store refused to change.
    pub refused: u64,
    pub refusal: Option<String>,
    /// The changes, to take them back. `None` if they are too large to keep.
    pub pairs: Option<Vec<Pair>>,
    /// Of a change that is taken back or made again: what was not done.
    pub left: Vec<Pair>,
    /// It was cut short: it can be continued or taken back from its journal.
    pub is_unfinished: bool,
    pub is_held: bool,
    /// Documents that a restore did not reach.
    pub remaining: u64,
    pub end: End,
}

impl BulkReport {
    /// Nothing was done, because of this.
    pub fn failed(message: String) -> Self {
        Self { end: End::Failed(message), ..Self::default() }
    }
}

impl Default for BulkReport {
    fn default() -> Self {
        Self {
            changed: 0,
            unchanged: 0,
            refused: 0,
            refusal: None,
            pairs: Some(Vec::new()),
            left: Vec::new(),
            is_unfinished: false,
            is_held: false,
            remaining: 0,
            end: End::Complete,
        }
    }
}
