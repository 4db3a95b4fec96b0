//! `mayflyRestoreArchived`: restores documents from an archive into their collection.

use std::{collections::HashSet, ops::ControlFlow, sync::PoisonError};

use bson::raw::RawBsonRef;

use super::{
    archive_selection::{ArchiveSelection, archive_of},
    restore::{BATCH_BYTES, BATCH_DOCS, RemovedDocument, Restore},
    restore_report::id_key,
};
use crate::{
    archive::{Archive, Archived},
    collection::RestorableRow,
    command::core::{Answer, Command, CommandError, Context, Request, fields, long, raw},
    limits::RESTORE_DOCS_MAX,
};

fields! {
    struct RestoreArchivedFields<'r> from Request<'r> {
        optional "filter": get => filter Option<RawBsonRef<'r>>,
        optional "before",
        optional "after",
        optional "ids": get => ids Option<RawBsonRef<'r>>,
    }
}

/// `{mayflyRestoreArchived: coll, ids: [..] | filter, before?: date}`
///
/// Of each `_id` the newest document is restored, unless the collection has that `_id`: the newest
/// of those that `mayflyArchived` lists for the same `filter` and `before`. A client therefore
/// restores what it has seen, even if the archive has a newer document that does not match.
///
/// Rules that would remove it at once are put on hold first, until `mayflyRelease`. The archive is
/// not changed.
pub static COMMAND: Command =
    Command::any("mayflyRestoreArchived", RestoreArchivedFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let archive = archive_of(context, request)?;
    let selection = ArchiveSelection::read(context, request)?;
    let fields = RestoreArchivedFields::read(request)?;
    let mut wanted = RequestedIds::read(request, &fields)?;
    let _one_at_a_time = context.restoring.lock().unwrap_or_else(PoisonError::into_inner);
    let mut restore = Restore::new(context);
    let (mut batch, mut bytes) = (Vec::new(), 0);
    let (mut met, mut found, mut more) = (HashSet::new(), 0, false);
    selection.scan(&archive, |archived| {
        let id = id_key(archived.document.get("_id").ok().flatten());
        // The newest comes first, so a later document with this `_id` is an older one.
        if !wanted.has(&id) || !met.insert(id.clone()) {
            return Ok(ControlFlow::Continue(()));
        }
        if found == RESTORE_DOCS_MAX {
            more = true;
            return Ok(ControlFlow::Break(()));
        }
        found += 1;
        wanted.take(&id);
        bytes += archived.document.as_bytes().len();
        batch.push(removed(context, &archive, archived));
        if batch.len() >= BATCH_DOCS || bytes >= BATCH_BYTES {
            bytes = 0;
            restore.write(&std::mem::take(&mut batch))?;
        }
        let is_done = wanted.is_done();
        Ok(if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    restore.write(&batch)?;
    let (report, held) = restore.finish()?;
    let mut reply = report.into_document();
    reply.insert("notFound", long(wanted.left() as u64));
    reply.insert("held", held);
    reply.insert("more", more);
    raw(&reply)
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

/// The requested `_id`s; `None` requests all.
struct RequestedIds(Option<HashSet<Vec<u8>>>);

impl RequestedIds {
    fn read(
        request: &Request<'_>,
        fields: &RestoreArchivedFields<'_>,
    ) -> Result<Self, CommandError> {
        let ids = match fields.ids {
            None if fields.filter.is_some() => return Ok(Self(None)),
            None => {
                return Err(CommandError::bad_value(
                    "mayflyRestoreArchived needs 'ids' or 'filter' to select the documents to restore",
                ));
            }
            Some(RawBsonRef::Array(ids)) => ids,
            Some(other) => return Err(request.wrong_type("ids", other, "array")),
        };
        let ids: HashSet<Vec<u8>> =
            ids.into_iter().map(|id| Ok(id_key(Some(id?)))).collect::<Result<_, CommandError>>()?;
        Ok(Self(Some(ids)))
    }

    fn has(&self, id: &[u8]) -> bool {
        self.0.as_ref().is_none_or(|ids| ids.contains(id))
    }

    fn take(&mut self, id: &[u8]) {
        if let Some(ids) = &mut self.0 {
            ids.remove(id);
        }
    }

    fn is_done(&self) -> bool {
        self.0.as_ref().is_some_and(HashSet::is_empty)
    }

    fn left(&self) -> usize {
        self.0.as_ref().map_or(0, HashSet::len)
    }
}
