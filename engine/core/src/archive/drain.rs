//! The drain: moves rows of the trash whose time is up to their archives.

use std::sync::{Arc, atomic::Ordering};

use super::{Archive, ArchiveError, Archived, Archives, inventory::Inventory, store::Ledger};
use crate::{
    catalog::Namespace,
    collection::{DocumentWriter, DueRows, WaitingRow, WriteError},
    limits::ARCHIVE_BATCH_BYTES_MAX,
};

/// The result of one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DrainStep {
    /// Documents that were moved.
    pub moved: u64,
    /// Whether there may be more to move now.
    pub more: bool,
    /// When the next row is due, in milliseconds since 1970; `None` if no row waits.
    pub next_ms: Option<i64>,
}

impl Archives {
    /// Moves at most one segment of rows whose time is up at `now_ms`, oldest first. With `gather_ms`,
    /// rows stay until the oldest is overdue by so long or a segment is full, which saves files.
    ///
    /// # Errors
    /// `Waiting` when the archive can't be written: the rows stay in the trash.
    pub fn drain_step(
        &self,
        archive: &Archive,
        now_ms: i64,
        gather_ms: i64,
    ) -> Result<DrainStep, ArchiveError> {
        let from = archive.from.load(Ordering::Relaxed);
        let due = self.collections().due_for_archive(
            archive.folder(),
            (from, now_ms),
            ARCHIVE_BATCH_BYTES_MAX,
        )?;
        archive.from.store(due.from, Ordering::Relaxed);
        let Some(first) = due.rows.first() else {
            // A commit that failed may be on disk, and what waited may have been restored.
            if archive.end_failure() {
                archive.load_inventory(self.collections().store());
            }
            return Ok(DrainStep { next_ms: due.next_ms, ..DrainStep::default() });
        };
        // A store on a full disk needs the room now.
        let gather_ms = if self.collections().store().is_full() { 0 } else { gather_ms };
        let ready_ms = first.until_ms.saturating_add(gather_ms);
        let is_ahead = first.removed_ms > now_ms;
        if !due.more && !is_ahead && ready_ms > now_ms {
            return Ok(DrainStep { next_ms: Some(ready_ms), ..DrainStep::default() });
        }
        let counts = self.write(archive, &due)?;
        let moved = if counts { due.rows.len() as u64 } else { 0 };
        // A row that was restored in between is left out of the next attempt.
        Ok(DrainStep { moved, more: due.more || !counts, next_ms: due.next_ms })
    }

    fn write(&self, archive: &Archive, due: &DueRows) -> Result<bool, ArchiveError> {
        let documents = due.rows.iter().map(archived).collect::<Result<Vec<_>, _>>()?;
        let name = archive.inventory_name();
        let store = self.collections().store();
        let ledger = Ledger {
            load: &|| archive.stored_inventory(store),
            save: &|inventory| {
                let bytes = inventory.to_bytes()?;
                store.write(|writer| writer.put_meta(&name, &bytes))
            },
            commit: &|inventory| {
                let bytes = inventory.to_bytes()?;
                Ok(self.collections().write(|writer| take_out(writer, &due.rows, &name, &bytes))?)
            },
        };
        let counts = archive.write_segment(&**self.collections().clock(), &documents, &ledger);
        // Its settings may have changed while the segment was written: then another one is read.
        for present in self.all() {
            if present.folder() == archive.folder() && !std::ptr::eq(Arc::as_ptr(&present), archive)
            {
                present.load_inventory(store);
            }
        }
        counts
    }

    /// Enforces the limits of all archives that are on. Failures, and what is left when
    /// `may_continue` returns false, are retried by the next drain.
    pub fn prune(&self, now_ms: i64, may_continue: &dyn Fn() -> bool) {
        let store = self.collections().store();
        for archive in self.all().iter().filter(|archive| archive.is_on()) {
            let load = || archive.stored_inventory(store);
            let save = |inventory: &Inventory| {
                let bytes = inventory.to_bytes()?;
                store.write(|writer| writer.put_meta(&archive.inventory_name(), &bytes))
            };
            let _ = archive.prune(now_ms, may_continue, (&load, &save));
        }
    }
}

/// Takes rows out of the trash and stores the inventory; nothing of it if a row is not there.
pub(super) fn take_out(
    writer: &mut DocumentWriter<'_, '_>,
    rows: &[WaitingRow],
    name: &str,
    inventory: &[u8],
) -> Result<bool, WriteError> {
    let reader = writer.reader();
    for row in rows {
        if !DocumentWriter::is_in_trash(&reader, row.number)? {
            return Ok(false);
        }
    }
    for row in rows {
        writer.take_from_trash(row.number)?;
    }
    writer.put_meta(name, inventory)?;
    Ok(true)
}

pub(super) fn archived(row: &WaitingRow) -> Result<Archived, ArchiveError> {
    let namespace = Namespace::parse(&row.namespace)
        .map_err(|error| ArchiveError::Damaged { what: error.to_string() })?;
    Ok(Archived {
        removed_ms: row.removed_ms,
        namespace,
        index: row.index.clone(),
        record: row.number.into(),
        modified_ms: row.modified_ms,
        threshold_ms: row.threshold_ms,
        document: row.document.clone(),
    })
}
