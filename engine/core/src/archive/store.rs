//! The archive of one collection: appends batches, removes old segments.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{
    ArchiveError, Archived, ArchivedVersions, Settings,
    backend::Backend,
    frame,
    inventory::{Inventory, Missing},
    line::append_line,
    segment::{self, SegmentContents, SegmentFile},
    settings::Record,
};
use crate::{
    catalog::Namespace,
    clock::Clock,
    limits::{
        ARCHIVE_POLL_MS, ARCHIVE_RETRY_MAX, ARCHIVE_RETRY_MIN, ARCHIVE_SEGMENT_BYTES_MAX,
        ARCHIVE_SEGMENT_MS_MAX,
    },
    store::CollectionId,
};

/// The archive of one collection.
pub struct Archive {
    pub(super) record: Record,
    backend: Result<Box<dyn Backend>, ArchiveError>,
    writing: Mutex<Writing>,
    failure: Mutex<Option<Failure>>,
    last_archived: Mutex<Arc<ArchivedVersions>>,
    /// Cached contents of segments, by name, with the size they were read at.
    known: Mutex<HashMap<String, (u64, Arc<SegmentContents>)>>,
    inventory: Mutex<Inventory>,
    /// When a server's limits were last checked, in milliseconds since 1970.
    looked_ms: Mutex<Option<i64>>,
}

/// Where the next batch is written.
#[derive(Debug, Default)]
struct Writing {
    /// The segment that this session created. Never one of an earlier session: its end may be torn.
    open: Option<OpenSegment>,
    /// The number of the next segment, once the backend has been listed.
    next: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct OpenSegment {
    name: String,
    bytes: u64,
    began_ms: i64,
}

/// Why the collection's removals are on hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The reason as a sentence.
    pub sentence: String,
    /// When it first failed, in milliseconds since 1970.
    pub since_ms: i64,
    /// Consecutive failures.
    pub attempts: u32,
    /// The monotonic instant of the next attempt.
    retry_at: Duration,
}

/// An archive's contents in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Its segments.
    pub segments: u64,
    /// Documents. One archived twice, because the program was killed before the removal, counts
    /// twice.
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

