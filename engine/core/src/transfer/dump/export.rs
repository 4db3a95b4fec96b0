//! Exports databases as mongodump writes them, `<db>/<collection>.bson` and `.metadata.json`, with
//! a manifest next to them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use bson::{Document, RawDocumentBuf, doc};

use crate::transfer::{
    Compression, ExportReport, Progress, TransferError,
    dump::manifest::{self, ListedCollection, ListedFile},
    dump::source::{DumpSource, DumpedCollection, StoreDump},
    export::atomic_file::AtomicFile,
    file_name,
};
use crate::{
    catalog::Namespace,
    collection::Collections,
    store::sync_names,
    value::extjson::{Layout, Style, write_document},
};

/// A request to export a dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DumpExport {
    /// The database, or `None` for all.
    pub db: Option<String>,
    /// The collections, or `None` for all, and views as definitions.
    pub collections: Option<Vec<String>>,
    /// The folder in which a folder for each database appears; created if missing.
    pub folder: PathBuf,
    /// How the files are compressed. mongorestore reads all but zstd.
    pub compression: Compression,
}

/// The report of a dump.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DumpReport {
    /// The collections and what was written of each.
    pub collections: Vec<(Namespace, ExportReport)>,
    /// The views, of which only the definitions were written.
    pub views: Vec<Namespace>,
    /// Differences from a dump of MongoDB, as sentences.
    pub notes: Vec<String>,
}

impl DumpReport {
    /// Documents in all files.
    pub fn documents(&self) -> u64 {
        self.collections.iter().map(|(_, report)| report.exported).sum()
    }
}

/// Exports databases of a store. Each collection is read in steps, as by [`crate::transfer::export()`].
///
/// # Errors
/// As [`export_dump_of`].
pub fn export_dump(
    collections: &Collections,
    request: &DumpExport,
    progress: &Progress,
) -> Result<DumpReport, TransferError> {
    export_dump_of(&StoreDump::new(collections), request, progress)
}

/// Exports databases of a source. Their folders appear once all of them are complete, then the
/// manifest.
///
/// # Errors
/// When the folder has files, a collection does not exist, a step fails, or the user cancels. The
/// folder is then as it was.
pub fn export_dump_of(
    source: &dyn DumpSource,
    request: &DumpExport,
    progress: &Progress,
) -> Result<DumpReport, TransferError> {
    let folder = &request.folder;
    check_folder(folder)?;
    let mut report = DumpReport::default();
    let wanted = wanted(source, request, &mut report.notes)?;
    let is_new = !folder.exists();
    let wrong = |error: std::io::Error| TransferError::file(folder, &error);
    fs::create_dir_all(folder).map_err(wrong)?;
    let written = check_outside(folder, source.data_folder())
        .and_then(|()| write_folder(source, request, &wanted, progress, &mut report));
    if is_new && written.is_err() {
        // Only if it is empty: another program may use it already.
        let _ = fs::remove_dir(folder);
    }
    written.map(|()| report)
}

/// Refuses a folder in which something is: a manifest is about everything in its folder.
fn check_folder(folder: &Path) -> Result<(), TransferError> {
    let Ok(about) = fs::symlink_metadata(folder) else { return Ok(()) };
    let Ok(entries) = fs::read_dir(folder) else {
        let what = if about.is_dir() {
            "the folder can't be read; choose another folder"
        } else {
            "it is a file; choose a folder"
        };
        return Err(TransferError::target(folder, what));
    };
    let is_visible = |name: std::ffi::OsString| !name.to_string_lossy().starts_with('.');
    if entries.flatten().any(|entry| is_visible(entry.file_name())) {
        let what = "the folder has files; choose an empty or a new folder";
        return Err(TransferError::target(folder, what));
    }
    Ok(())
}

/// Refuses a folder in the data folder of the store.
fn check_outside(folder: &Path, data_folder: &Path) -> Result<(), TransferError> {
    let is_inside = match (folder.canonicalize(), data_folder.canonicalize()) {
        (Ok(folder), Ok(data)) => folder.starts_with(data),
        _ => false,
    };
    if is_inside {
        let what = "it is inside the data folder; choose another folder";
        return Err(TransferError::target(folder, what));
    }
    Ok(())
}

/// Writes the files under a hidden name, then moves them into place.
fn write_folder(
    source: &dyn DumpSource,
    request: &DumpExport,
    wanted: &[DumpedCollection],
    progress: &Progress,
    report: &mut DumpReport,
) -> Result<(), TransferError> {
    let folder = &request.folder;
    let wrong = |error: std::io::Error| TransferError::file(folder, &error);
    let part = tempfile::Builder::new().prefix(".mayfly-dump-").tempdir_in(folder);
    let part = part.map_err(wrong)?;
    let mut listed = Vec::new();
    let mut dbs: Vec<String> = Vec::new();
    for collection in wanted {
        let db = file_name(&collection.namespace.db);
        let inside = part.path().join(&db);
        if !dbs.contains(&db) {
            fs::create_dir(&inside).map_err(|error| TransferError::file(&inside, &error))?;
            open_to_owner_and_group(&inside);
            dbs.push(db.clone());
        }
        let stem = write_collection(source, request, collection, &inside, progress, report)?;
        let (db, compression) = (&db, request.compression);
        let path = |name: String| format!("{db}/{name}");
        let of = |name| ListedFile::of(part.path(), path(name), progress);
        let metadata = of(metadata_name(&stem, compression))?;
        let data =
            if collection.is_view() { None } else { Some(of(data_name(&stem, compression))?) };
        let written = report.collections.last().filter(|_| data.is_some());
        listed.push(ListedCollection {
            db: collection.namespace.db.clone(),
            name: collection.namespace.collection.clone(),
            kind: collection.kind.clone(),
            documents: written.map_or(0, |(_, written)| written.exported),
            metadata,
            data,
        });
    }
    for db in &dbs {
        sync_names(&part.path().join(db)).map_err(wrong)?;
    }
    let mut moved = Vec::new();
    let when = (source.now_ms(), source.data_folder());
    move_into_place(part.path(), &dbs, folder, &mut moved)
        .and_then(|()| manifest::write(folder, &listed, when, progress))
        .inspect_err(|_| moved.iter().for_each(|moved| drop(fs::remove_dir_all(moved))))
}

