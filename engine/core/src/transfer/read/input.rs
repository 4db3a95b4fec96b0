//! Decompressed bytes of a file, through a buffer that grows only for long documents.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use crate::store::open_chosen;
use crate::transfer::{
    Compression, Progress, TextEncoding, TransferError,
    error::io_reason,
    limits::{IMPORT_TEXT_BYTES_MAX, READ_BYTES},
    read::container,
    read::padding::{UnpaddedReader, zeros_at_end},
    read::source::{
        Bytes, ContainerError, CountingReader, is_canceled, too_much_unpacked, unpacked,
    },
    read::stream,
};

/// The unconsumed bytes of a file.
#[expect(clippy::struct_excessive_bools, reason = "each is another property of the file")]
pub(in crate::transfer) struct Input<'p> {
    reader: Bytes<'p>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
    /// Why nothing more can be read. A decoder that failed once may not fail again.
    failure: Option<String>,
    compression: Compression,
    unpacked: u64,
    wanted: u64,
    packed: Arc<AtomicU64>,
    /// Bytes after the end of the compressed data.
    ignored: Arc<AtomicU64>,
    /// Zero bytes at the end of a text.
    padding: Arc<AtomicU64>,
    /// The file is text, whose zero bytes at the end are left out.
    is_unpadded: bool,
    /// The file is in a container, so it can't be continued at an offset.
    is_inside: bool,
    /// The text is decoded, so its bytes aren't those at the same offset of the file.
    encoding: Option<TextEncoding>,
    /// A carriage return is read as a line break.
    breaks_at_returns: bool,
    /// Bytes to read, as they are in the file or from here on in its container.
    file_bytes: u64,
    path: PathBuf,
    progress: Option<&'p Progress>,
}

