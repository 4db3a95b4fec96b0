//! Reading an archive, newest first.

use std::{collections::HashSet, ops::ControlFlow};

use xxhash_rust::xxh3::xxh3_128;

use super::{
    Archive, ArchiveError, Archived,
    backend::Backend,
    frame,
    line::{key_of, read_line},
    segment::{FrameAt, SegmentContents, SegmentFile},
};
use crate::limits::ARCHIVE_SEEN_MAX;

/// The position of a returned document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScanMark {
    /// The name of its segment.
    pub segment: String,
    /// Where its batch begins.
    pub offset: u64,
    /// Its line in the batch, from 0.
    pub line: u64,
}

/// Where a scan begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanStart {
    /// Only documents after this position, in reading order.
    pub after: Option<ScanMark>,
}

/// The outcome of a scan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanResult {
    /// The last returned document; `None` at the end of the archive.
    pub next: Option<ScanMark>,
    /// Bytes of unreadable batches and lines.
    pub unreadable: u64,
}

/// Called with each document and its position.
type Visit<'v> = &'v mut dyn FnMut(Archived, &ScanMark) -> ControlFlow<()>;

impl Archive {
    /// Visits all documents, last removed first. A document that an earlier version archived twice,
    /// because it was killed before the removal, is visited once. Unreadable batches are skipped and counted.
    ///
    /// # Errors
    /// When the archive can't be read.
    pub fn scan(&self, from: &ScanStart, visit: Visit<'_>) -> Result<ScanResult, ArchiveError> {
        let backend = self.backend()?;
        let mut scan = Scan {
            archive: self,
            backend,
            from,
            given: HashSet::new(),
            last: None,
            seen: ScanResult::default(),
        };
        for segment in self.segments(backend)?.iter().rev() {
            match self
                .contents(backend, segment)
                .and_then(|found| scan.segment(segment, &found, visit))
            {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => {
                    scan.seen.next = scan.last;
                    return Ok(scan.seen);
                }
                // A limit removed it during the scan.
                Err(_) if !backend.list()?.iter().any(|listed| listed.name == segment.name) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(scan.seen)
    }
}

/// A scan in progress.
struct Scan<'s> {
    archive: &'s Archive,
    backend: &'s dyn Backend,
    from: &'s ScanStart,
    /// Hashes of the documents so far, to skip their copies.
    given: HashSet<u128>,
    last: Option<ScanMark>,
    seen: ScanResult,
}

impl Scan<'_> {
    fn segment(
        &mut self,
        segment: &SegmentFile,
        contents: &SegmentContents,
        visit: Visit<'_>,
    ) -> Result<ControlFlow<()>, ArchiveError> {
        self.seen.unreadable += contents.unreadable;
        for found in contents.frames.iter().rev() {
            if self.frame(segment, found, visit)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn frame(
        &mut self,
        segment: &SegmentFile,
        found: &FrameAt,
        visit: Visit<'_>,
    ) -> Result<ControlFlow<()>, ArchiveError> {
        let len = found.header.len as usize;
        let bytes = self.backend.read(&segment.name, found.offset, len)?;
        let text = frame::unpack(&bytes);
        self.archive.note_read(segment, found.offset, text.is_err());
        let Ok(text) = text else {
            self.seen.unreadable += len as u64;
            return Ok(ControlFlow::Continue(()));
        };
        let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        for (number, line) in lines.iter().enumerate().rev().filter(|(_, line)| !line.is_empty()) {
            let line_number = number as u64;
            if !self.is_new(line) || self.is_given(segment, found.offset, line_number) {
                continue;
            }
            let Ok(archived) = read_line(line) else {
                self.seen.unreadable += line.len() as u64;
                continue;
            };
            let segment = segment.name.clone();
            let mark = ScanMark { segment, offset: found.offset, line: line_number };
            if visit(archived, self.last.insert(mark)).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Whether this is the first copy of the document. Past the bound, a copy may be returned
    /// twice.
    fn is_new(&mut self, line: &[u8]) -> bool {
        let key = xxh3_128(key_of(line));
        if self.given.len() >= ARCHIVE_SEEN_MAX {
            return !self.given.contains(&key);
        }
        self.given.insert(key)
    }

    /// Whether an earlier scan returned this position or one before it.
    fn is_given(&self, segment: &SegmentFile, offset: u64, line: u64) -> bool {
        self.from.after.as_ref().is_some_and(|after| {
            (segment.name.as_str(), offset, line)
                >= (after.segment.as_str(), after.offset, after.line)
        })
    }
}
