//! `mayflyRestoreTrash`: restores removed documents from the trash.

use std::{collections::HashSet, ops::ControlFlow, sync::PoisonError};

use bson::{Bson, doc, raw::RawBsonRef};

use super::{
    archive_selection::RemovedFilter,
    removed_list::ListPosition,
    requested_ids::RequestedIds,
    restore::{BATCH_BYTES, BATCH_DOCS, RemovedDocument, Restore},
    restore_report::id_key,
    trash_selection::TrashSelection,
};
use crate::{
    archive::{Archive, Archived, ScanMark, ScanStart},
    collection::{Collections, RestorableRow},
    command::core::{Answer, Command, CommandError, Context, Request, fields, long, raw},
    limits::RESTORE_DOCS_MAX,
};

fields! {
    struct RestoreTrashFields from Request<'_> {
        optional "ids",
        optional "pass",
        optional "filter",
        optional "archived",
        optional "after",
        optional "limit": count => limit Option<u64>,
    }
}

/// `{mayflyRestoreTrash: coll | 1, ids?: [..], pass?: n, filter?, archived?: bool, after?: the "next" of
/// the step before, limit?}`; 1 is all collections of all databases.
///
/// Of each `_id` the newest document is restored unchanged, unless the collection has that `_id`: the
/// newest of those that `mayflyTrash` lists for the same `filter`. With `archived`, documents are also
/// restored from archives, after those of the trash. Rules that would remove it at once are put on hold
/// first, until `mayflyRelease`.
///
/// One command restores at most `limit` documents, the newest first; `next` is then where the next one
/// begins. So a restore in steps meets no document twice, also not those that stay where they are.
pub static COMMAND: Command = Command::any("mayflyRestoreTrash", RestoreTrashFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let chosen = TrashSelection::read(context, request)?;
    let fields = RestoreTrashFields::read(request)?;
    let mut ids = RequestedIds::read(request)?;
    if !ids.is_all() && !matches!(request.first()?, RawBsonRef::String(_)) {
        return Err(CommandError::bad_value(
            "'ids' are of one collection: mayflyRestoreTrash needs its name with them",
        ));
    }
    let limit = fields.limit.and_then(|limit| usize::try_from(limit).ok());
    let limit = limit.unwrap_or(RESTORE_DOCS_MAX).clamp(1, RESTORE_DOCS_MAX);
    let mut position = ListPosition::read(request)?;
    let _one_at_a_time = context.restoring.lock().unwrap_or_else(PoisonError::into_inner);
    let mut restore = Restore::new(context);
    let rows = TrashStep { context, chosen: &chosen, limit };
    let (mut found, mut more) = rows.restore(&mut ids, &mut position, &mut restore)?;
    for archive in chosen.archives.iter().flatten() {
        if more || ids.is_done() {
            break;
        }
        let from = position.start_of(archive);
        let source = (&**archive, &chosen.filter, &from);
        let step = restore_from(context, source, &mut ids, limit - found, &mut restore)?;
        (found, more) = (found + step.documents, step.more);
        position.archives.extend(step.last.map(|mark| (archive.folder().to_owned(), mark)));
    }
    let (report, held) = restore.finish()?;
    let not_found = ids.left() + report.gone;
    let mut reply = report.into_document();
    reply.extend(doc! {
        "notFound": long(not_found),
        "held": held,
        "more": more,
        "next": if more { position.next(&chosen)? } else { Bson::Null },
    });
    raw(&reply)
}

/// The part of a command that restores rows of the trash.
struct TrashStep<'s> {
    context: &'s Context,
    chosen: &'s TrashSelection,
    limit: usize,
}

impl TrashStep<'_> {
    /// Returns how many rows were selected, and whether there are more.
    fn restore(
        &self,
        ids: &mut RequestedIds,
        position: &mut ListPosition,
        restore: &mut Restore<'_>,
    ) -> Result<(usize, bool), CommandError> {
        let (mut numbers, mut more) = (Vec::new(), false);
        self.context.collections.scan_trash(position.trash, &mut |row| {
            // Of each the newest, which comes first.
            let id = || id_key(row.document.get("_id").ok().flatten());
            if !self.chosen.has(row)? || !ids.is_all() && !ids.take(&id()) {
                return Ok(ControlFlow::Continue(()));
            }
            if numbers.len() == self.limit {
                more = true;
                return Ok(ControlFlow::Break(()));
            }
            numbers.push((row.number, row.document.as_bytes().len()));
            let is_done = ids.is_done();
            Ok::<_, CommandError>(if is_done {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        let mut rest = numbers.as_slice();
        while !rest.is_empty() {
            let (batch, later) = rest.split_at(batch_len(rest));
            let rows = rows(self.context, self.chosen, batch)?;
            restore.note_gone(batch.len() - rows.len());
            restore.write(&rows)?;
            rest = later;
        }
        // Row 0 doesn't exist: the next step begins with the archives.
        position.trash = numbers.last().filter(|_| more).map_or(Some(0), |(row, _)| Some(*row));
        Ok((numbers.len(), more))
    }
}

fn batch_len(rest: &[(u64, usize)]) -> usize {
    let mut bytes = 0;
    let fit = rest.iter().take(BATCH_DOCS).take_while(|(_, size)| {
        let fits = bytes < BATCH_BYTES;
        bytes += size;
        fits
    });
    fit.count().max(1)
}

/// Reads a batch of rows.
fn rows(
    context: &Context,
    chosen: &TrashSelection,
    batch: &[(u64, usize)],
) -> Result<Vec<RemovedDocument>, CommandError> {
    context.collections.store().read(|reader| {
        let mut rows = Vec::with_capacity(batch.len());
        for (number, _) in batch {
            // Another command may have taken it out of the trash, or the drain.
            let Some(row) = Collections::trash_row(reader, *number)? else { continue };
            rows.push(RemovedDocument { home: chosen.home(&row)?, row: row.to_restorable() });
        }
        Ok(rows)
    })
}

/// The documents that a step found in an archive.
struct FoundArchived {
    /// Documents, restored or not.
    documents: usize,
    /// The last of them.
    last: Option<ScanMark>,
    /// Whether the archive has more than the step may restore.
    more: bool,
}

/// Restores at most `max` wanted documents that the filter matches, of each `_id` the newest.
fn restore_from(
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
