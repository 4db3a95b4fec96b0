//! Export: documents of a collection to a file.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use bson::{Bson, RawDocument};

use crate::transfer::{
    Compression, ExportQuery, Progress, TransferError,
    export::atomic_file::{AtomicFile, CompleteFile},
    export::cells::CsvForm,
    export::losses::Losses,
    export::pipeline::{DocumentSink, ExportDocuments, Warn, losses_of, write},
    limits::{EXPORT_DOCS_MAX, LOOKALIKE_ID_CHARS_MAX},
};
use crate::{
    catalog::{CatalogSnapshot, CollectionMeta, Namespace},
    collection::{Collections, WriteError},
    plan::{Operation, Search, Step},
    query::{Context, QueryError},
    store::{RecordNumber, Scan, StoreError, WholeScan},
    value::{
        bucket, counted,
        extjson::{self, Layout, Style},
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
    /// BSON documents, one after another, as they are stored.
    Bson,
    /// CSV with a header row.
    Csv(CsvOptions),
}

/// How CSV is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CsvOptions {
    /// The columns as dotted paths, or `None` for all fields that occur.
    pub fields: Option<Vec<String>>,
    /// For whom.
    pub form: CsvForm,
    /// Fields that get no column, as dotted paths, with all that is inside them.
    pub hidden: Vec<String>,
}

/// A request to export a collection.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// The collection.
    pub namespace: Namespace,
    /// The output file.
    pub path: PathBuf,
    /// Its format.
    pub format: ExportFormat,
    /// Which documents, in which order and with which fields.
    pub query: ExportQuery,
    /// How the output is compressed.
    pub compression: Compression,
    /// Also write the index definitions to [`indexes_path`], as `createIndexes` takes them.
    pub indexes: bool,
}

/// The result of an export.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExportReport {
    /// Documents written.
    pub exported: u64,
    /// The file with the index definitions.
    pub indexes_file: Option<PathBuf>,
    /// Documents with embedded documents that Extended JSON can't distinguish from its own types.
    pub lookalikes: Option<Lookalikes>,
    /// Damaged documents, which are not in the file.
    pub left_out: Option<DamagedDocuments>,
    /// The values that an import of the file changes.
    pub losses: Losses,
}

/// Documents that can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedDocuments {
    /// How many there are.
    pub count: u64,
    /// The record number of the first one. `None` if an index led to it.
    pub first: Option<RecordNumber>,
}

impl fmt::Display for DamagedDocuments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let documents = counted(self.count, "document is", "documents are");
        write!(f, "{documents} damaged and not exported")?;
        self.first.map_or(Ok(()), |first| write!(f, "; the first is {}", RecordName(first)))
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
    export_warning(collections, request, progress, &mut |_| {})
}

/// The same, and says what an import of the file will change.
///
/// # Errors
/// As [`export`].
pub fn export_warning(
    collections: &Collections,
    request: &ExportRequest,
    progress: &Progress,
    warn: Warn<'_>,
) -> Result<ExportReport, TransferError> {
    let collection = to_export(collections, &request.namespace)?;
    let data_folder = collections.store().folder().to_owned();
    let mut target = AtomicFile::begin(&request.path, &data_folder, request.compression, progress)?;
    let what = (&request.namespace, &request.query);
    let mut scan = ExportScan::new(collections, &collection, what, progress);
    let mut report = write(&mut scan, &request.format, &mut target, progress, warn)?;
    report.left_out = scan.left_out;
    // The old file may be the only readable copy of the damaged documents.
    if let Some(left_out) = report.left_out.as_ref().filter(|_| request.path.exists()) {
        return Err(TransferError::target(&request.path, kept_for(left_out)));
    }
    report.indexes_file = request.indexes.then(|| indexes_path(&request.path));
    let beside = report
        .indexes_file
        .as_ref()
        .map(|path| write_indexes(&collection, path, &data_folder, progress)?.complete())
        .transpose()?;
    // Indexes next to documents of another collection would be worse than none.
    target.complete()?.publish()?;
    beside.map_or(Ok(()), CompleteFile::publish)?;
    Ok(report)
}

