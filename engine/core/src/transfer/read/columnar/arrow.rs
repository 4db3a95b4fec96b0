//! Arrow IPC: streams, and files such as Feather's version 2, which are a stream between two marks.
//!
//! The messages are split here, because the crate's readers take a length in a message for true.

use std::collections::HashMap;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::{
    Message, MessageHeader, convert::try_fb_to_schema, reader::read_dictionary,
    reader::read_record_batch, root_as_footer, root_as_message,
};
use arrow_schema::SchemaRef;

use super::{Batches, cut_short, damaged, guarded};
use crate::transfer::limits::{ARROW_MESSAGE_BYTES_MAX, ARROW_METADATA_BYTES_MAX};
use crate::transfer::read::input::Input;

const FORMAT: &str = "Arrow";

/// At the start of a file, with the padding after it.
const FILE_MAGIC: &[u8] = b"ARROW1\0\0";

/// At the end of a file, after the length of its footer.
const MARK: &[u8] = b"ARROW1";
const FOOTER_END_BYTES: usize = 4 + MARK.len();

/// Before the length of a message, since version 0.15 of the format.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Recognizes the first bytes of a file or a stream.
pub(in crate::transfer) fn is_arrow(start: &[u8]) -> bool {
    if start.starts_with(FILE_MAGIC) {
        return true;
    }
    let Some((length, prefix)) = prefix(start).filter(|_| start.starts_with(&CONTINUATION)) else {
        return false;
    };
    let metadata = start.get(prefix..).and_then(|rest| rest.get(..length));
    let message = metadata.and_then(|metadata| root_as_message(metadata).ok());
    message.is_some_and(|message| message.header_type() == MessageHeader::Schema)
}

pub(super) struct ArrowBatches {
    schema: SchemaRef,
    dictionaries: HashMap<i64, ArrayRef>,
    /// A stream may end without a mark, a file may not.
    is_file: bool,
    /// All dictionaries were read at the start.
    has_dictionaries: bool,
}

impl ArrowBatches {
    /// Reads the schema.
    pub(super) fn open(input: &mut Input<'_>) -> Result<Self, String> {
        let is_file = input.bytes().starts_with(FILE_MAGIC);
        if is_file {
            input.consume(FILE_MAGIC.len());
            // Some programs align the first message to more than its size.
            while input.bytes().starts_with(&[0; 8]) {
                input.consume(8);
            }
        }
        // Polars writes the first message without its length; the footer has the schema too.
        if is_file && !input.bytes().starts_with(&CONTINUATION) {
            return Self::of_footer(input);
        }
        let first = message(input, is_file)?.ok_or_else(|| damaged(FORMAT))?;
        let found = first.message()?;
        let schema = found.header_as_schema().ok_or_else(|| damaged(FORMAT))?;
        let schema = Arc::new(try_fb_to_schema(schema).map_err(|_| damaged(FORMAT))?);
        Ok(Self { schema, dictionaries: HashMap::new(), is_file, has_dictionaries: false })
    }

    /// Takes the schema of a file from its footer, and skips to the first batch.
    fn of_footer(input: &mut Input<'_>) -> Result<Self, String> {
        let footer = footer_bytes(input)?;
        let found = root_as_footer(&footer).map_err(|_| damaged(FORMAT))?;
        let schema = found.schema().ok_or_else(|| damaged(FORMAT))?;
        let schema = Arc::new(try_fb_to_schema(schema).map_err(|_| damaged(FORMAT))?);
        let blocks = [found.dictionaries(), found.recordBatches()].into_iter().flatten().flatten();
        let first = blocks.map(arrow_ipc::Block::offset).min();
        let all = HashMap::new();
        let mut batches = Self { schema, dictionaries: all, is_file: true, has_dictionaries: true };
        // Polars writes them after the batches that need them.
        for block in found.dictionaries().into_iter().flatten() {
            let mut file = input.file(FORMAT)?;
            let start = u64::try_from(block.offset()).map_err(|_| damaged(FORMAT))?;
            file.seek(SeekFrom::Start(start)).map_err(|_| cut_short(FORMAT))?;
            let mut rest = Input::over(Box::new(file));
            let dictionary = message(&mut rest, true)?.ok_or_else(|| damaged(FORMAT))?;
            batches.add_dictionary(&dictionary)?;
        }
        // Without a batch, the input has no message either.
        let first = first.map_or(Ok(u64::MAX), u64::try_from).map_err(|_| damaged(FORMAT))?;
        batches.is_file = first < u64::MAX;
        if batches.is_file {
            input.skip_to(first)?;
        } else {
            input.fill_up_to(usize::MAX);
            input.consume(usize::MAX);
        }
        Ok(batches)
    }

    fn add_dictionary(&mut self, of: &Checked) -> Result<(), String> {
        let message = of.message()?;
        let batch = message.header_as_dictionary_batch().ok_or_else(|| damaged(FORMAT))?;
        let (known, version) = (&mut self.dictionaries, message.version());
        read_dictionary(&of.body, batch, &self.schema, known, &version).map_err(|_| damaged(FORMAT))
    }

