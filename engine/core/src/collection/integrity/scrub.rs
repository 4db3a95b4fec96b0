//! The scrub reads everything stored once a month in small steps, so damage is found while a backup
//! from before it still exists.
//!
//! A step reads for some milliseconds in its own transaction and remembers its position, also over
//! a restart. It checks checksums and the form of the BSON: the trash, the store's own small
//! tables, then each collection and its indexes. Whether documents and index entries match is
//! checked by [`Collections::verify`].

use std::ops::Bound;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use bson::Document;

use super::{
    damage_text::named,
    scrub_state::{SCRUB_META, ScrubPosition, ScrubState, ScrubStatus},
};
use crate::{
    catalog::{CatalogSnapshot, CollectionMeta, Namespace},
    clock::work_time,
    collection::Collections,
    event::{Event, Finding},
    limits::{FINDINGS_MAX, SCRUB_EVERY_MS, SCRUB_SAVE, SCRUB_STEP},
    store::{
        CollectionId, DamagedRow, IndexId, Reader, RecordNumber, SMALL_TABLES, Scan, StoreError,
    },
    value::{id_number::RecordName, scan},
};

/// The result of one step.
#[derive(Debug, Clone, PartialEq)]
pub enum ScrubStep {
    /// Nothing to do.
    Idle,
    /// It read on; each finding is returned once.
    Worked(Vec<Finding>),
}

impl Collections {
    /// The state of the current or last scrub.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn scrub_status(&self) -> Result<ScrubStatus, StoreError> {
        Ok(self.scrub_state()?.status.clone())
    }

    /// Starts a scrub from the beginning, even if one is running.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn start_scrub(&self) -> Result<(), StoreError> {
        let mut state = self.scrub_state()?;
        state.begin(self.clock.now_ms());
        self.save_scrub(&mut state);
        drop(state);
        self.tell(&Event::ScrubStarted);
        Ok(())
    }

    /// Stops the scrub; the next one starts when it is due.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn stop_scrub(&self) -> Result<(), StoreError> {
        let mut state = self.scrub_state()?;
        state.status.is_running = false;
        self.save_scrub(&mut state);
        Ok(())
    }

    /// Reads a little, if a scrub is running or due. Only a real clock makes one due: simulated
    /// months don't age a disk.
    ///
    /// # Errors
    /// When the store can't be read at all. Damage is a finding.
    pub fn scrub_step(&self) -> Result<ScrubStep, StoreError> {
        let mut state = self.scrub_state()?;
        if !state.status.is_running {
            let now_ms = self.clock.now_ms();
            let since = state.status.finished_ms.unwrap_or_else(|| self.store.created_ms());
            if !self.clock.is_real() || !is_due(since, now_ms) {
                return Ok(ScrubStep::Idle);
            }
            state.begin(now_ms);
        }
        let mut findings = Vec::new();
        let catalog = self.catalog();
        let is_done = self.store.read(|reader| {
            let until = work_time().saturating_add(SCRUB_STEP);
            ScrubRead { reader, until, state: &mut state, findings: &mut findings }.take(&catalog)
        })?;
        state.status.findings += findings.len() as u64;
        if is_done {
            state.status.is_running = false;
            state.status.finished_ms = Some(self.clock.now_ms());
        }
        if is_done || work_time().saturating_sub(state.saved) >= SCRUB_SAVE {
            self.save_scrub(&mut state);
        }
        Ok(ScrubStep::Worked(findings))
    }

    fn scrub_state(&self) -> Result<MutexGuard<'_, ScrubState>, StoreError> {
        let mut state = self.scrub.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.is_loaded {
            let stored = self.store.read(|reader| Ok(reader.meta(SCRUB_META)?.map(<[u8]>::to_vec)));
            // An unreadable state costs no more than a scrub that starts early.
            let bytes = StoreError::unless_damaged(stored)?.flatten();
            let document = bytes.and_then(|bytes| Document::from_reader(&bytes[..]).ok());
            *state = document.as_ref().map(ScrubState::from_document).unwrap_or_default();
            state.is_loaded = true;
            state.saved = work_time();
        }
        Ok(state)
    }

    /// Saves the state. If that fails, the scrub starts over after a restart.
    fn save_scrub(&self, state: &mut ScrubState) {
        state.saved = work_time();
        let mut bytes = Vec::new();
        if state.to_document().to_writer(&mut bytes).is_ok() {
            let _ = self.store.write(|writer| writer.put_meta(SCRUB_META, &bytes));
        }
    }
}

/// Whether the next scrub is due when the last one ended at `since`.
fn is_due(since: i64, now_ms: i64) -> bool {
    let passed = now_ms.checked_sub(since);
    // If the clock was set back, the next scrub is due too.
    passed.is_none_or(|passed| !(0..SCRUB_EVERY_MS).contains(&passed))
}

struct ScrubRead<'s, 't> {
    reader: &'s Reader<'t>,
    until: Duration,
    state: &'s mut ScrubState,
    findings: &'s mut Vec<Finding>,
}

impl ScrubRead<'_, '_> {
    /// Reads until the time is up. True when nothing is left.
    fn take(mut self, catalog: &CatalogSnapshot) -> Result<bool, StoreError> {
        if self.state.position.collection == 0 {
            if !self.trash()? || !self.small_tables(catalog)? {
                return Ok(false);
            }
            self.state.position = ScrubPosition { collection: 1, ..ScrubPosition::default() };
        }
        loop {
            let next =
                catalog.all_collections().filter(|one| one.id.0 >= self.state.position.collection);
            let Some(collection) = next.min_by_key(|one| one.id) else { return Ok(true) };
            if collection.id.0 > self.state.position.collection {
                self.state.position =
                    ScrubPosition { collection: collection.id.0, ..ScrubPosition::default() };
            }
            if !self.collection(collection)? {
                return Ok(false);
            }
            let Some(after) = collection.id.0.checked_add(1) else { return Ok(true) };
            self.state.position = ScrubPosition { collection: after, ..ScrubPosition::default() };
        }
    }

