//! Where an archive's segments lie.

use super::{
    ArchiveError,
    segment::{SegmentContents, SegmentFile},
};

/// Where an archive's segments lie.
pub(super) trait Backend: Send + Sync {
    /// Whether a segment can hold several batches. If not, each is put at offset 0 of its own.
    fn appends(&self) -> bool {
        true
    }

    /// Makes what has to be there as long as the archive is on. Later it is missed, and not made anew:
    /// the disk that it is on may not be mounted.
    fn begin(&self) -> Result<(), ArchiveError> {
        Ok(())
    }

    /// Keeps a batch that begins at this offset of a segment; begins the segment at offset 0, and fails
    /// if it is there. What a failed call has left behind another offset is written over. When this
    /// returns, the batch is durable.
    fn put(&self, segment: &str, offset: u64, frame: &[u8]) -> Result<(), ArchiveError>;

    /// All segments, oldest first.
    fn list(&self) -> Result<Vec<SegmentFile>, ArchiveError>;

    /// Bytes of a segment from an offset on; fewer than `len` at its end.
    fn read(&self, segment: &str, offset: u64, len: usize) -> Result<Vec<u8>, ArchiveError>;

    /// What stands in a segment.
    fn contents(&self, segment: &SegmentFile) -> Result<SegmentContents, ArchiveError> {
        SegmentContents::find(segment.bytes, |offset, len| self.read(&segment.name, offset, len))
    }

    /// Removes a segment.
    fn remove(&self, segment: &str) -> Result<(), ArchiveError>;
}
