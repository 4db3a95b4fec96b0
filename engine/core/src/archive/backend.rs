//! The storage of an archive's segments: a folder or a bucket.

use super::{
    ArchiveError,
    segment::{SegmentContents, SegmentFile},
};

/// Storage of an archive's segments.
pub(super) trait Backend: Send + Sync {
    /// Whether it answers without a network.
    fn is_local(&self) -> bool {
        true
    }

    /// Creates what must exist while the archive is on. Later calls report it missing instead of
    /// creating it again, because its disk may not be mounted.
    fn begin(&self) -> Result<(), ArchiveError> {
        Ok(())
    }

    /// Creates a segment, durably. Fails if it exists.
    fn put(&self, segment: &str, frame: &[u8]) -> Result<(), ArchiveError>;

    /// All segments, oldest first.
    fn list(&self) -> Result<Vec<SegmentFile>, ArchiveError>;

    /// Bytes of a segment from an offset; fewer than `len` at its end.
    fn read(&self, segment: &str, offset: u64, len: usize) -> Result<Vec<u8>, ArchiveError>;

    /// The batches of a segment.
    fn contents(&self, segment: &SegmentFile) -> Result<SegmentContents, ArchiveError> {
        SegmentContents::find(segment.bytes, |offset, len| self.read(&segment.name, offset, len))
    }

    fn remove(&self, segment: &str) -> Result<(), ArchiveError>;
}
