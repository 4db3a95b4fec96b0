//! The file of rejected documents.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use bson::{RawDocumentBuf, doc};

use crate::transfer::{
    TransferError,
    limits::{REJECT_FILES_MAX, REJECT_NAME_BYTES_MAX},
    read::{container, item::BadRecord},
};
use crate::{
    store::{create_chosen, open_chosen, open_chosen_to_write, sync_names},
    value::extjson::{Style, append_document},
};

/// The ending of the file's name.
const ENDING: &str = ".rejected.jsonl";

/// Writes the documents rejected from one file, as NDJSON. The first one creates the file.
pub(in crate::transfer) struct RejectsFile {
    wanted: PathBuf,
    open: Option<(PathBuf, File)>,
}

impl RejectsFile {
    /// The file for the rejects of `source`. `wanted` replaces `<name>.rejected.jsonl`. `before` is
    /// the file of an earlier run and its valid length; it is reused only if it still has that
    /// length. If that run never wrote its `tail`, it may only have chosen the name, and the file
    /// may be someone else's: it must then start with the tail.
    pub(in crate::transfer) fn new(
        source: &Path,
        wanted: Option<&Path>,
        before: Option<&(PathBuf, u64)>,
        tail: &[u8],
    ) -> Self {
        let inside = container::split(source);
        let beside = inside.as_ref().map_or(source, |(outer, _)| outer);
        let mut name = beside.file_name().unwrap_or_default().to_owned();
        if let Some((_, member)) = &inside {
            name.push(format!(".{}", member.replace('/', ".")));
        }
        let mut name = cut(name, REJECT_NAME_BYTES_MAX - ENDING.len());
        name.push(ENDING);
        let wanted = wanted.map_or_else(|| beside.with_file_name(name), Path::to_owned);
        let open = before.and_then(|(path, kept)| {
            let about = fs::symlink_metadata(path).ok()?;
            let is_whole = about.is_file() && about.len() >= *kept;
            let is_own = is_whole && (*kept > 0 || begins_as(path, tail).unwrap_or(false));
            let file = is_own.then(|| open_chosen_to_write(path))?.ok()?;
            Some((path.clone(), file))
        });
        Self { wanted, open }
    }

    pub(in crate::transfer) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The file's name, or the one it would get now.
    pub(in crate::transfer) fn name(&self) -> PathBuf {
        let open = self.open.as_ref().map(|(path, _)| path.clone());
        let is_free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
        open.or_else(|| names(&self.wanted).find(is_free)).unwrap_or_else(|| self.wanted.clone())
    }

    /// The file's path. Creates the file if needed, which the flag says. Where the wanted folder can't
    /// be written, the file is in the folder for temporary files: an import must not fail because of
    /// documents that it rejects anyway.
    ///
    /// # Errors
    /// When the file can't be created.
    pub(in crate::transfer) fn open(&mut self) -> Result<(PathBuf, bool), TransferError> {
        if let Some((path, _)) = &self.open {
            return Ok((path.clone(), false));
        }
        let made = create(&self.wanted).or_else(|error| match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                let name = self.wanted.file_name().unwrap_or_default();
                create(&std::env::temp_dir().join(name)).map_err(|_| error)
            }
            _ => Err(error),
        });
        let made = made.map_err(|error| TransferError::file(&self.wanted, &error))?;
        let path = made.0.clone();
        self.open = Some(made);
        Ok((path, true))
    }

    /// Writes lines after the first `kept` bytes and truncates what followed: it was written
    /// already, or will be tried again. Returns where the lines start. Without [`Self::open`] it
    /// writes nothing.
    ///
    /// # Errors
    /// When the file can't be written.
    pub(in crate::transfer) fn write(
        &mut self,
        kept: u64,
        lines: &[u8],
    ) -> Result<u64, TransferError> {
        let Some((path, file)) = &mut self.open else { return Ok(kept) };
        put(file, kept, lines).map_err(|error| TransferError::file(path, &error))
    }
}

fn put(file: &mut File, kept: u64, lines: &[u8]) -> io::Result<u64> {
    #[cfg(test)]
    tests::disk(tests::Moment::Before)?;
    let length = file.metadata()?.len();
    // A new file starts at offset 0, even if the old one was longer.
    let begin = kept.min(length);
    if begin < length {
        file.set_len(begin)?;
    }
    file.seek(SeekFrom::Start(begin))?;
    file.write_all(lines)?;
    file.sync_data()?;
    #[cfg(test)]
    tests::disk(tests::Moment::After)?;
    Ok(begin)
}

