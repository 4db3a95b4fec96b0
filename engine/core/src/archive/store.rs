//! The archive of one collection: writes segments, removes old ones.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicU64},
    time::Duration,
};

use xxhash_rust::xxh3::xxh3_64;

use super::{
    ArchiveError, Archived, Settings,
    backend::Backend,
    inventory::{Inventory, Missing},
    line::pack,
    segment::{self, SegmentContents, SegmentFile},
    settings::Record,
};
use crate::{
    catalog::Namespace,
    clock::Clock,
    limits::{ARCHIVE_POLL_MS, ARCHIVE_RETRY_MAX, ARCHIVE_RETRY_MIN},
    store::{CollectionId, Store, StoreError},
};

/// The archive of one collection.
pub struct Archive {
    pub(super) record: Record,
    backend: Result<Box<dyn Backend>, ArchiveError>,
    /// No row of the trash before this number waits for this archive.
    pub(super) from: AtomicU64,
    failure: Mutex<Option<Failure>>,
    /// Cached contents of segments, by name, with the size they were read at.
    known: Mutex<HashMap<String, (u64, Arc<SegmentContents>)>>,
    inventory: Mutex<Inventory>,
    /// This store among its copies, see `writer_of`.
    writer: String,
    /// The segment that doesn't count and can't be removed, as a sentence.
    left: Mutex<Option<String>>,
    /// When a server's limits were last checked, in milliseconds since 1970.
    looked_ms: Mutex<Option<i64>>,
}

/// Why the removed documents stay in the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The reason as a sentence.
    pub sentence: String,
    /// When it first failed, in milliseconds since 1970.
    pub since_ms: i64,
    /// Consecutive failures.
    pub attempts: u32,
    /// The monotonic instant of the next attempt.
    pub retry_at: Duration,
}

/// An archive's contents in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Its segments.
    pub segments: u64,
    /// Documents.
    pub documents: u64,
    /// Bytes of all segments.
    pub bytes: u64,
    /// When the first of its documents was removed, in milliseconds since 1970.
    pub oldest_ms: Option<i64>,
    /// When the last of its documents was removed.
    pub newest_ms: Option<i64>,
    /// Unreadable bytes: torn ends and damage.
    pub unreadable: u64,
    /// Archived documents that are gone.
    pub missing: Missing,
}

/// Reads the stored inventory.
pub(super) type LoadInventory<'l> = &'l dyn Fn() -> Result<Inventory, StoreError>;

/// Stores an inventory.
pub(super) type SaveInventory<'l> = &'l dyn Fn(&Inventory) -> Result<(), StoreError>;

/// The stored inventory of an archive, as its segments are written.
pub(super) struct Ledger<'l> {
    pub load: LoadInventory<'l>,
    pub save: SaveInventory<'l>,
    /// Takes the documents out of the trash and saves, in one transaction. False if one of them is
    /// no longer there.
    pub commit: &'l dyn Fn(&Inventory) -> Result<bool, ArchiveError>,
}

impl Archive {
    pub(super) fn new(
        record: Record,
        backend: Result<Box<dyn Backend>, ArchiveError>,
        writer: String,
    ) -> Self {
        Self {
            record,
            backend,
            from: AtomicU64::new(0),
            failure: Mutex::default(),
            known: Mutex::default(),
            inventory: Mutex::default(),
            writer,
            left: Mutex::default(),
            looked_ms: Mutex::default(),
        }
    }

    /// The `meta` key of the inventory: each target has its own.
    pub(super) fn inventory_name(&self) -> String {
        let target = xxh3_64(self.record.settings.target.as_bytes());
        format!("{}@{target:016x}", self.earlier_inventory_name())
    }

    /// The `meta` key in the version before, of the present target.
    pub(super) fn earlier_inventory_name(&self) -> String {
        format!("archiveSegments/{}", self.record.folder)
    }

    /// The inventory in the store.
    pub(super) fn stored_inventory(&self, store: &Store) -> Result<Inventory, StoreError> {
        let stored = store.read(|reader| {
            let bytes = reader.meta(&self.inventory_name())?;
            Ok::<_, StoreError>(bytes.map(Inventory::from_bytes).unwrap_or_default())
        });
        Ok(StoreError::unless_damaged(stored)?.unwrap_or_else(Inventory::lost))
    }

    /// Reads the inventory at opening. If that fails, each step reads it again.
    pub(super) fn load_inventory(&self, store: &Store) {
        *lock(&self.inventory) = self.stored_inventory(store).unwrap_or_else(|_| Inventory::lost());
    }

    /// The user's settings.
    pub fn settings(&self) -> &Settings {
        &self.record.settings
    }

