//! `mayflyArchives`: all archives, and what they hold.

use bson::{Bson, DateTime, Document, doc};

use super::archive_document::describe;
use crate::{
    archive::Archive,
    command::core::{Answer, Command, Context, Request, long, raw},
};

/// `{mayflyArchives: 1}`: those of the database's collections; on `admin` those of all.
pub static COMMAND: Command = Command::any("mayflyArchives", &[], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let archives = context.reaper.archives();
    let listed = archives.all().into_iter();
    let listed = listed
        .filter(|archive| request.db == "admin" || archives.name_of(archive).db == request.db);
    let listed: Vec<Bson> =
        listed.map(|archive| Bson::Document(with_contents(context, &archive))).collect();
    raw(&doc! { "archives": listed })
}

/// An archive with its counts; with `error` in their place when it can't be read.
fn with_contents(context: &Context, archive: &Archive) -> Document {
    let mut document = describe(context, archive);
    match archive.summary() {
        Ok(summary) => {
            let instant = |ms: Option<i64>| ms.map(DateTime::from_millis);
            document.extend(doc! {
                "segments": long(summary.segments),
                "documents": long(summary.documents),
                "bytes": long(summary.bytes),
                "oldest": instant(summary.oldest_ms),
                "newest": instant(summary.newest_ms),
                "unreadableBytes": long(summary.unreadable),
                "missingSegments": long(summary.missing.segments),
                "missingDocuments": long(summary.missing.documents),
            });
        }
        Err(error) => {
            document.insert("error", error.to_string());
        }
    }
    document
}
