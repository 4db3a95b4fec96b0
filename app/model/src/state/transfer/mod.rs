//! Files in and out: what is drafted, what runs, how it ended.
//!
//! A dropped file becomes `TransferAction::Import`. The draft is in the dialog (`state/transfer/`). Several
//! files become a collection each: `ImportDraft::parts` makes a draft of each, and one job imports them one
//! after the other. A complete import keeps what it inserted (`ImportRequest::keeps_inserted`), so that its
//! result can roll it back. Of the dialog, previews and rehearsals run on the readers; an import or export is
//! one job on the `Transfer` lane, of which `TRANSFERS_MAX` run at a time, and one import into a collection
//! (`worker/queue.rs`). `state/transfer/again.rs` keeps those that ended for the Activity drawer and the
//! settings. A running job shares a `Progress` with the worker; `apply::transfer::run::follow` reads it ten
//! times a second into `Operations`. The system's file dialog has a thread that nothing waits for, because
//! some systems never answer; you can always type a path. Every job ends with counts and a sentence. When
//! nothing was done, its dialog opens again with the reason. A source that can't handle files has no
//! `Source::transfers`.
//!
//! An export from the Documents view writes what the list shows: filter, sort, projection, skip and limit
//! become the engine's `ExportQuery`, hidden columns are left out of CSV, and a `count` says how many
//! documents that is. Only a command reads a view, so its documents are written by `worker/result_file.rs`.
//!
//! Index definitions next to a file (`carts.ndjson.indexes.json`) are found with its preview
//! (`worker/index_file.rs`). If the user says so, `apply::transfer::run` sends a `createIndexes` for each
//! once every document is imported, and `CreatedIndexes` notes the answers.

pub mod again;
pub mod apart;
pub mod columns;
pub mod command_line;
pub mod copying;
pub mod cut;
pub mod disk_space;
pub mod dump;
pub mod dump_export;
pub mod export;
pub mod import;
pub mod index_file;
pub mod meter;
pub mod types;

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bson::oid::ObjectId;
use mayfly_engine::transfer::{ImportEnd, ImportReport, Progress, UnfinishedImport};

use crate::job::cut::CutWork;

use super::operations::OperationId;
use super::{Namespace, number};
use crate::limits::TRANSFERS_MAX;
pub use again::{Again, PastOperations};
pub use copying::{CopyDraft, CopyResult};
pub use dump::{DumpDraft, DumpResult};
pub use dump_export::DumpExportDraft;
pub use export::{ExportDraft, ExportForm};
pub use import::{ImportDraft, Loadable};
pub use index_file::CreatedIndexes;
pub use meter::Meter;
pub use types::TypesDraft;

/// The state of import and export outside of their dialogs.
#[derive(Debug, Default)]
pub struct Transfer {
    /// Running and waiting operations, the oldest first.
    pub running: Vec<Running>,
    /// The system's file dialog that is open, or should be.
    pub chooser: Option<Chooser>,
    /// Said below a path when the system's file dialog did not answer.
    pub chooser_note: Option<&'static str>,
    /// Where files were chosen last.
    pub folder: Option<PathBuf>,
    /// How imports ended, the newest last.
    pub results: VecDeque<ImportResult>,
    /// A look into a file that runs, to stop it when its dialog is closed or a newer one is asked for.
    pub look: Option<Arc<Progress>>,
    /// A rehearsal that runs, to stop it when a newer one is asked for.
    pub rehearsal: Option<Arc<Progress>>,
    /// Imports that did not reach the end of their files, the oldest first.
    pub unfinished: Vec<UnfinishedImport>,
    /// Operations that were cut short, the oldest first.
    pub cut: Vec<CutWork>,
    pub again: HashMap<OperationId, Again>,
}

/// A transfer that runs or waits to run.
#[derive(Debug)]
pub struct Running {
    pub operation: OperationId,
    /// How far it is.
    pub progress: Arc<Progress>,
    /// How fast it is.
    pub meter: Meter,
    /// Documents in all, for an export.
    pub documents_total: u64,
    /// The dialog it was started from, to go back to when nothing could be done.
    pub draft: Dialog,
    /// When it was asked for, in window time.
    pub asked: Duration,
    /// When it got its turn, in window time.
    pub began: Option<Duration>,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Import {
        /// Into these collections.
        into: Vec<Namespace>,
        /// Whether the reaper was paused for it.
        paused: bool,
    },
    /// An import is taken back.
    RollBack {
        /// Out of these collections.
        from: Vec<Namespace>,
    },
    ImportDump {
        /// Into these collections.
        into: Vec<Namespace>,
    },
    /// A copy of a collection into another store.
    Copy,
    ExportDatabase,
    Export {
        /// To this file.
        path: PathBuf,
    },
}