/// Counts what an import of the file would change. Writes nothing.
///
/// # Errors
/// A read failed, the user canceled, or the collection is dropped or replaced.
pub fn export_losses(
    collections: &Collections,
    request: &ExportRequest,
    progress: &Progress,
) -> Result<Losses, TransferError> {
    let collection = to_export(collections, &request.namespace)?;
    let what = (&request.namespace, &request.query);
    let mut scan = ExportScan::new(collections, &collection, what, progress);
    losses_of(&mut scan, &request.format, progress)
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
pub fn indexes_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".indexes.json");
    path.with_file_name(name)
}

pub(super) fn note_lookalike(lookalikes: &mut Option<Lookalikes>, document: &RawDocument) {
    let first = || {
        let id = document.get("_id").ok().flatten().and_then(|id| Bson::try_from(id).ok());
        let text = id.map_or_else(String::new, |id| shell::write_value(&id, Layout::OneLine));
        text.chars().take(LOOKALIKE_ID_CHARS_MAX).collect()
    };
    lookalikes.get_or_insert_with(|| Lookalikes { count: 0, first: first() }).count += 1;
}

fn note_left_out(left_out: &mut Option<DamagedDocuments>, count: u64, first: Option<RecordNumber>) {
    if count > 0 {
        left_out.get_or_insert(DamagedDocuments { count: 0, first }).count += count;
    }
}

fn kept_for(left_out: &DamagedDocuments) -> String {
    format!("{left_out}. The existing file may have them; choose another name")
}

/// Takes a document; returns false to end the read.
type Visit<'a> = &'a mut dyn FnMut(&RawDocument) -> bool;

/// A scan over the documents to export, in bounded reads.
struct ExportScan<'w> {
    collections: &'w Collections,
    collection: &'w CollectionMeta,
    namespace: &'w Namespace,
    query: &'w ExportQuery,
    progress: &'w Progress,
    /// Ends long reads when the user cancels.
    operation: Arc<Operation>,
    /// The context of the filter's expressions. `$$NOW` is the start of the export.
    seen: Context,
    /// Those that the last read found.
    left_out: Option<DamagedDocuments>,
}

impl ExportDocuments for ExportScan<'_> {
    fn read(&mut self, sink: &mut dyn DocumentSink) -> Result<(), TransferError> {
        let mut left_out = None;
        let mut position = Some(self.start()?);
        while let Some(at) = position {
            let mut taken = Ok(true);
            position = self.step(at, &mut left_out, &mut |document| {
                // A bucket hands over all its measurements.
                let is_first_failure = taken.is_ok();
                if is_first_failure {
                    taken = sink.take(document);
                }
                matches!(taken, Ok(true))
            })?;
            taken?;
            sink.flush()?;
        }
        self.left_out = left_out;
        Ok(())
    }

    fn can_repeat(&self) -> bool {
        true
    }
}

/// Where an export continues.
enum Position {
    /// At this record, in the order of the collection, with what the scan has met before.
    Record(RecordNumber, Option<WholeScan>),
    Search(Box<Search>),
}

impl<'w> ExportScan<'w> {
    fn new(
        collections: &'w Collections,
        collection: &'w CollectionMeta,
        (namespace, query): (&'w Namespace, &'w ExportQuery),
        progress: &'w Progress,
    ) -> Self {
        Self {
            collections,
            collection,
            namespace,
            query,
            progress,
            operation: progress.operation(),
            seen: Context::at(collections.clock().now_ms()),
            left_out: None,
        }
    }

    fn start(&self) -> Result<Position, TransferError> {
        if self.query.is_scan() {
            return Ok(Position::Record(0, None));
        }
        let search = self.query.search(self.collection)?;
        Ok(Position::Search(Box::new(search.pausing_after(EXPORT_DOCS_MAX as u64))))
    }

