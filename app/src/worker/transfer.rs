//! Files in and out, as work for the threads.

mod imports;
mod unfinished;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bson::Document;
use bson::oid::ObjectId;
use mayfly_engine::transfer::{
    self, Dump, DumpCollection, DumpExport, DumpImport, DumpOutcome, DumpReport, ExportReport,
    ExportRequest, ImportReport, ImportRequest, Progress, ReadOptions, Rehearsal, RollBackReport,
    TransferError, UnfinishedImport,
};

use super::copying::{CopyDone, CopyWork};
use super::index_file;
use super::result_file::{self, ResultFile};
use crate::job::cut::CutWork;
use crate::job::{FileLook, Namespace};
use crate::source::embedded::DATA_FILE;
use crate::source::{Source, Transfers};

/// One thing to do with files.
#[derive(Clone)]
pub enum TransferWork {
    /// Look into a file.
    Preview {
        /// The file.
        path: PathBuf,
        options: ReadOptions,
        /// All files of the import, to check the disk space.
        all: Vec<PathBuf>,
        /// The files next to which index definitions are looked for.
        beside: Vec<PathBuf>,
        /// The store's time.
        now_ms: i64,
    },
    /// Count what is past its threshold already.
    Rehearse {
        files: Vec<PathBuf>,
        options: ReadOptions,
        /// The collection whose TTL indexes count.
        namespace: Namespace,
        /// Stops it.
        progress: Arc<Progress>,
    },
    /// Import files.
    Import {
        request: ImportRequest,
        /// How far it is; stops it.
        progress: Arc<Progress>,
    },
    /// Import files into several collections, one after the other.
    ImportMany {
        requests: Vec<ImportRequest>,
        /// How far it is; stops it.
        progress: Arc<Progress>,
    },
    /// Count what is past its threshold already in each collection of a dump.
    RehearseDump {
        collections: Vec<DumpCollection>,
        /// Stops it.
        progress: Arc<Progress>,
    },
    /// Import collections of a dump.
    ImportDump {
        request: Box<DumpImport>,
        /// How far it is; stops it.
        progress: Arc<Progress>,
    },
    /// Find the imports that did not reach the end of their files, and the operations that were cut
    /// short.
    Unfinished,
    /// Forget an operation that was cut short, after this command if there is one.
    Forget {
        journal: PathBuf,
        /// A database and a command.
        first: Option<(String, Document)>,
    },
    Resume {
        id: ObjectId,
        /// How far it is; stops it.
        progress: Arc<Progress>,
    },
    /// Remove what some of them, or complete imports, have stored.
    RollBack {
        /// Which ones.
        ids: Vec<ObjectId>,
        /// How far it is; stops it.
        progress: Arc<Progress>,
    },
    /// Forget one of them, then find the others.
    Leave(ObjectId),
    /// Export a collection.
    Export {
        request: Box<ExportRequest>,
        /// Whether a file of that name may be written over.
        overwrite: bool,
        /// How far it is; stops it.
        progress: Arc<Progress>,
    },
    /// Export a database to a folder.
    ExportDatabase {
        request: DumpExport,
        /// How far it is; stops it.
        progress: Arc<Progress>,
    },
    /// Write the documents that a command gives to a file.
    ExportResults {
        file: Box<ResultFile>,
        /// Whether a file of that name may be written over.
        overwrite: bool,
        /// Stops it.
        progress: Arc<Progress>,
    },
    /// Write a text to a file.
    ExportText {
        /// The file.
        path: PathBuf,
        text: String,
        /// Whether a file of that name may be written over.
        overwrite: bool,
    },
    /// Copy a collection into another store.
    Copy(CopyWork),
    /// Find the folder for downloads.
    Folder,
    /// Find out whether a folder holds a store.
    LookInto(PathBuf),
    /// Let the system's dialog choose files, on another thread.
    Choose(Choose),
}

