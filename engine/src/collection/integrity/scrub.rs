//! The scrub: once a month everything stored is read in small bites, so that damage is found while there
//! is still a backup from before it.
//!
//! A step reads for some milliseconds in a transaction of its own and remembers where it stands, also
//! over a restart. It looks at checksums and at the form of the BSON: of the trash, of what the store keeps
//! of itself, then of each collection and its indexes; whether documents and index
//! entries fit together is what [`Collections::verify`] tells.

use std::ops::Bound;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use bson::Document;

use super::{
    damage_text::named,
    finding::{Finding, own},
    scrub_state::{Place, SCRUB_META, ScrubStatus, State},
};
use crate::{
    catalog::{CatalogSnapshot, CollectionMeta, Namespace},
    clock::work_time,
    collection::{Change, Collections},
    limits::{FINDINGS_MAX, SCRUB_EVERY_MS, SCRUB_SAVE, SCRUB_STEP},
    store::{
        CollectionId, DamagedRow, IndexId, Reader, RecordNumber, SMALL_TABLES, Scan, StoreError,
    },
    value::{id_number::Numbered, scan},
};

/// What one step did.
#[derive(Debug, Clone, PartialEq)]
pub enum ScrubStep {
    /// There was nothing to do.
    Idle,
    /// It read on; what it found is told once.
    Worked(Vec<Finding>),
}

impl Collections {
    /// Where the scrub stands.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn scrub_status(&self) -> Result<ScrubStatus, StoreError> {
        Ok(self.scrub_state()?.status.clone())
    }

    /// Begins a scrub from the start; one that is under way begins anew.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn start_scrub(&self) -> Result<(), StoreError> {
        let mut state = self.scrub_state()?;
        state.begin(self.clock.now_ms());
        self.save_scrub(&mut state);
        drop(state);
        self.tell(&Change::ScrubAsked);
        Ok(())
    }

    /// Ends the scrub where it stands; the next one is due in its time.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn stop_scrub(&self) -> Result<(), StoreError> {
        let mut state = self.scrub_state()?;
        state.status.is_running = false;
        self.save_scrub(&mut state);
        Ok(())
    }

    /// Reads a little, if a scrub is under way or due. Only a real clock makes one due: a month that is
    /// simulated wears no disk.
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
            Bite { reader, until, state: &mut state, findings: &mut findings }.take(&catalog)
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

    fn scrub_state(&self) -> Result<MutexGuard<'_, State>, StoreError> {
        let mut state = self.scrub.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.is_loaded {
            let stored = self.store.read(|reader| Ok(reader.meta(SCRUB_META)?.map(<[u8]>::to_vec)));
            // A state that can't be understood only costs a scrub that comes early.
            let bytes = StoreError::unless_damaged(stored)?.flatten();
            let document = bytes.and_then(|bytes| Document::from_reader(&bytes[..]).ok());
            *state = document.as_ref().map(State::from_document).unwrap_or_default();
            state.is_loaded = true;
            state.saved = work_time();
        }
        Ok(state)
    }

    /// Keeps the state over a restart. Where that is not possible the scrub begins anew after one.
    fn save_scrub(&self, state: &mut State) {
        state.saved = work_time();
        let mut bytes = Vec::new();
        if state.to_document().to_writer(&mut bytes).is_ok() {
            let _ = self.store.write(|writer| writer.put_meta(SCRUB_META, &bytes));
        }
    }
}

/// Whether the next scrub is due when the last one ended at `since`. A clock that was set back says
/// nothing, so then it is.
fn is_due(since: i64, now_ms: i64) -> bool {
    let passed = now_ms.checked_sub(since);
    passed.is_none_or(|passed| !(0..SCRUB_EVERY_MS).contains(&passed))
}

/// What one transaction reads.
struct Bite<'s, 't> {
    reader: &'s Reader<'t>,
    until: Duration,
    state: &'s mut State,
    findings: &'s mut Vec<Finding>,
}

impl Bite<'_, '_> {
    /// True when there is nothing left.
    fn take(mut self, catalog: &CatalogSnapshot) -> Result<bool, StoreError> {
        if self.state.place.collection == 0 {
            if !self.trash()? || !self.small_tables(catalog)? {
                return Ok(false);
            }
            self.state.place = Place { collection: 1, ..Place::default() };
        }
        loop {
            let next =
                catalog.all_collections().filter(|one| one.id.0 >= self.state.place.collection);
            let Some(collection) = next.min_by_key(|one| one.id) else { return Ok(true) };
            if collection.id.0 > self.state.place.collection {
                self.state.place = Place { collection: collection.id.0, ..Place::default() };
            }
            if !self.collection(collection)? {
                return Ok(false);
            }
            let Some(after) = collection.id.0.checked_add(1) else { return Ok(true) };
            self.state.place = Place { collection: after, ..Place::default() };
        }
    }