impl Kind {
    /// The collections that it imports into. Two imports into one take turns.
    pub fn targets(&self) -> &[Namespace] {
        match self {
            Self::Import { into, .. } | Self::ImportDump { into } => into,
            _ => &[],
        }
    }
}

/// The system's file dialog that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chooser {
    /// Which dialog asked; the answer is for no other one.
    pub asker: Asker,
    /// The job's generation; an older answer is not for the open dialog.
    pub generation: u64,
    /// When it was asked for, in window time.
    pub since: Duration,
}

/// A dialog that lets the system's dialog choose files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asker {
    Import,
    Export(Namespace),
    ExportDatabase(String),
    Copy(Namespace),
    Backup,
    /// Restoring a backup.
    Restore,
    /// Opening another data folder.
    OpenFolder,
    /// The dialog that adds a lesson.
    OpenLesson,
    /// The dialog that writes a handout.
    Handout,
    /// The dialog that writes a lesson.
    SaveLesson,
    /// A new folder for a sandbox.
    LeaveSandbox,
}

/// How an import ended.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportResult {
    pub operation: OperationId,
    pub into: Namespace,
    pub report: ImportReport,
    /// The further collections of files that became a collection each.
    pub others: Vec<(Namespace, Result<ImportReport, String>)>,
    /// How long it took.
    pub took: Duration,
    /// Whether the reaper was paused for it and still is.
    pub paused: bool,
    /// The results of creating the indexes of the files' definitions, if that was requested.
    pub indexes: Option<CreatedIndexes>,
    /// Whether it was taken back.
    pub is_rolled_back: bool,
}

impl ImportResult {
    /// The imports that a roll back takes back.
    pub fn roll_back_ids(&self) -> Vec<ObjectId> {
        if self.is_rolled_back {
            return Vec::new();
        }
        let id = |report: &ImportReport| report.complete.or(report.unfinished);
        self.reports().filter_map(id).collect()
    }

    /// Whether every file of every collection was read to its end.
    pub fn is_complete(&self) -> bool {
        let is_whole = |report: &ImportReport| report.end == ImportEnd::Complete;
        let mut others = self.others.iter().map(|(_, report)| report.as_ref());
        is_whole(&self.report) && others.all(|report| report.is_ok_and(is_whole))
    }

    /// The reports of all collections about which there is one.
    pub fn reports(&self) -> impl Iterator<Item = &ImportReport> {
        let others = self.others.iter().filter_map(|(_, report)| report.as_ref().ok());
        [&self.report].into_iter().chain(others)
    }

    /// The collections.
    pub fn targets(&self) -> Vec<Namespace> {
        let others = self.others.iter().map(|(namespace, _)| namespace);
        [&self.into].into_iter().chain(others).cloned().collect()
    }

    /// The collections in words.
    pub fn into_words(&self) -> String {
        match self.others.len() as u64 {
            0 => self.into.to_string(),
            others => number::counted(others + 1, "collection", "collections"),
        }
    }

    /// Documents stored.
    pub fn imported(&self) -> u64 {
        self.reports().map(|report| report.imported).sum()
    }
}

/// A dialog for files.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    Import(Box<ImportDraft>),
    Dump(Box<DumpDraft>),
    Export(Box<ExportDraft>),
    ExportDatabase(Box<DumpExportDraft>),
    Copy(Box<CopyDraft>),
    /// How a copy ended.
    Copied(Box<CopyResult>),
    /// The imports that did not reach the end of their files.
    Unfinished {
        /// Why the last thing that was asked could not be done.
        error: Option<String>,
    },
    /// How far one is.
    Running(OperationId),
    /// How an import ended.
    Imported(Box<ImportResult>),
    /// How an import of a dump ended.
    DumpImported(Box<DumpResult>),
}

impl Transfer {
    pub fn get(&self, operation: OperationId) -> Option<&Running> {
        self.running.iter().find(|running| running.operation == operation)
    }

    /// Whether each transfer waits for its turn, in the order of [`Self::running`]: as the worker
    /// does them, [`TRANSFERS_MAX`] at a time, and one at a time into each collection.
    pub fn waiting(&self) -> Vec<bool> {
        let into = |running: &Running| running.kind.targets().to_vec();
        let begun = self.running.iter().filter(|running| running.began.is_some());
        let mut targets: Vec<Vec<Namespace>> = begun.map(into).collect();
        let waits = |running: &Running| {
            if running.began.is_some() {
                return false;
            }
            let own = into(running);
            let is_taken = targets.iter().flatten().any(|taken| own.contains(taken));
            let waits = is_taken || targets.len() >= TRANSFERS_MAX;
            if !waits {
                targets.push(own);
            }
            waits
        };
        self.running.iter().map(waits).collect()
    }

    /// Takes what ran under this name.
    pub fn take(&mut self, operation: OperationId) -> Option<Running> {
        let at = self.running.iter().position(|running| running.operation == operation)?;
        Some(self.running.remove(at))
    }
}