/// The selection of the system's dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choose {
    /// Files to import.
    Files {
        /// Where it begins.
        folder: Option<PathBuf>,
    },
    /// A folder of an exported database to import.
    Dump {
        /// Where it begins.
        folder: Option<PathBuf>,
    },
    /// A folder in which that of an exported database is made.
    DumpTarget {
        /// Where it begins.
        folder: Option<PathBuf>,
    },
    /// A data folder to open.
    Folder {
        /// Where it begins.
        folder: Option<PathBuf>,
    },
    /// A lesson file, or the `course.toml` of a course.
    Lesson {
        /// Where it begins.
        folder: Option<PathBuf>,
    },
    /// A backup to restore.
    Backup {
        /// Where it begins.
        folder: Option<PathBuf>,
    },
    /// A file to write a backup to.
    BackupTarget {
        /// Where it begins.
        folder: Option<PathBuf>,
        /// The name that it suggests.
        name: String,
    },
    /// A file to export to.
    Target {
        /// Where it begins.
        folder: Option<PathBuf>,
        /// The name that it suggests.
        name: String,
    },
}

/// The result.
#[derive(Debug, Clone)]
pub enum TransferDone {
    Preview(Result<FileLook, String>),
    /// The file to look into is a dump.
    Dump {
        /// The folder or file.
        path: PathBuf,
        dump: Result<Dump, String>,
    },
    /// Documents of a dump past their threshold already. `None` if it was canceled.
    DumpRehearsal(Result<Option<Vec<Rehearsal>>, String>),
    /// An import of a dump ended. The error: nothing was changed.
    DumpImport(Result<Vec<DumpOutcome>, Failure>),
    /// Documents past their threshold already. `None` if a newer question replaced it.
    Rehearsal(Result<Option<Rehearsal>, String>),
    /// An import ended. The error: nothing was changed.
    Import(Result<ImportReport, Failure>),
    /// Imports into several collections ended, in the order of the requests. Those after a cancellation
    /// are missing.
    Imports(Vec<Result<ImportReport, Failure>>),
    /// The imports that did not reach the end of their files, and the operations that were cut short.
    Unfinished(Result<(Vec<UnfinishedImport>, Vec<CutWork>), String>),
    /// A roll back ended.
    RolledBack(Result<RollBackReport, Failure>),
    /// An export ended. The error: there is no new file.
    Export(Result<ExportReport, Failure>),
    /// An export of a database ended. The error: there is no new folder.
    DatabaseExport(Result<DumpReport, Failure>),
    /// A copy of a collection.
    Copy(CopyDone),
    /// The folder for downloads.
    Folder(Option<PathBuf>),
    /// Whether a folder holds a store.
    LookedInto {
        folder: PathBuf,
        /// Whether a data file is in it.
        has_store: bool,
    },
    /// The chosen files. None when the dialog was canceled, and also when the system has none.
    Chosen {
        files: Vec<PathBuf>,
        /// How long the dialog was open.
        took: Duration,
    },
}

/// Why nothing was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The user canceled.
    Cancelled,
    /// These files already exist.
    Exists(Vec<PathBuf>),
    /// Something failed: one sentence.
    Failed(String),
}

impl From<TransferError> for Failure {
    fn from(error: TransferError) -> Self {
        match error {
            TransferError::Cancelled => Self::Cancelled,
            other => Self::Failed(other.to_string()),
        }
    }
}

