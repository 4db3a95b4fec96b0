//! `mayflyRestoreArchived`: restores documents from an archive into their collection.

use std::{collections::HashSet, ops::ControlFlow, sync::PoisonError};

use super::{
    archive_selection::{RemovedFilter, archive_of, read_start},
    requested_ids::RequestedIds,
    restore::{BATCH_BYTES, BATCH_DOCS, RemovedDocument, Restore},
    restore_report::id_key,
};
use crate::{
    archive::{Archive, Archived, ScanMark, ScanStart},
    collection::RestorableRow,
    command::core::{Answer, Command, CommandError, Context, Request, long, optional, raw},
    limits::RESTORE_DOCS_MAX,
};

/// `{mayflyRestoreArchived: coll, ids: [..] | filter, before?: date}`
///
/// Of each `_id` the newest document is restored, unless the collection has that `_id`: the newest
/// of those that `mayflyArchived` lists for the same `filter` and `before`. A client therefore
/// restores what it has seen, even if the archive has a newer document that does not match.
///
/// Rules that would remove it at once are put on hold first, until `mayflyRelease`. The archive is
/// not changed.
pub static COMMAND: Command = Command::any(
    "mayflyRestoreArchived",
    &[optional("filter"), optional("before"), optional("after"), optional("ids")],
    run,
);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let archive = archive_of(context, request)?;
    let (from, filter) = (read_start(request)?, RemovedFilter::read(context, request)?);
    let mut wanted = RequestedIds::read(request)?;
    if wanted.is_all() && request.get("filter")?.is_none() {
        return Err(CommandError::bad_value(
            "mayflyRestoreArchived needs 'ids' or 'filter' to select the documents to restore",
        ));
    }
    let _one_at_a_time = context.restoring.lock().unwrap_or_else(PoisonError::into_inner);
    let mut restore = Restore::new(context);
    let source = (&*archive, &filter, &from);
    let found = restore_from(context, source, &mut wanted, RESTORE_DOCS_MAX, &mut restore)?;
    let (report, held) = restore.finish()?;
    let mut reply = report.into_document();
    reply.insert("notFound", long(wanted.left()));
    reply.insert("held", held);
    reply.insert("more", found.more);
    raw(&reply)
}

/// The documents that a step found in an archive.
pub struct FoundArchived {
    /// Documents, restored or not.
    pub documents: usize,
    /// The last of them.
    pub last: Option<ScanMark>,
    /// Whether the archive has more than the step may restore.
    pub more: bool,
}

/// Restores at most `max` wanted documents that the filter matches, of each `_id` the newest.
pub fn restore_from(
    context: &Context,
    (archive, filter, from): (&Archive, &RemovedFilter, &ScanStart),
    wanted: &mut RequestedIds,
    max: usize,
    restore: &mut Restore<'_>,
) -> Result<FoundArchived, CommandError> {
    let mut found = FoundArchived { documents: 0, last: None, more: false };
    let (mut batch, mut bytes, mut met) = (Vec::new(), 0, HashSet::new());
    filter.scan(archive, from, |archived, mark| {
        let id = id_key(archived.document.get("_id").ok().flatten());
        // The newest comes first, so a later document with this `_id` is an older one.
        if !wanted.has(&id) || met.contains(&id) {
            return Ok(ControlFlow::Continue(()));
        }
        if found.documents == max {
            found.more = true;
            return Ok(ControlFlow::Break(()));
        }
        wanted.take(&id);
        met.insert(id);
        found.documents += 1;
        found.last = Some(mark.clone());
        bytes += archived.document.as_bytes().len();
        batch.push(removed(context, archive, archived));
        if batch.len() >= BATCH_DOCS || bytes >= BATCH_BYTES {
            bytes = 0;
            restore.write(&std::mem::take(&mut batch))?;
        }
        Ok(if wanted.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    restore.write(&batch)?;
    Ok(found)
}

/// A document of an archive, as one to be restored.
fn removed(context: &Context, archive: &Archive, archived: Archived) -> RemovedDocument {
    RemovedDocument {
        home: context.reaper.archives().name_of(archive),
        row: RestorableRow::of_archive(
            archive.collection(),
            archived.removed_ms,
            archived.document,
        ),
    }
}
