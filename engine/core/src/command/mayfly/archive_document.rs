//! An archive as replies show it.

use bson::{DateTime, Document, doc};

use crate::{
    archive::Archive,
    command::core::{Context, long},
};

/// The settings and the state of an archive.
pub fn describe(context: &Context, archive: &Archive) -> Document {
    let settings = archive.settings();
    let is_on = context.reaper.archives().is_active(archive);
    let mut document = doc! {
        "ns": context.reaper.archives().name_of(archive).to_string(),
        "on": is_on,
        "target": &settings.target,
        "maxBytes": settings.max_bytes.map(long),
        "maxAgeSecs": settings.max_age_secs.map(long),
    };
    let waiting = context.collections.waiting_rows().unwrap_or_default();
    let waiting = waiting.get(archive.folder()).copied().unwrap_or_default();
    document.insert("waiting", long(waiting.documents));
    document.insert("waitingBytes", long(waiting.bytes));
    let state = match archive.failure() {
        None if !is_on => "off",
        None => "ready",
        Some(failure) => {
            document.insert("sentence", failure.sentence);
            document.insert("since", DateTime::from_millis(failure.since_ms));
            document.insert("attempts", i64::from(failure.attempts));
            "failing"
        }
    };
    document.extend(archive.left().map(|left| ("left".to_owned(), left.into())));
    document.insert("state", state);
    document
}
