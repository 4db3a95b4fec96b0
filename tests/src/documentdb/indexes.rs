//! `createIndexes`, `collMod` and `create` as DocumentDB answers them.

use bson::{Bson, Document, doc};
use mayfly_engine::value::whole;

use super::{
    Habit, Server,
    answer::collection,
    replies::{failed, internal, unsupported},
};
use crate::store::is_ok;

/// The reply to a command on indexes or to `create`; `None` where the engine's serves.
pub fn reply(server: &Server, db: &str, name: &str, command: &Document) -> Option<Document> {
    match name {
        "createIndexes" if server.has(Habit::CreateIndexes) => Some(create(server, db, command)),
        "create" if server.has(Habit::CreateIndexes) => create_collection(server, db, command),
        "collMod" if server.has(Habit::CollMod) => Some(change(server, db, command)),
        _ => None,
    }
}

fn create(server: &Server, db: &str, command: &Document) -> Document {
    let indexes = command.get_array("indexes").into_iter().flatten();
    if let Some(refusal) = indexes.filter_map(Bson::as_document).find_map(refusal) {
        return refusal;
    }
    let made = server.engine_run(db, command);
    if !is_ok(&made) {
        return made;
    }
    let number = |name: &str| made.get(name).and_then(whole).unwrap_or(0);
    let shard = doc! {
        "numIndexesBefore": i32::try_from(number("numIndexesBefore")).unwrap_or(0),
        "numIndexesAfter": i32::try_from(number("numIndexesAfter")).unwrap_or(0),
        "createdCollectionAutomatically": made.get_bool("createdCollectionAutomatically").unwrap_or(false),
        "ok": 1,
    };
    doc! { "raw": { "defaultShard": shard }, "ok": 1 }
}

/// Why an index is not made.
fn refusal(index: &Document) -> Option<Document> {
    let feature = |message: &str| failed(115, "SqlState(E0A000)", message);
    if index.get_bool("hidden").unwrap_or(false) {
        return Some(feature("hidden indexes are not supported yet."));
    }
    if index.contains_key("collation") {
        return Some(feature("collation is not supported yet."));
    }
    let keys = index.get_document("key").ok()?;
    if let Some(kind) = keys.values().find_map(Bson::as_str) {
        return Some(feature(&format!("{kind} indexes are not supported yet.")));
    }
    let secs = index.get("expireAfterSeconds")?;
    if matches!(secs, Bson::Decimal128(_)) {
        return Some(failed(67, "CannotCreateIndex", "expireAfterSeconds must be a number"));
    }
    let is_wildcard = keys.keys().any(|field| field.contains("$**"));
    let message = "Index type 'wildcard' cannot be a TTL index";
    is_wildcard.then(|| failed(197, "InvalidIndexSpecificationOption", message))
}

/// `create` with options that aren't there; others that it accepts mean nothing to it.
fn create_collection(server: &Server, db: &str, command: &Document) -> Option<Document> {
    for option in ["clusteredIndex", "capped", "timeseries"] {
        if command.get(option).is_some_and(|value| *value != Bson::Boolean(false)) {
            return Some(unsupported(&format!("create.{option} is not supported yet")));
        }
    }
    command.get("expireAfterSeconds")?;
    let mut plain = command.clone();
    plain.remove("expireAfterSeconds");
    Some(server.engine_run(db, &plain))
}

fn change(server: &Server, db: &str, command: &Document) -> Document {
    let Ok(index) = command.get_document("index") else {
        return server.engine_run(db, command);
    };
    if index.contains_key("keyPattern") {
        return internal("operator does not exist: documentdb_core.bson = documentdb_core.bson");
    }
    if index.contains_key("hidden") {
        return unsupported("collMod.index.hidden is not yet supported");
    }
    let invalid = |message: &str| failed(72, "InvalidOptions", message);
    let secs = match index.get("expireAfterSeconds") {
        Some(Bson::Double(secs)) if !secs.is_finite() => {
            return invalid("expireAfterSeconds must be a finite number");
        }
        Some(secs) => whole(secs),
        None => None,
    };
    let Some(secs) = secs else { return invalid("no expireAfterSeconds field to update") };
    if secs > i64::from(i32::MAX) {
        let message = "new row for relation \"collection_indexes\" violates check constraint";
        return failed(67_391_682, "DocumentDB error.", message);
    }
    let indexes = server.indexes(db, collection("collMod", command));
    let is_it = |known: &&Document| known.get("name") == index.get("name");
    let Some(known) = indexes.iter().find(is_it) else {
        // The engine knows how to say that there is none.
        return server.engine_run(db, command);
    };
    let Some(old) = known.get("expireAfterSeconds").and_then(whole) else {
        return invalid("no expireAfterSeconds field to update");
    };
    let changed = server.engine_run(db, command);
    if !is_ok(&changed) {
        return changed;
    }
    if old == secs {
        return doc! { "ok": 1 };
    }
    let new = f64::from(i32::try_from(secs).unwrap_or(i32::MAX));
    doc! { "ok": 1, "expireAfterSeconds_old": old, "expireAfterSeconds_new": new }
}
