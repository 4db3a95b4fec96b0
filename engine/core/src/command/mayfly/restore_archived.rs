//! `mayflyRestoreArchived`: restores documents from an archive into their collection.

use std::{collections::HashSet, ops::ControlFlow};

use bson::{Bson, Document, RawDocumentBuf, doc, raw::RawBsonRef};

use super::{
    archive_selection::{ArchiveSelection, archive_of},
    restore_report::{RestoreCounts, id_key, is_due, refusal},
};
use crate::{
    archive::{Archive, Archived},
    collection::DocumentWriter,
    command::core::{Answer, Command, CommandError, Context, Request, fields, long, raw},
    event::{Event, RestoredDocument},
    limits::ARCHIVE_RESTORE_DOCS_MAX,
    query::{Update, UpdateContext},
    reaper::{Target, targets_of},
};

/// Documents that one transaction restores, and their bytes.
const BATCH_DOCS: usize = 200;
const BATCH_BYTES: usize = 4 * 1024 * 1024;

fields! {
    struct RestoreArchivedFields<'r> from Request<'r> {
        optional "filter": get => filter Option<RawBsonRef<'r>>,
        optional "before",
        optional "after",
        optional "ids": get => ids Option<RawBsonRef<'r>>,
        optional "force": flag => force bool,
        optional "setDate": date => date_ms Option<i64>,
    }
}

/// `{mayflyRestoreArchived: coll, ids: [..] | filter, before?: date, force?: bool, setDate?: date}`
///
/// Of each `_id` the newest document is restored, unless the collection has that `_id`: the newest
/// of those that `mayflyArchived` lists for the same `filter` and `before`. A client therefore
/// restores what it has seen, even if the archive has a newer document that does not match.
///
/// A document that a TTL rule would remove at once is restored only with `force`, or with
/// `setDate`, which replaces the date of the rule. The archive is not changed.
pub static COMMAND: Command =
    Command::any("mayflyRestoreArchived", RestoreArchivedFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let archive = archive_of(context, request)?;
    let selection = ArchiveSelection::read(context, request)?;
    let fields = RestoreArchivedFields::read(request)?;
    let mut wanted = RequestedIds::read(request, &fields)?;
    let mut restore = ArchiveRestore {
        context,
        archive: &archive,
        force: fields.force,
        date_ms: fields.date_ms,
        batch: Vec::new(),
        bytes: 0,
        report: RestoreCounts::default(),
    };
    let (mut met, mut found, mut more) = (HashSet::new(), 0, false);
    selection.scan(&archive, |archived| {
        let id = id_key(archived.expired.document.get("_id").ok().flatten());
        // The newest comes first, so a later document with this `_id` is an older one.
        if !wanted.has(&id) || !met.insert(id.clone()) {
            return Ok(ControlFlow::Continue(()));
        }
        if found == ARCHIVE_RESTORE_DOCS_MAX {
            more = true;
            return Ok(ControlFlow::Break(()));
        }
        found += 1;
        wanted.take(&id);
        restore.add(archived)?;
        let is_done = wanted.is_done();
        Ok(if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    restore.write()?;
    let mut reply = restore.report.into_document();
    reply.insert("notFound", long(wanted.left() as u64));
    reply.insert("more", more);
    raw(&reply)
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

/// A command under way.
struct ArchiveRestore<'r> {
    context: &'r Context,
    archive: &'r Archive,
    force: bool,
    date_ms: Option<i64>,
    batch: Vec<Archived>,
    bytes: usize,
    report: RestoreCounts,
}

impl ArchiveRestore<'_> {
    fn add(&mut self, archived: Archived) -> Result<(), CommandError> {
        self.bytes += archived.expired.document.as_bytes().len();
        self.batch.push(archived);
        if self.batch.len() >= BATCH_DOCS || self.bytes >= BATCH_BYTES {
            return self.write();
        }
        Ok(())
    }

    /// Restores the batch, in one transaction.
    fn write(&mut self) -> Result<(), CommandError> {
        let batch = std::mem::take(&mut self.batch);
        self.bytes = 0;
        if batch.is_empty() {
            return Ok(());
        }
        let this = &*self;
        // Counted from the start each time that the transaction runs.
        let (report, restored) = this.context.write(|writer| {
            let (mut report, mut restored) = (this.report.clone(), Vec::new());
            for archived in &batch {
                restored.extend(this.restore(writer, archived, &mut report)?);
            }
            Ok((report, restored))
        })?;
        self.report = report;
        if !restored.is_empty() {
            self.context.collections.tell(&Event::Restored(restored));
        }
        Ok(())
    }

    /// Restores one document, unless its `_id` is taken, it would expire at once or is refused.
    fn restore(
        &self,
        writer: &mut DocumentWriter<'_, '_>,
        archived: &Archived,
        report: &mut RestoreCounts,
    ) -> Result<Option<RestoredDocument>, CommandError> {
        let document = &archived.expired.document;
        // The collection may have been renamed since the previous batch.
        let present = writer.catalog().collection_by_id(self.archive.collection());
        let home =
            present.map_or_else(|| self.archive.original_name(), |present| &present.namespace);
        let home = home.clone();
        let collection = writer.create_if_missing(&home)?;
        let targets = targets_of(writer.catalog(), collection.id);
        let now_ms = writer.now_ms();
        let raw_id = document.get("_id").ok().flatten().unwrap_or(RawBsonRef::Null);
        let id = Bson::try_from(raw_id).unwrap_or(Bson::Null);
        if report.note_if_taken(&writer.reader(), &collection, raw_id)? {
            return Ok(None);
        }
        let mut document = std::borrow::Cow::Borrowed(document);
        if let Some(date_ms) = self.date_ms {
            for target in &targets {
                if is_due(target, &document, now_ms)? && is_date(target) {
                    match with_date(&document, target.field(), date_ms) {
                        Ok(changed) => document = std::borrow::Cow::Owned(changed),
                        Err(error) => {
                            report.refused.add(refusal(id, &error.message));
                            return Ok(None);
                        }
                    }
                }
            }
        }
        if !self.force {
            // Another rule of the collection may still remove a document whose date was replaced.
            for target in &targets {
                if is_due(target, &document, now_ms)? {
                    report.would_expire.add(id);
                    return Ok(None);
                }
            }
        }
        if !report.note(writer.insert(&collection, &document), &collection, id.clone())? {
            return Ok(None);
        }
        let namespace = collection.namespace.clone();
        Ok(Some(RestoredDocument { namespace, id, removed_ms: archived.removed_ms }))
    }
}

/// Whether a rule looks at a date that can be changed.
fn is_date(target: &Target) -> bool {
    !matches!(target.field(), "_id" | "_ts" | "")
}

fn with_date(
    document: &RawDocumentBuf,
    path: &str,
    date_ms: i64,
) -> Result<RawDocumentBuf, CommandError> {
    let mut set = Document::new();
    set.insert(path, bson::DateTime::from_millis(date_ms));
    let update = RawDocumentBuf::try_from(&doc! { "$set": set })?;
    let update = Update::parse(RawBsonRef::Document(&update), &[])?;
    let before = Document::try_from(document.as_ref())?;
    let after = update.apply(&before, &UpdateContext::default())?;
    Ok(after.map_or_else(|| Ok(document.clone()), |after| RawDocumentBuf::try_from(&after))?)
}
