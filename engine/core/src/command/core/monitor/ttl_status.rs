//! States that Mayfly's own commands and `serverStatus` share.

use bson::{Bson, DateTime, Document, doc};

use crate::{
    clock::ClockStatus,
    collection::ScrubStatus,
    command::core::{CommandError, Context, long},
    limits::TRASH_BYTES_MAX,
    reaper::TtlParameter,
    reply::{Clock, TrashStatus},
};

/// The archives that can't be written, or aren't known, so that removed documents stay in the trash.
pub fn failing_archives(context: &Context) -> Vec<Document> {
    let archives = context.reaper.archives();
    let unknown = archives.unclaimed_in_words().map(|(folders, sentence)| {
        doc! { "ns": folders, "reason": "archiveUnknown", "sentence": sentence }
    });
    let all = archives.all().into_iter();
    let failing = all.filter_map(|archive| {
        let failure = archive.failure()?;
        Some(doc! {
            "ns": archives.name_of(&archive).to_string(),
            "reason": "archiveFailed",
            "sentence": failure.sentence,
            "since": DateTime::from_millis(failure.since_ms),
            "attempts": i64::from(failure.attempts),
        })
    });
    failing.chain(unknown).collect()
}

/// A clock as replies show it.
pub fn clock_document(status: ClockStatus) -> Document {
    let ClockStatus { now_ms, mode, rate, paused: is_paused } = status;
    Clock { now_ms, mode: mode.name().to_owned(), rate, is_paused }.to_document()
}

/// The state, as `serverStatus` shows it too.
pub fn scrub_document(status: &ScrubStatus) -> Document {
    let date = |ms: Option<i64>| ms.map_or(Bson::Null, |ms| DateTime::from_millis(ms).into());
    doc! {
        "running": status.is_running,
        "started": date(status.started_ms),
        "lastFinished": date(status.finished_ms),
        "documents": long(status.documents),
        "entries": long(status.entries),
        "findings": long(status.findings),
    }
}

/// The state of the trash, for `serverStatus` and `mayflyTrash`.
pub fn trash_status(context: &Context) -> Result<TrashStatus, CommandError> {
    let status = context.reaper.trash_status()?;
    let counters = context.reaper.counters();
    let unclaimed = context.reaper.archives().unclaimed()?;
    Ok(TrashStatus {
        secs: context.reaper.parameters().get(TtlParameter::TrashSecs),
        documents: status.documents,
        bytes: status.bytes,
        waiting: status.waiting.documents,
        unclaimed: unclaimed.values().map(|rows| rows.documents).sum(),
        max_bytes: TRASH_BYTES_MAX,
        trashed: counters.trashed.get(),
        without_trash: counters.not_trashed.get(),
        restored: counters.restored.get(),
    })
}