impl fmt::Debug for TransferWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Preview { path, .. } => write!(f, "Preview({})", path.display()),
            Self::Rehearse { files, namespace, .. } => {
                write!(f, "Rehearse({files:?}, {namespace})")
            }
            Self::RehearseDump { collections, .. } => {
                write!(f, "RehearseDump({})", collections.len())
            }
            Self::ImportDump { request, .. } => write!(f, "ImportDump({})", request.choices.len()),
            Self::Import { request, .. } => write!(f, "Import({request:?})"),
            Self::ImportMany { requests, .. } => write!(f, "ImportMany({})", requests.len()),
            Self::Export { request, .. } => write!(f, "Export({})", request.path.display()),
            Self::ExportResults { file, .. } => {
                write!(f, "ExportResults({})", file.path.display())
            }
            Self::ExportDatabase { request, .. } => {
                write!(f, "ExportDatabase({})", request.folder.display())
            }
            Self::ExportText { path, .. } => write!(f, "ExportText({})", path.display()),
            Self::Unfinished => f.write_str("Unfinished"),
            Self::Forget { journal, .. } => write!(f, "Forget({})", journal.display()),
            Self::Resume { id, .. } => write!(f, "Resume({id})"),
            Self::RollBack { ids, .. } => write!(f, "RollBack({})", ids.len()),
            Self::Leave(id) => write!(f, "Leave({id})"),
            Self::Copy(work) => write!(f, "Copy({work:?})"),
            Self::Folder => f.write_str("Folder"),
            Self::LookInto(folder) => write!(f, "LookInto({})", folder.display()),
            Self::Choose(choose) => write!(f, "Choose({choose:?})"),
        }
    }
}

impl TransferWork {
    /// How far it is, when it can be stopped.
    pub fn progress(&self) -> Option<&Arc<Progress>> {
        match self {
            Self::Rehearse { progress, .. }
            | Self::RehearseDump { progress, .. }
            | Self::ImportDump { progress, .. }
            | Self::Import { progress, .. }
            | Self::ImportMany { progress, .. }
            | Self::Resume { progress, .. }
            | Self::RollBack { progress, .. }
            | Self::ExportResults { progress, .. }
            | Self::ExportDatabase { progress, .. }
            | Self::Export { progress, .. } => Some(progress),
            Self::Copy(work) => work.progress(),
            Self::Preview { .. }
            | Self::Unfinished
            | Self::Forget { .. }
            | Self::Leave(_)
            | Self::ExportText { .. }
            | Self::Folder
            | Self::LookInto(_)
            | Self::Choose(_) => None,
        }
    }

    /// The same work with nothing done, because `message` says why not.
    pub fn failed(&self, message: String) -> TransferDone {
        match self {
            Self::Preview { .. } => TransferDone::Preview(Err(message)),
            Self::Rehearse { .. } => TransferDone::Rehearsal(Err(message)),
            Self::RehearseDump { .. } => TransferDone::DumpRehearsal(Err(message)),
            Self::ImportDump { .. } => TransferDone::DumpImport(Err(Failure::Failed(message))),
            Self::ExportDatabase { .. } => {
                TransferDone::DatabaseExport(Err(Failure::Failed(message)))
            }
            Self::Import { .. } | Self::Resume { .. } => {
                TransferDone::Import(Err(Failure::Failed(message)))
            }
            Self::ImportMany { .. } => TransferDone::Imports(vec![Err(Failure::Failed(message))]),
            Self::RollBack { .. } => TransferDone::RolledBack(Err(Failure::Failed(message))),
            Self::Unfinished | Self::Forget { .. } | Self::Leave(_) => {
                TransferDone::Unfinished(Err(message))
            }
            Self::Export { .. } | Self::ExportResults { .. } | Self::ExportText { .. } => {
                TransferDone::Export(Err(Failure::Failed(message)))
            }
            Self::Copy(work) => TransferDone::Copy(work.failed(message)),
            Self::Folder => TransferDone::Folder(None),
            // Opening it says what is wrong.
            Self::LookInto(folder) => {
                TransferDone::LookedInto { folder: folder.clone(), has_store: true }
            }
            Self::Choose(_) => TransferDone::Chosen { files: Vec::new(), took: Duration::ZERO },
        }
    }