impl Archive {
    pub(super) fn new(
        record: Record,
        backend: Result<Box<dyn Backend>, ArchiveError>,
        inventory: Inventory,
    ) -> Self {
        Self {
            record,
            backend,
            writing: Mutex::default(),
            failure: Mutex::default(),
            last_archived: Mutex::default(),
            known: Mutex::default(),
            inventory: Mutex::new(inventory),
            looked_ms: Mutex::default(),
        }
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

    /// Whether expired documents are archived.
    pub fn is_on(&self) -> bool {
        self.record.is_on
    }

    /// Why the collection's removals wait.
    pub fn failure(&self) -> Option<Failure> {
        lock(&self.failure).clone()
    }

    /// Makes the next removal try again at once, without the back-off.
    pub fn retry_now(&self) {
        if let Some(failure) = &mut *lock(&self.failure) {
            failure.retry_at = Duration::ZERO;
        }
    }

    /// The documents of the last batch, unless a limit removed a segment since.
    pub fn last_archived(&self) -> Arc<ArchivedVersions> {
        Arc::clone(&lock(&self.last_archived))
    }

    /// Appends these documents durably; only then may they be removed. `kept` is everything
    /// removable after that: these documents and those archived before.
    ///
    /// # Errors
    /// `OnHold` when the write fails, or during the back-off after a failure.
    pub fn append(
        &self,
        clock: &dyn Clock,
        documents: &[Archived],
        kept: ArchivedVersions,
    ) -> Result<Arc<ArchivedVersions>, ArchiveError> {
        let kept = Arc::new(kept);
        if documents.is_empty() {
            return Ok(kept);
        }
        self.append_more(clock, documents)?;
        *lock(&self.last_archived) = Arc::clone(&kept);
        Ok(kept)
    }

    /// Appends documents outside a pass, durably.
    ///
    /// # Errors
    /// As [`Archive::append`].
    pub fn append_more(
        &self,
        clock: &dyn Clock,
        documents: &[Archived],
    ) -> Result<(), ArchiveError> {
        if let Some(failure) = self.failure().filter(|failure| clock.monotonic() < failure.retry_at)
        {
            return Err(self.held(&failure.sentence));
        }
        if let Err(error) = self.try_append(documents) {
            let sentence = error.to_string();
            self.note_failure(clock, &sentence);
            return Err(self.held(&sentence));
        }
        *lock(&self.failure) = None;
        Ok(())
    }

    fn held(&self, sentence: &str) -> ArchiveError {
        ArchiveError::OnHold {
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

    fn try_append(&self, documents: &[Archived]) -> Result<(), ArchiveError> {
        let backend = self.backend()?;
        let mut lines = Vec::new();
        for document in documents {
            append_line(&mut lines, document)?;
        }
        let instants = || documents.iter().map(|document| document.removed_ms);
        let first_ms = instants().min().unwrap_or_default();
        let docs = u32::try_from(documents.len()).unwrap_or(u32::MAX);
        let last_ms = instants().max().unwrap_or_default();
        let frame = frame::pack(&lines, docs, first_ms, last_ms)?;
        let mut writing = lock(&self.writing);
        self.turn_over(&mut writing, frame.len() as u64, first_ms);
        let (name, offset) = match &writing.open {
            Some(open) if backend.appends() => (open.name.clone(), open.bytes),
            _ => {
                let number = new_number(&mut writing, backend)?;
                let name = if backend.appends() {
                    segment::name(number, first_ms)
                } else {
                    segment::batch_name(number, first_ms, last_ms, docs)
                };
                (name, 0)
            }
        };
        if let Err(error) = backend.put(&name, offset, &frame) {
            // A segment of that name may exist, so list again for the next number.
            writing.next = None;
            // Keep writing to the open segment, over a torn end, unless it was deleted.
            let is_there = |listed: &SegmentFile| listed.name == name && listed.bytes >= offset;
            if !backend.list().is_ok_and(|listed| listed.iter().any(is_there)) {
                writing.open = None;
            }
            return Err(error);
        }
        let bytes = offset + frame.len() as u64;
        lock(&self.inventory).add(&name, bytes, u64::from(docs));
        let began_ms = writing.open.take().map_or(first_ms, |open| open.began_ms);
        if offset == 0 {
            writing.next = segment::number(&name).map(|number| number + 1);
        }
        writing.open = Some(OpenSegment { name, bytes, began_ms });
        Ok(())
    }

    /// Closes a segment that is large or old enough.
    fn turn_over(&self, writing: &mut Writing, more: u64, now_ms: i64) {
        // Small enough that the byte limit removes a part of the archive, not all of it.
        let bytes_max = self.record.settings.max_bytes.map_or(u64::MAX, |bytes| bytes / 8);
        let bytes_max = ARCHIVE_SEGMENT_BYTES_MAX.min(bytes_max);
        let is_over = writing.open.as_ref().is_some_and(|open| {
            let age_ms = now_ms.saturating_sub(open.began_ms);
            open.bytes.saturating_add(more) > bytes_max
                || !(0..ARCHIVE_SEGMENT_MS_MAX).contains(&age_ms)
        });
        if is_over {
            writing.open = None;
        }
    }

    /// Saves what the archive must hold, if that changed.
    ///
    /// # Errors
    /// The errors of `save`; the next call tries again.
    pub(super) fn save_inventory(
        &self,
        save: &dyn Fn(&Inventory) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let changed = {
            let mut inventory = lock(&self.inventory);
            if !inventory.take_changed() {
                return Ok(());
            }
            inventory.clone()
        };
        save(&changed).inspect_err(|_| lock(&self.inventory).not_saved())
    }

    /// Removes the oldest segments until the limits hold, while `may_continue` returns true. Before that, `save`
    /// stores that they may be gone. Returns how many. Appends continue in parallel, because a server may
    /// take long to answer.
    ///
    /// # Errors
    /// When the backend can't be listed, or a segment can't be removed.
    pub fn prune(
        &self,
        now_ms: i64,
        may_continue: &dyn Fn() -> bool,
        save: &dyn Fn(&Inventory) -> Result<(), ArchiveError>,
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
        let open = lock(&self.writing).open.clone();
        let listed = backend.list()?;
        let mut bytes: u64 = listed.iter().map(|segment| segment.bytes).sum();
        let mut removed = 0;
        for (behind, segment) in (0..listed.len()).rev().zip(&listed) {
            // Never remove the newest segment, however large: it holds the last removals.
            let is_too_much = behind > 0 && max_bytes.is_some_and(|max| bytes > max);
            let is_too_old = match oldest_ms {
                Some(oldest_ms) if !is_too_much => self.is_older(backend, segment, oldest_ms)?,
                _ => false,
            };
            let goes = is_too_much || is_too_old;
            if !goes || !may_continue() || !self.give_up(segment, open.as_ref()) {
                break;
            }
            lock(&self.inventory).remove(&segment.name);
            self.save_inventory(save)?;
            backend.remove(&segment.name)?;
            lock(&self.known).remove(&segment.name);
            // The segment may have held them, so they must be archived again before their removal.
            *lock(&self.last_archived) = Arc::default();
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
        if !backend.appends() {
            return Ok(true);
        }
        let oldest = backend.list()?.into_iter().next();
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

    /// Closes a segment that is about to be removed. False if it received a batch since `before`.
    fn give_up(&self, segment: &SegmentFile, before: Option<&OpenSegment>) -> bool {
        let mut writing = lock(&self.writing);
        let names_it =
            |open: Option<&OpenSegment>| open.is_some_and(|open| open.name == segment.name);
        if !names_it(before) && !names_it(writing.open.as_ref()) {
            return true;
        }
        // Otherwise the writer of the last batch has opened another segment.
        let is_as_before = writing.open.as_ref() == before;
        if is_as_before {
            writing.open = None;
        }
        is_as_before
    }

    /// Limits how often a server is queried, and skips it while it fails.
    fn is_time_to_look(&self, backend: &dyn Backend, now_ms: i64) -> bool {
        if backend.appends() {
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
        let listed = backend.list()?;
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

    /// Whether the stored list of its segments is damaged, so that losses are not noticed.
    pub(super) fn has_lost_inventory(&self) -> bool {
        lock(&self.inventory).is_lost()
    }

    /// Losses of an archive in a folder. Asks no server, which may take long.
    pub(super) fn missing_locally(&self) -> Option<Missing> {
        let backend = self.backend().ok().filter(|backend| backend.appends())?;
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

/// The number of the next segment.
fn new_number(writing: &mut Writing, backend: &dyn Backend) -> Result<u64, ArchiveError> {
    let number = if let Some(number) = writing.next {
        number
    } else {
        let last = backend.list()?.last().and_then(|last| segment::number(&last.name));
        last.map_or(1, |last| last.saturating_add(1))
    };
    writing.next = Some(number);
    Ok(number)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
impl Archive {
    /// Whether a batch would have to wait.
    pub(super) fn is_writing(&self) -> bool {
        self.writing.try_lock().is_err()
    }

    /// Segments whose contents are remembered.
    pub(super) fn segments_known(&self) -> usize {
        lock(&self.known).len()
    }
}