/// The rejects of a transaction, as lines of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::transfer) struct RejectLines {
    pub bytes: Vec<u8>,
    /// Length of the valid part. A resumed import retries an unreadable rest of a file.
    pub counted: usize,
}

impl RejectLines {
    /// # Errors
    /// When a line can't be serialized, which is an internal error.
    pub(in crate::transfer) fn of(refused: &[BadRecord]) -> Result<Self, TransferError> {
        let mut lines = Self::default();
        for refused in refused {
            line(&mut lines.bytes, refused)?;
            if !refused.fatal {
                lines.counted = lines.bytes.len();
            }
        }
        Ok(lines)
    }

    pub(in crate::transfer) fn counted(&self) -> &[u8] {
        self.bytes.get(..self.counted).unwrap_or_default()
    }
}

fn line(bytes: &mut Vec<u8>, refused: &BadRecord) -> Result<(), TransferError> {
    let whole = |number| i64::try_from(number).unwrap_or(i64::MAX);
    let BadRecord { position, start_line, reason, text, is_cut, .. } = refused;
    let mut entry = doc! {
        "reason": reason,
        "line": whole(position.line),
        "column": whole(position.column),
        "byte": whole(position.offset),
        "document": whole(position.document),
        "startLine": whole(*start_line),
        "text": String::from_utf8_lossy(text).into_owned(),
    };
    if *is_cut {
        entry.insert("cut", true);
    }
    let entry = RawDocumentBuf::try_from(&entry)
        .map_err(|error| TransferError::Bug { what: error.to_string() })?;
    append_document(bytes, &entry, Style::Relaxed);
    bytes.push(b'\n');
    Ok(())
}

/// A name that is cut to at most `bytes_max` bytes.
fn cut(name: OsString, bytes_max: usize) -> OsString {
    if name.len() <= bytes_max {
        return name;
    }
    let name = name.to_string_lossy();
    let end = name.floor_char_boundary(bytes_max);
    name.get(..end).unwrap_or_default().into()
}

/// Whether a file starts with these bytes, or is a prefix of them.
fn begins_as(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let mut found = Vec::new();
    open_chosen(path)?.take(bytes.len() as u64).read_to_end(&mut found)?;
    Ok(bytes.starts_with(&found))
}

/// The wanted name, then names with a number.
fn names(wanted: &Path) -> impl Iterator<Item = PathBuf> {
    let name = wanted.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.strip_suffix(".jsonl").unwrap_or(&name).to_owned();
    (1..=REJECT_FILES_MAX).map(move |number| match number {
        1 => wanted.to_owned(),
        _ => wanted.with_file_name(format!("{stem}-{number}.jsonl")),
    })
}

/// Creates a file under the first free name and makes the name durable.
fn create(wanted: &Path) -> io::Result<(PathBuf, File)> {
    for path in names(wanted) {
        match create_chosen(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => {
                sync_names(path.parent().unwrap_or_else(|| Path::new(".")))?;
                return Ok((path, file));
            }
        }
    }
    Err(io::Error::other("there are too many files of rejected documents; delete some"))
}

#[cfg(test)]
pub(in crate::transfer) mod tests {
    use std::{cell::RefCell, io};

    /// When a test hook runs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(in crate::transfer) enum Moment {
        Before,
        After,
    }

    type Look = Box<dyn FnMut(Moment) -> io::Result<()>>;

    thread_local! {
        static LOOK: RefCell<Option<Look>> = const { RefCell::new(None) };
    }

    /// Runs this hook around each write on this thread; it can return a disk error.
    pub(in crate::transfer) fn look(look: impl FnMut(Moment) -> io::Result<()> + 'static) {
        LOOK.set(Some(Box::new(look)));
    }

    /// Removes the hook.
    pub(in crate::transfer) fn look_away() {
        LOOK.set(None);
    }

    pub(in crate::transfer) fn disk(moment: Moment) -> io::Result<()> {
        LOOK.with_borrow_mut(|look| look.as_mut().map_or(Ok(()), |look| look(moment)))
    }
}
