//! The only writer of documents, index entries, counters and the catalog.
//!
//! [`Collections`] is the way in. Every change is one transaction of the store: a document, all its
//! index entries and the counters go together, and a change of the catalog goes together with what
//! it removes. A transaction compares the catalog's version with its snapshot first, so a writer
//! never works with definitions that another writer has changed.
//!
//! What takes long is cut into steps, each its own bounded transaction, and goes on after a restart:
//! index builds (`build`) and the removal of dropped ranges (`reclaim`).

mod build;
mod coll_mod;
mod collections;
mod damaged;
mod damaged_documents;
mod ddl;
mod dialect;
mod displaced;
mod document_writer;
mod drives;
mod error;
mod index_ddl;
mod keys;
#[cfg(test)]
mod many_tests;
mod measurements;
mod numbering;
mod observer;
mod pace;
mod rebuild;
mod reclaim;
mod recount;
mod removal;
mod rename;
mod scrub;
#[cfg(test)]
mod tests;
mod together;
#[cfg(test)]
mod together_tests;
mod transaction;
mod trash;
mod twice;
mod unique;
mod verify;
mod waiting;
mod watches;

pub use build::{BuildProgress, PendingBuild};
pub use collections::Collections;
pub use damaged::{backup_damage, damage_in_words, sample_damage};
pub use damaged_documents::{DamagedDocument, DamagedPage, NotRemoved};
pub use displaced::{Displaced, Keeper};
pub use document_writer::{DocumentWriter, InvalidDocument};
pub use error::{DuplicateKey, WriteError};
pub use measurements::Measurements;
pub use observer::Change;
pub use pace::Pace;
pub use reclaim::ReclaimStep;
pub(crate) use reclaim::lost_in_words;
pub use rename::{Handover, Like, Replacement};
pub use scrub::{ScrubStatus, ScrubStep};
pub use trash::{RowToPutBack, TrashStatus, Trashed, Trim, TrimStep};
pub use verify::{Finding, VerifyProgress, VerifyReport};
pub use waiting::ChangeWaiter;
