//! The files of a container one after another, in one reading of it.
//!
//! A stream moves ahead only. It is kept in the `Progress` of the work that reads it, so the next
//! file is found from where the last one ended. A file that was passed needs another reading from the
//! start.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
};

use crate::transfer::{
    Compression,
    limits::REPLAY_BYTES_MAX,
    read::container::{self, Container},
    read::source::{Bytes, Source, same},
    read::{archive, tar},
};

/// The place of the last entry of each file in a tar: a later one replaces an earlier one.
type LastEntries = BTreeMap<String, u64>;

/// The container that was read last, for the next file of it.
#[derive(Default, Clone)]
pub(in crate::transfer) struct OpenContainer {
    kept: Arc<Mutex<Kept>>,
    is_canceled: Arc<AtomicBool>,
    /// Gets the bytes that are read.
    counter: Arc<AtomicU64>,
}

#[derive(Default)]
struct Kept {
    path: PathBuf,
    last_entries: Arc<LastEntries>,
    stream: Option<Stream>,
    /// Files that a whole reading did not find, and why. Another reading would end in the same way.
    lost: Option<(BTreeSet<String>, io::Error)>,
}

impl fmt::Debug for OpenContainer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OpenContainer")
    }
}

impl OpenContainer {
    pub(in crate::transfer) fn new(is_canceled: Arc<AtomicBool>, counter: Arc<AtomicU64>) -> Self {
        Self { kept: Arc::default(), is_canceled, counter }
    }

    fn is_canceled(&self) -> bool {
        self.is_canceled.load(Relaxed)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the file.
    pub(in crate::transfer) fn close(&self) {
        *self.kept() = Kept::default();
    }

    /// The stream where it was left, if that is in this container.
    fn take(&self, path: &Path) -> Option<Stream> {
        let mut kept = self.kept();
        if kept.path == path { kept.stream.take() } else { None }
    }

    /// A stream from the start of a container on.
    fn open(&self, path: &Path) -> io::Result<Stream> {
        // This look at the file is not part of its reading, so its bytes aren't counted.
        let look = || Source::open(path, Arc::clone(&self.is_canceled), None);
        let container = Container::of_start(&mut look()?)?.ok_or(io::ErrorKind::NotFound)?;
        let is_known = self.kept().path == path;
        if !is_known {
            let mut entries = LastEntries::new();
            if container == Container::Tar {
                let files = tar::members(&mut look()?, &|_| false)?.files;
                entries.extend(files.into_iter().map(|file| (file.name, file.entry)));
            }
            let last_entries = Arc::new(entries);
            *self.kept() = Kept { path: path.to_owned(), last_entries, ..Kept::default() };
        }
        let counter = Some(Arc::clone(&self.counter));
        let mut source = Source::open(path, Arc::clone(&self.is_canceled), counter)?;
        let cursor = match container {
            Container::Archive => Cursor::Archive(archive::Cursor::new(&mut source)?),
            Container::Tar => Cursor::Tar(tar::Cursor::new(Arc::clone(&self.kept().last_entries))),
        };
        Ok(Stream { source, cursor, start: None })
    }

    /// Moves ahead to the first wanted file, and returns its name. `None` if there is none in the whole
    /// container; these files are lost.
    fn next_of(&self, path: &Path, wanted: &BTreeMap<&str, Vec<usize>>) -> Option<String> {
        let is_wanted = |name: &str| wanted.contains_key(name);
        if let Some(mut stream) = self.take(path)
            && let Ok(Some(name)) = stream.next_of(&is_wanted)
        {
            self.kept().stream = Some(stream);
            return Some(name);
        }
        let mut stream = self.open(path).ok()?;
        let why = match stream.next_of(&is_wanted) {
            Ok(Some(name)) => {
                self.kept().stream = Some(stream);
                return Some(name);
            }
            Ok(None) => stream.missing(),
            Err(error) => error,
        };
        let names = wanted.keys().map(|name| (*name).to_owned()).collect();
        self.kept().lost = Some((names, why));
        None
    }

    /// Why a file isn't found, if that is known.
    fn loss(&self, path: &Path, name: &str) -> Option<io::Error> {
        let kept = self.kept();
        let lost =
            kept.lost.as_ref().filter(|(names, _)| kept.path == path && names.contains(name));
        lost.map(|(_, why)| same(why))
    }
}

/// A container, open at one of its files.
struct Stream {
    source: Source,
    cursor: Cursor,
    /// The file at which the stream is, and those of its bytes that were read already.
    start: Option<(String, Vec<u8>)>,
}

enum Cursor {
    Archive(archive::Cursor),
    Tar(tar::Cursor),
}

impl Stream {
    /// Moves ahead to the next wanted file.
    fn next_of(&mut self, is_wanted: &dyn Fn(&str) -> bool) -> io::Result<Option<String>> {
        if let Some((name, _)) = self.start.as_ref().filter(|(name, _)| is_wanted(name)) {
            return Ok(Some(name.clone()));
        }
        let found = match &mut self.cursor {
            Cursor::Archive(cursor) => cursor.next_of(&mut self.source, is_wanted),
            Cursor::Tar(cursor) => cursor.next_of(&mut self.source, is_wanted),
        }?;
        self.start = found.clone().map(|name| (name, Vec::new()));
        Ok(found)
    }