    /// The collection.
    pub fn collection(&self) -> CollectionId {
        self.record.collection
    }

    /// The collection's name when the archive was made.
    pub fn original_name(&self) -> &Namespace {
        &self.record.namespace
    }

    /// The name of its folder, unique in the store. It stays when the collection is replaced.
    pub fn folder(&self) -> &str {
        &self.record.folder
    }

    /// Whether removed documents are archived.
    pub fn is_on(&self) -> bool {
        self.record.is_on
    }

    /// Why the removed documents wait.
    pub fn failure(&self) -> Option<Failure> {
        lock(&self.failure).clone()
    }

    /// A sentence on the file that isn't part of the archive and can't be removed from its target.
    pub fn left(&self) -> Option<String> {
        lock(&self.left).clone()
    }

    /// Forgets the failure. Returns whether there was one.
    pub(super) fn end_failure(&self) -> bool {
        lock(&self.failure).take().is_some()
    }

    /// Makes the next step try again at once, without the back-off.
    pub fn retry_now(&self) {
        if let Some(failure) = &mut *lock(&self.failure) {
            failure.retry_at = Duration::ZERO;
        }
    }

    /// Writes a segment with these documents. `commit` takes them out of the trash and stores the
    /// inventory, in one transaction; it returns false if one of them was restored in between.
    /// Returns whether the segment counts.
    ///
    /// # Errors
    /// `Waiting` when something fails, or during the back-off after a failure.
    pub(super) fn write_segment(
        &self,
        clock: &dyn Clock,
        documents: &[Archived],
        ledger: &Ledger<'_>,
    ) -> Result<bool, ArchiveError> {
        if let Some(failure) = self.failure().filter(|failure| clock.monotonic() < failure.retry_at)
        {
            return Err(self.waiting(&failure.sentence));
        }
        match self.try_write(documents, ledger) {
            Ok(counts) => {
                *lock(&self.failure) = None;
                Ok(counts)
            }
            Err(error) => {
                let sentence = error.to_string();
                self.note_failure(clock, &sentence);
                Err(self.waiting(&sentence))
            }
        }
    }

    fn waiting(&self, sentence: &str) -> ArchiveError {
        ArchiveError::Waiting {
            namespace: self.record.namespace.to_string(),
            reason: sentence.to_owned(),
        }
    }

    fn note_failure(&self, clock: &dyn Clock, sentence: &str) {
        let mut failure = lock(&self.failure);
        let before = failure.take();
        let attempts = before.as_ref().map_or(0, |before| before.attempts).saturating_add(1);
        let wait = ARCHIVE_RETRY_MIN.saturating_mul(1 << (attempts - 1).min(16));
        *failure = Some(Failure {
            sentence: sentence.to_owned(),
            since_ms: before.map_or_else(|| clock.now_ms(), |before| before.since_ms),
            attempts,
            retry_at: clock.monotonic().saturating_add(wait.min(ARCHIVE_RETRY_MAX)),
        });
    }

    fn try_write(&self, documents: &[Archived], ledger: &Ledger<'_>) -> Result<bool, ArchiveError> {
        let backend = self.backend()?;
        // Read again each time: whether a commit that failed is on disk, only the store can tell.
        let mut inventory = (ledger.load)()?;
        *lock(&self.inventory) = inventory.clone();
        if inventory.is_lost() {
            return Err(ArchiveError::Damaged {
                what: "the list of its files can't be read; turn the archive on again".to_owned(),
            });
        }
        let listed = backend.list()?;
        // The folder that a disk is mounted on stays when the disk goes.
        if listed.is_empty() && !inventory.is_empty() {
            return Err(ArchiveError::Damaged {
                what: "none of its files is there; mount its disk, or turn the archive on again to begin \
                       a new one"
                    .to_owned(),
            });
        }
        self.remove_pending(backend, &listed, &mut inventory);
        let (frame, docs, first_ms, last_ms) = pack(documents)?;
        // No other attempt has this name, so nothing of another writer is overwritten or removed.
        let id = segment::new_id(&self.writer);
        let name = inventory
            .begin(&listed, |number| segment::batch_name(number, first_ms, last_ms, docs, &id));
        (ledger.save)(&inventory)?;
        *lock(&self.inventory) = inventory.clone();
        backend.put(&name, &frame)?;
        inventory.add(&name, frame.len() as u64, u64::from(docs));
        let counts = (ledger.commit)(&inventory)?;
        if counts {
            *lock(&self.inventory) = inventory;
        }
        Ok(counts)
    }

