//! Databases that are exported to a folder: those of a store in this process, or of a server.

use std::{fmt::Write as _, path::Path, sync::Arc};

use bson::{Document, RawDocument};

use crate::transfer::{
    Compression, ExportFormat, ExportQuery, ExportReport, ExportRequest, Progress, TransferError,
    export::atomic_file::AtomicFile, export::collection::export,
};
use crate::{
    catalog::{CatalogSnapshot, Namespace},
    collection::Collections,
};

/// A collection or view of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct DumpedCollection {
    /// Its database and name.
    pub namespace: Namespace,
    /// Its type as `listCollections` names it: `collection`, `view` or `timeseries`.
    pub kind: String,
    /// Its options, as `create` takes them.
    pub options: Document,
    /// Its id in hexadecimal, or empty.
    pub uuid: String,
}

impl DumpedCollection {
    /// Whether it has a definition and no documents.
    pub fn is_view(&self) -> bool {
        self.kind == "view"
    }

    pub(in crate::transfer) fn key(&self) -> (&str, &str) {
        (&self.namespace.db, &self.namespace.collection)
    }
}

/// A source of databases.
pub trait DumpSource {
    /// The collections and views of a database, or of all databases with data of users.
    ///
    /// # Errors
    /// When they can't be listed.
    fn collections(&self, db: Option<&str>) -> Result<Vec<DumpedCollection>, TransferError>;

    /// The definitions of a collection's indexes, with that of `_id`.
    ///
    /// # Errors
    /// When they can't be listed.
    fn indexes(&self, namespace: &Namespace) -> Result<Vec<Document>, TransferError>;

    /// Writes the documents of a collection to a BSON file, whole or not at all.
    ///
    /// # Errors
    /// When a step fails or the user cancels; there is no file then.
    fn write(
        &self,
        namespace: &Namespace,
        path: &Path,
        compression: Compression,
        progress: &Progress,
    ) -> Result<ExportReport, TransferError>;

    /// The folder in which nothing may be written; empty if there is none.
    fn data_folder(&self) -> &Path;

    /// The time of the export in milliseconds since 1970.
    fn now_ms(&self) -> i64;
}

/// Takes a batch of documents to write.
pub type WriteBatch<'w> = dyn FnMut(&[&RawDocument]) -> Result<(), TransferError> + 'w;

/// Writes documents to a BSON file with every byte, whole or not at all. `read` hands them over.
///
/// # Errors
/// Those of `read`, when a step fails, or the user cancels; there is no new file then.
pub fn write_bson(
    path: &Path,
    compression: Compression,
    progress: &Progress,
    read: impl FnOnce(&mut WriteBatch<'_>) -> Result<(), TransferError>,
) -> Result<ExportReport, TransferError> {
    let mut file = AtomicFile::begin(path, Path::new(""), compression, progress)?;
    let mut exported = 0;
    read(&mut |documents| {
        if progress.is_cancelled() {
            return Err(TransferError::Cancelled);
        }
        for document in documents {
            file.write(document.as_bytes())?;
        }
        exported += documents.len() as u64;
        progress.add_documents(documents.len() as u64);
        Ok(())
    })
    // A source that stops reading because of this reports its own error.
    .map_err(|error| if progress.is_cancelled() { TransferError::Cancelled } else { error })?;
    if progress.is_cancelled() {
        return Err(TransferError::Cancelled);
    }
    file.complete()?.publish()?;
    Ok(ExportReport { exported, ..ExportReport::default() })
}

/// The databases of a store, as its catalog is now.
pub(in crate::transfer) struct StoreDump<'c> {
    collections: &'c Collections,
    catalog: Arc<CatalogSnapshot>,
}

impl<'c> StoreDump<'c> {
    pub(in crate::transfer) fn new(collections: &'c Collections) -> Self {
        Self { collections, catalog: collections.catalog() }
    }
}

