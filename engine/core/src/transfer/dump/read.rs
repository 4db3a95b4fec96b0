//! Reads what is in a folder that mongodump wrote.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use bson::Document;

use crate::catalog::{Dialect, IndexMeta, Namespace, rules};
use crate::transfer::{
    Compression, Progress, ReadOptions, Rehearsal, TransferError,
    dump::manifest::Manifest,
    dump::metadata::{CollectionFiles, collection, decoded, decoded_collection, left_out},
    import::preview::{rehearse_rules, rules_of},
    limits::DUMP_FILES_MAX,
};

const DATA: &str = ".bson";
const METADATA: &str = ".metadata.json";

/// Files next to the collections that describe a dump and hold no documents of a collection.
const BESIDE: [&str; 2] = ["prelude.json", "oplog.bson"];

/// The contents of a folder of mongodump.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dump {
    /// The collections, by database and name.
    pub collections: Vec<DumpCollection>,
    /// Files in the folder that can't be imported, as sentences.
    pub notes: Vec<String>,
}

/// A collection of a dump.
#[derive(Debug, Clone, PartialEq)]
pub struct DumpCollection {
    /// The database that it was in. `None` if the path does not tell.
    pub db: Option<String>,
    /// Its name.
    pub name: String,
    /// The files with its documents, in this order. None for a view.
    pub files: Vec<PathBuf>,
    /// Size of these files in bytes, as they are on the disk.
    pub bytes: u64,
    /// The only file's entry in the manifest of its folder. `None` without a manifest.
    pub listed: Option<ListedData>,
    /// The options of the collection, as `create` takes them.
    pub options: Document,
    /// Its indexes without `_id_`, those with a TTL first.
    pub indexes: Vec<DumpIndex>,
    /// Indexes that this program's own stores can't have. A server may.
    pub foreign_indexes: Vec<DumpIndex>,
    /// Why it can't be imported, without a period at the end. `None` if it can.
    pub refused: Option<String>,
    /// Why its metadata can't be read, without a period at the end. `None` if it can, or if there is
    /// none.
    pub metadata_error: Option<String>,
    /// Parts of its metadata that an import omits, as sentences.
    pub notes: Vec<String>,
}

/// The manifest's entry for the documents of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedData {
    /// How many there are.
    pub documents: u64,
    /// XXH3, 64 bits, of their file.
    pub checksum: u64,
}

/// An index of a dump.
#[derive(Debug, Clone, PartialEq)]
pub struct DumpIndex {
    /// Its name.
    pub name: String,
    /// Its definition, as `createIndexes` takes it.
    pub spec: Document,
    /// Whether documents expire by it.
    pub is_ttl: bool,
}

impl Dump {
    /// The same for a server, which decides itself which indexes it can have.
    #[must_use]
    pub fn for_server(mut self) -> Self {
        for found in &mut self.collections {
            for index in std::mem::take(&mut found.foreign_indexes) {
                let note = left_out(&index.name, "");
                let note = note.trim_end_matches('.').to_owned();
                found.notes.retain(|known| !known.starts_with(&note));
                found.indexes.push(index);
            }
            found.indexes.sort_by_key(|index| !index.is_ttl);
        }
        self
    }
}

impl DumpCollection {
    /// Whether it is a view, which has a pipeline and no documents.
    pub fn is_view(&self) -> bool {
        self.options.contains_key(VIEW_ON)
    }

    /// Whether documents of it would expire: by a TTL index, or by its own `expireAfterSeconds`.
    pub fn has_ttl(&self) -> bool {
        self.indexes.iter().any(|index| index.is_ttl) || self.options.contains_key(EXPIRES)
    }
}

/// The option by which a collection has a default TTL.
pub(in crate::transfer) const EXPIRES: &str = "expireAfterSeconds";

/// The option that makes it a view.
const VIEW_ON: &str = "viewOn";

/// Lists the collections of a dump: a folder with a folder for each database, the folder of one
/// database, or the file of one collection. A folder with a manifest must have exactly its files.
///
/// # Errors
/// When it can't be read, holds no file of mongodump, or differs from its manifest.
pub fn read_dump(path: &Path) -> Result<Dump, TransferError> {
    let about = fs::metadata(path).map_err(|error| TransferError::file(path, &error))?;
    let mut dump = Dump::default();
    if about.is_file() {
        let name = file_name(path);
        let Some(stem) = bare(&name, DATA) else {
            let what = "it is not a .bson file of mongodump".to_owned();
            return Err(TransferError::NotReadable { path: path.display().to_string(), what });
        };
        let metadata = metadata_path(path);
        let files = CollectionFiles { data: vec![path.to_owned()], bytes: about.len(), metadata };
        dump.collections.push(collection(None, decoded_collection(stem), files));
        return Ok(dump);
    }
    let manifest = Manifest::of(path)?;
    let canonical = path.canonicalize().ok();
    let is_beside = manifest.as_ref().is_some_and(|manifest| manifest.root() != path);
    let path = canonical.as_deref().filter(|_| is_beside).unwrap_or(path);
    if let Some(manifest) = &manifest {
        manifest.check(&collection_files(path)?)?;
    }
    let db = canonical.as_deref().map(file_name);
    // A folder of any other name asks for its database.
    let db = db.filter(|db| Namespace::checked(db, "c").is_ok());
    read_folder(path, db.as_deref(), &mut dump)?;
    if dump.collections.is_empty() {
        for (name, folder) in folders(path)? {
            // A folder that can't be read costs no other one anything.
            if let Err(error) = read_folder(&folder, Some(&decoded(&name)), &mut dump) {
                dump.notes.push(error.to_string());
            }
        }
    }
    if dump.collections.is_empty() {
        let what = "there are no files of mongodump in the folder, such as \
                    <database>/<collection>.bson"
            .to_owned();
        return Err(TransferError::NotReadable { path: path.display().to_string(), what });
    }
    if let Some(manifest) = &manifest {
        take_listed(manifest, &mut dump);
    }
    dump.collections.sort_by(|a, b| (&a.db, &a.name).cmp(&(&b.db, &b.name)));
    Ok(dump)
}

