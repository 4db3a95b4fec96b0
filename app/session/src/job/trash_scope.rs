//! Which removed documents a command is about.

use bson::{Bson, Document};

use mayfly_engine::catalog::Namespace;

/// Removed documents, in the trash or in an archive.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrashScope {
    /// The collection that they were in; `None` is every collection.
    pub of: Option<Namespace>,
    /// The pass that removed them; `None` is every pass. Archives don't know it.
    pub pass: Option<i64>,
    pub filter: Option<Document>,
}

impl TrashScope {
    /// The database and the first value of a command about them.
    pub fn home(&self) -> (String, Bson) {
        match &self.of {
            Some(of) => (of.db.clone(), of.collection.clone().into()),
            None => ("admin".to_owned(), Bson::Int32(1)),
        }
    }

    /// The words for a list of operations.
    pub fn title(&self) -> String {
        let what = match (&self.of, self.pass) {
            (None, None) => "everything removed".to_owned(),
            (Some(of), None) => format!("all removed from {of}"),
            (None, Some(pass)) => format!("documents from pass {pass}"),
            (Some(of), Some(pass)) => format!("documents of {of} from pass {pass}"),
        };
        let filtered = if self.filter.is_some() { " that matches a filter" } else { "" };
        format!("Restore {what}{filtered}")
    }

    /// Whether it means the same in another session of the store.
    pub fn outlives_session(&self) -> bool {
        // Pass numbers restart with each start of the store, so a pass can't be continued by
        // number.
        self.pass.is_none()
    }
}