    /// Does it. May take as long as the files are long.
    pub fn run(&self, source: Option<&dyn Source>) -> TransferDone {
        const NONE: &str = "Import and export are not supported for this store";
        if let Some(done) = self.run_dump(source).or_else(|| self.run_imports(source)) {
            return done;
        }
        match self {
            Self::Preview { path, options, all, beside, now_ms } => {
                let transfers = source.and_then(Source::transfers);
                let look = look(path, options, (all, beside, *now_ms), transfers);
                TransferDone::Preview(look)
            }
            Self::Copy(work) => TransferDone::Copy(work.run(source)),
            Self::Folder => TransferDone::Folder(downloads()),
            Self::LookInto(folder) => {
                let has_store = folder.join(DATA_FILE).exists();
                TransferDone::LookedInto { folder: folder.clone(), has_store }
            }
            Self::Choose(_) => self.failed(String::new()),
            Self::RehearseDump { .. }
            | Self::ImportDump { .. }
            | Self::ExportDatabase { .. }
            | Self::Rehearse { .. }
            | Self::Import { .. }
            | Self::ImportMany { .. } => self.failed(NONE.to_owned()),
            Self::Unfinished
            | Self::Forget { .. }
            | Self::Resume { .. }
            | Self::RollBack { .. }
            | Self::Leave(_) => {
                self.run_unfinished(source).unwrap_or_else(|| self.failed(NONE.to_owned()))
            }
            Self::ExportResults { file, overwrite, progress } => {
                let Some(source) = source else { return self.failed(NONE.to_owned()) };
                if progress.is_cancelled() {
                    return TransferDone::Export(Err(Failure::Cancelled));
                }
                TransferDone::Export(file.write(source, *overwrite, progress))
            }
            Self::ExportText { path, text, overwrite } => {
                TransferDone::Export(result_file::write_text(path, text, *overwrite))
            }
            Self::Export { request, overwrite, progress } => {
                let Some(transfers) = source.and_then(Source::transfers) else {
                    return self.failed(NONE.to_owned());
                };
                TransferDone::Export(export(transfers, request, *overwrite, progress))
            }
        }
    }
}

fn export(
    transfers: &dyn Transfers,
    request: &ExportRequest,
    overwrite: bool,
    progress: &Progress,
) -> Result<ExportReport, Failure> {
    if progress.is_cancelled() {
        return Err(Failure::Cancelled);
    }
    let there = if overwrite { Vec::new() } else { files_there(request) };
    if !there.is_empty() {
        return Err(Failure::Exists(there));
    }
    transfers.export(request, progress).map_err(Failure::from)
}

/// The files that an export would write over.
fn files_there(request: &ExportRequest) -> Vec<PathBuf> {
    let indexes = request.indexes.then(|| transfer::indexes_path(&request.path));
    let files = [Some(request.path.clone()), indexes].into_iter().flatten();
    let is_there = |path: &PathBuf| std::fs::symlink_metadata(path).is_ok_and(|at| at.is_file());
    files.filter(is_there).collect()
}

fn look(
    path: &Path,
    options: &ReadOptions,
    (all, beside, now_ms): (&[PathBuf], &[PathBuf], i64),
    transfers: Option<&dyn Transfers>,
) -> Result<FileLook, String> {
    let preview = transfer::preview(path, options).map_err(|error| error.to_string())?;
    let bytes = std::fs::metadata(path).map_or(0, |about| about.len());
    // A file that can't be read is reported when it is the one that is shown.
    let disk_space = transfers.and_then(|transfers| transfers.disk_space(all).ok().flatten());
    let indexes = beside.iter().filter_map(|file| index_file::beside(file, options, now_ms));
    let indexes = indexes.collect();
    Ok(FileLook { bytes, preview, disk_space, indexes, types: options.types.clone() })
}

fn downloads() -> Option<PathBuf> {
    let folders = directories::UserDirs::new()?;
    let downloads = folders.download_dir().filter(|folder| folder.is_dir());
    Some(downloads.unwrap_or(folders.home_dir()).to_owned())
}
