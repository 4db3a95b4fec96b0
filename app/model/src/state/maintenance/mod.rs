//! The store as a whole: how it is, its backups, and what is done for its safety.

use mayfly_engine::value::named;

pub mod dialogs;
pub mod ended;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::operations::OperationId;
use crate::job::{Advice, BackupList, JobGauge, KeptBackup};

pub use dialogs::{BackupDraft, Checked, Dialog, RestoreDraft};
pub use ended::{Ended, Tone};

/// The state of the store as a whole.
#[derive(Debug, Default)]
pub struct Maintenance {
    /// `None` until it is known.
    pub status: Option<Status>,
    /// The reading of everything in the background.
    pub scrub: Scrub,
    /// Backups found in the folder. `None` until they are listed.
    pub backup_list: Option<BackupList>,
    /// The generation of the last look; an older answer may be about another folder.
    pub look: Option<u64>,
    /// When the list was read, in window time.
    pub listed_at: Duration,
    /// The running work. There is only one at a time.
    pub running: Option<Running>,
    /// The store reopened itself after a failed write, and the user has not dismissed the note.
    pub recovered: bool,
    /// The last report of damage, until the user dismisses it.
    pub damage: Option<String>,
    /// Advice about the data folder's place, until the user dismisses it.
    pub advice: Vec<Advice>,
    /// When the store was asked how it is, in window time.
    pub asked_at: Option<Duration>,
    /// Whether that has no answer yet.
    pub is_waiting: bool,
}

/// The operations that a store accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Takes {
    #[default]
    Everything,
    /// Reads and deletions: the disk is full.
    Deletions,
    /// Reads, because it can't be written.
    Reads,
    /// Reads, because a write failed.
    ReadsUntilChecked,
    /// Reads, because the data file was removed, replaced or linked under the open store.
    ReadsDetached,
}

impl Takes {
    /// By the name in the store's answer.
    pub fn named(name: &str) -> Self {
        match name {
            "diskFull" => Self::Deletions,
            "readOnly" => Self::Reads,
            "suspect" => Self::ReadsUntilChecked,
            "detached" => Self::ReadsDetached,
            _ => Self::Everything,
        }
    }
}

/// How the store is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    pub takes: Takes,
    /// Why it does not take everything: a sentence.
    pub reason: Option<String>,
    pub free_bytes: Option<u64>,
    pub file_bytes: u64,
    pub live_bytes: u64,
    /// Percent of the data file that are checked, while that runs after an opening.
    pub walk_percent: Option<u64>,
    /// When the whole file was checked last, in milliseconds since 1970.
    pub last_walk_ms: Option<i64>,
    /// How often the store has re-opened itself after a failed write.
    pub reopenings: u64,
}

impl Status {
    /// How far the check of the data file is, while it runs.
    pub fn walk_words(&self) -> Option<String> {
        self.walk_percent.map(|percent| format!("being checked ({percent} %)"))
    }

    /// Bytes that a compaction would reclaim, estimated.
    pub fn spare_bytes(&self) -> u64 {
        self.file_bytes.saturating_sub(self.live_bytes)
    }
}

/// The reading of everything in the background.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scrub {
    pub is_running: bool,
    /// When it last came to its end, in milliseconds since 1970.
    pub finished_ms: Option<i64>,
    pub documents: u64,
    pub findings: u64,
}

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Kind {
        Backup => "Backing up",
        /// A backup is looked at before it is restored.
        Check => "Checking the backup",
        Restore => "Restoring",
        Compact => "Compacting",
        Verify => "Verifying",
    }
    /// Its name while it runs.
    pub fn title;
}

impl Kind {
    /// The window's message while the store is closed for it. `None` if the store stays open.
    #[must_use]
    pub fn away(self) -> Option<&'static str> {
        match self {
            Self::Backup | Self::Check => None,
            Self::Restore => Some("The store is closed while a backup is restored"),
            Self::Compact => Some("The store is closed while it is compacted"),
            Self::Verify => Some("The store is closed while it is verified"),
        }
    }
}

