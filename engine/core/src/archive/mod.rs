//! Archives: where rows of the trash are moved once their time there is up.
//!
//! A collection may have an [`Archive`]. The drain ([`Archives::drain_step`]) writes due rows to a
//! segment, durably, and takes them out of the trash in the transaction that counts the segment. A
//! segment that isn't counted doesn't belong to the archive: the next step removes it. So a document is
//! in the trash or in the archive, never in both and never in neither.
//!
//! An archive is a sequence of segments, each a gzip file of NDJSON in canonical Extended JSON
//! (`line`) with one gzip member (`frame`); earlier versions wrote several. Limits remove whole
//! segments, oldest first.

mod archives;
mod backend;
mod drain;
#[cfg(test)]
mod drain_tests;
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

#[cfg(test)]
pub(crate) use archives::ARCHIVES_META;
pub use archives::{Archives, missing_from_backup};
pub use drain::DrainStep;
pub use error::ArchiveError;
pub use line::Archived;
pub use scan::{ScanMark, ScanResult, ScanStart};
pub use settings::Settings;
pub use store::{Archive, Failure, Summary};
