//! One question of Mayfly's own, and the standard commands that it sends.

use std::cell::RefCell;
use std::ops::Deref;

use bson::{Bson, Document};

use super::Remote;
use crate::job::Cancel;

/// One question, asked by one thread.
pub(super) struct Asking<'r> {
    remote: &'r Remote,
    sent: RefCell<Vec<Document>>,
}

impl<'r> Asking<'r> {
    pub fn new(remote: &'r Remote) -> Self {
        Self { remote, sent: RefCell::default() }
    }

    /// Sends a command and notes it.
    pub fn pass_on(&self, db: &str, command: Document, cancel: &Cancel) -> Document {
        self.sent.borrow_mut().push(command.clone());
        self.remote.pass_on(db, command, cancel)
    }

    /// What was sent, in the order of sending.
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
