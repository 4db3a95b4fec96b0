//! Export: documents of a collection to a file.

use std::path::{Path, PathBuf};

use bson::RawDocument;

use super::{
    Progress, TransferError,
    export_csv::{self, Columns},
    limits::{EXPORT_BYTES_MAX, EXPORT_DOCS_MAX},
    target::Target,
};
use crate::{
    catalog::{CollectionMeta, Namespace},
    collection::Collections,
    query::Filter,
    store::Scan,
    value::{
        bucket,
        extjson::{self, Layout, Style, append_document},
    },
};

/// The form of an exported file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportFormat {
    /// One document a line.
    Ndjson(Style),
    /// One array, a document a line.
    Array(Style),
    /// Values with a header line. Types other than numbers and text are lost.
    Csv {
        /// The columns as dotted paths; `None`: all fields that occur.
        fields: Option<Vec<String>>,
        /// A quote is put before text that a spreadsheet would take as a formula.
        escape_formulas: bool,
    },
}

/// What to export and how.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// The collection.
    pub namespace: Namespace,
    /// The file.
    pub path: PathBuf,
    /// Its form.
    pub format: ExportFormat,
    /// Which documents.
    pub filter: Option<Filter>,
    /// Pack it with gzip.
    pub gzip: bool,
    /// Write the collection's indexes beside it, as `<name>.indexes.json`, in the form that
    /// `createIndexes` takes.
    pub indexes: bool,
}

/// What an export did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportReport {
    /// Documents written.
    pub exported: u64,
    /// The file with the indexes.
    pub indexes_file: Option<PathBuf>,
}

/// Exports a collection. Documents that are written meanwhile may or may not be in the file: it is
/// read in bounded steps, not as one snapshot. A new name of the collection changes nothing.
///
/// # Errors
/// When a step fails, somebody cancelled, or the collection was dropped or replaced before its last
/// document was read; the file is then not there, or still the old one.
pub fn export(
    collections: &Collections,
    request: &ExportRequest,
    progress: &Progress,
) -> Result<ExportReport, TransferError> {
    let Some(collection) = collections.catalog().collection(&request.namespace) else {
        return Err(TransferError::NoCollection { namespace: request.namespace.to_string() });
    };
    collection.check_is_no_view().map_err(crate::collection::WriteError::from)?;
    let data_folder = collections.store().folder().to_owned();
    let mut target = Target::create(&request.path, &data_folder, request.gzip, progress)?;
    let mut walk = Walk { collections, collection: &collection, request, progress, exported: 0 };
    match &request.format {
        ExportFormat::Ndjson(style) => {
            walk.run(&mut |out, document, _| line(out, document, *style, b"\n"), &mut target)?;
        }
        ExportFormat::Array(style) => {
            target.write(b"[")?;
            walk.run(
                &mut |out, document, first| {
                    out.extend_from_slice(if first { b"\n" } else { b",\n" });
                    line(out, document, *style, b"");
                },
                &mut target,
            )?;
            target.write(b"\n]\n")?;
        }
        ExportFormat::Csv { fields, escape_formulas } => {
            let columns = match fields {
                Some(fields) => Columns::chosen(fields),
                None => walk.columns()?,
            };
            target.write(&columns.header(*escape_formulas))?;
            let mut row = |out: &mut Vec<u8>, document: &RawDocument, _| {
                export_csv::append_row(out, &columns, document, *escape_formulas);
            };
            walk.run(&mut row, &mut target)?;
        }
    }
    let exported = walk.exported;
    let sidecar = request
        .indexes
        .then(|| write_indexes(&collection, &request.path, &data_folder, progress))
        .transpose()?;
    target.finish()?;
    Ok(ExportReport { exported, indexes_file: sidecar })
}

fn line(out: &mut Vec<u8>, document: &RawDocument, style: Style, end: &[u8]) {
    append_document(out, document, style);
    out.extend_from_slice(end);
}

/// A walk over the documents to export, in bounded reads.
struct Walk<'w> {
    collections: &'w Collections,
    collection: &'w CollectionMeta,
    request: &'w ExportRequest,
    progress: &'w Progress,
    exported: u64,
}