/// The files of collections in a folder and in the folders in it.
fn collection_files(folder: &Path) -> Result<Vec<PathBuf>, TransferError> {
    let mut found = files(folder)?;
    for (_, folder) in folders(folder)? {
        found.extend(files(&folder)?);
    }
    let is_collection = |name: &str| {
        let is_beside = BESIDE.contains(&Compression::bare_name(name));
        !is_beside && (bare(name, DATA).is_some() || bare(name, METADATA).is_some())
    };
    found.retain(|(name, _)| is_collection(name));
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Takes over what the manifest says of each collection.
fn take_listed(manifest: &Manifest, dump: &mut Dump) {
    for found in &mut dump.collections {
        let listed = found.files.first().and_then(|file| manifest.listed(file));
        let Some(listed) = listed else { continue };
        found.db = Some(listed.db.clone());
        found.listed = listed
            .data
            .as_ref()
            .map(|data| ListedData { documents: listed.documents, checksum: data.checksum });
    }
}

/// Whether a path may be a dump: a folder, or a `.bson` file next to its metadata.
pub fn looks_like_dump(path: &Path) -> bool {
    if path.is_dir() {
        return true;
    }
    metadata_path(path).is_some()
}

/// The metadata next to a `.bson` file of mongodump.
pub fn metadata_path(path: &Path) -> Option<PathBuf> {
    let name = file_name(path);
    let stem = bare(&name, DATA)?;
    let beside =
        ["", ".gz", ".zst"].map(|end| path.with_file_name(format!("{stem}{METADATA}{end}")));
    beside.into_iter().find(|path| path.is_file())
}

/// Whether a folder has files of mongodump, in itself or in a folder in it.
pub fn holds_dump(folder: &Path) -> bool {
    collection_files(folder).is_ok_and(|files| !files.is_empty())
}

/// Adds the collections in the folder of a database.
fn read_folder(folder: &Path, db: Option<&str>, dump: &mut Dump) -> Result<(), TransferError> {
    let mut found: BTreeMap<String, CollectionFiles> = BTreeMap::new();
    for (name, path) in files(folder)? {
        if BESIDE.contains(&Compression::bare_name(&name)) {
            if bare(&name, DATA).is_some() {
                dump.notes.push(format!("{name} is not replayed; the collections are as dumped."));
            }
        } else if let Some(stem) = bare(&name, METADATA) {
            found.entry(stem.to_owned()).or_default().metadata = Some(path);
        } else if let Some(stem) = bare(&name, DATA) {
            let of = found.entry(stem.to_owned()).or_default();
            of.bytes = fs::metadata(&path).map_or(0, |about| about.len());
            if let Some(other) = std::mem::replace(&mut of.data, vec![path]).first() {
                let other = file_name(other);
                dump.notes.push(format!("{other} is left out, because {name} has the same name."));
            }
        }
    }
    for (stem, files) in found {
        dump.collections.push(collection(db, decoded_collection(&stem), files));
    }
    Ok(())
}

/// Counts the documents of a collection that are past the thresholds of its TTL indexes, among the
/// first `documents_max`. Nothing is stored.
///
/// # Errors
/// When the file can't be read, or the user cancels.
pub fn rehearse_dump(
    collection: &DumpCollection,
    now_ms: i64,
    documents_max: u64,
    progress: &Progress,
) -> Result<Rehearsal, TransferError> {
    let [file] = collection.files.as_slice() else { return Ok(Rehearsal::default()) };
    let read = |index: &DumpIndex| rules::read_index(&index.spec, Dialect::Open).ok();
    let indexes: Vec<IndexMeta> = collection.indexes.iter().filter_map(read).collect();
    let rules = rules_of(indexes.iter());
    rehearse_rules(&rules, now_ms, file, &ReadOptions::default(), documents_max, progress)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A file name without this ending and without that of a compression.
fn bare<'n>(name: &'n str, ending: &str) -> Option<&'n str> {
    Compression::bare_name(name).strip_suffix(ending).filter(|stem| !stem.is_empty())
}

fn files(folder: &Path) -> Result<Vec<(String, PathBuf)>, TransferError> {
    entries(folder, fs::FileType::is_file)
}

fn folders(folder: &Path) -> Result<Vec<(String, PathBuf)>, TransferError> {
    entries(folder, fs::FileType::is_dir)
}

/// The visible entries of a folder, by name.
fn entries(
    folder: &Path,
    is_wanted: impl Fn(&fs::FileType) -> bool,
) -> Result<Vec<(String, PathBuf)>, TransferError> {
    let wrong = |error| TransferError::file(folder, &error);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && entry.file_type().is_ok_and(|kind| is_wanted(&kind)) {
            found.push((name, entry.path()));
        }
        if found.len() > DUMP_FILES_MAX {
            let what = format!("the folder has more than {DUMP_FILES_MAX} files");
            return Err(TransferError::NotReadable { path: folder.display().to_string(), what });
        }
    }
    found.sort();
    Ok(found)
}