    /// Removes segments that don't count. One that can't be removed stays pending, and so does one of
    /// another writer: this store may be a copy, and the original may count it.
    fn remove_pending(
        &self,
        backend: &dyn Backend,
        listed: &[SegmentFile],
        inventory: &mut Inventory,
    ) {
        let mut left = None;
        inventory.retain_pending(|name| {
            if !listed.iter().any(|segment| segment.name == *name) {
                // A server may finish a put long after it was given up.
                return !backend.is_local();
            }
            if segment::writer(name) != Some(&self.writer) {
                return true;
            }
            let removed = backend.remove(name);
            if let Err(error) = &removed {
                left.get_or_insert(format!(
                    "{error} It isn't part of the archive; delete it there."
                ));
            }
            removed.is_err()
        });
        *lock(&self.left) = left;
    }

    /// All segments, oldest first. Other files at the target are not the archive's.
    pub(super) fn segments(&self, backend: &dyn Backend) -> Result<Vec<SegmentFile>, ArchiveError> {
        // In this order: a segment that is counted in between has its documents in the trash no more.
        let mut listed = backend.list()?;
        let inventory = lock(&self.inventory);
        listed.retain(|segment| inventory.is_lost() || inventory.has(&segment.name));
        Ok(listed)
    }

    /// Removes the oldest segments until the limits hold, while `may_continue` returns true. Before that, the
    /// ledger stores that they may be gone. Returns how many.
    ///
    /// # Errors
    /// When the backend can't be listed, or a segment can't be removed.
    pub(super) fn prune(
        &self,
        now_ms: i64,
        may_continue: &dyn Fn() -> bool,
        (load, save): (LoadInventory<'_>, SaveInventory<'_>),
    ) -> Result<usize, ArchiveError> {
        let Settings { max_bytes, max_age_secs, .. } = self.record.settings;
        if max_bytes.is_none() && max_age_secs.is_none() {
            return Ok(0);
        }
        let backend = self.backend()?;
        if !self.is_time_to_look(backend, now_ms) {
            return Ok(0);
        }
        let oldest_ms = self.oldest_ms(now_ms);
        let listed = self.segments(backend)?;
        let mut bytes: u64 = listed.iter().map(|segment| segment.bytes).sum();
        let mut removed = 0;
        for (behind, segment) in (0..listed.len()).rev().zip(&listed) {
            // Never remove the newest segment, however large: it holds the last removals.
            let is_too_much = behind > 0 && max_bytes.is_some_and(|max| bytes > max);
            let is_too_old = match oldest_ms {
                Some(oldest_ms) if !is_too_much => self.is_older(backend, segment, oldest_ms)?,
                _ => false,
            };
            if !(is_too_much || is_too_old) || !may_continue() {
                break;
            }
            let mut inventory = load()?;
            if inventory.is_pending(&segment.name) {
                break;
            }
            inventory.remove(&segment.name);
            if !inventory.is_lost() {
                save(&inventory)?;
            }
            *lock(&self.inventory) = inventory;
            // The original of a copy may count it.
            if segment::is_own(&segment.name, &self.writer) {
                backend.remove(&segment.name)?;
            }
            lock(&self.known).remove(&segment.name);
            bytes = bytes.saturating_sub(segment.bytes);
            removed += 1;
        }
        Ok(removed)
    }

    /// Whether a document may exceed the maximum age. Does not query a server, which may take long
    /// to answer; there it assumes yes.
    ///
    /// # Errors
    /// When the backend can't be read.
    pub fn may_hold_expired(&self, now_ms: i64) -> Result<bool, ArchiveError> {
        let Some(oldest_ms) = self.oldest_ms(now_ms) else { return Ok(false) };
        let backend = self.backend()?;
        if !backend.is_local() {
            return Ok(true);
        }
        let oldest = self.segments(backend)?.into_iter().next();
        oldest.map_or(Ok(false), |oldest| self.is_older(backend, &oldest, oldest_ms))
    }

    /// Documents removed before this exceed the maximum age.
    fn oldest_ms(&self, now_ms: i64) -> Option<i64> {
        let secs = self.record.settings.max_age_secs?;
        let ms = i64::try_from(secs.saturating_mul(1_000)).unwrap_or(i64::MAX);
        Some(now_ms.saturating_sub(ms))
    }

    /// Whether all documents of a segment were removed before this.
    fn is_older(
        &self,
        backend: &dyn Backend,
        segment: &SegmentFile,
        oldest_ms: i64,
    ) -> Result<bool, ArchiveError> {
        // Without a whole batch, the name gives the age.
        let last = self.contents(backend, segment)?.last_ms();
        let last = last.or_else(|| segment::began_ms(&segment.name));
        Ok(last.is_some_and(|last_ms| last_ms < oldest_ms))
    }

