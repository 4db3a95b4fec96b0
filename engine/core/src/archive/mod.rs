//! Archives: expired documents are written to compressed files before they are removed.
//!
//! A collection may have an [`Archive`]. Before the reaper's transaction removes documents, it
//! passes them to [`Archive::append`], which returns once they are durable; while that fails,
//! nothing of the collection is removed. A crash between the two leaves a document in both places,
//! and the next pass archives it again; [`Archive::scan`] returns such copies once.
//!
//! An archive is a sequence of segments, each a gzip file of NDJSON in canonical Extended JSON
//! (`line`), with one gzip member per batch (`frame`). A torn last batch was never acknowledged, so
//! its documents were not removed. Limits remove whole segments, oldest first.

mod archives;
mod backend;
mod error;
mod frame;
mod inventory;
mod line;
mod local;
#[cfg(test)]
mod missing_tests;
#[cfg(feature = "s3")]
mod s3;
mod scan;
mod segment;
mod settings;
mod store;
#[cfg(test)]
mod tests;
mod versions;

#[cfg(test)]
pub(crate) use archives::ARCHIVES_META;
pub use archives::{Archives, missing_from_backup};
pub use error::ArchiveError;
pub use line::Archived;
pub use scan::{ScanMark, ScanResult, ScanStart};
pub use settings::Settings;
pub use store::{Archive, Failure, Summary};
pub use versions::ArchivedVersions;
