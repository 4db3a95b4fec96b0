//! The databases of the store, their collections and their rules.

use bson::{Bson, Document};

use super::question::Question;
use super::{Apply, demo};
use crate::commands;
use crate::job::Dialect;
use crate::job::reply::{batch, number};
use crate::state::State;
use crate::worker::Reply;

/// Collections of one database that are listed; the rest is not shown.
const COLLECTIONS_LISTED_MAX: i32 = 10_000;

/// Reads the catalog again.
pub fn refresh(cx: &mut Apply<'_>) {
    if !cx.state.is_open() {
        return;
    }
    cx.state.tree.stale = false;
    cx.state.tree.asked_at = Some(cx.state.uptime);
    cx.ask(Databases, "admin", commands::store::databases());
}

#[derive(Debug, PartialEq)]
struct Databases;

impl Question for Databases {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        match reply.result {
            Ok(found) => databases(&found, cx),
            Err(error) => cx.state.tree.error = Some(error),
        }
    }

    fn refused(&self, _: u64, _: Reply, cx: &mut Apply<'_>) {
        cx.state.tree.stale = true;
    }
}

fn databases(found: &Document, cx: &mut Apply<'_>) {
    let found = found.get_array("databases").map(Vec::as_slice).unwrap_or_default();
    let pairs = found.iter().filter_map(Bson::as_document).filter_map(|database| {
        let name = database.get_str("name").ok()?;
        Some((name.to_owned(), number(database, "sizeOnDisk").unwrap_or(0)))
    });
    cx.state.tree.learn_databases(pairs.collect());
    let names: Vec<String> =
        cx.state.tree.databases.iter().map(|database| database.name.clone()).collect();
    for name in names {
        let command = commands::store::collections(COLLECTIONS_LISTED_MAX);
        cx.ask(Collections(name.clone()), &name, command);
        cx.ask(DialectOf(name.clone()), &name, commands::store::dialect());
    }
}

#[derive(Debug, PartialEq)]
pub(super) struct Collections(pub(super) String);

impl Question for Collections {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        match reply.result {
            Ok(found) => collections(&self.0, &found, cx.state),
            Err(_) => cx.state.tree.learn_collections(&self.0, Vec::new()),
        }
    }

    fn refused(&self, _: u64, _: Reply, cx: &mut Apply<'_>) {
        cx.state.tree.stale = true;
    }
}

fn collections(db: &str, found: &Document, state: &mut State) {
    let pairs = batch(found).filter_map(|collection| {
        let name = collection.get_str("name").ok()?;
        let kind = collection.get_str("type").unwrap_or("collection");
        Some((name.to_owned(), kind.to_owned()))
    });
    state.tree.learn_collections(db, pairs.collect());
    demo::open_first(state);
}

/// Whose rules a database follows.
#[derive(Debug, PartialEq)]
struct DialectOf(String);

impl Question for DialectOf {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let name = reply.result.as_ref().ok().and_then(|found| found.get_str("dialect").ok());
        if let Some(database) = cx.state.tree.database_mut(&self.0) {
            database.dialect = name.and_then(Dialect::from_name);
            database.dialect_error = reply.result.err();
        }
    }

    fn refused(&self, _: u64, _: Reply, cx: &mut Apply<'_>) {
        cx.state.tree.stale = true;
    }
}
