//! Whether a server stored documents as they were sent.
//!
//! A server of another make may take a write and store something else. Its reply doesn't say so, so
//! the first documents of an operation are read after they were written.

use bson::raw::{RawBsonRef, RawDocument, RawDocumentBuf};
use bson::{Bson, Timestamp, doc};
use mayfly_engine::value::{Layout, shell};

use super::Source;
use crate::job::{Namespace, Write};
use crate::limits::{READ_BACK_BYTES, READ_BACK_DOCS};

/// How much of a stored document was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent<'s> {
    Whole,
    Fields,
    /// The value at this path; it may have others.
    Field(&'s str),
}

/// A document that a server stored, and not as it was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Otherwise {
    pub id: Box<Bson>,
    /// The difference, after "The server stored the document".
    difference: String,
}

impl From<Otherwise> for String {
    fn from(Otherwise { id, difference }: Otherwise) -> Self {
        let id = shell::write_value(&id, Layout::OneLine);
        format!("The server stored the document with _id {id} {difference}; nothing more was sent")
    }
}

/// Reads some of these documents, which were just written, and compares them. Those that are not
/// there any more may have been removed by others. The source remembers the result.
///
/// # Errors
/// The server stored a document otherwise.
pub fn check(
    source: &dyn Source,
    namespace: &Namespace,
    documents: &[&RawDocument],
    (write, sent): (Write, Sent<'_>),
) -> Result<(), Otherwise> {
    let mut bytes = 0;
    let some = documents.iter().take(READ_BACK_DOCS).take_while(|document| {
        let is_first = bytes == 0;
        bytes += document.as_bytes().len();
        is_first || bytes <= READ_BACK_BYTES
    });
    let some: Vec<&&RawDocument> = some.collect();
    let ids = some.iter().filter_map(|document| Bson::try_from(id_of(document)?).ok());
    let filter = doc! { "_id": { "$in": ids.collect::<Vec<_>>() } };
    let batch = i32::try_from(READ_BACK_DOCS).unwrap_or(i32::MAX);
    let find = doc! { "find": &namespace.collection, "filter": filter, "batchSize": batch };
    // Who may write may still not read.
    let Some(Ok(stored)) = source.read_back(&namespace.db, &find) else { return Ok(()) };
    let mut is_checked = false;
    for document in some {
        let is_it = |stored: &&RawDocumentBuf| id_of(stored) == id_of(document);
        let Some(stored) = stored.iter().find(is_it) else { continue };
        is_checked = true;
        if let Some(difference) = difference(document, stored, sent) {
            source.note_stored(write, false);
            return Err(otherwise(document, difference));
        }
    }
    if is_checked {
        source.note_stored(write, true);
    }
    Ok(())
}

/// Reads some documents that an update changed, and looks for a field that is there twice. Only such
/// a one is remembered: no document was sent to compare the others with.
///
/// # Errors
/// There is one.
pub fn check_names(
    source: &dyn Source,
    namespace: &Namespace,
    ids: impl Iterator<Item = Bson>,
) -> Result<(), Otherwise> {
    let ids: Vec<Bson> = ids.take(READ_BACK_DOCS).collect();
    let batch = i32::try_from(ids.len()).unwrap_or(i32::MAX);
    let filter = doc! { "_id": { "$in": ids } };
    let find = doc! { "find": &namespace.collection, "filter": filter, "batchSize": batch };
    let Some(Ok(stored)) = source.read_back(&namespace.db, &find) else { return Ok(()) };
    let twice = stored.iter().find_map(|stored| Some((stored, twice(stored)?)));
    let Some((stored, field)) = twice else { return Ok(()) };
    source.note_stored(Write::Merge, false);
    Err(otherwise(stored, with_twice(&field)))
}

fn otherwise(document: &RawDocument, difference: String) -> Otherwise {
    let id = id_of(document).and_then(|id| Bson::try_from(id).ok()).unwrap_or(Bson::Null);
    Otherwise { id: Box::new(id), difference }
}

fn id_of(document: &RawDocument) -> Option<RawBsonRef<'_>> {
    document.get("_id").ok().flatten()
}

fn with_twice(field: &str) -> String {
    format!("with its field {field} twice")
}

