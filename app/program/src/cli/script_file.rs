//! The JavaScript files of `mayfly shell`, read before a store is open: closing one of its lock files
//! would drop the lock.

use std::fs;
use std::path::PathBuf;

use super::Failure;

/// A file with JavaScript.
pub(super) struct ScriptFile {
    pub(super) name: String,
    pub(super) text: String,
}

/// Reads all files.
///
/// # Errors
/// One can't be read.
pub(super) fn read(files: &[PathBuf]) -> Result<Vec<ScriptFile>, Failure> {
    let read = |file: &PathBuf| {
        let name = file.display().to_string();
        let bytes =
            fs::read(file).map_err(|error| Failure(format!("Can't read {name}: {error}.")))?;
        let text =
            String::from_utf8(bytes).map_err(|_| Failure(format!("{name} is not UTF-8 text.")))?;
        Ok(ScriptFile { name, text })
    };
    files.iter().map(read).collect()
}
