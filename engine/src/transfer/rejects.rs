//! The file of rejected documents.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use bson::{RawDocumentBuf, doc};

use super::{
    TransferError,
    limits::{REJECT_FILES_MAX, REJECT_TEXT_BYTES_MAX},
    store_batch::Refused,
};
use crate::value::extjson::{Style, append_document};

/// Writes what was rejected from one file, one JSON document a line. The file is made with the
/// first one.
pub(super) struct RejectsFile {
    wanted: PathBuf,
    open: Option<(PathBuf, File)>,
}

impl RejectsFile {
    /// For a file that is imported; `wanted` takes the place of `<name>.rejected.jsonl` beside it.
    /// `before` is the file that an earlier run has begun and how much of it counts; if that is gone
    /// or has become shorter, a new one is made.
    pub(super) fn new(
        source: &Path,
        wanted: Option<&Path>,
        before: Option<&(PathBuf, u64)>,
    ) -> Self {
        let mut name = source.file_name().unwrap_or_default().to_owned();
        name.push(".rejected.jsonl");
        let wanted = wanted.map_or_else(|| source.with_file_name(name), Path::to_owned);
        let open = before.and_then(|(path, kept)| {
            let about = fs::symlink_metadata(path).ok()?;
            let is_whole = about.is_file() && about.len() >= *kept;
            let file = OpenOptions::new().write(true).open(path).ok().filter(|_| is_whole)?;
            Some((path.clone(), file))
        });
        Self { wanted, open }
    }

    /// Writes rejected documents with reason, place and text behind the first `kept` bytes; what is
    /// behind those comes from a transaction that did not commit. Returns the path and how many bytes
    /// count from now on: all but what can't be read, which whoever resumes tries again.
    ///
    /// # Errors
    /// When the file can't be made or written.
    pub(super) fn keep(
        &mut self,
        kept: u64,
        refused: &[Refused],
    ) -> Result<(PathBuf, u64), TransferError> {
        let wanted = self.wanted.clone();
        self.write(kept, refused).map_err(|error| TransferError::file(&wanted, &error))
    }

    fn write(&mut self, kept: u64, refused: &[Refused]) -> io::Result<(PathBuf, u64)> {
        if self.open.is_none() {
            self.open = Some(create(&self.wanted)?);
        }
        let Some((path, file)) = &self.open else { return Err(io::ErrorKind::NotFound.into()) };
        let (path, mut file) = (path.clone(), file);
        let length = file.metadata()?.len();
        // A new file in the place of one that is gone begins at its start.
        let mut counts = kept.min(length);
        if counts < length {
            file.set_len(counts)?;
        }
        file.seek(SeekFrom::Start(counts))?;
        let mut bytes = Vec::new();
        for refused in refused {
            line(&mut bytes, refused)?;
            if !refused.fatal {
                counts = kept.min(length) + bytes.len() as u64;
            }
        }
        file.write_all(&bytes)?;
        file.sync_data()?;
        Ok((path, counts))
    }
}

/// Appends one rejected document.
fn line(bytes: &mut Vec<u8>, refused: &Refused) -> io::Result<()> {
    let whole = |number| i64::try_from(number).unwrap_or(i64::MAX);
    let Refused { place, reason, text, .. } = refused;
    let mut entry = doc! {
        "reason": reason,
        "line": whole(place.line),
        "column": whole(place.column),
        "byte": whole(place.offset),
        "document": whole(place.document),
        "text": String::from_utf8_lossy(text).into_owned(),
    };
    if text.len() >= REJECT_TEXT_BYTES_MAX {
        entry.insert("cut", true);
    }
    let entry = RawDocumentBuf::try_from(&entry).map_err(io::Error::other)?;
    append_document(bytes, &entry, Style::Relaxed);
    bytes.push(b'\n');
    Ok(())
}

/// Makes a new file under the wanted name, or with a number in it when there is one already.
fn create(wanted: &Path) -> io::Result<(PathBuf, File)> {
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
            Ok(file) => return Ok((path, file)),
        }
    }
    Err(io::Error::other("too many files of rejected documents are there; remove some"))
}