impl Walk<'_> {
    /// Writes every document: `append` gets the text so far, the document, and whether it is the
    /// first one.
    fn run(
        &mut self,
        append: &mut dyn FnMut(&mut Vec<u8>, &RawDocument, bool),
        target: &mut Target<'_>,
    ) -> Result<(), TransferError> {
        let mut text = Vec::new();
        let mut from = Some(0);
        while let Some(record) = from {
            let before = self.exported;
            let mut exported = before;
            from = self.step(record, &mut |document| {
                append(&mut text, document, exported == 0);
                exported += 1;
                text.len() < EXPORT_BYTES_MAX
            })?;
            self.exported = exported;
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
            from = self.step(record, &mut |document| {
                columns.add(document);
                true
            })?;
        }
        match columns.failure() {
            None => Ok(columns),
            Some(what) => Err(TransferError::target(&self.request.path, what)),
        }
    }

    /// One read transaction from a record on; `visit` returns false to end it. Returns where to go
    /// on, `None` at the end.
    fn step(
        &self,
        from: u64,
        visit: &mut dyn FnMut(&RawDocument) -> bool,
    ) -> Result<Option<u64>, TransferError> {
        if self.progress.is_cancelled() {
            return Err(TransferError::Cancelled);
        }
        let now_ms = self.collections.clock().now_ms();
        self.collections.read(|reader, catalog| {
            // What was dropped may be half reclaimed: the rest of it is no export.
            let Some(collection) = catalog.collection_by_id(self.collection.id) else {
                let namespace = self.request.namespace.to_string();
                return Err(TransferError::CollectionGone { namespace });
            };
            let documents = reader.documents(collection.id, from, Scan::Forward)?;
            let is_packed = collection.options.time_series.is_some();
            for (visited, stored) in documents.enumerate() {
                let stored = stored?;
                let document = stored.document()?;
                let is_hidden = collection.hides(document, stored.modified_ms, now_ms);
                let goes_on = if is_packed {
                    self.measurements(document, visit)
                } else {
                    is_hidden || !self.is_wanted(document) || visit(document)
                };
                if !goes_on || visited + 1 >= EXPORT_DOCS_MAX {
                    return Ok(stored.record.checked_add(1));
                }
            }
            Ok(None)
        })
    }

    fn is_wanted(&self, document: &RawDocument) -> bool {
        self.request.filter.as_ref().is_none_or(|filter| filter.matches(document))
    }

    /// Visits all measurements of a bucket, also when one of them ends the read: the next one begins
    /// with another bucket.
    fn measurements(
        &self,
        packed: &RawDocument,
        visit: &mut dyn FnMut(&RawDocument) -> bool,
    ) -> bool {
        let mut goes_on = true;
        for (_, document) in bucket::measurements(packed) {
            goes_on &= !self.is_wanted(&document) || visit(&document);
        }
        goes_on
    }
}

