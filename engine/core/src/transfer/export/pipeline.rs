//! Any stream of documents to a file: a scan of a collection, or the cursor of a command.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use bson::{RawDocument, RawDocumentBuf};

use super::atomic_file::AtomicFile;
use super::collection::{ExportFormat, ExportReport, note_lookalike};
use super::columns::Columns;
use super::losses::{Losses, ShortLongs};
use crate::transfer::limits::EXPORT_BYTES_MAX;
use crate::transfer::{Compression, Progress, TransferError};
use crate::value::extjson::{self, Style, append_document};

/// Takes documents that are read.
pub trait DocumentSink {
    /// Takes a document. Returns false if the read should end soon, and flush.
    ///
    /// # Errors
    /// The document can't be taken.
    fn take(&mut self, document: &RawDocument) -> Result<bool, TransferError>;

    /// Ends a bounded read. No read transaction is open then.
    ///
    /// # Errors
    /// The file can't be written, or the user canceled.
    fn flush(&mut self) -> Result<(), TransferError>;
}

/// Documents to export.
pub trait ExportDocuments {
    /// Hands over all documents in bounded reads.
    ///
    /// # Errors
    /// A read or the sink failed, or the user canceled.
    fn read(&mut self, sink: &mut dyn DocumentSink) -> Result<(), TransferError>;

    /// Whether a second read gives them again. If not, CSV keeps them in a file without a name.
    fn can_repeat(&self) -> bool;
}

/// A file to write documents to.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its format.
    pub format: ExportFormat,
    /// How it is compressed.
    pub compression: Compression,
}

/// Takes what an import of the file will change: for CSV before the first byte is written, for
/// other formats before the file has its name.
pub type Warn<'w> = &'w mut dyn FnMut(&Losses);

/// Writes a file, whole or not at all.
///
/// # Errors
/// The target is refused, or a step failed; there is no new file then.
pub fn export_documents(
    documents: &mut dyn ExportDocuments,
    file: &ExportFile,
    progress: &Progress,
    warn: Warn<'_>,
) -> Result<ExportReport, TransferError> {
    let ExportFile { path, format, compression } = file;
    let mut target = AtomicFile::begin(path, Path::new(""), *compression, progress)?;
    let report = write(documents, format, &mut target, progress, warn)?;
    target.complete()?.publish()?;
    Ok(report)
}

/// Writes a text with a line end to a file, whole or not at all.
///
/// # Errors
/// The target is refused, or a step failed; there is no new file then.
pub fn export_text(path: &Path, text: &str) -> Result<ExportReport, TransferError> {
    let progress = Progress::new();
    let mut target = AtomicFile::begin(path, Path::new(""), Compression::None, &progress)?;
    target.write(text.trim_end().as_bytes())?;
    target.write(b"\n")?;
    target.complete()?.publish()?;
    Ok(ExportReport::default())
}

/// Counts what an import of a file of these documents would change. Writes nothing.
///
/// # Errors
/// A read failed, or the user canceled.
pub fn losses_of(
    documents: &mut dyn ExportDocuments,
    format: &ExportFormat,
    progress: &Progress,
) -> Result<Losses, TransferError> {
    match format {
        ExportFormat::Bson
        | ExportFormat::Ndjson(Style::Canonical)
        | ExportFormat::Array(Style::Canonical) => Ok(Losses::default()),
        ExportFormat::Csv(options) => {
            let mut survey = Survey { columns: Columns::new(options), spool: None, progress };
            documents.read(&mut survey)?;
            Ok(survey.columns.end())
        }
        ExportFormat::Ndjson(style) | ExportFormat::Array(style) => {
            let mut counter = LongCounter { longs: ShortLongs::default(), style: *style, progress };
            documents.read(&mut counter)?;
            Ok(counter.longs.losses())
        }
    }
}

/// Writes documents in a format.
pub(super) fn write(
    documents: &mut dyn ExportDocuments,
    format: &ExportFormat,
    target: &mut AtomicFile<'_>,
    progress: &Progress,
    warn: Warn<'_>,
) -> Result<ExportReport, TransferError> {
    let mut writer = Writer {
        format,
        columns: None,
        target,
        progress,
        text: Vec::new(),
        pending: 0,
        longs: ShortLongs::default(),
        report: ExportReport::default(),
    };
    match format {
        ExportFormat::Csv(options) => {
            let spool = if documents.can_repeat() { None } else { Some(Spool::new()?) };
            let mut survey = Survey { columns: Columns::new(options), spool, progress };
            documents.read(&mut survey)?;
            let Survey { mut columns, spool, .. } = survey;
            check(&columns, writer.target)?;
            writer.report.losses = columns.end();
            warn(&writer.report.losses);
            writer.target.write(&columns.header())?;
            writer.columns = Some(columns);
            match spool {
                Some(spool) => spool.read(&mut writer)?,
                None => documents.read(&mut writer)?,
            }
        }
        ExportFormat::Array(_) => {
            writer.target.write(b"[")?;
            documents.read(&mut writer)?;
            writer.target.write(b"\n]\n")?;
        }
        ExportFormat::Ndjson(_) | ExportFormat::Bson => documents.read(&mut writer)?,
    }
    if !matches!(format, ExportFormat::Csv(_)) {
        writer.report.losses = std::mem::take(&mut writer.longs).losses();
        warn(&writer.report.losses);
    }
    Ok(writer.report)
}

