//! Export: documents of a collection to a file.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use bson::{Bson, RawDocument};

use super::{
    Progress, TransferError,
    atomic_file::{AtomicFile, CompleteFile},
    export_csv::{self, Columns},
    limits::{EXPORT_BYTES_MAX, EXPORT_DOCS_MAX, LOOKALIKE_ID_CHARS_MAX},
};
use crate::{
    catalog::{CollectionMeta, Namespace},
    collection::{Collections, WriteError},
    query::{Context, Filter, QueryError},
    store::{RecordNumber, Scan, StoreError},
    value::{
        bucket, counted,
        extjson::{self, Layout, Style, append_document},
        id_number::RecordName,
        shell,
    },
};

/// The format of an exported file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportFormat {
    /// One document per line.
    Ndjson(Style),
    /// One array, a document per line.
    Array(Style),
    /// CSV with a header row. Loses all types except numbers and strings.
    Csv {
        /// The columns as dotted paths; `None`: all fields that occur.
        fields: Option<Vec<String>>,
        /// Prefix text that a spreadsheet would run as a formula with a quote.
        escape_formulas: bool,
    },
}

/// What to export and how.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// The collection.
    pub namespace: Namespace,
    /// The output file.
    pub path: PathBuf,
    /// Its format.
    pub format: ExportFormat,
    /// Only matching documents, parsed by [`Filter::parse_query`] as in `find`.
    pub filter: Option<Filter>,
    /// Compress with gzip.
    pub gzip: bool,
    /// Also write the index definitions to [`indexes_path`], as `createIndexes` takes them.
    pub indexes: bool,
}

/// The result of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportReport {
    /// Documents written.
    pub exported: u64,
    /// The file with the index definitions.
    pub indexes_file: Option<PathBuf>,
    /// Documents with embedded documents that Extended JSON can't distinguish from its own types.
    pub lookalikes: Option<Lookalikes>,
    /// Damaged documents, which are not in the file.
    pub left_out: Option<DamagedDocuments>,
}

/// Documents that can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedDocuments {
    /// How many there are.
    pub count: u64,
    /// The record number of the first one.
    pub first: RecordNumber,
}

impl fmt::Display for DamagedDocuments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let documents = counted(self.count, "document is", "documents are");
        let first = RecordName(self.first);
        write!(f, "{documents} damaged and not exported; the first is {first}")
    }
}

/// Documents that an import would change or reject: Extended JSON has no escape for the names of
/// its types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookalikes {
    /// How many there are.
    pub count: u64,
    /// The `_id` of the first one, in shell syntax.
    pub first: String,
}

impl fmt::Display for Lookalikes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let documents = counted(self.count, "document has", "documents have");
        write!(
            f,
            "{documents} an embedded document whose first field has a name such as $date. Extended \
             JSON can't tell it from a date, so an import converts it to that type or rejects the \
             document. The first has _id {}. A backup keeps such documents unchanged.",
            self.first
        )
    }
}

/// Exports a collection in bounded reads, not as one snapshot: documents written during the export
/// may or may not be in the file. Renaming the collection does not affect the export.
///
/// # Errors
/// When a step fails, the user cancels, or the collection is dropped or replaced before the last
/// document. Also when a document gains a field that has no CSV column, or when documents are
/// damaged and an older file of this name may hold them. The target is then unchanged. If only the
/// file with the indexes can't be renamed, the documents are exported.
pub fn export(
    collections: &Collections,
    request: &ExportRequest,
    progress: &Progress,
) -> Result<ExportReport, TransferError> {
    let collection = to_export(collections, &request.namespace)?;
    let data_folder = collections.store().folder().to_owned();
    let mut target = AtomicFile::begin(&request.path, &data_folder, request.gzip, progress)?;
    let mut walk = ExportScan {
        collections,
        collection: &collection,
        request,
        progress,
        seen: Context::at(collections.clock().now_ms()),
        exported: 0,
        lookalikes: None,
        left_out: None,
    };
    match &request.format {
        ExportFormat::Ndjson(style) => {
            let mut append = |out: &mut Vec<u8>, document: &RawDocument, _| {
                line(out, document, *style, b"\n");
                Ok(())
            };
            walk.run(&mut append, &mut target)?;
        }
        ExportFormat::Array(style) => {
            target.write(b"[")?;
            walk.run(
                &mut |out, document, first| {
                    out.extend_from_slice(if first { b"\n" } else { b",\n" });
                    line(out, document, *style, b"");
                    Ok(())
                },
                &mut target,
            )?;
            target.write(b"\n]\n")?;
        }
        ExportFormat::Csv { fields, escape_formulas } => {
            let mut columns = match fields {
                Some(fields) => Columns::chosen(fields),
                None => walk.columns()?,
            };
            target.write(&columns.header(*escape_formulas))?;
            let mut row = |out: &mut Vec<u8>, document: &RawDocument, _| {
                // Written after the columns were collected.
                if !columns.hold(document) {
                    return check_columns(&columns, &request.path);
                }
                export_csv::append_row(out, &columns, document, *escape_formulas);
                Ok(())
            };
            walk.run(&mut row, &mut target)?;
        }
    }
    let ExportScan { exported, lookalikes, left_out, .. } = walk;
    if let Some(left_out) = left_out.as_ref().filter(|_| request.path.exists()) {
        return Err(TransferError::target(&request.path, kept_for(left_out)));
    }
    let indexes_file = request.indexes.then(|| indexes_path(&request.path));
    let beside = indexes_file
        .as_ref()
        .map(|path| write_indexes(&collection, path, &data_folder, progress)?.complete())
        .transpose()?;
    // Indexes next to documents of another collection would be worse than none.
    target.complete()?.publish()?;
    beside.map_or(Ok(()), CompleteFile::publish)?;
    Ok(ExportReport { exported, indexes_file, lookalikes, left_out })
}

