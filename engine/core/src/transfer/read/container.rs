//! Files inside of a file: an archive of mongodump, or a tar.
//!
//! Each has the path that it would have in a folder: `dump.archive/app/runs.bson`. So a dump is read in
//! the same way wherever it is. A file is found by reading the container up to it, which needs no
//! second copy on the disk; to import all collections of a container is to read it once for each.

use std::{
    fmt, fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::transfer::read::input::{Input, InputReader};
use crate::transfer::read::{archive, tar};
use crate::transfer::{TransferError, limits::DETECT_BYTES};

/// The bytes of a container or of a file in it.
pub(in crate::transfer) type Bytes<'p> = Box<dyn Read + Send + 'p>;

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
}

/// Why the rest of a container can't be read; a sentence without its full stop.
#[derive(Debug)]
pub(in crate::transfer) struct ContainerError(pub String);

impl fmt::Display for ContainerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ContainerError {}

/// An error of a container.
pub(in crate::transfer) fn broken(what: &str) -> io::Error {
    io::Error::other(ContainerError(what.to_owned()))
}

/// Reads exactly as many bytes. An early end is an error of the container.
pub(in crate::transfer) fn fill(
    from: &mut dyn Read,
    into: &mut [u8],
    what: &str,
) -> io::Result<()> {
    from.read_exact(into).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => broken(what),
        _ => error,
    })
}

/// Reads as many bytes as there are, up to the length of `into`.
pub(in crate::transfer) fn fill_some(from: &mut dyn Read, into: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < into.len() {
        match from.read(into.get_mut(length..).unwrap_or_default()) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// Skips as many bytes. Returns how many there were.
pub(in crate::transfer) fn skip(from: &mut dyn Read, bytes: u64) -> io::Result<u64> {
    io::copy(&mut from.take(bytes), &mut io::sink())
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
        let mut input = Input::open(path, None).ok()?;
        input.fill_up_to(DETECT_BYTES);
        Self::of(input.bytes())
    }

    /// Its kind, for a message.
    pub(in crate::transfer) fn words(self) -> &'static str {
        match self {
            Self::Archive => "the file is an archive of mongodump",
            Self::Tar => "the file is a tar archive",
        }
    }

    /// The files in a container.
    ///
    /// # Errors
    /// When not even its first file can be found.
    pub(in crate::transfer) fn members(self, path: &Path) -> Result<Members, TransferError> {
        let mut bytes = InputReader(Input::open(path, None)?);
        let listed = match self {
            Self::Archive => archive::members(&mut bytes),
            Self::Tar => tar::members(&mut bytes),
        };
        listed.map_err(|error| TransferError::file(path, &error))
    }

    /// The bytes of one of its files.
    ///
    /// # Errors
    /// When it isn't found.
    pub(in crate::transfer) fn open<'p>(
        self,
        bytes: Bytes<'p>,
        member: &str,
    ) -> io::Result<Bytes<'p>> {
        match self {
            Self::Archive => archive::open(bytes, member),
            Self::Tar => tar::open(bytes, member),
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
