//! `mayflyRestoreTrash`: restores removed documents from the trash.

use std::{collections::HashSet, ops::ControlFlow, sync::PoisonError};

use bson::{Bson, doc, raw::RawBsonRef};

use super::{
    restore::{BATCH_BYTES, BATCH_DOCS, RemovedDocument, Restore},
    restore_report::id_key,
    trash_selection::TrashSelection,
};
use crate::{
    collection::Collections,
    command::core::{Answer, Command, CommandError, Context, Request, fields, long, raw},
    limits::RESTORE_DOCS_MAX,
};

fields! {
    struct RestoreTrashFields<'r> from Request<'r> {
        optional "ids": get => ids Option<RawBsonRef<'r>>,
        optional "pass",
        optional "after": count => after Option<u64>,
        optional "limit": count => limit Option<u64>,
    }
}

/// `{mayflyRestoreTrash: coll | 1, ids?: [..], pass?: n, after?: the "next" of the step before,
/// limit?}`; 1 is all collections of all databases.
///
/// Of each `_id` the newest document is restored unchanged, unless the collection has that `_id`.
/// Rules that would remove it at once are put on hold first, until `mayflyRelease`. One command
/// restores at most `limit` documents, the newest first; `next` is then where the next one begins.
/// So a restore in steps meets no document twice, also not those that stay in the trash.
pub static COMMAND: Command = Command::any("mayflyRestoreTrash", RestoreTrashFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let chosen = TrashSelection::read(context, request)?;
    let fields = RestoreTrashFields::read(request)?;
    let mut ids = read_ids(request, fields.ids)?;
    let limit = fields.limit.and_then(|limit| usize::try_from(limit).ok());
    let limit = limit.unwrap_or(RESTORE_DOCS_MAX).clamp(1, RESTORE_DOCS_MAX);
    let _one_at_a_time = context.restoring.lock().unwrap_or_else(PoisonError::into_inner);
    let mut numbers: Vec<(u64, usize)> = Vec::new();
    let mut more = false;
    context.collections.scan_trash(fields.after, &mut |row| {
        if !chosen.has(row) {
            return Ok(ControlFlow::Continue(()));
        }
        if let Some(ids) = &mut ids {
            // Of each the newest, which comes first.
            if !ids.remove(&id_key(row.document.get("_id").ok().flatten())) {
                return Ok(ControlFlow::Continue(()));
            }
        }
        if numbers.len() == limit {
            more = true;
            return Ok(ControlFlow::Break(()));
        }
        numbers.push((row.number, row.document.as_bytes().len()));
        let is_done = ids.as_ref().is_some_and(HashSet::is_empty);
        Ok::<_, CommandError>(if is_done {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    let mut restore = Restore::new(context);
    let mut rest = numbers.as_slice();
    while !rest.is_empty() {
        let (batch, behind) = rest.split_at(batch_len(rest));
        let rows = rows(context, &chosen, batch)?;
        restore.note_gone(batch.len() - rows.len());
        restore.write(&rows)?;
        rest = behind;
    }
    let (report, held) = restore.finish()?;
    let not_found = ids.map_or(0, |ids| ids.len()) as u64 + report.gone;
    let mut reply = report.into_document();
    reply.extend(doc! {
        "notFound": long(not_found),
        "held": held,
        "more": more,
        "next": numbers.last().filter(|_| more).map_or(Bson::Null, |(number, _)| long(*number).into()),
    });
    raw(&reply)
}

fn read_ids(
    request: &Request<'_>,
    ids: Option<RawBsonRef<'_>>,
) -> Result<Option<HashSet<Vec<u8>>>, CommandError> {
    let ids = match ids {
        None => return Ok(None),
        Some(RawBsonRef::Array(ids)) => ids,
        Some(other) => return Err(request.wrong_type("ids", other, "array")),
    };
    if !matches!(request.first()?, RawBsonRef::String(_)) {
        return Err(CommandError::bad_value(
            "'ids' are of one collection: mayflyRestoreTrash needs its name with them",
        ));
    }
    ids.into_iter().map(|id| Ok(id_key(Some(id?)))).collect::<Result<_, CommandError>>().map(Some)
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
