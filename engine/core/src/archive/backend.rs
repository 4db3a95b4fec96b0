//! The storage of an archive's segments: a folder or a bucket.

use super::{
    ArchiveError,
    segment::{SegmentContents, SegmentFile},
};

/// Storage of an archive's segments.
pub(super) trait Backend: Send + Sync {
    /// Whether a segment can hold several batches. If not, each batch becomes its own segment, put
    /// at offset 0.
    fn appends(&self) -> bool {
        true
    }

    /// Creates what must exist while the archive is on. Later calls report it missing instead of
    /// creating it again, because its disk may not be mounted.
    fn begin(&self) -> Result<(), ArchiveError> {
        Ok(())
    }

    /// Writes a batch at this offset of a segment, durably. Offset 0 creates the segment and fails
    /// if it exists. A later offset overwrites what a failed call left there.
    fn put(&self, segment: &str, offset: u64, frame: &[u8]) -> Result<(), ArchiveError>;

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
