//! Replies to writes, and documents whose `_id` was stored twice.

use std::collections::HashSet;

use bson::{
    Bson, Document, RawDocument, RawDocumentBuf,
    raw::{RawArrayBuf, RawBsonRef, cstr},
};
use mayfly_engine::value::whole;

use super::{Habit, Server, answer::batch, answer::collection};

/// The documents whose `_id` is stored twice: by namespace, the `_id` as text.
pub type DoubledIds = HashSet<(String, String)>;

/// The documents that an update by a pipeline with `$replaceWith` is about.
pub fn doubled_by(server: &Server, db: &str, name: &str, command: &Document) -> Vec<Bson> {
    if !server.has(Habit::DoubledIds) {
        return Vec::new();
    }
    let collection = collection(name, command);
    let mut statements: Vec<(&Document, bool)> = Vec::new();
    if name == "findAndModify" && is_replacing(command.get("update")) {
        statements.extend(command.get_document("query").ok().map(|query| (query, false)));
    }
    for one in command.get_array("updates").into_iter().flatten().filter_map(Bson::as_document) {
        if name == "update" && is_replacing(one.get("u")) {
            let is_multi = one.get_bool("multi").unwrap_or(false);
            statements.extend(one.get_document("q").ok().map(|query| (query, is_multi)));
        }
    }
    let mut ids = Vec::new();
    for (query, is_multi) in statements {
        let find = bson::doc! {
            "find": collection, "filter": query.clone(), "limit": i32::from(!is_multi),
            "projection": { "_id": 1 }, "batchSize": i32::MAX,
        };
        let found = batch(&server.engine_run(db, &find));
        ids.extend(found.iter().filter_map(|one| one.get("_id").cloned()));
        // An upsert has its `_id` from the query.
        let equal = query.get("_id").map(|id| match id {
            Bson::Document(test) => test.get("$eq").unwrap_or(id),
            id => id,
        });
        ids.extend(equal.cloned());
    }
    ids
}

fn is_replacing(update: Option<&Bson>) -> bool {
    let stages = update.and_then(Bson::as_array);
    let mut stages = stages.into_iter().flatten().filter_map(Bson::as_document);
    stages.any(|stage| stage.contains_key("$replaceWith") || stage.contains_key("$replaceRoot"))
}

/// The reply to a write with the errors of DocumentDB: a duplicate key without its keys.
pub fn without_keys(mut reply: Document) -> Document {
    let duplicate = |error: &mut Document| {
        if error.get("code").and_then(whole) != Some(11_000) {
            return;
        }
        let message = error.get_str("errmsg").unwrap_or_default();
        let name = message.split("index: ").nth(1).and_then(|rest| rest.split(' ').next());
        let name = name.unwrap_or("_id_");
        let message =
            format!("Duplicate key violation on the requested collection: Index '{name}'");
        for field in ["keyPattern", "keyValue"] {
            error.remove(field);
        }
        error.insert("errmsg", message);
    };
    duplicate(&mut reply);
    for error in reply.get_array_mut("writeErrors").into_iter().flatten() {
        if let Bson::Document(error) = error {
            duplicate(error);
        }
    }
    reply
}

impl Server {
    /// Notes which documents have their `_id` twice after a write.
    pub fn note_ids(
        &self,
        db: &str,
        name: &str,
        command: &Document,
        doubled: &[Bson],
        reply: &RawDocument,
    ) {
        let is_garbled = self.has(Habit::Garbling);
        if !self.has(Habit::DoubledIds) && !is_garbled {
            return;
        }
        let namespace = format!("{db}.{}", collection(name, command));
        let key = |id: &Bson| (namespace.clone(), id.to_string());
        let mut memory = self.lock();
        if name == "drop" {
            memory.doubled.retain(|(known, _)| *known != namespace);
        }
        // An insertion and a replacement store the document as it was sent.
        let statements = command.get_array("updates").into_iter().flatten();
        let replacements = statements
            .filter_map(|one| one.as_document()?.get_document("u").ok())
            .filter(|one| !one.keys().any(|name| name.starts_with('$')));
        let inserted = command.get_array("documents").into_iter().flatten();
        let inserted = inserted.filter_map(Bson::as_document);
        for id in replacements.chain(inserted).filter_map(|one| one.get("_id")) {
            if is_garbled {
                memory.doubled.insert(key(id));
            } else {
                memory.doubled.remove(&key(id));
            }
        }
        memory.doubled.extend(doubled.iter().map(key));
        let reply = Document::try_from(reply).unwrap_or_default();
        let upserted = reply.get_array("upserted").into_iter().flatten();
        if !doubled.is_empty() {
            let ids = upserted.filter_map(|one| one.as_document()?.get("_id"));
            memory.doubled.extend(ids.map(key));
        }
    }

    /// Gives the documents of a reply their second `_id`.
    pub fn double(&self, db: &str, collection: &str, reply: RawDocumentBuf) -> RawDocumentBuf {
        let namespace = format!("{db}.{collection}");
        let doubled = self.lock().doubled.clone();
        if !doubled.iter().any(|(known, _)| *known == namespace) {
            return reply;
        }
        let Ok(cursor) = reply.get_document("cursor") else { return reply };
        let mut shaped = RawDocumentBuf::new();
        for (name, value) in cursor.iter().filter_map(Result::ok) {
            let RawBsonRef::Array(batch) = value else {
                shaped.append(name, value);
                continue;
            };
            let mut documents = RawArrayBuf::new();
            for one in batch.into_iter().filter_map(Result::ok) {
                match one.as_document().and_then(|one| twice(one, &namespace, &doubled)) {
                    Some(twice) => documents.push(twice),
                    None => documents.push(one),
                }
            }
            shaped.append(name, documents);
        }
        let mut whole = RawDocumentBuf::new();
        for (name, value) in reply.iter().filter_map(Result::ok) {
            if name.as_str() == "cursor" {
                whole.append(cstr!("cursor"), shaped.clone());
            } else {
                whole.append(name, value);
            }
        }
        whole
    }
}

/// The document with its `_id` twice, if it is stored so.
fn twice(document: &RawDocument, namespace: &str, doubled: &DoubledIds) -> Option<RawDocumentBuf> {
    let id = document.get("_id").ok().flatten()?;
    let text = Bson::try_from(id).ok()?.to_string();
    doubled.get(&(namespace.to_owned(), text))?;
    let mut twice = RawDocumentBuf::new();
    twice.append(cstr!("_id"), id);
    for (name, value) in document.iter().filter_map(Result::ok) {
        twice.append(name, value);
    }
    Some(twice)
}