    /// One read transaction from a position on; `visit` returns false to end it. Returns where to
    /// continue, `None` at the end. A damaged document does not end the export: the others must get
    /// out.
    fn step(
        &self,
        from: Position,
        left_out: &mut Option<DamagedDocuments>,
        visit: Visit<'_>,
    ) -> Result<Option<Position>, TransferError> {
        if self.progress.is_cancelled() {
            return Err(TransferError::Cancelled);
        }
        let mut failed = Ok(());
        let mut shaped = |document: &RawDocument| {
            let Some(projection) = &self.query.projection else { return visit(document) };
            match projection.apply(document, &self.seen) {
                Ok(part) => visit(&part),
                Err(error) => {
                    failed = Err(error);
                    false
                }
            }
        };
        let next = match from {
            Position::Record(from, whole) => {
                let next = self.scan((from, whole), left_out, &mut shaped)?;
                next.map(|(next, whole)| Position::Record(next, Some(whole)))
            }
            Position::Search(search) => {
                let searched = self.operation.run(|| self.search(search, left_out, &mut shaped));
                match searched {
                    Err(_) if self.progress.is_cancelled() => return Err(TransferError::Cancelled),
                    searched => searched?.map(Position::Search),
                }
            }
        };
        failed?;
        Ok(next)
    }

    /// Reads in the order of the collection. A scan that has met fewer documents than the counter says fails: the
    /// older file of this name may be complete.
    fn scan(
        &self,
        (from, whole): (RecordNumber, Option<WholeScan>),
        left_out: &mut Option<DamagedDocuments>,
        visit: Visit<'_>,
    ) -> Result<Option<(RecordNumber, WholeScan)>, TransferError> {
        let now_ms = self.collections.clock().now_ms();
        self.collections.read(|reader, catalog| {
            let collection = self.still_there(catalog)?;
            let mut documents = reader.documents(collection.id, from, Scan::Forward)?;
            let is_packed = collection.options.time_series.is_some();
            let mut visited = 0;
            let begun = whole.map_or_else(|| WholeScan::of_documents(reader, collection.id), Ok);
            let mut whole = begun?;
            while let Some(unread) = documents.next_unverified() {
                let unread = unread?;
                whole.add(1);
                let read = unread.read().and_then(|stored| Ok((stored, stored.document()?)));
                let continues = match StoreError::unless_damaged(read)? {
                    None => {
                        note_left_out(left_out, 1, Some(unread.record));
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
                    return Ok(unread.record.checked_add(1).map(|next| (next, whole)));
                }
            }
            whole.end(reader)?;
            Ok(None)
        })
    }

    /// Continues a search.
    fn search(
        &self,
        mut search: Box<Search>,
        left_out: &mut Option<DamagedDocuments>,
        visit: Visit<'_>,
    ) -> Result<Option<Box<Search>>, TransferError> {
        let now_ms = self.collections.clock().now_ms();
        let damaged = search.stats().damaged;
        self.collections.read(|reader, catalog| {
            let collection = self.still_there(catalog)?;
            let mut visited = 0;
            search.advance::<TransferError>(reader, &collection, now_ms, &mut |_, document| {
                visited += 1;
                let continues = visit(document) && visited < EXPORT_DOCS_MAX;
                Ok(if continues { Step::Take } else { Step::TakeAndStop })
            })
        })?;
        note_left_out(left_out, search.stats().damaged - damaged, None);
        Ok((!search.is_done()).then_some(search))
    }

    /// The collection as it is now. A dropped one may be half reclaimed, and its rest is not a
    /// valid export.
    fn still_there(&self, catalog: &CatalogSnapshot) -> Result<Arc<CollectionMeta>, TransferError> {
        let found = catalog.collection_by_id(self.collection.id).cloned();
        found.ok_or_else(|| {
            let namespace = self.namespace.to_string();
            TransferError::CollectionGone { namespace }
        })
    }

    fn is_wanted(&self, document: &RawDocument) -> Result<bool, QueryError> {
        let filter = self.query.filter.as_ref();
        filter.map_or(Ok(true), |filter| filter.matches_in(document, &self.seen))
    }

    /// Visits all measurements of a bucket, even if one of them ends the read: the next read starts
    /// at the next bucket.
    fn measurements(&self, packed: &RawDocument, visit: Visit<'_>) -> Result<bool, QueryError> {
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
    let mut target = AtomicFile::begin(path, data_folder, Compression::None, progress)?;
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