fn check(columns: &Columns, target: &AtomicFile<'_>) -> Result<(), TransferError> {
    columns.failure().map_or(Ok(()), |what| Err(TransferError::target(target.path(), what)))
}

fn check_cancelled(progress: &Progress) -> Result<(), TransferError> {
    if progress.is_cancelled() { Err(TransferError::Cancelled) } else { Ok(()) }
}

/// Writes each document.
struct Writer<'w, 'p> {
    format: &'w ExportFormat,
    columns: Option<Columns>,
    target: &'w mut AtomicFile<'p>,
    progress: &'w Progress,
    /// Not written yet, of this many documents.
    text: Vec<u8>,
    pending: u64,
    longs: ShortLongs,
    report: ExportReport,
}

impl DocumentSink for Writer<'_, '_> {
    fn take(&mut self, document: &RawDocument) -> Result<bool, TransferError> {
        let text = &mut self.text;
        match self.format {
            ExportFormat::Ndjson(style) => {
                append_document(text, document, *style);
                text.push(b'\n');
            }
            ExportFormat::Array(style) => {
                let is_first = self.report.exported == 0;
                text.extend_from_slice(if is_first { b"\n" } else { b",\n" });
                append_document(text, document, *style);
            }
            ExportFormat::Bson => text.extend_from_slice(document.as_bytes()),
            ExportFormat::Csv(_) => {
                if let Some(columns) = &mut self.columns
                    // It may have been written after the columns were collected.
                    && !(columns.hold(document) && columns.append_row(text, document))
                {
                    check(columns, self.target)?;
                }
            }
        }
        if let ExportFormat::Ndjson(style) | ExportFormat::Array(style) = self.format {
            self.longs.add(document, *style);
            if extjson::reads_otherwise(document) {
                note_lookalike(&mut self.report.lookalikes, document);
            }
        }
        self.report.exported += 1;
        self.pending += 1;
        Ok(self.text.len() < EXPORT_BYTES_MAX)
    }

    fn flush(&mut self) -> Result<(), TransferError> {
        check_cancelled(self.progress)?;
        self.target.write(&self.text)?;
        self.text.clear();
        self.progress.add_documents(std::mem::take(&mut self.pending));
        Ok(())
    }
}

/// Finds the columns.
struct Survey<'p> {
    columns: Columns,
    /// Keeps documents that can be read only once.
    spool: Option<Spool>,
    progress: &'p Progress,
}

impl DocumentSink for Survey<'_> {
    fn take(&mut self, document: &RawDocument) -> Result<bool, TransferError> {
        self.columns.add(document);
        if let Some(spool) = &mut self.spool {
            spool.add(document)?;
        }
        Ok(true)
    }

    fn flush(&mut self) -> Result<(), TransferError> {
        check_cancelled(self.progress)
    }
}

/// Counts what JSON loses.
struct LongCounter<'p> {
    longs: ShortLongs,
    style: Style,
    progress: &'p Progress,
}

impl DocumentSink for LongCounter<'_> {
    fn take(&mut self, document: &RawDocument) -> Result<bool, TransferError> {
        self.longs.add(document, self.style);
        Ok(true)
    }

    fn flush(&mut self) -> Result<(), TransferError> {
        check_cancelled(self.progress)
    }
}

/// Documents in a file without a name, one after another.
struct Spool {
    out: BufWriter<File>,
    count: u64,
}

fn wrong(error: &io::Error) -> TransferError {
    TransferError::file(&std::env::temp_dir(), error)
}

impl Spool {
    fn new() -> Result<Self, TransferError> {
        let file = tempfile::tempfile().map_err(|error| wrong(&error))?;
        Ok(Self { out: BufWriter::new(file), count: 0 })
    }

    fn add(&mut self, document: &RawDocument) -> Result<(), TransferError> {
        self.count += 1;
        self.out.write_all(document.as_bytes()).map_err(|error| wrong(&error))
    }

    fn read(self, sink: &mut dyn DocumentSink) -> Result<(), TransferError> {
        let rewound = || -> io::Result<BufReader<File>> {
            let mut file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.seek(SeekFrom::Start(0))?;
            Ok(BufReader::new(file))
        };
        let mut kept = rewound().map_err(|error| wrong(&error))?;
        for _ in 0..self.count {
            let document = next(&mut kept).map_err(|error| wrong(&error))?;
            if !sink.take(&document)? {
                sink.flush()?;
            }
        }
        sink.flush()
    }
}

/// The next of documents that were written one after another.
fn next(from: &mut impl Read) -> io::Result<RawDocumentBuf> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let bytes = usize::try_from(i32::from_le_bytes(length)).unwrap_or(0);
    let mut document = length.to_vec();
    document.resize(bytes.max(length.len()), 0);
    from.read_exact(document.get_mut(length.len()..).unwrap_or_default())?;
    RawDocumentBuf::from_bytes(document).map_err(io::Error::other)
}