impl<'p> Input<'p> {
    /// Opens a regular file, or a file in a container. Compression is recognized by its magic number.
    pub(in crate::transfer) fn open(
        path: &Path,
        progress: Option<&'p Progress>,
    ) -> Result<Self, TransferError> {
        let wrong = |error: io::Error| TransferError::file(path, &error);
        let inside = container::split(path);
        let outer = inside.as_ref().map_or(path, |(outer, _)| outer);
        let about = std::fs::metadata(outer).map_err(wrong)?;
        if !about.is_file() {
            let what = if about.is_dir() {
                "it is a folder, not a file; choose files in it"
            } else {
                "it is a pipe or a device; copy it to a file, or use mayfly import - for a pipe"
            };
            let what = what.to_owned();
            return Err(TransferError::NotReadable { path: path.display().to_string(), what });
        }
        let packed = Arc::new(AtomicU64::new(0));
        let mut file_bytes = about.len();
        let mut outer_compression = Compression::None;
        let reader: Bytes<'p> = if let Some((_, member)) = &inside {
            let found = stream::open_member(
                outer,
                member,
                progress.map(Progress::container),
                Arc::clone(&packed),
            );
            let found = found.map_err(wrong)?;
            (file_bytes, outer_compression) = (found.bytes, found.compression);
            found.reader
        } else {
            let file = open_chosen(outer).map_err(wrong)?;
            Box::new(counting(file, &packed, progress))
        };
        let ignored = Arc::default();
        let (reader, mut compression) = unpacked(reader, &ignored).map_err(wrong)?;
        if compression == Compression::None {
            compression = outer_compression;
        }
        let is_inside = inside.is_some();
        let path = path.to_owned();
        let over = Self::over(reader);
        Ok(Self { compression, packed, ignored, is_inside, file_bytes, path, progress, ..over })
    }

    /// Reads bytes, perhaps compressed, that are in memory.
    pub(in crate::transfer) fn of_bytes(
        bytes: Vec<u8>,
        path: &Path,
    ) -> Result<Self, TransferError> {
        let (ignored, bytes) = (Arc::default(), Box::new(io::Cursor::new(bytes)));
        let (reader, compression) =
            unpacked(bytes, &ignored).map_err(|error| TransferError::file(path, &error))?;
        Ok(Self { compression, ignored, ..Self::over(reader) })
    }

    /// Reads uncompressed bytes.
    pub(in crate::transfer) fn over(reader: Bytes<'p>) -> Self {
        Self {
            reader,
            buffer: vec![0; READ_BYTES],
            start: 0,
            end: 0,
            ended: false,
            failure: None,
            compression: Compression::None,
            unpacked: 0,
            wanted: u64::MAX,
            packed: Arc::default(),
            ignored: Arc::default(),
            padding: Arc::default(),
            is_unpadded: false,
            is_inside: false,
            encoding: None,
            breaks_at_returns: false,
            file_bytes: 0,
            path: PathBuf::new(),
            progress: None,
        }
    }

    /// Skips ahead to this offset of the decompressed file. A compressed file is read up to there.
    ///
    /// # Errors
    /// One sentence without its full stop.
    pub(in crate::transfer) fn skip_to(&mut self, offset: u64) -> Result<(), String> {
        loop {
            let here = self.bytes().len();
            let at = self.unpacked.saturating_sub(here as u64);
            let ahead = usize::try_from(offset.saturating_sub(at)).unwrap_or(usize::MAX);
            self.consume(ahead);
            if ahead <= here {
                return Ok(());
            }
            if self.ended {
                return Err("the file is shorter than before".to_owned());
            }
            if self.is_compressed() || self.is_inside || self.encoding.is_some() {
                self.fill()?;
            } else {
                self.seek(offset).map_err(|error| self.failed(&error))?;
            }
        }
    }

    /// The same file once more from this offset on, to read at most `bytes` of it. `None` if it
    /// can't be opened again.
    pub(in crate::transfer) fn again(&self, offset: u64, bytes: u64) -> Option<Self> {
        let mut again = Self::open(&self.path, self.progress).ok()?;
        if let Some(progress) = self.progress {
            progress.add_bytes_total(std::fs::metadata(&self.path).map_or(0, |file| file.len()));
        }
        if let Some(encoding) = self.encoding {
            again.decode(encoding);
        }
        if self.is_unpadded {
            again.drop_padding();
        }
        again.breaks_at_returns = self.breaks_at_returns;
        again.want(self.wanted.min(offset.saturating_add(bytes)));
        again.skip_to(offset).ok()?;
        Some(again)
    }

    /// Decodes the text from here on, which is the start of the file.
    pub(in crate::transfer) fn decode(&mut self, encoding: TextEncoding) {
        let read = io::Cursor::new(self.bytes().to_vec());
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = encoding.reader(Box::new(read.chain(reader)));
        (self.start, self.end, self.unpacked, self.ended) = (0, 0, 0, false);
        self.encoding = Some(encoding);
    }

    /// Leaves out zero bytes at the end of the file, which is text.
    pub(in crate::transfer) fn drop_padding(&mut self) {
        let zeros = zeros_at_end(self.bytes());
        self.end -= zeros;
        self.unpacked -= zeros as u64;
        self.is_unpadded = true;
        if self.ended {
            self.padding.fetch_add(zeros as u64, Relaxed);
        } else {
            self.drop_padding_after(zeros as u64);
        }
    }

    fn drop_padding_after(&mut self, zeros: u64) {
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(UnpaddedReader::new(reader, zeros, Arc::clone(&self.padding)));
    }

    /// Zero bytes that were left out so far.
    pub(in crate::transfer) fn padding_bytes(&self) -> u64 {
        self.padding.load(Relaxed)
    }

    /// The encoding from which the text is decoded. `None` if it isn't.
    pub(in crate::transfer) fn encoding(&self) -> Option<TextEncoding> {
        self.encoding
    }

    /// Continues an uncompressed file at this offset.
    fn seek(&mut self, offset: u64) -> io::Result<()> {
        let mut file = open_chosen(&self.path)?;
        file.seek(io::SeekFrom::Start(offset))?;
        if let Some(progress) = self.progress {
            progress.add_bytes(offset.saturating_sub(self.packed.load(Relaxed)));
        }
        self.packed.store(offset, Relaxed);
        self.reader = Box::new(counting(file, &self.packed, self.progress));
        (self.start, self.end, self.unpacked) = (0, 0, offset);
        if self.is_unpadded {
            self.drop_padding_after(0);
        }
        Ok(())
    }

    /// Decompressed bytes read so far.
    pub(in crate::transfer) fn unpacked_bytes(&self) -> u64 {
        self.unpacked
    }

    /// Bytes read so far as they are in the file.
    pub(in crate::transfer) fn packed_bytes(&self) -> u64 {
        self.packed.load(Relaxed)
    }

    /// Bytes to read when the file was opened, as they are in it.
    pub(in crate::transfer) fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Bytes after the end of the compressed data, of what was read so far.
    pub(in crate::transfer) fn ignored_bytes(&self) -> u64 {
        self.ignored.load(Relaxed)
    }

    /// Sets how many decompressed bytes are wanted. The default is all.
    pub(in crate::transfer) fn want(&mut self, bytes: u64) {
        self.wanted = bytes;
    }

    /// Reads text whose lines end with a carriage return alone, as old programs for the Mac write
    /// them, with line breaks in their place.
    pub(in crate::transfer) fn detect_line_ends(&mut self) {
        let has = |byte| memchr::memchr(byte, self.bytes()).is_some();
        self.breaks_at_returns = has(b'\r') && !has(b'\n');
        if self.breaks_at_returns {
            break_at_returns(self.buffer.get_mut(self.start..self.end).unwrap_or_default());
        }
    }

    /// Whether to stop reading: enough bytes were read, or the user canceled.
    pub(in crate::transfer) fn is_enough(&self) -> bool {
        self.unpacked >= self.wanted || self.is_cancelled()
    }

    pub(in crate::transfer) fn compression(&self) -> Compression {
        self.compression
    }

    pub(in crate::transfer) fn is_compressed(&self) -> bool {
        self.compression != Compression::None
    }

    /// Why nothing more can be read, as a sentence without its full stop.
    pub(in crate::transfer) fn failure(&self) -> Option<String> {
        self.failure.clone()
    }

    /// The buffered bytes.
    pub(in crate::transfer) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Whether [`Self::bytes`] are the last ones.
    pub(in crate::transfer) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether the buffer has its maximum size.
    pub(in crate::transfer) fn is_full(&self) -> bool {
        self.end - self.start >= IMPORT_TEXT_BYTES_MAX
    }

    /// Removes bytes from the start of the buffer.
    pub(in crate::transfer) fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
    }

    /// Reads more bytes into the buffer.
    ///
    /// # Errors
    /// One sentence without its full stop.
    pub(in crate::transfer) fn fill(&mut self) -> Result<(), String> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let free = self.buffer.get_mut(self.end..).unwrap_or_default();
        let count = loop {
            match self.reader.read(free) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let failure = self.failed(&error);
                    self.failure = Some(failure.clone());
                    return Err(failure);
                }
                Ok(count) => break count,
            }
        };
        self.ended = count == 0;
        if self.breaks_at_returns {
            break_at_returns(free.get_mut(..count).unwrap_or_default());
        }
        self.end += count;
        self.unpacked += count as u64;
        let packed = self.packed.load(Relaxed);
        self.failure = too_much_unpacked(self.compression, self.unpacked, packed);
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// Reads until `count` bytes are buffered or the file ends or can't be read any further. What was
    /// read before an error is there then, and the next [`Self::fill`] meets the error again.
    pub(in crate::transfer) fn fill_up_to(&mut self, count: usize) {
        while self.bytes().len() < count && !self.ended && self.fill().is_ok() {}
    }

    /// Reads until `count` bytes are buffered or the file ends.
    ///
    /// # Errors
    /// When fewer can be read; one sentence without its full stop.
    pub(in crate::transfer) fn fill_to(&mut self, count: usize) -> Result<(), String> {
        while self.bytes().len() < count && !self.ended {
            self.fill()?;
        }
        Ok(())
    }

    /// The file on the disk once more, for a format that is read out of order.
    ///
    /// # Errors
    /// When it is compressed or in a container, or can't be opened; one sentence without its full
    /// stop.
    pub(in crate::transfer) fn file(&self, format: &str) -> Result<File, String> {
        if self.is_compressed() || self.is_inside {
            return Err(format!("a compressed {format} file can't be read; extract it first"));
        }
        open_chosen(&self.path).map_err(|error| self.failed(&error))
    }

    /// Counts what was read of [`Self::file`]: `bytes` in all.
    pub(in crate::transfer) fn note_read(&self, bytes: u64) {
        let new = bytes.saturating_sub(self.packed.fetch_max(bytes, Relaxed));
        if let Some(progress) = self.progress {
            progress.add_bytes(new);
        }
    }

    /// Whether the user canceled.
    pub(in crate::transfer) fn is_cancelled(&self) -> bool {
        self.progress.is_some_and(Progress::is_cancelled)
    }

    /// A failure to read as one sentence without its full stop.
    pub(in crate::transfer) fn failed(&self, error: &io::Error) -> String {
        if let Some(ContainerError(what)) = error.get_ref().and_then(|error| error.downcast_ref()) {
            return what.clone();
        }
        if is_canceled(error) {
            return error.to_string();
        }
        let (name, is_compressed) = (self.compression.name(), self.is_compressed());
        match error.kind() {
            io::ErrorKind::UnexpectedEof if is_compressed => {
                format!("the {name} file is truncated; get a new copy")
            }
            // A decoder's own error has no number of the system.
            _ if is_compressed && error.raw_os_error().is_none() => {
                format!("the {name} file is damaged; get a new copy")
            }
            _ => format!("can't read the rest of the file: {}", io_reason(error)),
        }
    }
}

