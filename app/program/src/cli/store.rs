//! Opens a store for a command.

use std::path::{Path, PathBuf};

use bson::Document;
use mayfly_engine::engine::{Engine, EngineOptions};

use super::{Failure, walk::store_options};
use crate::source::folder_advice::synced;
use crate::source::open::notices;

/// Opens a data folder without the reaper. The folder must exist unless `create` is set.
pub(super) fn open(folder: &Path, create: bool) -> Result<Engine, Failure> {
    if !create {
        check_exists(folder)?;
    }
    let options =
        EngineOptions { run_reaper: false, store: store_options(), ..EngineOptions::default() };
    let engine = Engine::open(folder, options).map_err(Failure::from_error)?;
    warn(&engine, folder);
    Ok(engine)
}

/// The data folder, for what a server can't do.
pub(super) fn folder(data: Option<&PathBuf>) -> Result<&Path, Failure> {
    let folder = data.map(PathBuf::as_path);
    folder.ok_or_else(|| Failure("This needs a data folder; give --data DIR.".to_owned()))
}

/// Refuses a missing data folder.
pub(super) fn check_exists(folder: &Path) -> Result<(), Failure> {
    if folder.is_dir() {
        return Ok(());
    }
    let folder_name = folder.display();
    Err(Failure(if folder.exists() {
        format!("{folder_name} is a file and no data folder. Name the folder that it is in.")
    } else {
        format!("Data folder {folder_name} not found.")
    }))
}

/// Prints what opening the store found, and advice about the folder, to standard error.
pub(super) fn warn(engine: &Engine, folder: &Path) {
    for warning in notices(engine.open_report()) {
        eprintln!("{warning}");
    }
    if let Some(sentence) = synced(folder) {
        eprintln!("Warning: {sentence}");
    }
}

/// The message of a failed reply.
pub(super) fn error_of(reply: &Document) -> Option<String> {
    let message = || reply.get_str("errmsg").unwrap_or("the command failed").to_owned();
    (!reply.get_f64("ok").is_ok_and(|ok| ok >= 1.0)).then(message)
}
