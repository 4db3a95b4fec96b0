//! `mayflyRestoreTrash`: restores removed documents from the trash.

use std::{
    collections::{BTreeSet, HashSet},
    ops::ControlFlow,
    sync::PoisonError,
};

use bson::{Bson, doc, raw::RawBsonRef};

use super::{
    restore_report::{RestoreCounts, id_key, is_due},
    trash_selection::TrashSelection,
};
use crate::{
    catalog::{CatalogSnapshot, Namespace},
    collection::{Collections, DocumentWriter, RestorableRow},
    command::core::{Answer, Command, CommandError, Context, Request, fields, long, raw},
    event::{Event, RestoredDocument},
    limits::{TRASH_RESTORE_DOCS_MAX, TRASH_RESTORE_LOOKS_MAX},
    plan::has_document_with_id,
    reaper::{HoldBeforeRestore, RuleId, targets_of},
    store::StoreError,
};

/// Documents that one transaction restores, and their bytes.
const BATCH_DOCS: usize = 200;
const BATCH_BYTES: usize = 4 * 1024 * 1024;

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
    let limit = limit.unwrap_or(TRASH_RESTORE_DOCS_MAX).clamp(1, TRASH_RESTORE_DOCS_MAX);
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
    let mut restore = TrashRestore {
        context,
        chosen,
        held: BTreeSet::new(),
        holds: Vec::new(),
        report: RestoreCounts::default(),
    };
    let mut rest = numbers.as_slice();
    while !rest.is_empty() {
        let (batch, behind) = rest.split_at(batch_len(rest));
        restore.write(batch)?;
        rest = behind;
    }
    let (report, held) = restore.finish()?;
    context.reaper.counters().restored.add(report.restored);
    raw(&doc! {
        "restored": long(report.restored),
        "existing": long(report.existing.count),
        "existingIds": report.existing.first,
        "refused": long(report.refused.count),
        "refusals": report.refused.first,
        "notFound": long(ids.map_or(0, |ids| ids.len()) as u64),
        "held": names(context, &held),
        "more": more,
        "next": numbers.last().filter(|_| more).map_or(Bson::Null, |(number, _)| long(*number).into()),
    })
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

/// The names of rules on hold.
fn names(context: &Context, held: &BTreeSet<RuleId>) -> Vec<Bson> {
    let all = crate::reaper::targets(&context.collections.catalog());
    let held = all.iter().filter(|target| held.contains(&target.identity()));
    held.map(|target| {
        let ns = target.collection.namespace.to_string();
        Bson::Document(doc! { "ns": ns, "index": target.name() })
    })
    .collect()
}

/// A command under way.
struct TrashRestore<'r> {
    context: &'r Context,
    chosen: TrashSelection,
    /// Rules that are on hold because of restored documents.
    held: BTreeSet<RuleId>,
    holds: Vec<HoldBeforeRestore>,
    report: RestoreCounts,
}

/// A row of the trash and its target collection.
struct RestoreRow {
    /// The name of its collection when the command began, or the last one if that was dropped.
    home: Namespace,
    row: RestorableRow,
}

impl RestoreRow {
    fn id(&self) -> RawBsonRef<'_> {
        self.row.document.get("_id").ok().flatten().unwrap_or(RawBsonRef::Null)
    }

    /// Its target collection.
    fn home(&self, catalog: &CatalogSnapshot) -> Namespace {
        // By its number, because the collection may have been renamed during the command.
        let present = catalog.collection_by_id(self.row.collection);
        present.map_or_else(|| self.home.clone(), |present| present.namespace.clone())
    }
}

impl TrashRestore<'_> {
    /// Restores a batch. Rules that would remove it at once are put on hold before; repeats while
    /// new ones turn up.
    fn write(&mut self, batch: &[(u64, usize)]) -> Result<(), CommandError> {
        let rows = self.rows(batch)?;
        // Another client may add a rule between the look and the hold, so it is repeated a few
        // times.
        for _ in 0..TRASH_RESTORE_LOOKS_MAX {
            let rules = self.try_write(&rows)?;
            if rules.is_empty() {
                return Ok(());
            }
            self.hold(rules)?;
        }
        let what = "other clients are changing the collection's TTL rules".to_owned();
        Err(StoreError::Busy { what }.into())
    }

    /// Restores rows, in one transaction, unless rules have to be put on hold first: returns those.
    fn try_write(&mut self, rows: &[RestoreRow]) -> Result<BTreeSet<RuleId>, CommandError> {
        let this = &*self;
        // Counted from the start each time that the transaction runs.
        let (report, rules, restored) = this.context.write(|writer| {
            let (mut report, mut restored) = (this.report.clone(), Vec::new());
            let rules = this.to_hold(writer, rows)?;
            // While a rule needs a hold, nothing is written: the hold must exist before the
            // documents do.
            if rules.is_empty() {
                for row in rows {
                    restored.extend(restore(writer, row, &mut report)?);
                }
            }
            Ok((report, rules, restored))
        })?;
        self.report = report;
        // After the commit, so that no event reports a restore that was rolled back.
        if !restored.is_empty() {
            self.context.collections.tell(&Event::Restored(restored));
        }
        Ok(rules)
    }

    fn rows(&self, batch: &[(u64, usize)]) -> Result<Vec<RestoreRow>, CommandError> {
        self.context.collections.store().read(|reader| {
            let mut rows = Vec::with_capacity(batch.len());
            for (number, _) in batch {
                // Another command may have taken it out of the trash.
                let Some(row) = Collections::trash_row(reader, *number)? else { continue };
                let home = self.chosen.home(&row)?;
                rows.push(RestoreRow { home, row: row.to_restorable() });
            }
            Ok::<_, CommandError>(rows)
        })
    }

    /// The rules that would remove these documents again and that are not held yet.
    fn to_hold(
        &self,
        writer: &mut DocumentWriter<'_, '_>,
        rows: &[RestoreRow],
    ) -> Result<BTreeSet<RuleId>, CommandError> {
        let now_ms = writer.now_ms();
        let mut rules = BTreeSet::new();
        for row in rows {
            let home = row.home(writer.catalog());
            let Some(collection) = writer.collection(&home) else { continue };
            // A document whose `_id` is taken is not restored, so it needs no hold.
            if has_document_with_id(&writer.reader(), &collection, row.id())? {
                continue;
            }
            for target in targets_of(writer.catalog(), collection.id) {
                let is_held = self.held.contains(&target.identity());
                if !is_held && is_due(&target, &row.row.document, now_ms)? {
                    rules.insert(target.identity());
                }
            }
        }
        Ok(rules)
    }

    fn hold(&mut self, rules: BTreeSet<RuleId>) -> Result<(), CommandError> {
        let all: Vec<RuleId> = rules.iter().copied().collect();
        self.holds.extend(self.context.reaper.hold_for_restore(&all)?);
        self.held.extend(rules);
        Ok(())
    }

    /// Releases the holds if nothing was restored.
    fn finish(mut self) -> Result<(RestoreCounts, BTreeSet<RuleId>), CommandError> {
        if self.report.restored == 0 {
            self.context.reaper.undo_hold_for_restore(&self.holds)?;
            self.held.clear();
        }
        Ok((self.report, self.held))
    }
}