    /// True when the whole trash has been read.
    fn trash(&mut self) -> Result<bool, StoreError> {
        if self.state.position.index > 0 {
            return Ok(true);
        }
        let (trash, from) =
            (CollectionId(self.state.position.collection), self.state.position.record);
        for stored in self.reader.documents(trash, from, Scan::Forward)? {
            match stored {
                Ok(stored) => {
                    self.state.position.record = stored.record.saturating_add(1);
                    if self.is_over() {
                        return Ok(false);
                    }
                }
                Err(StoreError::Damaged { what }) => {
                    self.find(
                        Namespace::new("admin", "trash"),
                        None,
                        None,
                        format!("A row is damaged: {what}."),
                    );
                }
                Err(error) => return Err(error),
            }
        }
        self.state.position = ScrubPosition { index: 1, ..ScrubPosition::default() };
        Ok(true)
    }

    /// True when all definitions, counters and values of the store itself have been read.
    fn small_tables(&mut self, catalog: &CatalogSnapshot) -> Result<bool, StoreError> {
        for (index, table) in (1..).zip(SMALL_TABLES) {
            if index < self.state.position.index {
                continue;
            }
            if index > self.state.position.index {
                self.state.position = ScrubPosition { index, ..ScrubPosition::default() };
            }
            let after = self.state.position.key.clone();
            for row in self.reader.check_rows(table, &after)? {
                let (key, damaged) = row?;
                if let Some(damaged) = damaged {
                    let sentence = format!(
                        "Internal data is damaged: {} does not match its checksum.",
                        named(catalog, &damaged)
                    );
                    self.find(place_of(catalog, &damaged), None, None, sentence);
                }
                self.state.position.key = key.to_vec();
                if self.is_over() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// True when the whole collection has been read.
    fn collection(&mut self, collection: &CollectionMeta) -> Result<bool, StoreError> {
        if self.state.position.index == 0 && !self.documents(collection)? {
            return Ok(false);
        }
        let mut indexes: Vec<_> = collection.indexes.iter().map(|index| index.id.0).collect();
        indexes.sort_unstable();
        for index in indexes {
            if index < self.state.position.index {
                continue;
            }
            if index > self.state.position.index {
                let collection = collection.id.0;
                self.state.position =
                    ScrubPosition { collection, index, ..ScrubPosition::default() };
            }
            if !self.entries(collection, IndexId(index))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn documents(&mut self, collection: &CollectionMeta) -> Result<bool, StoreError> {
        let from = self.state.position.record;
        for stored in self.reader.documents(collection.id, from, Scan::Forward)? {
            self.state.status.documents += 1;
            match stored {
                Ok(stored) => {
                    if let Err(error) = scan::check(stored.bytes) {
                        let sentence =
                            format!("{:#} is not valid BSON: {error}.", RecordName(stored.record));
                        let namespace = collection.namespace.clone();
                        self.find(namespace, None, Some(stored.record), sentence);
                    }
                    self.state.position.record = stored.record.saturating_add(1);
                    if self.is_over() {
                        return Ok(false);
                    }
                }
                // The number of a damaged document is unknown, so the step continues to one that is
                // known.
                Err(StoreError::Damaged { what }) => {
                    let sentence = format!("A document is damaged: {what}.");
                    self.find(collection.namespace.clone(), None, None, sentence);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn entries(&mut self, collection: &CollectionMeta, index: IndexId) -> Result<bool, StoreError> {
        let (key, record) = (self.state.position.key.clone(), self.state.position.record);
        let entries = if key.is_empty() {
            self.reader.entries(index, Bound::Unbounded, Bound::Unbounded, Scan::Forward)?
        } else {
            self.reader.entries_after(index, (&key, record), Bound::Unbounded, Scan::Forward)?
        };
        for entry in entries {
            self.state.status.entries += 1;
            match entry {
                Ok(entry) => {
                    if self.is_over() {
                        self.state.position.key = entry.key.to_vec();
                        self.state.position.record = entry.record;
                        return Ok(false);
                    }
                }
                Err(StoreError::Damaged { what }) => {
                    let name = collection.indexes.iter().find(|one| one.id == index);
                    let name = name.map(|one| one.name.clone());
                    let sentence = format!("An index entry is damaged: {what}.");
                    self.find(collection.namespace.clone(), name, None, sentence);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn is_over(&self) -> bool {
        work_time() >= self.until
    }

    fn find(
        &mut self,
        namespace: Namespace,
        index: Option<String>,
        record: Option<RecordNumber>,
        sentence: String,
    ) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(Finding { namespace, index, record, sentence });
        }
    }
}

/// The collection that a row of the small tables belongs to, or the store itself.
fn place_of(catalog: &CatalogSnapshot, row: &DamagedRow) -> Namespace {
    let mut all = catalog.all_collections();
    let found = match row {
        DamagedRow::Counters { id } => {
            all.find(|one| one.id == CollectionId(*id) || one.index_by_id(IndexId(*id)).is_some())
        }
        DamagedRow::Definition { name } => {
            let names = all.map(|one| one.namespace.clone());
            let mut names = names.chain(catalog.all_closed().map(|(name, _)| name));
            return names
                .find(|one| one.to_string() == *name)
                .unwrap_or_else(|| Namespace::new("admin", "store"));
        }
        _ => None,
    };
    found.map_or_else(|| Namespace::new("admin", "store"), |one| one.namespace.clone())
}

#[cfg(test)]
#[path = "scrub_tests.rs"]
mod tests;