/// The collection, if this version can read its documents.
fn to_export(
    collections: &Collections,
    name: &Namespace,
) -> Result<Arc<CollectionMeta>, TransferError> {
    let catalog = collections.catalog();
    catalog.check_usable(&name.db, &name.collection).map_err(WriteError::from)?;
    let Some(collection) = catalog.collection(name) else {
        return Err(TransferError::NoCollection { namespace: name.to_string() });
    };
    collection.check_is_no_view().map_err(WriteError::from)?;
    Ok(collection)
}

/// The file with the index definitions, next to the export: `<name>.indexes.json`.
#[must_use]
pub fn indexes_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".indexes.json");
    path.with_file_name(name)
}

fn note_lookalike(lookalikes: &mut Option<Lookalikes>, document: &RawDocument) {
    let first = || {
        let id = document.get("_id").ok().flatten().and_then(|id| Bson::try_from(id).ok());
        let text = id.map_or_else(String::new, |id| shell::write_value(&id, Layout::OneLine));
        text.chars().take(LOOKALIKE_ID_CHARS_MAX).collect()
    };
    lookalikes.get_or_insert_with(|| Lookalikes { count: 0, first: first() }).count += 1;
}

fn note_left_out(left_out: &mut Option<DamagedDocuments>, record: RecordNumber) {
    left_out.get_or_insert(DamagedDocuments { count: 0, first: record }).count += 1;
}

fn kept_for(left_out: &DamagedDocuments) -> String {
    format!("{left_out}. The existing file may have them; choose another name")
}

fn check_columns(columns: &Columns, path: &Path) -> Result<(), TransferError> {
    columns.failure().map_or(Ok(()), |what| Err(TransferError::target(path, what)))
}

fn line(out: &mut Vec<u8>, document: &RawDocument, style: Style, end: &[u8]) {
    append_document(out, document, style);
    out.extend_from_slice(end);
}

/// Appends a document to the text so far. The flag marks the first document.
type Append<'a> = &'a mut dyn FnMut(&mut Vec<u8>, &RawDocument, bool) -> Result<(), TransferError>;

/// A scan over the documents to export, in bounded reads.
struct ExportScan<'w> {
    collections: &'w Collections,
    collection: &'w CollectionMeta,
    request: &'w ExportRequest,
    progress: &'w Progress,
    /// What the filter's expressions see: `$$NOW` is when the export started.
    seen: Context,
    exported: u64,
    lookalikes: Option<Lookalikes>,
    left_out: Option<DamagedDocuments>,
}

