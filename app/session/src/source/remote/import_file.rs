//! The state of imports into a server, in files on this machine: `<id>.import` and `<id>.ids`.
//!
//! An import appends the `_id`s that it inserted, then replaces its state, so a state never names an
//! `_id` that is not on the disk. The file with the `_id`s is locked while a thread works on the import.
//!
//! It is in `imports` in the journals of that server: the engine's checkpoint, replaced after each batch, and the
//! `_id`s that were inserted. The first batch of a resumed import may be stored already, so a duplicate `_id`
//! whose document has the same bytes counts as stored.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use bson::oid::ObjectId;
use bson::{Document, RawDocumentBuf, doc};
use mayfly_engine::store::replace_file;
use mayfly_engine::transfer::UnfinishedImport;

use crate::job::InsertedIds;
use crate::limits::SERVER_IMPORTS_MAX;

const STATE: &str = "import";

const IDS: &str = "ids";

/// The beginning of the name of a state that is being written.
const UNFINISHED: &str = ".import-";

pub(super) struct KeptImport {
    id: ObjectId,
    folder: PathBuf,
    ids: File,
    ids_bytes: u64,
    /// The state as the engine gave it.
    pub state: Document,
    /// A rollback has begun.
    pub is_rolling_back: bool,
}

impl KeptImport {
    /// Begins an import.
    ///
    /// # Errors
    /// One sentence: the disk fails, or too many are unfinished.
    pub fn begin(folder: &Path, id: ObjectId) -> Result<Self, String> {
        let fail = |error: io::Error| failed(folder, &error);
        fs::create_dir_all(folder).map_err(fail)?;
        if ids_in(folder).len() >= SERVER_IMPORTS_MAX {
            return Err(format!(
                "There are {SERVER_IMPORTS_MAX} unfinished imports into this server; resume, roll \
                 back or discard some first"
            ));
        }
        let mut options = OpenOptions::new();
        // It holds values of documents, which other users must not read.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let path = path(folder, id, IDS);
        let ids = options.read(true).write(true).create_new(true).open(path).map_err(fail)?;
        ids.try_lock().map_err(|error| format!("{}: {error}", folder.display()))?;
        let (folder, state) = (folder.to_owned(), Document::new());
        Ok(Self { id, folder, ids, ids_bytes: 0, state, is_rolling_back: false })
    }

    /// Opens an import. Returns `None` if it is gone, or if a thread works on it.
    ///
    /// # Errors
    /// One sentence: it can't be read.
    pub fn open(folder: &Path, id: ObjectId) -> Result<Option<(Self, InsertedIds)>, String> {
        let fail = |error: io::Error| failed(folder, &error);
        let mut ids = match OpenOptions::new().read(true).write(true).open(path(folder, id, IDS)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(fail)?,
        };
        match ids.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
        let bytes = match fs::read(path(folder, id, STATE)) {
            // It ended before its first document was sent.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let _ = fs::remove_file(path(folder, id, IDS));
                return Ok(None);
            }
            read => read.map_err(fail)?,
        };
        let damaged = || format!("{} is damaged", path(folder, id, STATE).display());
        let kept = RawDocumentBuf::from_bytes(bytes).map_err(|_| damaged())?;
        let kept = Document::try_from(kept).map_err(|_| damaged())?;
        let length = kept.get_i64("idsBytes").ok().and_then(|bytes| u64::try_from(bytes).ok());
        let length = length.ok_or_else(damaged)?;
        let mut known = Vec::new();
        (&mut ids).take(length).read_to_end(&mut known).map_err(fail)?;
        if known.len() as u64 != length {
            return Err(damaged());
        }
        let file = Self {
            id,
            folder: folder.to_owned(),
            ids,
            ids_bytes: length,
            state: kept.get_document("state").map_err(|_| damaged())?.clone(),
            is_rolling_back: kept.get_bool("rollingBack").unwrap_or(false),
        };
        let is_cut = kept.get_bool("areIdsCut").unwrap_or(false);
        Ok(Some((file, InsertedIds::from_bytes(known, is_cut))))
    }

    pub fn id(&self) -> ObjectId {
        self.id
    }

    /// Writes the state and the `_id`s that are new, and waits until they are on the disk.
    ///
    /// # Errors
    /// One sentence; the state before is still there.
    pub fn save(&mut self, ids: &InsertedIds) -> Result<(), String> {
        self.write(ids).map_err(|error| failed(&self.folder, &error))
    }

    fn write(&mut self, ids: &InsertedIds) -> io::Result<()> {
        let length = ids.bytes().len() as u64;
        // There are none any more if they were too many.
        let from = self.ids_bytes.min(length);
        let new = usize::try_from(from).ok().and_then(|from| ids.bytes().get(from..));
        self.ids.set_len(from)?;
        self.ids.seek(SeekFrom::Start(from))?;
        self.ids.write_all(new.unwrap_or_default())?;
        self.ids.sync_data()?;
        let kept = doc! {
            "version": 1,
            "state": self.state.clone(),
            "idsBytes": i64::try_from(length).unwrap_or(i64::MAX),
            "areIdsCut": ids.is_cut(),
            "rollingBack": self.is_rolling_back,
        };
        let bytes = RawDocumentBuf::try_from(&kept).map_err(io::Error::other)?;
        replace_file(&path(&self.folder, self.id, STATE), bytes.as_bytes(), UNFINISHED)?;
        self.ids_bytes = length;
        Ok(())
    }

    /// Forgets the import.
    pub fn remove(self) {
        // The state first: without it, the rest is a leftover.
        let _ = fs::remove_file(path(&self.folder, self.id, STATE));
        let _ = fs::remove_file(path(&self.folder, self.id, IDS));
    }

    /// The import for the user, or `None` if another version wrote it.
    pub fn unfinished(&self) -> Option<UnfinishedImport> {
        let mut found = UnfinishedImport::of_target(self.id, &self.state)?;
        found.rolling_back |= self.is_rolling_back;
        Some(found)
    }
}

/// The imports that no thread works on, oldest first. One that can't be read is left out.
pub(super) fn unfinished(folder: &Path) -> Vec<UnfinishedImport> {
    let opened = ids_in(folder).into_iter().filter_map(|id| {
        KeptImport::open(folder, id).ok().flatten().and_then(|(file, _)| file.unfinished())
    });
    let mut found: Vec<UnfinishedImport> = opened.collect();
    found.sort_by_key(|import| import.started_ms);
    found
}

fn ids_in(folder: &Path) -> Vec<ObjectId> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| {
        let path = entry.path();
        let is_one = path.extension().is_some_and(|extension| extension == IDS);
        let stem = path.file_stem().filter(|_| is_one)?.to_str()?;
        ObjectId::parse_str(stem).ok()
    });
    names.collect()
}

fn path(folder: &Path, id: ObjectId, extension: &str) -> PathBuf {
    folder.join(format!("{}.{extension}", id.to_hex()))
}

fn failed(folder: &Path, error: &io::Error) -> String {
    format!("The progress of the import can't be kept in {}: {error}", folder.display())
}
