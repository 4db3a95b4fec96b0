//! Which documents of the trash a restore in steps is about.

use bson::Bson;

use mayfly_engine::catalog::Namespace;

/// Documents of the trash.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrashScope {
    /// The collection that they were in; `None` is every collection.
    pub of: Option<Namespace>,
    /// The pass that removed them; `None` is every pass.
    pub pass: Option<i64>,
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
            (None, None) => "everything".to_owned(),
            (Some(of), None) => format!("all of {of}"),
            (None, Some(pass)) => format!("documents from pass {pass}"),
            (Some(of), Some(pass)) => format!("documents of {of} from pass {pass}"),
        };
        format!("Restore {what} from the trash")
    }

    /// Whether it means the same in another session of the store.
    pub fn outlives_session(&self) -> bool {
        // Pass numbers restart with each start of the store, so a pass can't be continued by
        // number.
        self.pass.is_none()
    }
}
