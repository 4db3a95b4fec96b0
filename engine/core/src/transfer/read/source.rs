//! The decompressed bytes of a file. Those of a container are read once for all of its files.

use std::{
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
};

use crate::store::open_chosen;
use crate::transfer::{
    Compression,
    limits::{READ_BYTES, UNPACKED_BYTES_FREE, UNPACKED_RATIO_MAX},
    read::gzip::GzipReader,
};

/// The bytes of a file, of a container or of a file in it.
pub(in crate::transfer) type Bytes<'p> = Box<dyn Read + Send + 'p>;

/// Bytes at the start of a file that tell its compression.
const MAGIC_BYTES: usize = 4;

/// Counts the bytes read from a file.
pub(in crate::transfer) struct CountingReader {
    pub file: File,
    pub packed: Arc<AtomicU64>,
    pub progress: Option<Arc<AtomicU64>>,
}

impl CountingReader {
    pub(in crate::transfer) fn count(&self, bytes: u64) {
        self.packed.fetch_add(bytes, Relaxed);
        if let Some(progress) = &self.progress {
            progress.fetch_add(bytes, Relaxed);
        }
    }
}

impl Read for CountingReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(into)?;
        self.count(count as u64);
        Ok(count)
    }
}

impl Seek for CountingReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// The bytes of a container, in order.
pub(in crate::transfer) struct Source {
    reader: Reader,
    /// Decompressed bytes so far.
    at: u64,
    /// Bytes so far as they are in the file.
    packed: Arc<AtomicU64>,
    /// Size of the file in bytes.
    bytes: u64,
    pub compression: Compression,
    is_canceled: Arc<AtomicBool>,
}

enum Reader {
    Plain(BufReader<CountingReader>),
    Packed(Bytes<'static>),
}

impl Source {
    /// Opens a file. `counter` gets the bytes that were read.
    pub(in crate::transfer) fn open(
        path: &Path,
        is_canceled: Arc<AtomicBool>,
        counter: Option<Arc<AtomicU64>>,
    ) -> io::Result<Self> {
        let mut file = open_chosen(path)?;
        let bytes = file.metadata()?.len();
        let mut magic = [0; MAGIC_BYTES];
        let length = fill_some(&mut file, &mut magic)?;
        file.seek(SeekFrom::Start(0))?;
        let compression = Compression::of(magic.get(..length).unwrap_or_default());
        let packed = Arc::default();
        let reader = CountingReader { file, packed: Arc::clone(&packed), progress: counter };
        let reader = match compression {
            Compression::None => Reader::Plain(BufReader::with_capacity(READ_BYTES, reader)),
            // Bytes after the end of the compressed data are in none of the files.
            _ => Reader::Packed(unpacked(Box::new(reader), &Arc::default())?.0),
        };
        Ok(Self { reader, at: 0, packed, bytes, compression, is_canceled })
    }

    /// Bytes of the file that are not read yet.
    pub(in crate::transfer) fn left(&self) -> u64 {
        self.bytes.saturating_sub(self.packed.load(Relaxed))
    }

    /// Skips as many bytes, in a compressed file by reading them. Returns how many there were.
    ///
    /// # Errors
    /// When they can't be read, or the user cancels.
    pub(in crate::transfer) fn skip(&mut self, bytes: u64) -> io::Result<u64> {
        let mut left = bytes;
        if let Reader::Plain(reader) = &mut self.reader {
            left = left.min(self.bytes.saturating_sub(self.at));
            reader.seek_relative(i64::try_from(left).unwrap_or(i64::MAX))?;
            self.at += left;
            let counted = self.packed.load(Relaxed);
            reader.get_ref().count(self.at.saturating_sub(counted));
            return self.checked(left);
        }
        while left > 0 {
            let step = left.min(READ_BYTES as u64);
            let count = io::copy(&mut self.by_ref().take(step), &mut io::sink())?;
            left -= count;
            self.checked(count)?;
            if count < step {
                break;
            }
        }
        self.checked(bytes - left)
    }

    fn checked(&self, count: u64) -> io::Result<u64> {
        if self.is_canceled.load(Relaxed) { Err(canceled()) } else { Ok(count) }
    }
}

impl Read for Source {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = match &mut self.reader {
            Reader::Plain(reader) => reader.read(into)?,
            Reader::Packed(reader) => reader.read(into)?,
        };
        self.at += count as u64;
        let packed = self.packed.load(Relaxed);
        match too_much_unpacked(self.compression, self.at, packed) {
            Some(what) => Err(broken(&what)),
            None => Ok(count),
        }
    }
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

/// The user canceled while a container was read.
#[derive(Debug)]
struct Canceled;

impl fmt::Display for Canceled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("canceled")
    }
}

impl std::error::Error for Canceled {}

fn canceled() -> io::Error {
    io::Error::other(Canceled)
}

pub(in crate::transfer) fn is_canceled(error: &io::Error) -> bool {
    error.get_ref().and_then(|error| error.downcast_ref::<Canceled>()).is_some()
}

/// An error of a container.
pub(in crate::transfer) fn broken(what: &str) -> io::Error {
    io::Error::other(ContainerError(what.to_owned()))
}

/// The same error once more, for another file of the container.
pub(in crate::transfer) fn same(error: &io::Error) -> io::Error {
    let inner = error.get_ref().and_then(|error| error.downcast_ref::<ContainerError>());
    match (inner, error.raw_os_error()) {
        (Some(ContainerError(what)), _) => broken(what),
        (None, Some(code)) => io::Error::from_raw_os_error(code),
        (None, None) => io::Error::new(error.kind(), error.to_string()),
    }
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

/// Why a file is read no further that unpacks to far more than its size.
pub(in crate::transfer) fn too_much_unpacked(
    compression: Compression,
    unpacked: u64,
    packed: u64,
) -> Option<String> {
    let is_too_much = compression != Compression::None
        && unpacked > UNPACKED_BYTES_FREE
        && unpacked / packed.max(1) > UNPACKED_RATIO_MAX;
    is_too_much.then(|| {
        format!(
            "the {} file decompresses to more than {UNPACKED_RATIO_MAX} times its size, which may \
             fill the disk; decompress it yourself first",
            compression.name()
        )
    })
}

/// Decompresses bytes if they are compressed.
pub(in crate::transfer) fn unpacked<'p>(
    mut packed: Bytes<'p>,
    ignored: &Arc<AtomicU64>,
) -> io::Result<(Bytes<'p>, Compression)> {
    let mut magic = [0; MAGIC_BYTES];
    let length = fill_some(&mut packed, &mut magic)?;
    let magic = magic.get(..length).unwrap_or_default().to_vec();
    let compression = Compression::of(&magic);
    let whole = io::Cursor::new(magic).chain(packed);
    let whole: Box<dyn BufRead + Send + 'p> = Box::new(BufReader::with_capacity(READ_BYTES, whole));
    let reader: Bytes<'p> = match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => Box::new(GzipReader::new(whole, Arc::clone(ignored))),
        Compression::Zstd => Box::new(zstd::Decoder::with_buffer(whole)?),
    };
    Ok((reader, compression))
}