    /// Limits how often a server is queried, and skips it while it fails.
    fn is_time_to_look(&self, backend: &dyn Backend, now_ms: i64) -> bool {
        if backend.is_local() {
            return true;
        }
        let mut looked_ms = lock(&self.looked_ms);
        let is_time = looked_ms.is_none_or(|ms| now_ms.abs_diff(ms) >= ARCHIVE_POLL_MS);
        if self.failure().is_some() || !is_time {
            return false;
        }
        *looked_ms = Some(now_ms);
        true
    }

    /// The archive's contents in numbers.
    ///
    /// # Errors
    /// When the backend can't be read.
    pub fn summary(&self) -> Result<Summary, ArchiveError> {
        let backend = self.backend()?;
        let mut summary = Summary::default();
        let listed = self.segments(backend)?;
        let contents = listed.iter().map(|segment| self.contents(backend, segment));
        let contents = contents.collect::<Result<Vec<_>, _>>()?;
        let found = || listed.iter().zip(contents.iter().map(|contents| &**contents));
        summary.missing = lock(&self.inventory).compare(found());
        for (segment, contents) in found() {
            summary.segments += 1;
            summary.documents += contents.docs();
            summary.bytes += segment.bytes;
            summary.unreadable += contents.unreadable_bytes();
            summary.oldest_ms = summary.oldest_ms.into_iter().chain(contents.first_ms()).min();
            summary.newest_ms = summary.newest_ms.into_iter().chain(contents.last_ms()).max();
        }
        Ok(summary)
    }

    /// The list to store when the user turns the archive on at this target: a new one where there was
    /// none, or it was lost, or none of its files is there. `None` while the present one stays.
    pub(super) fn new_inventory(&self) -> Result<Option<Inventory>, ArchiveError> {
        let backend = self.backend()?;
        let before = lock(&self.inventory).clone();
        let mut inventory = before.clone();
        if before.is_lost() || !before.is_empty() && backend.list()?.is_empty() {
            inventory.begin_again();
        }
        // A server may take long to answer; there the first move does it.
        if backend.is_local() {
            inventory.adopt(&backend.list()?);
        }
        Ok((inventory != before).then_some(inventory))
    }

    /// Whether the stored list of its segments is damaged, so that losses are not noticed.
    pub(super) fn has_lost_inventory(&self) -> bool {
        lock(&self.inventory).is_lost()
    }

    /// Losses of an archive in a folder. Asks no server, which may take long.
    pub(super) fn missing_locally(&self) -> Option<Missing> {
        let backend = self.backend().ok().filter(|backend| backend.is_local())?;
        let is_short = lock(&self.inventory).is_short(&backend.list().ok()?);
        let missing = is_short.then(|| self.summary().ok()).flatten()?.missing;
        Some(missing).filter(|missing| missing.segments > 0)
    }

    pub(super) fn backend(&self) -> Result<&dyn Backend, ArchiveError> {
        self.backend.as_deref().map_err(Clone::clone)
    }

    /// Records whether a read of a batch found it damaged, for the numbers of [`Archive::summary`].
    pub(super) fn note_read(&self, segment: &SegmentFile, offset: u64, is_damaged: bool) {
        let mut known = lock(&self.known);
        let Some((bytes, contents)) = known.get_mut(&segment.name) else { return };
        if *bytes == segment.bytes && contents.damaged.contains(&offset) != is_damaged {
            let damaged = &mut Arc::make_mut(contents).damaged;
            if is_damaged {
                damaged.insert(offset)
            } else {
                damaged.remove(&offset)
            };
        }
    }

    /// The contents of a segment, cached until its size changes.
    pub(super) fn contents(
        &self,
        backend: &dyn Backend,
        segment: &SegmentFile,
    ) -> Result<Arc<SegmentContents>, ArchiveError> {
        let known = match lock(&self.known).get(&segment.name) {
            Some((bytes, contents)) if *bytes == segment.bytes => Some(Arc::clone(contents)),
            _ => None,
        };
        if let Some(contents) = known {
            return Ok(contents);
        }
        let contents = Arc::new(backend.contents(segment)?);
        let known = (segment.bytes, Arc::clone(&contents));
        lock(&self.known).insert(segment.name.clone(), known);
        Ok(contents)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
impl Archive {
    /// The inventory in memory.
    pub(super) fn inventory(&self) -> Inventory {
        lock(&self.inventory).clone()
    }

    /// Segments whose contents are remembered.
    pub(super) fn segments_known(&self) -> usize {
        lock(&self.known).len()
    }
}
