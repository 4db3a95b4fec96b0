//! Whether a reply of success is one.
//!
//! A server may answer `ok: 1` to a command that it does not support, so what counts is the field that
//! the command asks for, and a changed index is believed once the list of indexes shows it.

use bson::{Bson, Document, doc};
use mayfly_engine::value::whole;

use super::failure::{UNKNOWN, failed};
use super::{Remote, guard};
use crate::job::Cancel;
use crate::job::reply::{batch, is_ok};

/// A code and its name.
type Code = (i32, &'static str);

const OPERATION_FAILED: Code = (96, "OperationFailed");

/// That of a server which refuses a command that it does not have.
const NOT_SUPPORTED: Code = (115, "CommandNotSupported");

/// The field that a reply of success to a command has.
const FIELDS: [(&str, &str); 11] = [
    ("aggregate", "cursor"),
    ("count", "n"),
    ("delete", "n"),
    ("distinct", "values"),
    ("find", "cursor"),
    ("getMore", "cursor"),
    ("insert", "n"),
    ("listCollections", "cursor"),
    ("listDatabases", "databases"),
    ("listIndexes", "cursor"),
    ("update", "n"),
];

/// The required fields of a command's reply.
struct Expected {
    name: String,
    field: Option<&'static str>,
    is_write: bool,
    change: Option<IndexChange>,
}

/// A change of an index by `collMod`.
struct IndexChange {
    collection: String,
    index: Document,
}

impl Remote {
    /// The reply to a command, or a failure when it says nothing though it says that the command succeeded.
    pub(super) fn checked(
        &self,
        db: &str,
        command: &Document,
        reply: Document,
        cancel: &Cancel,
    ) -> Document {
        Expected::of(command).check(self, db, reply, cancel)
    }
}

impl Expected {
    /// The required fields of the reply to this command.
    fn of(command: &Document) -> Self {
        let (name, value) =
            command.iter().next().map_or(("", &Bson::Null), |(name, value)| (name, value));
        let field = FIELDS.iter().find(|(known, _)| *known == name).map(|(_, field)| *field);
        let change = (name == "collMod").then(|| {
            let index = command.get_document("index").ok()?.clone();
            Some(IndexChange { collection: value.as_str()?.to_owned(), index })
        });
        Self {
            name: name.to_owned(),
            field: field.filter(|_| !is_other(command)),
            is_write: guard::refusal(command).is_some(),
            change: change.flatten(),
        }
    }

    fn check(&self, remote: &Remote, db: &str, reply: Document, cancel: &Cancel) -> Document {
        if !is_ok(&reply) {
            return reply;
        }
        let Self { name, .. } = self;
        if let Some(field) = self.field.filter(|field| !reply.contains_key(field)) {
            let mut sentence =
                format!("The server answers {name} without {field}; it may not support {name}");
            if self.is_write {
                sentence = format!("{sentence}. {UNKNOWN}");
            }
            let (code, name) = OPERATION_FAILED;
            return failed(code, name, &sentence);
        }
        let doubt = self.change.as_ref().and_then(|change| change.doubt(remote, db, cancel));
        let doubt = doubt.map(|((code, name), doubt)| failed(code, name, &doubt));
        doubt.unwrap_or(reply)
    }
}

/// Whether a reply has other fields than usual: that to an explained pipeline, or to a write that does
/// not wait.
fn is_other(command: &Document) -> bool {
    let concern = command.get_document("writeConcern").ok();
    let is_silent = concern.and_then(|concern| whole(concern.get("w")?)) == Some(0);
    is_silent || command.contains_key("explain")
}

impl IndexChange {
    /// Why the change is not believed. The primary is asked: another member may not have it yet.
    fn doubt(&self, remote: &Remote, db: &str, cancel: &Cancel) -> Option<(Code, String)> {
        let list = doc! { "listIndexes": &self.collection };
        let reply = remote.send_to(None, db, &list, cancel);
        let reply = remote.checked(db, &list, reply, cancel);
        let accepted = "The server answers that it changed the index, but";
        if !is_ok(&reply) {
            let why = reply.get_str("errmsg").unwrap_or("it does not say why");
            let doubt = format!("{accepted} its indexes can't be listed: {why}");
            return Some((OPERATION_FAILED, doubt));
        }
        let is_it = |found: &&Document| match self.index.get("name") {
            Some(name) => found.get("name") == Some(name),
            None => fields(found, "key") == fields(&self.index, "keyPattern"),
        };
        let Some(found) = batch(&reply).find(is_it) else {
            let doubt = format!("{accepted} its list of indexes does not have this one");
            return Some((OPERATION_FAILED, doubt));
        };
        let (secs, has_secs) = (
            self.index.get("expireAfterSeconds").and_then(whole),
            found.get("expireAfterSeconds").and_then(whole),
        );
        if secs.is_some() && secs != has_secs {
            let has = has_secs.map_or_else(|| "no TTL".to_owned(), |secs| format!("{secs} s"));
            let doubt = format!(
                "{accepted} its list of indexes still shows {has}; it may not support collMod"
            );
            return Some((NOT_SUPPORTED, doubt));
        }
        let hidden = self.index.get_bool("hidden").ok();
        let is_hidden = found.get_bool("hidden").unwrap_or(false);
        let is_other = hidden.is_some_and(|hidden| hidden != is_hidden);
        is_other.then(|| {
            let doubt = format!(
                "{accepted} its list of indexes shows no change; it may not support collMod"
            );
            (NOT_SUPPORTED, doubt)
        })
    }
}

/// The fields of an index, however a server writes the numbers.
fn fields(index: &Document, key: &str) -> Option<Vec<(String, Option<i64>, Bson)>> {
    let keys = index.get_document(key).ok()?.iter();
    let keys = keys.map(|(field, direction)| match whole(direction) {
        Some(direction) => (field.clone(), Some(direction), Bson::Null),
        None => (field.clone(), None, direction.clone()),
    });
    Some(keys.collect())
}
