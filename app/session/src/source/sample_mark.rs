//! The file in the folder of the demo store that names the collections with sample data.

use std::fs;
use std::path::Path;

use mayfly_engine::store::replace_file;

use crate::demo::SampleData;

/// Its name. It is fixed, so it is never the data file, whose locks must not be lost.
const MARK_FILE: &str = "sample-data.txt";

/// How its name begins while it is written.
const UNFINISHED_PREFIX: &str = ".sample-data-";

/// Reads it. `None` if it isn't a demo store, or if the file can't be read, so that there is no
/// traffic.
pub(super) fn read(folder: &Path) -> Option<SampleData> {
    let text = fs::read_to_string(folder.join(MARK_FILE)).ok()?;
    SampleData::from_text(&text)
}

pub(super) fn write(folder: &Path, made: &SampleData) -> Result<(), String> {
    let (path, text) = (folder.join(MARK_FILE), made.to_text());
    replace_file(&path, text.as_bytes(), UNFINISHED_PREFIX).map_err(|error| {
        format!("New sample data can't arrive: couldn't write {MARK_FILE}: {error}")
    })
}