impl ExportScan<'_> {
    fn run(
        &mut self,
        append: Append<'_>,
        target: &mut AtomicFile<'_>,
    ) -> Result<(), TransferError> {
        let mut text = Vec::new();
        let mut from = Some(0);
        let is_json = !matches!(self.request.format, ExportFormat::Csv { .. });
        while let Some(record) = from {
            let before = self.exported;
            let (mut lookalikes, mut left_out) = (self.lookalikes.take(), self.left_out.take());
            let (mut exported, mut appended) = (before, Ok(()));
            from = self.step(record, &mut left_out, &mut |document| {
                if appended.is_ok() {
                    appended = append(&mut text, document, exported == 0);
                    exported += 1;
                    if is_json && extjson::reads_otherwise(document) {
                        note_lookalike(&mut lookalikes, document);
                    }
                }
                appended.is_ok() && text.len() < EXPORT_BYTES_MAX
            })?;
            appended?;
            (self.exported, self.lookalikes, self.left_out) = (exported, lookalikes, left_out);
            target.write(&text)?;
            text.clear();
            self.progress.add_documents(exported - before);
        }
        Ok(())
    }

    /// The columns of all documents to export.
    fn columns(&self) -> Result<Columns, TransferError> {
        let mut columns = Columns::default();
        let mut from = Some(0);
        while let Some(record) = from {
            // The second scan counts the damaged documents.
            from = self.step(record, &mut None, &mut |document| {
                columns.add(document);
                true
            })?;
        }
        check_columns(&columns, &self.request.path)?;
        Ok(columns)
    }

    /// One read transaction from a record number on; `visit` returns false to end it. Returns where
    /// to continue, `None` at the end. A damaged document does not end the export: the others must
    /// get out.
    fn step(
        &self,
        from: RecordNumber,
        left_out: &mut Option<DamagedDocuments>,
        visit: &mut dyn FnMut(&RawDocument) -> bool,
    ) -> Result<Option<RecordNumber>, TransferError> {
        if self.progress.is_cancelled() {
            return Err(TransferError::Cancelled);
        }
        let now_ms = self.collections.clock().now_ms();
        self.collections.read(|reader, catalog| {
            // A dropped collection may be half reclaimed, and its rest is not a valid export.
            let Some(collection) = catalog.collection_by_id(self.collection.id) else {
                let namespace = self.request.namespace.to_string();
                return Err(TransferError::CollectionGone { namespace });
            };
            let mut documents = reader.documents(collection.id, from, Scan::Forward)?;
            let is_packed = collection.options.time_series.is_some();
            let mut visited = 0;
            while let Some(unread) = documents.next_unverified() {
                let unread = unread?;
                let read = unread.read().and_then(|stored| Ok((stored, stored.document()?)));
                let continues = match StoreError::unless_damaged(read)? {
                    None => {
                        note_left_out(left_out, unread.record);
                        true
                    }
                    Some((_, packed)) if is_packed => self.measurements(packed, visit)?,
                    Some((stored, document)) => {
                        collection.hides(document, stored.modified_ms, now_ms)
                            || !self.is_wanted(document)?
                            || visit(document)
                    }
                };
                visited += 1;
                if !continues || visited >= EXPORT_DOCS_MAX {
                    return Ok(unread.record.checked_add(1));
                }
            }
            Ok(None)
        })
    }

    fn is_wanted(&self, document: &RawDocument) -> Result<bool, QueryError> {
        self.request
            .filter
            .as_ref()
            .map_or(Ok(true), |filter| filter.matches_in(document, &self.seen))
    }

    /// Visits all measurements of a bucket, even if one of them ends the read: the next read starts
    /// at the next bucket.
    fn measurements(
        &self,
        packed: &RawDocument,
        visit: &mut dyn FnMut(&RawDocument) -> bool,
    ) -> Result<bool, QueryError> {
        let mut continues = true;
        for (_, document) in bucket::measurements(packed) {
            continues &= !self.is_wanted(&document)? || visit(&document);
        }
        Ok(continues)
    }
}

/// Writes every index except `_id_`, as `createIndexes` takes it.
fn write_indexes<'p>(
    collection: &CollectionMeta,
    path: &Path,
    data_folder: &Path,
    progress: &'p Progress,
) -> Result<AtomicFile<'p>, TransferError> {
    let mut target = AtomicFile::begin(path, data_folder, false, progress)?;
    target.write(b"[")?;
    for (number, index) in collection.indexes.iter().filter(|index| !index.is_id()).enumerate() {
        let mut spec = index.to_spec();
        spec.remove("v");
        let spec = bson::RawDocumentBuf::try_from(&spec)
            .map_err(|error| TransferError::Bug { what: error.to_string() })?;
        target.write(if number == 0 { b"\n" } else { b",\n" })?;
        target.write(extjson::write_document(&spec, Style::Relaxed, Layout::OneLine).as_bytes())?;
    }
    target.write(b"\n]\n")?;
    Ok(target)
}

#[cfg(test)]
#[path = "concurrent_export_tests.rs"]
mod tests;