/// How a stored document differs from that which was sent.
fn difference(sent: &RawDocument, stored: &RawDocument, how: Sent<'_>) -> Option<String> {
    if sent.as_bytes() == stored.as_bytes() {
        return None;
    }
    if let Some(field) = twice(stored).filter(|_| twice(sent).is_none()) {
        return Some(with_twice(&field));
    }
    if let Sent::Field(path) = how {
        let is_other = value_at(sent, path) != value_at(stored, path);
        return is_other.then(|| format!("with another value of its field {path}"));
    }
    let (sent, mut stored) = (fields(sent), fields(stored));
    if how == Sent::Fields {
        stored.retain(|(name, _)| sent.iter().any(|(sent, _)| sent == name));
    }
    for (name, value) in &sent {
        // A server sets an empty timestamp to its time.
        if value.as_timestamp() == Some(Timestamp { time: 0, increment: 0 }) {
            continue;
        }
        match stored.iter().find(|(stored, _)| stored == name) {
            None => return Some(format!("without its field {name}")),
            Some((_, stored)) if stored != value => {
                return Some(format!("with another value of its field {name}"));
            }
            Some(_) => {}
        }
    }
    let more = stored.iter().find(|(name, _)| !sent.iter().any(|(sent, _)| sent == name));
    more.map(|(name, _)| format!("with a field {name} that was not sent"))
}

fn fields(document: &RawDocument) -> Vec<(&str, RawBsonRef<'_>)> {
    document.iter().filter_map(Result::ok).map(|(name, value)| (name.as_str(), value)).collect()
}

fn value_at<'d>(document: &'d RawDocument, path: &str) -> Option<RawBsonRef<'d>> {
    match path.split_once('.') {
        None => document.get(path).ok().flatten(),
        Some((name, rest)) => value_at(document.get(name).ok()??.as_document()?, rest),
    }
}

/// A field that a document has twice.
fn twice(document: &RawDocument) -> Option<String> {
    let mut names: Vec<&str> =
        document.iter().filter_map(Result::ok).map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1])?;
    Some(twice[0].to_owned())
}

/// Reads what a command's cursor gives, up to the first bad reply.
pub fn read(
    read: impl FnOnce(&mut super::TakeBatch<'_>) -> Result<(), String>,
) -> Result<Vec<RawDocumentBuf>, String> {
    let mut all = Vec::new();
    read(&mut |batch| {
        all.extend(batch.iter().map(|document| (*document).to_owned()));
        Ok(())
    })?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use bson::Document;

    use super::*;

    fn check(sent: &Document, stored: &Document, how: Sent<'_>, expected: Option<&str>) {
        let [sent, stored] =
            [sent, stored].map(|one| RawDocumentBuf::try_from(one).expect("a document"));
        assert_eq!(difference(&sent, &stored, how).as_deref(), expected);
    }

    #[test]
    fn a_difference_is_named() {
        let sent = doc! { "_id": 1, "a": 1, "b": { "c": 1.5 } };
        check(&sent, &sent, Sent::Whole, None);
        let more = doc! { "_id": 1, "a": 1, "b": { "c": 1.5 }, "x": 1 };
        check(&sent, &more, Sent::Fields, None);
        check(&sent, &more, Sent::Whole, Some("with a field x that was not sent"));
        check(&more, &sent, Sent::Fields, Some("without its field x"));
        let other = doc! { "_id": 1, "a": 1_i64, "b": { "c": 1.5 } };
        check(&sent, &other, Sent::Whole, Some("with another value of its field a"));
        check(&sent, &doc! { "_id": 1, "b": { "c": 1.5 }, "a": 1 }, Sent::Whole, None);
        let deep = doc! { "_id": 1, "b": { "x": 2, "c": 1.5 } };
        check(&sent, &deep, Sent::Field("b.c"), None);
        let changed = doc! { "_id": 1, "b": { "c": 2.5 } };
        let expected = Some("with another value of its field b.c");
        check(&sent, &changed, Sent::Field("b.c"), expected);
        let empty = doc! { "_id": 1, "t": Timestamp { time: 0, increment: 0 } };
        let set = doc! { "_id": 1, "t": Timestamp { time: 9, increment: 1 } };
        check(&empty, &set, Sent::Whole, None);
    }
}
