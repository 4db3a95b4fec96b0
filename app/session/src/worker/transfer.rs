//! Files in and out, as work for the threads.

mod failure;
mod imports;
mod unfinished;

pub use failure::Failure;
pub use imports::{import_each, rehearse};
pub use unfinished::{forget, leave, roll_back, transfers, unfinished};

use std::path::PathBuf;
use std::sync::Arc;

use mayfly_engine::transfer::{
    self, Dump, ExportReport, ExportRequest, Progress, ReadOptions, TransferError, looks_like_dump,
};

use super::index_file;
use crate::job::FileLook;
use crate::source::{Source, Transfers};

/// The file that an import begins with.
#[derive(Debug, Clone)]
pub struct FileToLook {
    pub path: PathBuf,
    pub options: ReadOptions,
    /// All files of the import, to check the disk space.
    pub all: Vec<PathBuf>,
    /// The files next to which index definitions are looked for.
    pub beside: Vec<PathBuf>,
    /// The store's time, in milliseconds since 1970.
    pub now_ms: i64,
    /// Stops the look.
    pub progress: Arc<Progress>,
}

/// The contents of a path.
#[derive(Debug)]
pub enum Contents {
    File(Box<FileLook>),
    Dump(Dump),
}

impl FileToLook {
    /// Reads the beginning of the file.
    ///
    /// # Errors
    /// It can't be read: one sentence.
    pub fn look(&self, source: Option<&dyn Source>) -> Result<Contents, String> {
        let Self { path, options, all, beside, now_ms, progress } = self;
        let transfers = source.and_then(Source::transfers);
        let sentence = |error: TransferError| error.to_string();
        if let Some(transfers) = transfers.filter(|_| all.len() == 1 && looks_like_dump(path)) {
            return transfers.read_dump(path, progress).map(Contents::Dump).map_err(sentence);
        }
        let preview = transfer::preview(path, options).map_err(sentence)?;
        let bytes = std::fs::metadata(path).map_or(0, |about| about.len());
        // A file that can't be read is reported when it is the one that is shown.
        let disk_space = transfers.and_then(|transfers| transfers.disk_space(all).ok().flatten());
        let indexes = beside.iter().filter_map(|file| index_file::beside(file, options, *now_ms));
        let (indexes, types) = (indexes.collect(), options.types.clone());
        Ok(Contents::File(Box::new(FileLook { bytes, preview, disk_space, indexes, types })))
    }
}

/// Exports a collection.
///
/// # Errors
/// There is no new file then.
pub fn export(
    transfers: &dyn Transfers,
    request: &ExportRequest,
    overwrite: bool,
    progress: &Progress,
) -> Result<ExportReport, Failure> {
    let indexes = request.indexes.then(|| transfer::indexes_path(&request.path));
    check_absent([Some(request.path.clone()), indexes].into_iter().flatten(), overwrite)?;
    transfers.export(request, progress).map_err(Failure::from)
}

/// Refuses to write over files, unless the user said so.
///
/// # Errors
/// [`Failure::Exists`] with those that are there.
pub fn check_absent(
    files: impl IntoIterator<Item = PathBuf>,
    overwrite: bool,
) -> Result<(), Failure> {
    let is_there = |path: &PathBuf| std::fs::symlink_metadata(path).is_ok_and(|at| at.is_file());
    let there: Vec<PathBuf> = files.into_iter().filter(is_there).collect();
    if overwrite || there.is_empty() { Ok(()) } else { Err(Failure::Exists(there)) }
}

/// The folder for downloads.
pub fn downloads() -> Option<PathBuf> {
    let folders = directories::UserDirs::new()?;
    let downloads = folders.download_dir().filter(|folder| folder.is_dir());
    Some(downloads.unwrap_or(folders.home_dir()).to_owned())
}