/// Restores one row, unless its `_id` is taken or it is refused.
fn restore(
    writer: &mut DocumentWriter<'_, '_>,
    row: &RestoreRow,
    report: &mut RestoreCounts,
) -> Result<Option<RestoredDocument>, CommandError> {
    let home = row.home(writer.catalog());
    let collection = writer.create_if_missing(&home)?;
    let (raw_id, row) = (row.id(), &row.row);
    let id = Bson::try_from(raw_id).unwrap_or(Bson::Null);
    if report.note_if_taken(&writer.reader(), &collection, raw_id)? {
        return Ok(None);
    }
    // Another command may have restored it.
    if Collections::trash_row(&writer.reader(), row.number)?.is_none() {
        return Ok(None);
    }
    if !report.note(writer.restore_row(&collection, row), &collection, id.clone())? {
        return Ok(None);
    }
    // In the same transaction: after a crash the document is in the trash or in the collection,
    // never in both.
    writer.take_from_trash(row.number)?;
    let namespace = collection.namespace.clone();
    Ok(Some(RestoredDocument { namespace, id, removed_ms: row.removed_ms }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::command::{core::Client, testing::Lab};
    use crate::value::scan::DocumentFacts;

    /// Puts row 1 of the trash back, after something happens to the collection.
    fn restore_after(lab: &Lab, change: &dyn Fn()) {
        let (collections, reaper) = (lab.engine.collections(), lab.engine.reaper());
        let context = Context::new(Arc::clone(collections), Arc::clone(reaper), None, []);
        let (client, command) = (Client::default(), bson::rawdoc! { "mayflyRestoreTrash": "c" });
        let request = Request::check(
            crate::command::TABLE,
            &COMMAND,
            &client,
            "test",
            &command,
            DocumentFacts::default(),
            0,
        );
        let request = request.expect("a request");
        let mut restore = TrashRestore {
            context: &context,
            chosen: TrashSelection::read(&context, &request).expect("a choice"),
            held: BTreeSet::new(),
            holds: Vec::new(),
            report: RestoreCounts::default(),
        };
        let rows = restore.rows(&[(1, 0)]).expect("read");
        change();
        let rules = restore.try_write(&rows).expect("looked at");
        assert_eq!((rules.len(), restore.report.restored), (1, 0), "nothing before it is held");
        restore.hold(rules).expect("held");
        let rules = restore.try_write(&rows).expect("written");
        assert_eq!((rules.len(), restore.report.restored), (0, 1));
        assert!(reaper.run_scheduled_pass().is_some_and(|pass| pass.deleted == 0));
    }

    const INSERT: &str = "{insert: 'c', documents: [{_id: 1, at: ISODate('2023-12-31')}]}";

    fn reaped() -> Lab {
        let lab = Lab::new();
        lab.ok("{setParameter: 1, mayflyTrashSecs: 600}");
        lab.ok(
            "{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'ttl', expireAfterSeconds: 0}]}",
        );
        lab.ok(INSERT);
        lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
        lab
    }

    #[test]
    fn the_rule_is_held_also_when_a_pass_has_just_made_the_place_free() {
        let lab = reaped();
        lab.ok(INSERT);
        restore_after(&lab, &|| lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}"));
        lab.check("{count: 'c'}", "{n: 1}");
    }

    #[test]
    fn the_rule_of_a_collection_that_has_come_in_its_place_is_held() {
        let lab = reaped();
        restore_after(&lab, &|| {
            lab.ok("{aggregate: 'c', pipeline: [{$out: 'c'}], cursor: {}}");
        });
        lab.check("{count: 'c'}", "{n: 1}");
    }

    #[test]
    fn documents_follow_their_collection_to_another_name() {
        let lab = reaped();
        restore_after(&lab, &|| {
            let rename = bson::doc! { "renameCollection": "test.c", "to": "test.d" };
            let reply = lab.engine.run("admin", &rename);
            assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{reply}");
        });
        lab.check("{count: 'c'}", "{n: 0}");
        lab.check("{count: 'd'}", "{n: 1}");
    }
}