    fn batch(&mut self, input: &mut Input<'_>) -> Result<Option<RecordBatch>, String> {
        while let Some(next) = message(input, self.is_file)? {
            let message = next.message()?;
            let version = message.version();
            match message.header_type() {
                MessageHeader::DictionaryBatch if self.has_dictionaries => {}
                MessageHeader::DictionaryBatch => self.add_dictionary(&next)?,
                MessageHeader::RecordBatch => {
                    let batch = message.header_as_record_batch().ok_or_else(|| damaged(FORMAT))?;
                    let schema = Arc::clone(&self.schema);
                    let dictionaries = &self.dictionaries;
                    return read_record_batch(
                        &next.body,
                        batch,
                        schema,
                        dictionaries,
                        None,
                        &version,
                    )
                    .map(Some)
                    .map_err(|_| damaged(FORMAT));
                }
                _ => return Err(damaged(FORMAT)),
            }
        }
        Ok(None)
    }
}

impl Batches for ArrowBatches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RecordBatch>, String> {
        guarded(FORMAT, || self.batch(input))
    }

    /// Its batches have no list that can be sought in.
    fn skip(&mut self, rows: u64) -> Result<u64, String> {
        Ok(rows)
    }
}

/// The footer of a file: its length and the mark follow it.
fn footer_bytes(input: &Input<'_>) -> Result<Vec<u8>, String> {
    let mut file = input.file(FORMAT)?;
    let mut read = |from_end: u64, into: &mut [u8]| {
        let length = file.metadata()?.len();
        let at = length.checked_sub(from_end).ok_or(io::ErrorKind::UnexpectedEof)?;
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(into)
    };
    let cut = |_: io::Error| cut_short(FORMAT);
    let mut end = [0; FOOTER_END_BYTES];
    read(FOOTER_END_BYTES as u64, &mut end).map_err(cut)?;
    let (length, mark) = end.split_first_chunk::<4>().ok_or_else(|| cut_short(FORMAT))?;
    if mark != MARK {
        return Err(cut_short(FORMAT));
    }
    let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| damaged(FORMAT))?;
    if length > ARROW_METADATA_BYTES_MAX {
        return Err(damaged(FORMAT));
    }
    let mut footer = vec![0; length];
    read((length + FOOTER_END_BYTES) as u64, &mut footer).map_err(cut)?;
    Ok(footer)
}

/// A message whose lengths were checked.
struct Checked {
    metadata: Vec<u8>,
    body: Buffer,
}

impl Checked {
    fn message(&self) -> Result<Message<'_>, String> {
        root_as_message(&self.metadata).map_err(|_| damaged(FORMAT))
    }
}

/// The length of a message's metadata, and the bytes before it.
fn prefix(bytes: &[u8]) -> Option<(usize, usize)> {
    let (first, rest) = bytes.split_first_chunk::<4>()?;
    let (length, prefix) =
        if *first == CONTINUATION { (*rest.first_chunk::<4>()?, 8) } else { (*first, 4) };
    usize::try_from(u32::from_le_bytes(length)).ok().map(|length| (length, prefix))
}

/// The next message; `None` at the end.
fn message(input: &mut Input<'_>, is_file: bool) -> Result<Option<Checked>, String> {
    input.fill_to(8)?;
    if input.bytes().is_empty() && !is_file {
        return Ok(None);
    }
    let (length, prefix) = prefix(input.bytes()).ok_or_else(|| cut_short(FORMAT))?;
    if length == 0 {
        return Ok(None);
    }
    if length > ARROW_METADATA_BYTES_MAX {
        return Err(damaged(FORMAT));
    }
    let metadata = taken(input, prefix, length)?;
    let found = root_as_message(&metadata).map_err(|_| damaged(FORMAT))?;
    let length = usize::try_from(found.bodyLength()).map_err(|_| damaged(FORMAT))?;
    if length > ARROW_MESSAGE_BYTES_MAX {
        return Err(too_large());
    }
    let body = taken(input, 0, length)?;
    check_unpacked(&found, &body)?;
    Ok(Some(Checked { metadata, body: Buffer::from(body) }))
}

fn too_large() -> String {
    let max = ARROW_MESSAGE_BYTES_MAX >> 30;
    format!("a batch of the Arrow file has more than {max} GB; write it with smaller batches")
}

/// Takes bytes out of the input after those before them.
fn taken(input: &mut Input<'_>, before: usize, length: usize) -> Result<Vec<u8>, String> {
    input.fill_to(before + length)?;
    let bytes = input.bytes().get(before..).and_then(|rest| rest.get(..length));
    let bytes = bytes.ok_or_else(|| cut_short(FORMAT))?.to_vec();
    input.consume(before + length);
    Ok(bytes)
}

/// Checks how long the parts of a body claim to be without their compression: the decoder reserves
/// as much.
fn check_unpacked(message: &Message<'_>, body: &[u8]) -> Result<(), String> {
    let dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
    let Some(batch) = message.header_as_record_batch().or(dictionary) else { return Ok(()) };
    if batch.compression().is_none() {
        return Ok(());
    }
    let mut sum = 0_u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let start = usize::try_from(buffer.offset()).map_err(|_| damaged(FORMAT))?;
        let claimed = body.get(start..).and_then(|rest| rest.first_chunk::<8>());
        // Bytes that aren't compressed have the length -1.
        let claimed = claimed.map_or(0, |bytes| i64::from_le_bytes(*bytes));
        if buffer.length() > 0 {
            sum = sum.saturating_add(u64::try_from(claimed).unwrap_or(0));
        }
    }
    if sum > ARROW_MESSAGE_BYTES_MAX as u64 { Err(too_large()) } else { Ok(()) }
}
