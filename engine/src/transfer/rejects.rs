//! The file of rejected documents.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
};

use bson::{RawDocumentBuf, doc};

use super::{
    Place, TransferError,
    limits::{REJECT_FILES_MAX, REJECT_TEXT_BYTES_MAX},
};
use crate::value::extjson::{Style, append_document};

/// Writes what was rejected from one file, one JSON document a line. The file is made with the
/// first one.
pub(super) struct RejectsFile {
    wanted: PathBuf,
    open: Option<(PathBuf, BufWriter<File>)>,
}

impl RejectsFile {
    /// For a file that is imported; `wanted` takes the place of `<name>.rejected.jsonl` beside it.
    pub(super) fn new(source: &Path, wanted: Option<&Path>) -> Self {
        let mut name = source.file_name().unwrap_or_default().to_owned();
        name.push(".rejected.jsonl");
        let wanted = wanted.map_or_else(|| source.with_file_name(name), Path::to_owned);
        Self { wanted, open: None }
    }

    /// Appends one rejected document with its reason, place and text.
    ///
    /// # Errors
    /// When the file can't be made or written.
    pub(super) fn add(
        &mut self,
        place: Place,
        reason: &str,
        text: &[u8],
    ) -> Result<(), TransferError> {
        let wanted = self.wanted.clone();
        self.write(place, reason, text).map_err(|error| TransferError::file(&wanted, &error))
    }

    /// Writes what is buffered; the path if there is a file.
    ///
    /// # Errors
    /// When the file can't be written.
    pub(super) fn finish(self) -> Result<Option<PathBuf>, TransferError> {
        let Some((path, file)) = self.open else { return Ok(None) };
        let wrong = |error: io::Error| TransferError::file(&path, &error);
        let file = file.into_inner().map_err(|error| wrong(error.into_error()))?;
        file.sync_all().map_err(wrong)?;
        Ok(Some(path))
    }

    fn write(&mut self, place: Place, reason: &str, text: &[u8]) -> io::Result<()> {
        if self.open.is_none() {
            self.open = Some(create(&self.wanted)?);
        }
        let Some((_, file)) = &mut self.open else { return Ok(()) };
        let whole = i64::try_from;
        let mut entry = doc! {
            "reason": reason,
            "line": whole(place.line).unwrap_or(i64::MAX),
            "column": whole(place.column).unwrap_or(i64::MAX),
            "byte": whole(place.offset).unwrap_or(i64::MAX),
            "document": whole(place.document).unwrap_or(i64::MAX),
            "text": String::from_utf8_lossy(text).into_owned(),
        };
        if text.len() >= REJECT_TEXT_BYTES_MAX {
            entry.insert("cut", true);
        }
        let entry = RawDocumentBuf::try_from(&entry).map_err(io::Error::other)?;
        let mut line = Vec::new();
        append_document(&mut line, &entry, Style::Relaxed);
        line.push(b'\n');
        file.write_all(&line)
    }
}

/// Makes a new file under the wanted name, or with a number in it when there is one already.
fn create(wanted: &Path) -> io::Result<(PathBuf, BufWriter<File>)> {
    let name = wanted.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.strip_suffix(".jsonl").unwrap_or(&name);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    for number in 1..=REJECT_FILES_MAX {
        let path = match number {
            1 => wanted.to_owned(),
            _ => wanted.with_file_name(format!("{stem}-{number}.jsonl")),
        };
        match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => return Ok((path, BufWriter::new(file))),
        }
    }
    Err(io::Error::other("too many files of rejected documents are there; remove some"))
}