/// Writes `<name>.indexes.json`: every index but `_id_`, as `createIndexes` takes it.
fn write_indexes(
    collection: &CollectionMeta,
    path: &Path,
    data_folder: &Path,
    progress: &Progress,
) -> Result<PathBuf, TransferError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".indexes.json");
    let path = path.with_file_name(name);
    let mut target = Target::create(&path, data_folder, false, progress)?;
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
    target.finish()?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        sync::{Arc, Mutex, Weak},
        time::Duration,
    };

    use bson::rawdoc;

    use super::*;
    use crate::{
        clock::{Clock, ClockStatus, SimulatedClock, WaitEnd, WakeUp},
        store::{Store, StoreOptions},
        transfer::limits::EXPORT_DOCS_MAX,
    };

    type Deed = fn(&Collections, &Namespace);

    /// A clock that lets something happen when it is asked the time, which an export does before each
    /// of its reads.
    struct Tripping {
        clock: SimulatedClock,
        collections: Mutex<Weak<Collections>>,
        /// How often it is asked before, and what happens then.
        trip: Mutex<Option<(u32, Deed)>>,
    }

    impl Clock for Tripping {
        fn now_ms(&self) -> i64 {
            let mut trip = self.trip.lock().unwrap();
            let deed = match &mut *trip {
                Some((left @ 1.., _)) => {
                    *left -= 1;
                    None
                }
                due => due.take(),
            };
            drop(trip);
            if let Some((_, deed)) = deed {
                let collections = self.collections.lock().unwrap().upgrade().unwrap();
                deed(&collections, &Namespace::new("d", "c").unwrap());
            }
            self.clock.now_ms()
        }

        fn monotonic(&self) -> Duration {
            self.clock.monotonic()
        }

        fn wait_until(&self, deadline: Option<Duration>, wake: &WakeUp) -> WaitEnd {
            self.clock.wait_until(deadline, wake)
        }

        fn status(&self) -> ClockStatus {
            self.clock.status()
        }

        fn boot_id(&self) -> Option<String> {
            self.clock.boot_id()
        }
    }

    /// Exports a collection of three reads over an old file, with something that happens before its
    /// second read. `expected` are the documents in the new file; `None`: it is refused.
    #[track_caller]
    fn check(deed: Deed, expected: Option<usize>) {
        let folder = tempfile::tempdir().unwrap();
        let options = StoreOptions { map_size_bytes: 1 << 30, ..StoreOptions::default() };
        let (store, _) = Store::open(&folder.path().join("data"), &options).unwrap();
        let clock = Arc::new(Tripping {
            clock: SimulatedClock::new(1_700_000_000_000),
            collections: Mutex::default(),
            trip: Mutex::default(),
        });
        let collections =
            Arc::new(Collections::new(Arc::new(store), Arc::clone(&clock) as _).unwrap());
        *clock.collections.lock().unwrap() = Arc::downgrade(&collections);
        let namespace = Namespace::new("d", "c").unwrap();
        let documents = i32::try_from(EXPORT_DOCS_MAX * 2 + 1).unwrap();
        let filled: Result<(), crate::collection::WriteError> = collections.write(|writer| {
            let collection = writer.create_if_missing(&namespace)?;
            for id in 0..documents {
                writer.insert(&collection, &rawdoc! { "_id": id })?;
            }
            Ok(())
        });
        filled.unwrap();
        let path = folder.path().join("out");
        fs::write(&path, "old").unwrap();
        let request = ExportRequest {
            namespace: namespace.clone(),
            path: path.clone(),
            format: ExportFormat::Ndjson(Style::Relaxed),
            filter: None,
            gzip: false,
            indexes: true,
        };
        *clock.trip.lock().unwrap() = Some((1, deed));
        let result = export(&collections, &request, &Progress::new());
        let text = fs::read_to_string(&path).unwrap();
        let files = fs::read_dir(folder.path()).unwrap().count();
        if let Some(expected) = expected {
            assert_eq!(result.map(|report| report.exported), Ok(expected as u64));
            assert_eq!((text.lines().count(), files), (expected, 3));
        } else {
            let gone = TransferError::CollectionGone { namespace: namespace.to_string() };
            assert_eq!(result, Err(gone));
            assert_eq!((text.as_str(), files), ("old", 2));
        }
        assert!(clock.trip.lock().unwrap().is_none(), "it never happened");
    }

    fn dropped(collections: &Collections, namespace: &Namespace) {
        collections.drop_collection(namespace).unwrap();
        while collections.reclaim_step().unwrap().pending > 0 {}
    }

    #[test]
    fn a_collection_that_goes_away_meanwhile_leaves_the_old_file() {
        check(dropped, None);
        check(
            |collections, namespace| {
                dropped(collections, namespace);
                let again: Result<_, crate::collection::WriteError> =
                    collections.write(|writer| writer.create_if_missing(namespace));
                again.unwrap();
            },
            None,
        );
    }

    #[test]
    fn a_new_name_meanwhile_changes_nothing() {
        let all = EXPORT_DOCS_MAX * 2 + 1;
        check(
            |collections, namespace| {
                let to = Namespace::new("d", "new").unwrap();
                collections.rename(namespace, &to).unwrap();
            },
            Some(all),
        );
    }
}
