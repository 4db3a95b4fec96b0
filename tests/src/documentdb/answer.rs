//! From a command to its reply.

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};
use mayfly_engine::value::whole;

use super::{Habit, Server, explain, indexes, name_of, refusals, replies, reshape, sample};
use crate::{frames::bytes, store::is_ok};

/// How long a command may take, in milliseconds of the server's clock.
const COMMAND_MS_MAX: i64 = 10_000;

/// Commands that change documents or collections.
const WRITES: [&str; 8] =
    ["insert", "update", "delete", "findAndModify", "drop", "create", "bulkWrite", "aggregate"];

impl Server {
    /// Answers a command that came over the wire.
    pub fn answer(&self, db: &str, command: &RawDocument) -> RawDocumentBuf {
        self.lock().commands.push(command.to_owned());
        let name = name_of(command);
        if self.lock().forbidden.as_deref() == Some(name) {
            let message = format!("not authorized on {db} to execute command {name}");
            return raw(&replies::failed(13, "Unauthorized", &message));
        }
        self.throttled(db, command).unwrap_or_else(|| self.reply(db, command))
    }

    /// The reply to a command.
    pub fn reply(&self, db: &str, command: &RawDocument) -> RawDocumentBuf {
        // Only what is looked at here: the engine gets the bytes, in which a field may be twice.
        let Ok(decoded) = Document::try_from(command) else {
            return raw(&replies::failed(22, "InvalidBSON", "not BSON"));
        };
        let name = name_of(command);
        let own =
            self.of_set(name).or_else(|| self.constant(name)).or_else(|| self.late(name, &decoded));
        let own = own.or_else(|| refusals::refusal(self, db, name, &decoded));
        if let Some(reply) = own.or_else(|| indexes::reply(self, db, name, &decoded)) {
            return raw(&reply);
        }
        self.run(db, name, command, &decoded)
    }

    /// The replies of the primary of a replica set.
    fn of_set(&self, name: &str) -> Option<Document> {
        let lag_ms = self.lock().replication?.lag_ms;
        let now_ms = self.now_ms();
        match (name, lag_ms) {
            ("hello" | "isMaster" | "ismaster", _) => {
                let mut hello = self.constant(name)?;
                let host = "one.example:27017";
                hello.extend(
                    doc! { "setName": "rs0", "hosts": [host], "primary": host, "me": host },
                );
                Some(hello)
            }
            ("replSetGetStatus" | "replSetGetConfig", None) => {
                Some(replies::failed(13, "Unauthorized", "not authorized on admin"))
            }
            ("replSetGetConfig", _) => Some(replies::set_config()),
            ("replSetGetStatus", Some(lag_ms)) => Some(replies::set_status(now_ms, lag_ms)),
            _ => None,
        }
    }

    /// Replies that don't depend on the data.
    fn constant(&self, name: &str) -> Option<Document> {
        let is_documentdb = self.has(Habit::Greeting);
        Some(match name {
            "hello" | "isMaster" | "ismaster" if is_documentdb => replies::hello(self.now_ms()),
            "hello" | "isMaster" | "ismaster" => replies::standalone_hello(self.now_ms()),
            "buildInfo" | "buildinfo" => replies::build_info(is_documentdb),
            "connectionStatus" if is_documentdb => replies::connection_status(),
            // The driver says good-bye.
            "endSessions" => doc! { "ok": 1.0 },
            _ => return None,
        })
    }

    /// The reply to a command that takes too long.
    fn late(&self, name: &str, command: &Document) -> Option<Document> {
        let costs = &self.lock().costs_ms;
        let cost_ms = costs.iter().find(|(known, _)| known == name).map(|(_, ms)| *ms)?;
        let asked_ms = command.get("maxTimeMS").and_then(whole).filter(|ms| *ms > 0);
        let has_limit = self.has(Habit::ShortTimes);
        let limit_ms = if has_limit { COMMAND_MS_MAX } else { i64::MAX };
        let is_late = cost_ms > asked_ms.unwrap_or(i64::MAX).min(limit_ms);
        let mongodb = || replies::failed(50, "MaxTimeMSExpired", "operation exceeded time limit");
        is_late.then(|| if has_limit { replies::late() } else { mongodb() })
    }

    /// Runs a command in the engine, and gives its reply the server's shape.
    fn run(
        &self,
        db: &str,
        name: &str,
        command: &RawDocument,
        decoded: &Document,
    ) -> RawDocumentBuf {
        let collection = collection(name, decoded);
        let is_write = WRITES.contains(&name);
        let before = if is_write { self.count(db, collection) } else { 0 };
        let doubled = reshape::doubled_by(self, db, name, decoded);
        let sampled = (self.has(Habit::NeighborSample) && name == "aggregate")
            .then(|| sample::chosen(self, db, decoded))
            .flatten();
        let reply = match sampled {
            Some(sampled) => self.engine.run_raw(db, &raw(&sampled)),
            None => self.engine.run_raw(db, command),
        };
        if is_write {
            self.note_count(db, collection, before);
            self.note_output(db, decoded);
            self.note_ids(db, name, decoded, &doubled, &reply);
        }
        self.shaped(db, name, decoded, reply)
    }

