//! The system's file dialog.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use mayfly_engine::clock::{Clock, SystemClock};

use super::guarded::guarded;

/// The selection of the system's dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choose {
    pub what: ChosenPath,
    /// Where it begins.
    pub folder: Option<PathBuf>,
}

/// The kind of path that is chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChosenPath {
    /// Files to import.
    Files,
    /// A folder of an exported database to import.
    Dump,
    /// A folder in which that of an exported database is made.
    DumpTarget,
    /// A data folder to open.
    Folder,
    /// A lesson file, or the `course.toml` of a course.
    Lesson,
    /// A backup to restore.
    Backup,
    /// A file of this suggested name to write a backup to.
    BackupTarget(String),
    /// A file of this suggested name to export to.
    Target(String),
}

/// The chosen files.
#[derive(Debug, Clone, Default)]
pub struct ChosenFiles {
    /// Empty when the dialog was canceled, and also when the system has none.
    pub files: Vec<PathBuf>,
    /// How long the dialog was open.
    pub took: Duration,
}

/// Opens the dialog on a detached thread: its service may never answer, and the window must close
/// all the same.
pub fn open(choose: Choose, report: impl FnOnce(ChosenFiles) + Send + 'static) {
    let work = move || {
        let started = SystemClock.monotonic();
        let files = guarded(|| choose.ask()).unwrap_or_default();
        report(ChosenFiles { files, took: SystemClock.monotonic().saturating_sub(started) });
    };
    // Without a thread there is no dialog; the path can still be typed.
    drop(thread::Builder::new().name("mayfly-file-dialog".to_owned()).spawn(work));
}

/// Endings of the names of files that an import reads.
const IMPORTED: [&str; 17] = [
    "json", "jsonl", "ndjson", "bson", "csv", "tsv", "parquet", "arrow", "feather", "arrows",
    "xlsx", "xlsm", "xlsb", "xls", "ods", "gz", "zst",
];

impl Choose {
    /// Opens the system's dialog and waits for the user, without a bound.
    fn ask(&self) -> Vec<PathBuf> {
        let mut dialog = rfd::FileDialog::new();
        if let Some(folder) = &self.folder {
            dialog = dialog.set_directory(folder);
        }
        let one = match &self.what {
            ChosenPath::Files => {
                let dialog = dialog
                    .set_title("Import")
                    .add_filter("Documents and tables", &IMPORTED)
                    .add_filter("All files", &["*"]);
                return dialog.pick_files().unwrap_or_default();
            }
            ChosenPath::Dump => dialog.set_title("Import a folder").pick_folder(),
            ChosenPath::DumpTarget => dialog.set_title("Export database").pick_folder(),
            ChosenPath::Folder => dialog.set_title("Open data folder").pick_folder(),
            ChosenPath::Lesson => dialog
                .set_title("Open a lesson or a course")
                .add_filter("Lessons and courses", &["md", "toml"])
                .pick_file(),
            ChosenPath::Backup => dialog.set_title("Restore").pick_file(),
            ChosenPath::BackupTarget(name) => {
                dialog.set_title("Back up").set_file_name(name).save_file()
            }
            ChosenPath::Target(name) => dialog.set_title("Export").set_file_name(name).save_file(),
        };
        one.into_iter().collect()
    }
}