    /// True when the trash has been read to its end.
    fn trash(&mut self) -> Result<bool, StoreError> {
        if self.state.place.index > 0 {
            return Ok(true);
        }
        let (trash, from) = (CollectionId(self.state.place.collection), self.state.place.record);
        for stored in self.reader.documents(trash, from, Scan::Forward)? {
            match stored {
                Ok(stored) => {
                    self.state.place.record = stored.record.saturating_add(1);
                    if self.is_over() {
                        return Ok(false);
                    }
                }
                Err(StoreError::Damaged { what }) => {
                    self.find(own("trash"), None, None, format!("A row is damaged: {what}."));
                }
                Err(error) => return Err(error),
            }
        }
        self.state.place = Place { index: 1, ..Place::default() };
        Ok(true)
    }

    /// True when all definitions, counters and values of the store itself have been read.
    fn small_tables(&mut self, catalog: &CatalogSnapshot) -> Result<bool, StoreError> {
        for (index, table) in (1..).zip(SMALL_TABLES) {
            if index < self.state.place.index {
                continue;
            }
            if index > self.state.place.index {
                self.state.place = Place { index, ..Place::default() };
            }
            let after = self.state.place.key.clone();
            for row in self.reader.look_through(table, &after)? {
                let (key, damaged) = row?;
                if let Some(damaged) = damaged {
                    let sentence = format!(
                        "A row of the store itself is damaged: {} does not match its checksum.",
                        named(catalog, &damaged)
                    );
                    self.find(place_of(catalog, &damaged), None, None, sentence);
                }
                self.state.place.key = key.to_vec();
                if self.is_over() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// True when the collection has been read to its end.
    fn collection(&mut self, collection: &CollectionMeta) -> Result<bool, StoreError> {
        if self.state.place.index == 0 && !self.documents(collection)? {
            return Ok(false);
        }
        let mut indexes: Vec<_> = collection.indexes.iter().map(|index| index.id.0).collect();
        indexes.sort_unstable();
        for index in indexes {
            if index < self.state.place.index {
                continue;
            }
            if index > self.state.place.index {
                let collection = collection.id.0;
                self.state.place = Place { collection, index, ..Place::default() };
            }
            if !self.entries(collection, IndexId(index))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn documents(&mut self, collection: &CollectionMeta) -> Result<bool, StoreError> {
        let from = self.state.place.record;
        for stored in self.reader.documents(collection.id, from, Scan::Forward)? {
            self.state.status.documents += 1;
            match stored {
                Ok(stored) => {
                    if let Err(error) = scan::check(stored.bytes) {
                        let sentence =
                            format!("{:#} is not valid BSON: {error}.", Numbered(stored.record));
                        let namespace = collection.namespace.clone();
                        self.find(namespace, None, Some(stored.record), sentence);
                    }
                    self.state.place.record = stored.record.saturating_add(1);
                    if self.is_over() {
                        return Ok(false);
                    }
                }
                // Its number is not known, so the step goes on to one that is.
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
        let (key, record) = (self.state.place.key.clone(), self.state.place.record);
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
                        self.state.place.key = entry.key.to_vec();
                        self.state.place.record = entry.record;
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

/// The collection that a row of the small tables is about, or the store itself.
fn place_of(catalog: &CatalogSnapshot, row: &DamagedRow) -> Namespace {
    let mut all = catalog.all_collections();
    let found = match row {
        DamagedRow::Counters { id } => {
            all.find(|one| one.id == CollectionId(*id) || one.index_by_id(IndexId(*id)).is_some())
        }
        DamagedRow::Definition { name } => {
            let names = all.map(|one| one.namespace.clone());
            let mut names = names.chain(catalog.all_closed().map(|(name, _)| name));
            return names.find(|one| one.to_string() == *name).unwrap_or_else(|| own("store"));
        }
        _ => None,
    };
    found.map_or_else(|| own("store"), |one| one.namespace.clone())
}

#[cfg(test)]
#[path = "scrub_tests.rs"]
mod tests;
