//! The only writer of documents, index entries, counters and the catalog.
//!
//! [`Collections`] is the entry point. Every change is one transaction of the store: a document, all
//! its index entries and the counters change together, and a change of the catalog commits together
//! with what it removes. A transaction first compares the catalog's version with its snapshot, so a
//! writer never works with definitions that another writer has changed.
//!
//! Long work runs in steps, each in its own bounded transaction, and resumes after a restart: index
//! builds (`build`) and the removal of dropped ranges (`ddl::reclaim`).

mod build;
mod change_waiters;
mod collections;
mod ddl;
mod error;
mod integrity;
mod oplog;
#[cfg(test)]
mod tests;
mod time_budget;
mod write;

pub use build::progress::PendingBuild;
pub use change_waiters::ChangeWaiter;
pub use collections::Collections;
pub(crate) use ddl::reclaim::lost_in_words;
pub use ddl::{
    reclaim::ReclaimStep,
    rename::{ExpectedTarget, Handover, Replacement},
};
pub use error::{DuplicateKey, WriteError};
pub use integrity::{
    damage_text::{backup_damage, damage_in_words, opening_damage},
    damaged_documents::{DamagedDocument, DamagedPage, RemoveDamagedError},
    scrub::ScrubStep,
    scrub_state::ScrubStatus,
    verify::{VerifyProgress, VerifyReport},
};
pub use oplog::{
    entry::{OplogChange, OplogEntry, OplogKind},
    membership::Role,
};
pub use time_budget::TimeBudget;
pub use write::{
    document_writer::{DocumentWriter, InvalidDocument},
    measurements::Measurements,
    trash::{TrashStatus, Trim, TrimStep},
    trash_policy::{Keeping, TrashPolicy},
    trash_row::{RestorableRow, TrashRow, WaitingRow},
    waiting::{DueRows, WaitingRows},
};