fn break_at_returns(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte == b'\r') {
        *byte = b'\n';
    }
}

fn counting(file: File, packed: &Arc<AtomicU64>, progress: Option<&Progress>) -> CountingReader {
    let (packed, progress) = (Arc::clone(packed), progress.map(Progress::counter));
    CountingReader { file, packed, progress }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;
    use crate::transfer::read::item::Item;
    use crate::transfer::read::json::JsonRecords;
    use crate::transfer::{Leniency, RecordFormat, TextPosition};

    /// An array of documents of half a kilobyte, in pieces of any length.
    struct Generated {
        piece: Vec<u8>,
        at: usize,
        documents: u64,
    }

    impl Read for Generated {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            if self.at == self.piece.len() && self.documents > 0 {
                self.documents -= 1;
                let end = if self.documents == 0 { "]" } else { "," };
                let text = "x".repeat(500);
                self.piece =
                    format!("\n{{\"n\":{},\"text\":\"{text}\"}}{end}", self.documents).into();
                self.at = 0;
            }
            let left = self.piece.get(self.at..).unwrap_or_default();
            let count = left.len().min(into.len());
            into[..count].copy_from_slice(&left[..count]);
            self.at += count;
            Ok(count)
        }
    }

    #[test]
    fn an_array_of_300_megabytes_is_read_through_a_buffer_that_does_not_grow() {
        const DOCUMENTS: u64 = 600_000;
        let reader = Generated { piece: b"[".to_vec(), at: 0, documents: DOCUMENTS };
        let mut input = Input::over(Box::new(BufReader::new(reader)));
        let mut records =
            JsonRecords::new(RecordFormat::Array, TextPosition::START, Leniency::default());
        let mut documents = 0;
        loop {
            match records.next(&mut input) {
                Item::Document(_) => documents += 1,
                Item::End => break,
                Item::Bad(bad) => panic!("{}", bad.reason),
            }
            assert!(input.buffer.capacity() <= READ_BYTES, "after {documents} documents");
        }
        assert_eq!(documents, DOCUMENTS);
        assert!(input.unpacked > 300_000_000);
    }

    #[test]
    fn a_line_without_end_is_left_when_somebody_cancels() {
        const FAR: u64 = 1 << 30;
        let endless = (&b"{\"a\":1}\n"[..]).chain(io::repeat(b'x').take(FAR));
        let progress = Progress::new();
        let mut input = Input { progress: Some(&progress), ..Input::over(Box::new(endless)) };
        let mut records =
            JsonRecords::new(RecordFormat::Lines, TextPosition::START, Leniency::default());
        assert!(matches!(records.next(&mut input), Item::Document(_)));
        progress.cancel();
        assert!(matches!(records.next(&mut input), Item::Bad(bad) if bad.fatal));
        assert!(input.unpacked < FAR, "{} bytes were read", input.unpacked);
    }
}