/// Something that runs.
#[derive(Debug)]
pub struct Running {
    pub operation: OperationId,
    pub kind: Kind,
    pub file: Option<PathBuf>,
    pub gauge: Arc<JobGauge>,
    /// The dialog it was started from, to go back to when nothing could be done.
    pub draft: Dialog,
    pub command: String,
    /// When it was asked for, in window time.
    pub asked: Duration,
}

impl Maintenance {
    pub fn newest(&self) -> Option<&KeptBackup> {
        self.backup_list.as_ref().and_then(|backup_list| backup_list.backups.first())
    }

    /// How old a backup is, in milliseconds, at this time of the window.
    pub fn age_ms(&self, backup: &KeptBackup, uptime: Duration) -> i64 {
        let now_ms = self.backup_list.as_ref().map_or(backup.written_ms, |backup_list| {
            let since = uptime.saturating_sub(self.listed_at).as_millis();
            backup_list.at_ms.saturating_add(i64::try_from(since).unwrap_or(i64::MAX))
        });
        now_ms.saturating_sub(backup.written_ms).max(0)
    }

    /// Stores the status of the store.
    pub fn learn(&mut self, status: Status, scrub: Scrub) {
        let before = self.status.as_ref().map_or(0, |before| before.reopenings);
        if status.reopenings > before {
            self.recovered = true;
        }
        if scrub.findings > self.scrub.findings {
            let what = if scrub.findings == 1 { "1 damaged item" } else { "several damaged items" };
            let sentence = format!("The scrub found {what} in this store.");
            self.damage.get_or_insert(sentence);
        }
        (self.status, self.scrub) = (Some(status), scrub);
        self.is_waiting = false;
    }

    /// The store is another one, or was closed and opened: what was known of it no longer counts.
    pub fn forget(&mut self) {
        let advice = std::mem::take(&mut self.advice);
        let running = self.running.take();
        *self = Self { running, advice, ..Self::default() };
    }
}

/// The name under which a folder's backups are remembered.
pub fn key(folder: &Path) -> String {
    folder.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_has_recovered_says_so_until_it_is_read() {
        let mut maintenance = Maintenance::default();
        let mut check = |reopenings, expected| {
            let status = Status { reopenings, ..Status::default() };
            maintenance.learn(status, Scrub::default());
            assert_eq!(maintenance.recovered, expected, "{reopenings}");
            maintenance.recovered = false;
        };
        check(0, false);
        check(1, true);
        check(1, false);
        check(2, true);
    }

    #[test]
    fn findings_of_a_scrub_are_told_once() {
        let mut maintenance = Maintenance::default();
        let scrub = |findings| Scrub { findings, ..Scrub::default() };
        maintenance.learn(Status::default(), scrub(0));
        assert_eq!(maintenance.damage, None);
        maintenance.learn(Status::default(), scrub(1));
        assert!(maintenance.damage.take().is_some_and(|words| words.contains("1 damaged item")));
        maintenance.learn(Status::default(), scrub(1));
        assert_eq!(maintenance.damage, None);
    }

    #[test]
    fn the_age_of_a_backup_grows_with_the_window() {
        let backup = KeptBackup { path: PathBuf::from("/b"), bytes: 1, written_ms: 1_000 };
        let backup_list = BackupList { at_ms: 5_000, ..BackupList::default() };
        let listed_at = Duration::from_secs(10);
        let maintenance =
            Maintenance { backup_list: Some(backup_list), listed_at, ..Maintenance::default() };
        let check = |secs, expected| {
            assert_eq!(maintenance.age_ms(&backup, Duration::from_secs(secs)), expected);
        };
        check(10, 4_000);
        check(12, 6_000);
        check(0, 4_000);
    }

    #[test]
    fn states_by_name() {
        let check = |name: &str, expected| assert_eq!(Takes::named(name), expected);
        check("ok", Takes::Everything);
        check("diskFull", Takes::Deletions);
        check("readOnly", Takes::Reads);
        check("suspect", Takes::ReadsUntilChecked);
        check("detached", Takes::ReadsDetached);
    }
}