/// Moves the folders of the databases out of the hidden one.
fn move_into_place(
    part: &Path,
    dbs: &[String],
    folder: &Path,
    moved: &mut Vec<PathBuf>,
) -> Result<(), TransferError> {
    for db in dbs {
        let target = folder.join(db);
        fs::rename(part.join(db), &target).map_err(|error| TransferError::file(&target, &error))?;
        moved.push(target);
    }
    sync_names(folder).map_err(|error| TransferError::file(folder, &error))
}

/// The collections to write, by name. What a server keeps for itself is left out, with a note.
fn wanted(
    source: &dyn DumpSource,
    request: &DumpExport,
    notes: &mut Vec<String>,
) -> Result<Vec<DumpedCollection>, TransferError> {
    let mut found = source.collections(request.db.as_deref())?;
    found.sort_by(|a, b| a.key().cmp(&b.key()));
    if let Some(chosen) = &request.collections {
        found.retain(|one| chosen.contains(&one.namespace.collection));
    } else {
        let is_own = |one: &DumpedCollection| one.namespace.collection.starts_with("system.");
        let own = found.iter().filter(|one| is_own(one));
        let note = |one: &DumpedCollection| {
            format!("{} is left out, because it belongs to the server.", one.namespace)
        };
        notes.extend(own.map(note));
        found.retain(|one| !is_own(one));
    }
    let is_found = |name: &&String| found.iter().any(|known| known.namespace.collection == **name);
    let missing = request.collections.iter().flatten().find(|name| !is_found(name));
    let db = request.db.as_deref().unwrap_or("*");
    if let Some(name) = missing {
        return Err(TransferError::NoCollection { namespace: format!("{db}.{name}") });
    }
    if found.is_empty() {
        let what = match &request.db {
            Some(db) => format!("the database {db} has no collections"),
            None => "there are no collections".to_owned(),
        };
        return Err(TransferError::target(&request.folder, what));
    }
    Ok(found)
}

/// The compression of metadata: mongodump knows gzip only.
fn metadata_compression(compression: Compression) -> Compression {
    match compression {
        Compression::Gzip => Compression::Gzip,
        Compression::None | Compression::Zstd => Compression::None,
    }
}

fn metadata_name(stem: &str, compression: Compression) -> String {
    format!("{stem}.metadata.json{}", metadata_compression(compression).ending())
}

fn data_name(stem: &str, compression: Compression) -> String {
    format!("{stem}.bson{}", compression.ending())
}

/// Writes the files of a collection. Returns their name without ending.
fn write_collection(
    source: &dyn DumpSource,
    request: &DumpExport,
    collection: &DumpedCollection,
    folder: &Path,
    progress: &Progress,
    report: &mut DumpReport,
) -> Result<String, TransferError> {
    let namespace = &collection.namespace;
    let stem = free_stem(folder, &file_name(&namespace.collection));
    let compression = metadata_compression(request.compression);
    let metadata = folder.join(metadata_name(&stem, request.compression));
    let indexes = if collection.is_view() { Vec::new() } else { source.indexes(namespace)? };
    let mut file = AtomicFile::begin(&metadata, source.data_folder(), compression, progress)?;
    let document = RawDocumentBuf::try_from(&metadata_of(collection, indexes))
        .map_err(|error| TransferError::Bug { what: error.to_string() })?;
    file.write(write_document(&document, Style::Canonical, Layout::OneLine).as_bytes())?;
    file.complete()?.publish()?;
    if collection.is_view() {
        report.views.push(namespace.clone());
        return Ok(stem);
    }
    if collection.kind == "timeseries" {
        let what = "its measurements are written as documents, which mongorestore can't read";
        report.notes.push(format!("{namespace} is a time-series collection: {what}."));
    }
    let path = folder.join(data_name(&stem, request.compression));
    let written = source.write(namespace, &path, request.compression, progress)?;
    if let Some(left_out) = &written.left_out {
        report.notes.push(format!("{namespace}: {left_out}."));
    }
    report.collections.push((namespace.clone(), written));
    Ok(stem)
}

/// A name that no other collection has, also where upper and lower case are the same.
fn free_stem(folder: &Path, stem: &str) -> String {
    let is_taken = |stem: &str| {
        let metadata = folder.join(format!("{stem}.metadata.json"));
        metadata.exists() || metadata.with_extension("json.gz").exists()
    };
    let mut free = stem.to_owned();
    let mut number = 1;
    while is_taken(&free) {
        number += 1;
        free = format!("{stem}~{number}");
    }
    free
}

/// The content of a `.metadata.json`.
fn metadata_of(collection: &DumpedCollection, indexes: Vec<Document>) -> Document {
    doc! {
        "indexes": indexes,
        "uuid": &collection.uuid,
        "collectionName": &collection.namespace.collection,
        "type": &collection.kind,
        "options": collection.options.clone(),
    }
}

/// A temporary folder is private; the new one is as any other.
#[cfg(unix)]
fn open_to_owner_and_group(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o750));
}

#[cfg(not(unix))]
fn open_to_owner_and_group(_: &Path) {}
