//! Parquet files.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};

use super::{Batches, cut_short, damaged, encrypted, guarded};
use crate::transfer::limits::{COLUMNAR_BATCH_BYTES, COLUMNAR_BATCH_ROWS_MAX};
use crate::transfer::read::input::Input;

const FORMAT: &str = "Parquet";

/// At the start and at the end of a file.
const MAGIC: &[u8] = b"PAR1";
const ENCRYPTED_MAGIC: &[u8] = b"PARE";

/// Bytes of the shortest file: the magic, the length of the metadata, the magic.
const FILE_BYTES_MIN: u64 = 12;

/// Recognizes the first bytes of a file. CSV may begin with a column `PARENT`.
pub(in crate::transfer) fn is_parquet(start: &[u8]) -> bool {
    (start.starts_with(MAGIC) || start.starts_with(ENCRYPTED_MAGIC))
        && start.iter().any(|byte| *byte < b'\t')
}

pub(super) struct ParquetBatches {
    builder: Option<ParquetRecordBatchReaderBuilder<CountedFile>>,
    reader: Option<ParquetRecordBatchReader>,
    schema: SchemaRef,
    rows: u64,
    read: Arc<AtomicU64>,
}

impl ParquetBatches {
    pub(super) fn open(input: &Input<'_>) -> Result<Self, String> {
        if input.bytes().starts_with(ENCRYPTED_MAGIC) {
            return Err(encrypted(FORMAT));
        }
        let file = CountedFile::new(input.file(FORMAT)?).map_err(|error| input.failed(&error))?;
        let read = Arc::clone(&file.read);
        file.check_end()?;
        let builder =
            ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| say(&error))?;
        check_codecs(builder.metadata())?;
        let schema = Arc::clone(builder.schema());
        let batch_rows = batch_rows(builder.metadata());
        let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
        let builder = Some(builder.with_batch_size(batch_rows));
        Ok(Self { builder, reader: None, schema, rows, read })
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>, String> {
        if let Some(builder) = self.builder.take() {
            self.reader = Some(builder.build().map_err(|error| say(&error))?);
        }
        let Some(reader) = &mut self.reader else { return Ok(None) };
        // Its errors are those of Parquet in the coat of Arrow's.
        reader.next().transpose().map_err(|_| damaged(FORMAT))
    }
}

impl Batches for ParquetBatches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RecordBatch>, String> {
        let batch = guarded(FORMAT, || self.batch());
        input.note_read(self.read.load(Relaxed));
        batch
    }

    fn skip(&mut self, rows: u64) -> Result<u64, String> {
        if rows > self.rows {
            return Err("the file is shorter than before".to_owned());
        }
        let offset = usize::try_from(rows).unwrap_or(usize::MAX);
        self.builder = self.builder.take().map(|builder| builder.with_offset(offset));
        Ok(0)
    }
}

/// Rows of a batch, so that it has about [`COLUMNAR_BATCH_BYTES`].
fn batch_rows(metadata: &ParquetMetaData) -> usize {
    let bytes: i64 = metadata.row_groups().iter().map(|group| group.total_byte_size().max(0)).sum();
    let row_bytes = bytes / metadata.file_metadata().num_rows().max(1);
    let rows = usize::try_from(COLUMNAR_BATCH_BYTES / row_bytes.max(1)).unwrap_or(1);
    rows.clamp(1, COLUMNAR_BATCH_ROWS_MAX)
}

/// Refuses a compression before a row is read.
fn check_codecs(metadata: &ParquetMetaData) -> Result<(), String> {
    let mut columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    if columns.any(|column| matches!(column.compression(), Compression::LZO)) {
        return Err("the Parquet file is compressed with LZO; write it with zstd or Snappy".into());
    }
    Ok(())
}

/// An error before the first row.
fn say(error: &ParquetError) -> String {
    match error {
        ParquetError::EOF(_) => cut_short(FORMAT),
        ParquetError::NYI(_) => {
            "the Parquet file uses an encoding that can't be read; write it again with another \
             program"
                .to_owned()
        }
        ParquetError::General(what) if what.contains("encrypt") => encrypted(FORMAT),
        _ => damaged(FORMAT),
    }
}

/// A file that counts what is read of it.
struct CountedFile {
    file: File,
    length: u64,
    read: Arc<AtomicU64>,
}

impl CountedFile {
    fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { file, length, read: Arc::default() })
    }

    /// Tells a file that broke off from a damaged one.
    fn check_end(&self) -> Result<(), String> {
        let end =
            self.length.checked_sub(MAGIC.len() as u64).filter(|_| self.length >= FILE_BYTES_MIN);
        let end = end.and_then(|at| self.get_bytes(at, MAGIC.len()).ok());
        match end.as_deref() {
            Some(MAGIC) => Ok(()),
            Some(ENCRYPTED_MAGIC) => Err(encrypted(FORMAT)),
            _ => Err(cut_short(FORMAT)),
        }
    }
}

impl Length for CountedFile {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for CountedFile {
    type T = BufReader<CountedRead>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(BufReader::new(CountedRead { file, read: Arc::clone(&self.read) }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        // A damaged file may claim any length.
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF("beyond the end of the file".to_owned()));
        }
        let mut bytes = vec![0; length];
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        self.read.fetch_add(length as u64, Relaxed);
        Ok(Bytes::from(bytes))
    }
}

struct CountedRead {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for CountedRead {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(into)?;
        self.read.fetch_add(count as u64, Relaxed);
        Ok(count)
    }
}
