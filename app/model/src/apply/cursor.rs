//! Cursors that are no longer needed.

use super::Apply;
use super::question::Question;
use crate::commands::documents::close_cursor;
use crate::job::Namespace;
use crate::worker::Reply;

/// Closes a cursor of this collection, which would stay open for minutes.
pub(super) fn close(of: &Namespace, cursor: i64, cx: &mut Apply<'_>) {
    cx.ask(Close(cursor), &of.db, close_cursor(&of.collection, cursor));
}

/// The end of one cursor. Two of them are two questions: none may take the place of the other.
#[derive(Debug, PartialEq)]
struct Close(i64);

impl Question for Close {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, _: Reply, _: &mut Apply<'_>) {}
}