    /// Notes the count of a collection that a pipeline wrote, or that a command replaced.
    fn note_output(&self, db: &str, command: &Document) {
        let stages = command.get_array("pipeline").map(Vec::as_slice).unwrap_or_default();
        let last = stages.last().and_then(Bson::as_document);
        if let Some(Bson::String(into)) = last.and_then(|stage| stage.get("$out")) {
            self.note_count(db, into, 0);
        }
    }

    fn shaped(
        &self,
        db: &str,
        name: &str,
        command: &Document,
        reply: RawDocumentBuf,
    ) -> RawDocumentBuf {
        let reply = self.use_cursor(reply);
        let collection = collection(name, command);
        let shaped = |shape: &dyn Fn(Document) -> Document| {
            Document::try_from(reply.as_ref())
                .map_or_else(|_| reply.clone(), |one| raw(&shape(one)))
        };
        match name {
            "find" | "aggregate" | "getMore" if name == "aggregate" && is_explain(command) => {
                shaped(&|reply| self.explained(db, command, reply))
            }
            "aggregate" if begins_with(command, "$collStats") => {
                shaped(&|reply| self.late_stage(db, collection, reply))
            }
            "find" | "aggregate" | "getMore" => self.double(db, collection, reply),
            "explain" => shaped(&|reply| self.explained(db, command, reply)),
            "insert" | "update" | "findAndModify" if self.has(Habit::DuplicateText) => {
                shaped(&reshape::without_keys)
            }
            "count" if !has_query(command) => {
                shaped(&|reply| self.late_count(db, collection, "n", reply))
            }
            "collStats" => shaped(&|reply| self.late_count(db, collection, "count", reply)),
            "listDatabases" if self.has(Habit::BareDatabases) => shaped(&bare_databases),
            _ => reply,
        }
    }

    fn explained(&self, db: &str, command: &Document, reply: Document) -> Document {
        if !self.has(Habit::Explain) || !is_ok(&reply) {
            return reply;
        }
        explain::shaped(db, command, &reply)
    }

    /// Notes the use of the cursor that a reply has.
    fn use_cursor(&self, reply: RawDocumentBuf) -> RawDocumentBuf {
        let id = reply.get_document("cursor").ok().and_then(|cursor| cursor.get_i64("id").ok());
        if let Some(id) = id.filter(|id| *id != 0) {
            let now_ms = self.now_ms();
            self.lock().cursors.used(id, now_ms);
        }
        reply
    }

    fn late_count(&self, db: &str, collection: &str, field: &str, mut reply: Document) -> Document {
        if self.has(Habit::LateCounts) && is_ok(&reply) {
            let known = self.lock().counts.known(&format!("{db}.{collection}"), self.now_ms());
            if let Some(known) = known {
                reply.insert(field, smallest(known));
            }
        }
        reply
    }

    /// The same for the document that `$collStats` gives.
    fn late_stage(&self, db: &str, collection: &str, mut reply: Document) -> Document {
        let cursor = reply.get_document_mut("cursor");
        let batch = cursor.and_then(|cursor| cursor.get_array_mut("firstBatch"));
        for one in batch.into_iter().flatten() {
            if let Bson::Document(found) = one
                && found.contains_key("count")
            {
                found.insert("ok", 1.0);
                let mut known = self.late_count(db, collection, "count", std::mem::take(found));
                known.remove("ok");
                *found = known;
            }
        }
        reply
    }
}

/// The collection that a command is about.
pub fn collection<'c>(name: &str, command: &'c Document) -> &'c str {
    let field = if name == "getMore" { "collection" } else { name };
    command.get_str(field).unwrap_or_default()
}

fn is_explain(command: &Document) -> bool {
    command.get_bool("explain").unwrap_or(false)
}

fn begins_with(command: &Document, stage: &str) -> bool {
    let pipeline = command.get_array("pipeline").ok();
    let first = pipeline.and_then(|stages| stages.first()?.as_document());
    first.is_some_and(|first| first.contains_key(stage))
}

/// Whether a count has a query, be it an empty one.
fn has_query(command: &Document) -> bool {
    matches!(command.get("query"), Some(Bson::Document(_)))
}

fn bare_databases(mut reply: Document) -> Document {
    let own = ["admin", "config", "local"];
    if let Ok(databases) = reply.get_array("databases") {
        let names = databases.iter().filter_map(|one| one.as_document()?.get_str("name").ok());
        let names = names.filter(|name| !own.contains(name)).map(|name| doc! { "name": name });
        let names: Vec<Document> = names.collect();
        reply = doc! { "databases": names, "ok": 1.0 };
    }
    reply
}

/// The documents of a reply with a cursor.
pub fn batch(reply: &Document) -> Vec<Document> {
    let cursor = reply.get_document("cursor").ok();
    let batch = cursor.and_then(|cursor| cursor.get_array("firstBatch").ok());
    batch.into_iter().flatten().filter_map(Bson::as_document).cloned().collect()
}

/// A number as servers send it.
pub fn smallest(number: i64) -> Bson {
    i32::try_from(number).map_or(Bson::Int64(number), Bson::Int32)
}

/// The bytes of a document.
pub fn raw(document: &Document) -> RawDocumentBuf {
    RawDocumentBuf::from_bytes(bytes(document)).expect("a document that was just written")
}