impl DumpSource for StoreDump<'_> {
    fn collections(&self, db: Option<&str>) -> Result<Vec<DumpedCollection>, TransferError> {
        let found = self.catalog.all_collections();
        let found = found.filter(|found| db.is_none_or(|db| *db == found.namespace.db));
        let found = found.filter(|found| !found.namespace.is_unfinished_output());
        let of = found.map(|found| {
            let uuid = found.uuid.bytes().iter().fold(String::new(), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            });
            DumpedCollection {
                namespace: found.namespace.clone(),
                kind: found.options.type_name().to_owned(),
                options: found.options.to_document(),
                uuid,
            }
        });
        Ok(of.collect())
    }

    fn indexes(&self, namespace: &Namespace) -> Result<Vec<Document>, TransferError> {
        let Some(found) = self.catalog.collection(namespace) else { return Ok(Vec::new()) };
        Ok(found.shown_indexes().map(|index| index.to_spec()).collect())
    }

    fn write(
        &self,
        namespace: &Namespace,
        path: &Path,
        compression: Compression,
        progress: &Progress,
    ) -> Result<ExportReport, TransferError> {
        let request = ExportRequest {
            namespace: namespace.clone(),
            path: path.to_owned(),
            format: ExportFormat::Bson,
            query: ExportQuery::default(),
            compression,
            indexes: false,
        };
        export(self.collections, &request, progress)
    }

    fn data_folder(&self) -> &Path {
        self.collections.store().folder()
    }

    fn now_ms(&self) -> i64 {
        self.collections.clock().now_ms()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::{DumpExport, export_dump_of, read_dump};

    /// A server with a system collection. Reading its other one fails after two documents if `breaks`.
    struct Fake {
        breaks: bool,
    }

    impl DumpSource for Fake {
        fn collections(&self, _: Option<&str>) -> Result<Vec<DumpedCollection>, TransferError> {
            let of = |name: &str| DumpedCollection {
                namespace: Namespace::new("shop", name),
                kind: "collection".to_owned(),
                options: Document::new(),
                uuid: String::new(),
            };
            Ok(vec![of("system.profile"), of("carts")])
        }

        fn indexes(&self, _: &Namespace) -> Result<Vec<Document>, TransferError> {
            Ok(Vec::new())
        }

        fn write(
            &self,
            _: &Namespace,
            path: &Path,
            compression: Compression,
            progress: &Progress,
        ) -> Result<ExportReport, TransferError> {
            write_bson(path, compression, progress, |take| {
                let (one, two) = (bson::rawdoc! { "_id": 1 }, bson::rawdoc! { "_id": 2 });
                take(&[&one, &two])?;
                let what = "the connection broke".to_owned();
                if self.breaks { Err(TransferError::Elsewhere { what }) } else { Ok(()) }
            })
        }

        fn data_folder(&self) -> &Path {
            Path::new("")
        }

        fn now_ms(&self) -> i64 {
            0
        }
    }

    #[test]
    fn collections_of_the_server_are_left_out_and_a_failed_one_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let export = |name: &str, breaks| {
            let request = DumpExport {
                db: Some("shop".to_owned()),
                collections: None,
                folder: folder.path().join(name),
                compression: Compression::Gzip,
            };
            export_dump_of(&Fake { breaks }, &request, &Progress::new())
        };
        let broken = export("broken", true);
        assert_eq!(broken.unwrap_err().to_string(), "the connection broke");
        assert!(!folder.path().join("broken").exists());
        let report = export("whole", false).unwrap();
        let note = "shop.system.profile is left out, because it belongs to the server.";
        assert_eq!((report.documents(), report.notes), (2, vec![note.to_owned()]));
        let dump = read_dump(&folder.path().join("whole")).unwrap();
        let names: Vec<&str> = dump.collections.iter().map(|found| &*found.name).collect();
        assert_eq!(names, ["carts"]);
    }
}
