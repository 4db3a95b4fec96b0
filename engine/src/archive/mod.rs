//! Archives: what expires is kept in compressed files before it is removed.
//!
//! A collection may have an [`Archive`]. Before the reaper's transaction removes documents, it gives
//! them to [`Archive::keep`], which returns when they are durable; while that fails nothing of the
//! collection is removed. A crash between the two leaves a document in both places, and it is
//! archived again with the next pass; [`Archive::scan`] gives such copies once.
//!
//! An archive is a row of segments, each a gzip file of NDJSON in canonical Extended JSON (`line`),
//! one gzip member a batch (`frame`). A torn last batch was never acknowledged, so what it held was
//! not removed. Limits remove whole segments, the oldest first.

mod archives;
mod error;
mod frame;
mod kept;
mod line;
mod local;
mod place;
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
pub use archives::{Archives, left_out};
pub use error::ArchiveError;
pub use kept::Kept;
pub use line::Archived;
pub use scan::{From, Mark, Seen};
pub use settings::Settings;
pub use store::{Archive, Failure, Summary};
