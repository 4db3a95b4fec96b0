//! The one way that removed documents come back: the rules that would remove them again at once are
//! put on hold first, until `mayflyRelease`.

use std::collections::BTreeSet;

use bson::{Bson, doc, raw::RawBsonRef};

use super::restore_report::{RestoreCounts, is_due};
use crate::{
    catalog::{CatalogSnapshot, Namespace},
    collection::{DocumentWriter, RestorableRow},
    command::core::{CommandError, Context},
    event::{Event, RestoredDocument},
    limits::RESTORE_LOOKS_MAX,
    plan::has_document_with_id,
    reaper::{HoldBeforeRestore, RuleId, targets_of},
    store::StoreError,
};

/// Documents that one transaction restores, and their bytes.
pub const BATCH_DOCS: usize = 200;
pub const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// A command under way.
pub struct Restore<'r> {
    context: &'r Context,
    /// Rules that are on hold because of restored documents.
    held: BTreeSet<RuleId>,
    holds: Vec<HoldBeforeRestore>,
    report: RestoreCounts,
}

/// A removed document and its target collection.
pub struct RemovedDocument {
    /// The name of its collection when the command began, or the last one if that was dropped.
    pub home: Namespace,
    /// Row 0 is a document of an archive, which keeps it.
    pub row: RestorableRow,
}

impl RemovedDocument {
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

impl<'r> Restore<'r> {
    pub fn new(context: &'r Context) -> Self {
        let (held, holds) = (BTreeSet::new(), Vec::new());
        Self { context, held, holds, report: RestoreCounts::default() }
    }

    /// Counts rows that were no longer in the trash when they were read.
    pub fn note_gone(&mut self, rows: usize) {
        self.report.gone += rows as u64;
    }

    /// Restores a batch. Rules that would remove it at once are put on hold before; repeats while
    /// new ones turn up.
    pub fn write(&mut self, batch: &[RemovedDocument]) -> Result<(), CommandError> {
        // Another client may add a rule between the look and the hold, so it is repeated a few
        // times.
        for _ in 0..RESTORE_LOOKS_MAX {
            let rules = self.try_write(batch)?;
            if rules.is_empty() {
                return Ok(());
            }
            self.hold(rules)?;
        }
        let what = "other clients are changing the collection's TTL rules".to_owned();
        Err(StoreError::Busy { what }.into())
    }

    /// Restores documents, in one transaction, unless rules have to be put on hold first: returns
    /// those.
    fn try_write(&mut self, batch: &[RemovedDocument]) -> Result<BTreeSet<RuleId>, CommandError> {
        let this = &*self;
        // Counted from the start each time that the transaction runs.
        let (report, rules, restored) = this.context.write(|writer| {
            let (mut report, mut restored) = (this.report.clone(), Vec::new());
            let rules = this.to_hold(writer, batch)?;
            // While a rule needs a hold, nothing is written: the hold must exist before the
            // documents do.
            if rules.is_empty() {
                for removed in batch {
                    restored.extend(restore(writer, removed, &mut report)?);
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

    /// The rules that would remove these documents again and that are not held yet.
    fn to_hold(
        &self,
        writer: &mut DocumentWriter<'_, '_>,
        batch: &[RemovedDocument],
    ) -> Result<BTreeSet<RuleId>, CommandError> {
        let now_ms = writer.now_ms();
        let mut rules = BTreeSet::new();
        for removed in batch {
            let home = removed.home(writer.catalog());
            let Some(collection) = writer.collection(&home) else { continue };
            // A document whose `_id` is taken is not restored, so it needs no hold.
            if has_document_with_id(&writer.reader(), &collection, removed.id())? {
                continue;
            }
            for target in targets_of(writer.catalog(), collection.id) {
                let is_held = self.held.contains(&target.identity());
                if !is_held && is_due(&target, &removed.row.document, now_ms)? {
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

    /// Releases the holds if nothing was restored. Returns the counts and the rules on hold.
    pub fn finish(mut self) -> Result<(RestoreCounts, Vec<Bson>), CommandError> {
        if self.report.restored == 0 {
            self.context.reaper.undo_hold_for_restore(&self.holds)?;
            self.held.clear();
        }
        self.context.reaper.counters().restored.add(self.report.restored);
        let held = names(self.context, &self.held);
        Ok((self.report, held))
    }
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

/// Restores one document, unless its `_id` is taken or it is refused.
fn restore(
    writer: &mut DocumentWriter<'_, '_>,
    removed: &RemovedDocument,
    report: &mut RestoreCounts,
) -> Result<Option<RestoredDocument>, CommandError> {
    let home = removed.home(writer.catalog());
    let collection = writer.create_if_missing(&home)?;
    let (raw_id, row) = (removed.id(), &removed.row);
    let id = Bson::try_from(raw_id).unwrap_or(Bson::Null);
    if report.note_if_taken(&writer.reader(), &collection, raw_id)? {
        return Ok(None);
    }
    // Another command may have restored it, or the drain has moved it.
    if row.number > 0 && !DocumentWriter::is_in_trash(&writer.reader(), row.number)? {
        report.gone += 1;
        return Ok(None);
    }
    if !report.note(writer.restore_row(&collection, row), &collection, id.clone())? {
        return Ok(None);
    }
    // In the same transaction: after a crash the document is in the trash or in the collection,
    // never in both.
    if row.number > 0 {
        writer.take_from_trash(row.number)?;
    }
    let namespace = collection.namespace.clone();
    Ok(Some(RestoredDocument { namespace, id, removed_ms: row.removed_ms }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{collection::Collections, command::testing::Lab};

    /// Puts row 1 of the trash back, after something happens to the collection.
    fn restore_after(lab: &Lab, change: &dyn Fn()) {
        let (collections, reaper) = (lab.engine.collections(), lab.engine.reaper());
        let context = Context::new(Arc::clone(collections), Arc::clone(reaper), None, []);
        let mut restore = Restore::new(&context);
        let row = collections.store().read(|reader| {
            let row = Collections::trash_row(reader, 1)?.expect("a row");
            Ok::<_, StoreError>(row.to_restorable())
        });
        let home = Namespace::new("test", "c");
        let rows = [RemovedDocument { home, row: row.expect("read") }];
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
    fn a_row_that_the_drain_moves_during_the_command_is_counted() {
        let lab = reaped();
        let (collections, reaper) = (lab.engine.collections(), lab.engine.reaper());
        let context = Context::new(Arc::clone(collections), Arc::clone(reaper), None, []);
        let row = collections.store().read(|reader| {
            let row = Collections::trash_row(reader, 1)?.expect("a row");
            Ok::<_, StoreError>(row.to_restorable())
        });
        let home = Namespace::new("test", "c");
        let rows = [RemovedDocument { home, row: row.expect("read") }];
        let taken = collections.write(|writer| writer.take_from_trash(1));
        assert_eq!(taken, Ok(true));
        let mut restore = Restore::new(&context);
        restore.write(&rows).expect("looked at");
        restore.note_gone(1);
        let (report, held) = restore.finish().expect("finished");
        assert_eq!((report.restored, report.gone, held.len()), (0, 2, 0));
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
