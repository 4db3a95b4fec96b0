//! Backups: one that was written, and those that exist.

use std::path::PathBuf;

use mayfly_engine::store::BackupReport;

/// A backup that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// How large it is, where it is, and which ones are kept.
    pub report: BackupReport,
    /// One sentence about what is damaged in the store, and so in the backup.
    pub damage: Option<String>,
    /// One sentence about what belongs to the store and is not in it.
    pub left_out: Option<String>,
}

/// The backups under a name, and what else is kept of the store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BackupList {
    pub file: PathBuf,
    pub backups: Vec<KeptBackup>,
    /// The copy with damaged documents that was written instead of a backup.
    pub damaged: Option<KeptBackup>,
    /// The data files of stores whose place restores have taken, the one that was written last
    /// first.
    pub replaced: Vec<KeptBackup>,
    /// When this was so, in milliseconds since 1970 by the clock of this machine.
    pub at_ms: i64,
}

impl BackupList {
    /// Everything that can be restored.
    pub fn all(&self) -> impl Iterator<Item = &KeptBackup> {
        self.backups.iter().chain(&self.damaged).chain(&self.replaced)
    }
}

/// An existing backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptBackup {
    pub path: PathBuf,
    pub bytes: u64,
    /// When it was written, in milliseconds since 1970 by the clock of this machine.
    pub written_ms: i64,
}