    /// Whether a file can't be found without another reading.
    fn has_passed(&self, name: &str) -> bool {
        let is_here = self.start.as_ref().is_some_and(|(here, _)| here == name);
        !is_here
            && match &self.cursor {
                Cursor::Archive(cursor) => cursor.has_passed(name),
                Cursor::Tar(cursor) => cursor.has_passed(name),
            }
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.cursor {
            Cursor::Archive(cursor) => cursor.read(&mut self.source, into),
            Cursor::Tar(cursor) => cursor.read(&mut self.source, into),
        }
    }

    /// Why a file isn't found.
    fn missing(&self) -> io::Error {
        match &self.cursor {
            Cursor::Archive(_) => archive::no_end(),
            Cursor::Tar(_) => io::ErrorKind::NotFound.into(),
        }
    }
}

/// A file of a container.
pub(in crate::transfer) struct OpenMember {
    pub reader: Bytes<'static>,
    /// How the container is compressed.
    pub compression: Compression,
    /// Bytes of the container from here on.
    pub bytes: u64,
}

/// Opens a file of a container. `count` gets the bytes that were read of it.
///
/// # Errors
/// When it isn't found, the container can't be read, or the user cancels.
pub(in crate::transfer) fn open_member(
    path: &Path,
    name: &str,
    open: Option<&OpenContainer>,
    count: Arc<AtomicU64>,
) -> io::Result<OpenMember> {
    let open = open.cloned().unwrap_or_default();
    if let Some(why) = open.loss(path, name) {
        return Err(why);
    }
    let mut stream = match open.take(path).filter(|stream| !stream.has_passed(name)) {
        Some(stream) => stream,
        None => open.open(path)?,
    };
    let bytes = stream.source.left();
    let is_there = !stream.has_passed(name);
    if !is_there || stream.next_of(&|found| found == name)?.is_none() {
        return Err(if is_there { stream.missing() } else { io::ErrorKind::NotFound.into() });
    }
    let compression = stream.source.compression;
    let (_, read) = stream.start.take().unwrap_or_default();
    let (stream, name) = (Some(stream), name.to_owned());
    let reader = MemberReader { open, stream, name, read, at: 0, count };
    Ok(OpenMember { reader: Box::new(reader), compression, bytes })
}

/// Reads a file of a container, and leaves the stream to the next one.
struct MemberReader {
    open: OpenContainer,
    /// `None` after an error.
    stream: Option<Stream>,
    name: String,
    /// The first bytes, as long as they are few: who only looked at the file has not passed it.
    read: Vec<u8>,
    /// How many of them are handed out.
    at: usize,
    count: Arc<AtomicU64>,
}

impl Read for MemberReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let again = self.read.get(self.at..).unwrap_or_default();
        if !again.is_empty() {
            let count = again.len().min(into.len());
            let (part, _) = into.split_at_mut(count);
            part.copy_from_slice(again.get(..count).unwrap_or_default());
            self.at += count;
            self.count.fetch_add(count as u64, Relaxed);
            return Ok(count);
        }
        let Some(stream) = &mut self.stream else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        match stream.read(into) {
            Ok(count) => {
                if self.read.len() <= REPLAY_BYTES_MAX {
                    self.read.extend_from_slice(into.get(..count).unwrap_or_default());
                    self.at = self.read.len();
                }
                self.count.fetch_add(count as u64, Relaxed);
                Ok(count)
            }
            Err(error) => {
                if error.kind() != io::ErrorKind::Interrupted {
                    self.stream = None;
                }
                Err(error)
            }
        }
    }
}

impl Drop for MemberReader {
    fn drop(&mut self) {
        let Some(mut stream) = self.stream.take() else { return };
        if self.read.len() <= REPLAY_BYTES_MAX {
            let read = (std::mem::take(&mut self.name), std::mem::take(&mut self.read));
            stream.start = Some(read);
        }
        self.open.kept().stream = Some(stream);
    }
}

/// Calls `visit` with the number of each file, in the order in which they are read fastest: those of a
/// container as they are in it, the others as given. Ends when the user cancels.
pub(in crate::transfer) fn in_file_order(
    files: &[Option<&Path>],
    open: &OpenContainer,
    mut visit: impl FnMut(usize),
) {
    let split: Vec<_> = files.iter().map(|file| file.and_then(container::split)).collect();
    let mut visited = BTreeSet::new();
    for (first, file) in split.iter().enumerate() {
        let Some((path, _)) = file else {
            if !open.is_canceled() {
                visit(first);
            }
            continue;
        };
        let mut left: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, (_, name)) in split.iter().enumerate().filter_map(|(at, file)| {
            file.as_ref().filter(|(other, _)| other == path).map(|file| (at, file))
        }) {
            if visited.insert(at) {
                left.entry(name).or_default().push(at);
            }
        }
        while !left.is_empty() && !open.is_canceled() {
            let found = open.next_of(path, &left);
            if open.is_canceled() {
                break;
            }
            if let Some(all) = found.and_then(|name| left.remove(name.as_str())) {
                all.into_iter().for_each(&mut visit);
            } else {
                // A file that can't be found says so when it is opened.
                let lost = std::mem::take(&mut left).into_values().flatten();
                lost.take_while(|_| !open.is_canceled()).for_each(&mut visit);
            }
        }
        open.close();
    }
}
