//! The system's file dialog.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;
use mayfly_engine::clock::{Clock, SystemClock};

use super::guarded::guarded;
use super::outcome::Outcome;
use super::transfer::{Choose, TransferDone};
use super::wake::Wake;
use crate::job::Purpose;

/// Opens the dialog on a detached thread: its service may never answer, and the window must close
/// all the same.
pub(super) fn open<A: Send + 'static>(
    purpose: Purpose,
    generation: u64,
    choose: Choose,
    outcomes: Sender<Outcome<A>>,
    wake: Wake,
) {
    let work = move || {
        let started = SystemClock.monotonic();
        let files = guarded(|| self::choose(&choose)).unwrap_or_default();
        let took = SystemClock.monotonic().saturating_sub(started);
        let done = TransferDone::Chosen { files, took };
        if outcomes.send(Outcome::Transfer { purpose, generation, done }).is_ok() {
            wake(Duration::ZERO);
        }
    };
    // Without a thread there is no dialog; the path can still be typed.
    drop(thread::Builder::new().name("mayfly-file-dialog".to_owned()).spawn(work));
}

/// Opens the system's dialog and waits for the user, without a bound.
fn choose(choose: &Choose) -> Vec<PathBuf> {
    let dialog = rfd::FileDialog::new();
    match choose {
        Choose::Files { folder } => begun_in(dialog, folder.as_deref())
            .set_title("Import")
            .add_filter(
                "JSON, BSON and CSV",
                &["json", "jsonl", "ndjson", "bson", "csv", "tsv", "gz", "zst"],
            )
            .add_filter("All files", &["*"])
            .pick_files()
            .unwrap_or_default(),
        Choose::Dump { folder } => begun_in(dialog, folder.as_deref())
            .set_title("Import a folder")
            .pick_folder()
            .into_iter()
            .collect(),
        Choose::DumpTarget { folder } => begun_in(dialog, folder.as_deref())
            .set_title("Export database")
            .pick_folder()
            .into_iter()
            .collect(),
        Choose::Folder { folder } => begun_in(dialog, folder.as_deref())
            .set_title("Open data folder")
            .pick_folder()
            .into_iter()
            .collect(),
        Choose::Lesson { folder } => begun_in(dialog, folder.as_deref())
            .set_title("Open a lesson or a course")
            .add_filter("Lessons and courses", &["md", "toml"])
            .pick_file()
            .into_iter()
            .collect(),
        Choose::Backup { folder } => begun_in(dialog, folder.as_deref())
            .set_title("Restore")
            .pick_file()
            .into_iter()
            .collect(),
        Choose::BackupTarget { folder, name } => begun_in(dialog, folder.as_deref())
            .set_title("Back up")
            .set_file_name(name)
            .save_file()
            .into_iter()
            .collect(),
        Choose::Target { folder, name } => begun_in(dialog, folder.as_deref())
            .set_title("Export")
            .set_file_name(name)
            .save_file()
            .into_iter()
            .collect(),
    }
}

fn begun_in(dialog: rfd::FileDialog, folder: Option<&Path>) -> rfd::FileDialog {
    match folder {
        Some(folder) => dialog.set_directory(folder),
        None => dialog,
    }
}
