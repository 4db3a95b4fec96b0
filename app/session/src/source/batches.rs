//! Reads a cursor to its end, batch by batch, without decoding its documents.

use bson::raw::RawBsonRef;
use bson::{Document, RawDocument, RawDocumentBuf, doc};

use super::TakeBatch;
use crate::job::Cancel;
use crate::job::reply::sentence;

/// Said when a read was canceled.
pub(super) const STOPPED: &str = "The command was stopped";

/// Reads all documents that a command's cursor gives.
pub(super) fn read(
    run: &dyn Fn(&Document) -> RawDocumentBuf,
    command: &Document,
    cancel: &Cancel,
    take: &mut TakeBatch<'_>,
) -> Result<(), String> {
    let mut collection = match command.iter().next() {
        Some((_, bson::Bson::String(name))) => name.clone(),
        _ => String::new(),
    };
    let mut command = command.clone();
    loop {
        let reply = run(&command);
        let taken = batch(&reply).map(|(batch, id, ns)| {
            // A command on the whole database has no collection, but its cursor has a name.
            if let Some((_, name)) = ns.as_ref().and_then(|ns| ns.split_once('.')) {
                name.clone_into(&mut collection);
            }
            (take(&batch), id)
        });
        let (taken, id) = taken?;
        if id == 0 {
            return taken;
        }
        let stopped = if cancel.is_cancelled() { Err(STOPPED.to_owned()) } else { Ok(()) };
        if let Err(sentence) = taken.and(stopped) {
            run(&doc! { "killCursors": &collection, "cursors": [id] });
            return Err(sentence);
        }
        command = doc! { "getMore": id, "collection": &collection };
    }
}

type Batch<'r> = (Vec<&'r RawDocument>, i64, Option<String>);

/// The documents of a reply, the cursor that follows, and the name of its collection.
fn batch(reply: &RawDocument) -> Result<Batch<'_>, String> {
    let odd = || "The reply has no cursor".to_owned();
    let Ok(Some(RawBsonRef::Document(cursor))) = reply.get("cursor") else {
        let whole = Document::try_from(reply).map_err(|error| error.to_string())?;
        return Err(sentence(&whole));
    };
    let found = cursor.get_array("firstBatch").or_else(|_| cursor.get_array("nextBatch"));
    let found = found.map_err(|_| odd())?.into_iter();
    let documents = found.map(|one| one.ok().and_then(RawBsonRef::as_document));
    let documents: Option<Vec<_>> = documents.collect();
    let id = match cursor.get("id") {
        Ok(Some(RawBsonRef::Int64(id))) => id,
        Ok(Some(RawBsonRef::Int32(id))) => i64::from(id),
        _ => return Err(odd()),
    };
    let ns = cursor.get_str("ns").ok().map(str::to_owned);
    Ok((documents.ok_or_else(odd)?, id, ns))
}
