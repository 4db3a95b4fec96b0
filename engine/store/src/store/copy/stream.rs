//! LMDB's compact copy as a stream of bytes.
//!
//! LMDB copies to a file descriptor in one call, without progress or a way to stop. So it gets the write end
//! of a pipe, and this module copies the bytes from the read end.

use std::fs::File;
use std::io::{self, PipeReader, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::clock::work_time;
use crate::limits::{COPY_BLOCK_BYTES, READERS_MAX};
use crate::store::handle::too_many_readers;
use crate::store::progress::{JobStep, Watch};
use crate::store::txn::env::Environment;
use crate::store::{Store, StoreError};

impl Store {
    /// Writes a consistent, compact copy to `target` and returns its bytes; `total` is their estimate.
    pub(in crate::store) fn copy_compact(
        &self,
        target: &mut dyn Write,
        total: u64,
        watch: &mut Watch<'_>,
    ) -> Result<u64, StoreError> {
        self.await_walk()?;
        // Ordinary reads leave `READERS_KEPT` slots free for this.
        let guard = self.latch().enter_read(work_time(), READERS_MAX);
        let _guard = guard.ok_or_else(too_many_readers)?;
        let env = self.env()?;
        let _copying = ActiveCopy::begin(&self.copies);
        copy_compact(&env, target, total, watch)
    }

    /// Whether a copy of the store is being written. LMDB can't reuse the pages of its snapshot, so every commit
    /// during the copy makes the file larger.
    pub fn is_copied(&self) -> bool {
        self.copies.load(Ordering::Relaxed) > 0
    }
}

/// Counts an active copy while it lives.
struct ActiveCopy<'c>(&'c AtomicUsize);

impl<'c> ActiveCopy<'c> {
    fn begin(copies: &'c AtomicUsize) -> Self {
        copies.fetch_add(1, Ordering::Relaxed);
        Self(copies)
    }
}

impl Drop for ActiveCopy<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Writes a consistent, compact copy of the store to `target` and returns its bytes. The caller holds the
/// latch.
fn copy_compact(
    env: &Environment,
    target: &mut dyn Write,
    total: u64,
    watch: &mut Watch<'_>,
) -> Result<u64, StoreError> {
    let failed = |error: &io::Error| StoreError::io("Can't start copying the store", error);
    let (mut from, into) = io::pipe().map_err(|error| failed(&error))?;
    let mut into = file_of(into);
    thread::scope(|scope| {
        let copier =
            thread::Builder::new().name("Copy".to_owned()).spawn_scoped(scope, move || {
                env.env().copy_to_file(&mut into, heed::CompactionOption::Enabled)
            });
        let copier = copier.map_err(|error| failed(&error))?;
        let copied_bytes =
            copy_blocks(&mut from, target, &mut |done| JobStep::Copying.report(watch, done, total));
        drain(from, copied_bytes.is_err());
        match copier.join() {
            // If copying stopped first, LMDB's error is only the closed pipe.
            Ok(copied) => {
                copied_bytes.and_then(|bytes| copied.map(|()| bytes).map_err(StoreError::from))
            }
            Err(_) => Err(StoreError::Bug { what: "the copying thread failed".to_owned() }),
        }
    })
}

/// Copies all bytes in blocks, with progress, and returns their number.
pub(super) fn copy_blocks(
    from: &mut dyn Read,
    into: &mut dyn Write,
    report: &mut dyn FnMut(u64) -> Result<(), StoreError>,
) -> Result<u64, StoreError> {
    let mut block = vec![0; COPY_BLOCK_BYTES];
    let mut done = 0;
    loop {
        report(done)?;
        let count = match from.read(&mut block) {
            Ok(0) => return Ok(done),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(StoreError::io("Can't read the data to copy", &error)),
        };
        into.write_all(block.get(..count).unwrap_or_default())
            .map_err(|error| not_written(&error))?;
        done += count as u64;
    }
}

/// The error of a failed write to a copy. Not `DiskFull`, which is about the store's own disk.
pub(super) fn not_written(error: &io::Error) -> StoreError {
    let full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    let why = if full { "its disk is full".to_owned() } else { error.to_string() };
    StoreError::Io { what: format!("Can't write the copy: {why}") }
}

/// Ends the copying thread. On a closed pipe LMDB waits for `SIGPIPE`. Systems other than Linux don't deliver
/// a signal that the process ignores, so there the rest of the copy is read and discarded.
fn drain(mut from: PipeReader, is_early: bool) {
    if is_early && !cfg!(target_os = "linux") {
        // The copy has failed either way.
        let _ = io::copy(&mut from, &mut io::sink());
    }
}

#[cfg(unix)]
fn file_of(pipe: io::PipeWriter) -> File {
    File::from(std::os::fd::OwnedFd::from(pipe))
}

#[cfg(windows)]
fn file_of(pipe: io::PipeWriter) -> File {
    File::from(std::os::windows::io::OwnedHandle::from(pipe))
}
