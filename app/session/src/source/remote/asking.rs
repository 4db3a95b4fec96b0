//! One question of Mayfly's own, and the standard commands that it sends.

use std::cell::RefCell;
use std::ops::Deref;

use bson::{Bson, Document};

use super::Remote;
use crate::job::Cancel;

/// One question, asked by one thread.
pub(super) struct Asking<'r> {
    remote: &'r Remote,
    pub db: &'r str,
    pub collection: &'r str,
    cancel: &'r Cancel,
    sent: RefCell<Vec<Document>>,
}

impl<'r> Asking<'r> {
    /// A question about a collection.
    pub fn new(remote: &'r Remote, db: &'r str, collection: &'r str, cancel: &'r Cancel) -> Self {
        Self { remote, db, collection, cancel, sent: RefCell::default() }
    }

    /// Sends a command on the collection's database and notes it.
    pub fn run(&self, command: Document) -> Document {
        self.run_on(self.db, command)
    }

    /// The same on any database.
    pub fn run_on(&self, db: &str, command: Document) -> Document {
        self.sent.borrow_mut().push(command.clone());
        self.remote.pass_on(db, command, self.cancel)
    }

    /// The commands, in the order of sending.
    pub fn sent(self) -> Bson {
        let sent = self.sent.into_inner();
        Bson::Array(sent.into_iter().map(Bson::Document).collect())
    }
}

impl Deref for Asking<'_> {
    type Target = Remote;

    fn deref(&self) -> &Remote {
        self.remote
    }
}
