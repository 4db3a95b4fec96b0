//! Files inside of a file: an archive of mongodump, or a tar.
//!
//! Each has the path that it would have in a folder: `dump.archive/app/runs.bson`. So a dump is read in
//! the same way wherever it is, and needs no second copy on the disk. The files of a container are
//! visited in its order, so one reading serves them all: see [`super::stream`]. The collections of an
//! archive of mongodump take turns, so it is read as often as many of them overlap, 4 times by default.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use crate::transfer::read::source::{Source, fill_some};
use crate::transfer::read::{archive, tar};

/// A file that holds files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transfer) enum Container {
    /// Of `mongodump --archive`.
    Archive,
    Tar,
}

/// The files in a container.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::transfer) struct Members {
    pub files: Vec<Member>,
    /// Why the list may not be complete, as a sentence.
    pub note: Option<String>,
}

/// A file in a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::transfer) struct Member {
    /// With slashes.
    pub name: String,
    pub bytes: u64,
    /// The number of its entry in a tar, from 1.
    pub entry: u64,
    /// Its bytes, if it is the metadata of a collection.
    pub content: Option<Vec<u8>>,
}

impl Container {
    /// Recognizes the first bytes of a container.
    pub(in crate::transfer) fn of(start: &[u8]) -> Option<Self> {
        if start.starts_with(&archive::MAGIC) {
            return Some(Self::Archive);
        }
        tar::is_header(start).then_some(Self::Tar)
    }

    /// Recognizes a file, compressed or not. `None` if it can't be read.
    pub(in crate::transfer) fn of_file(path: &Path) -> Option<Self> {
        Self::of_start(&mut Source::open(path, Arc::default(), None).ok()?).ok()?
    }

    /// Recognizes a file by its start, which is read.
    pub(in crate::transfer) fn of_start(source: &mut Source) -> io::Result<Option<Self>> {
        let mut start = [0; tar::BLOCK];
        let length = fill_some(source, &mut start)?;
        Ok(Self::of(start.get(..length).unwrap_or_default()))
    }

    /// Its kind, for a message.
    pub(in crate::transfer) fn words(self) -> &'static str {
        match self {
            Self::Archive => "the file is an archive of mongodump",
            Self::Tar => "the file is a tar archive",
        }
    }

    /// The files in a container, with the content of those that are metadata.
    ///
    /// # Errors
    /// When not even its first file can be found, or the user cancels.
    pub(in crate::transfer) fn members(
        self,
        path: &Path,
        is_metadata: &dyn Fn(&str) -> bool,
        is_canceled: Arc<AtomicBool>,
    ) -> io::Result<Members> {
        let mut source = Source::open(path, is_canceled, None)?;
        match self {
            Self::Archive => archive::members(&mut source),
            Self::Tar => tar::members(&mut source, is_metadata),
        }
    }
}

/// The container and the name in it, if a path leads into a file.
pub(in crate::transfer) fn split(path: &Path) -> Option<(PathBuf, String)> {
    if fs::symlink_metadata(path).is_ok() {
        return None;
    }
    let outer = path.ancestors().skip(1).find(|outer| outer.is_file())?;
    let parts = path.strip_prefix(outer).ok()?.iter();
    let parts: Option<Vec<&str>> = parts.map(|part| part.to_str()).collect();
    Some((outer.to_owned(), parts?.join("/")))
}

/// The file on the disk that a path is in: itself, or its container.
pub(in crate::transfer) fn on_disk(path: &Path) -> PathBuf {
    split(path).map_or_else(|| path.to_owned(), |(outer, _)| outer)
}
