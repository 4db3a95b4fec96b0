//! Reads what is in a dump.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use bson::Document;

use crate::catalog::{Dialect, IndexMeta, Namespace, rules};
use crate::transfer::{
    Compression, Progress, ReadOptions, Rehearsal, TransferError,
    dump::files::{
        DumpFile, SNAPSHOT_METADATA, bare, file_name, files, folders, of_snapshot, snapshot_folders,
    },
    dump::manifest::Manifest,
    dump::metadata::{CollectionFiles, collection, decoded, decoded_collection, left_out},
    import::preview::{rehearse_rules, rules_of},
    read::container::{Container, Member},
    read::source::is_canceled,
    read::stream::in_file_order,
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
    /// Whether it belongs to the server that was dumped, and not to the data of its users.
    pub fn belongs_to_server(&self) -> bool {
        let is_data = self.name.starts_with("system.buckets.") || self.name == "system.js";
        self.name.starts_with("$admin.") || self.name.starts_with("system.") && !is_data
    }

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
/// database, the file of one collection, an archive of mongodump, a tar of such folders, or a snapshot
/// that Atlas exported. A collection whose files differ from the manifest of their folder is refused.
///
/// # Errors
/// When it can't be read, or holds no file of mongodump.
pub fn read_dump(path: &Path) -> Result<Dump, TransferError> {
    read_dump_with(path, &Progress::new())
}

/// As [`read_dump`], until the user cancels: a compressed tar is read to its end.
///
/// # Errors
/// As [`read_dump`], and when the user cancels.
pub fn read_dump_with(path: &Path, progress: &Progress) -> Result<Dump, TransferError> {
    let about = fs::metadata(path).map_err(|error| TransferError::file(path, &error))?;
    let mut dump = Dump::default();
    if !about.is_file() {
        read_folders(path, &mut dump)?;
    } else if let Some(container) = Container::of_file(path) {
        read_container(container, path, progress, &mut dump)?;
    } else {
        let name = file_name(path);
        let Some(stem) = bare(&name, DATA) else {
            return Err(not_readable(path, "it is not a .bson file of mongodump"));
        };
        let metadata = metadata_path(path).map(DumpFile::of);
        let files = CollectionFiles { data: vec![path.to_owned()], bytes: about.len(), metadata };
        dump.collections.push(collection(None, decoded_collection(stem), files));
    }
    if dump.collections.is_empty() {
        let what = if path.join("data.mdb").is_file() {
            "it is the data folder of a store; open it with mayfly DIR, or take its collections out \
             with mayfly export"
        } else {
            "there are no files of mongodump in it, such as <database>/<collection>.bson; to import \
             other files, name them one by one"
        };
        return Err(not_readable(path, what));
    }
    dump.collections.sort_by(|a, b| (&a.db, &a.name).cmp(&(&b.db, &b.name)));
    Ok(dump)
}

fn not_readable(path: &Path, what: &str) -> TransferError {
    TransferError::NotReadable { path: path.display().to_string(), what: what.to_owned() }
}

/// Adds the collections of a folder, and of the folders in it.
fn read_folders(path: &Path, dump: &mut Dump) -> Result<(), TransferError> {
    let manifest = Manifest::of(path)?;
    let canonical = path.canonicalize().ok();
    let is_beside = manifest.as_ref().is_some_and(|manifest| manifest.root() != path);
    let path = canonical.as_deref().filter(|_| is_beside).unwrap_or(path);
    let db = canonical.as_deref().map(file_name);
    // A folder of any other name asks for its database.
    let db = db.filter(|db| Namespace::checked(db, "c").is_ok());
    add_collections(db.as_deref(), files(path)?, dump);
    if dump.collections.is_empty() {
        for (name, folder) in folders(path)? {
            match files(&folder) {
                Ok(files) => add_collections(Some(&decoded(&name)), files, dump),
                // A folder that can't be read costs no other one anything.
                Err(error) => dump.notes.push(error.to_string()),
            }
        }
    }
    if dump.collections.is_empty() {
        let mut homes = Vec::new();
        for files in snapshot_folders(path, &mut dump.notes) {
            dump.collections.extend(of_snapshot(&files));
            let home = files.first().and_then(|file| file.path.parent()?.parent());
            homes.resize(dump.collections.len(), home.unwrap_or(path).to_owned());
        }
        refuse_mixed(dump, &homes, path);
    }
    if let Some(manifest) = &manifest {
        take_listed(manifest, dump);
        refuse_changed(manifest, &collection_files(path)?, dump);
    }
    Ok(())
}

/// Adds the collections of an archive or a tar.
fn read_container(
    container: Container,
    path: &Path,
    progress: &Progress,
    dump: &mut Dump,
) -> Result<(), TransferError> {
    let is_metadata = |name: &str| {
        bare(name, METADATA).is_some() || name.ends_with(&format!("/{SNAPSHOT_METADATA}"))
    };
    let members = container.members(path, &is_metadata, progress.cancel_flag());
    let members = members.map_err(|error| {
        if is_canceled(&error) {
            return TransferError::Cancelled;
        }
        TransferError::file(path, &error)
    })?;
    dump.notes.extend(members.note);
    let mut folders: BTreeMap<String, Vec<DumpFile>> = BTreeMap::new();
    let is_visible = |name: &str| !name.split('/').any(|part| part.starts_with('.'));
    for Member { name, bytes, entry, content } in
        members.files.into_iter().filter(|it| is_visible(&it.name))
    {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", &name));
        let found =
            DumpFile { name: file.to_owned(), path: path.join(&name), bytes, entry, content };
        folders.entry(folder.to_owned()).or_default().push(found);
    }
    let mut homes = Vec::new();
    for (folder, files) in folders {
        dump.collections.extend(of_snapshot(&files));
        let (above, db) = folder.rsplit_once('/').unwrap_or(("", &folder));
        homes.resize(dump.collections.len(), path.join(above));
        let db = Some(db).filter(|db| !db.is_empty()).map(decoded);
        add_collections(db.as_deref(), files, dump);
        homes.resize(dump.collections.len(), path.join(&folder));
    }
    refuse_mixed(dump, &homes, path);
    Ok(())
}

/// Refuses the collections of a database that is there more than once: two dumps must not become one.
/// `homes` are the folders of the databases of the collections.
fn refuse_mixed(dump: &mut Dump, homes: &[PathBuf], root: &Path) {
    let mut of: BTreeMap<Option<String>, BTreeSet<&Path>> = BTreeMap::new();
    for (found, home) in dump.collections.iter().zip(homes) {
        of.entry(found.db.clone()).or_default().insert(home);
    }
    let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    for found in &mut dump.collections {
        let mut homes = of.get(&found.db).into_iter().flatten().map(|home| shown(home));
        let (Some(first), Some(second)) = (homes.next(), homes.next()) else { continue };
        found.refused.get_or_insert_with(|| {
            format!(
                "its database is there more than once, in {first} and in {second}; extract one of \
                 these folders and import it alone"
            )
        });
    }
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
    found.retain(|file| is_collection(&file.name));
    Ok(found.into_iter().map(|file| file.path).collect())
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

/// Refuses the collections whose files differ from the manifest. The others are as they were exported.
fn refuse_changed(manifest: &Manifest, found: &[PathBuf], dump: &mut Dump) {
    let mut problems = manifest.problems(found);
    let said = |path: &Path, what: &str| {
        let path = path.strip_prefix(manifest.root()).unwrap_or(path);
        Some(format!("{}: {what}", path.display()))
    };
    for (listed, files) in manifest.listed_files() {
        let wrong: Vec<_> =
            files.iter().filter_map(|it| Some((it, problems.remove(it)?))).collect();
        let Some((path, what)) = wrong.first() else { continue };
        let is_it = |of: &&mut DumpCollection| {
            let is_named = of.db.as_ref() == Some(&listed.db) && of.name == listed.name;
            is_named || of.files.iter().any(|file| files.contains(file))
        };
        if let Some(known) = dump.collections.iter_mut().find(is_it) {
            known.refused = said(path, what);
            continue;
        }
        let name = (listed.name.clone(), None);
        let lost = collection(Some(&listed.db), name, CollectionFiles::default());
        dump.collections.push(DumpCollection { refused: said(path, what), ..lost });
    }
    for (path, what) in problems {
        let name = file_name(&path);
        let stem = [DATA, METADATA].iter().find_map(|ending| bare(&name, ending));
        let stem = stem.map(|stem| decoded_collection(stem).0);
        let db = path.parent().map(file_name).map(|db| decoded(&db));
        let is_it = |of: &&mut DumpCollection| {
            of.files.contains(&path) || of.db == db && Some(&of.name) == stem.as_ref()
        };
        match dump.collections.iter_mut().find(is_it) {
            Some(known) => known.refused = said(&path, &what),
            None => dump.notes.extend(said(&path, &what).map(|note| format!("{note}."))),
        }
    }
}

/// Whether a path may be a dump: a folder, an archive, or a `.bson` file next to its metadata.
pub fn looks_like_dump(path: &Path) -> bool {
    path.is_dir() || metadata_path(path).is_some() || is_dump_archive(path)
}

/// Whether a file is an archive of mongodump, or a tar, compressed or not.
pub fn is_dump_archive(path: &Path) -> bool {
    path.is_file() && Container::of_file(path).is_some()
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
        || !snapshot_folders(folder, &mut Vec::new()).is_empty()
}

/// Adds the collections whose files are in the folder of a database.
fn add_collections(db: Option<&str>, files: Vec<DumpFile>, dump: &mut Dump) {
    let mut found: BTreeMap<String, CollectionFiles> = BTreeMap::new();
    for DumpFile { name, path, bytes, entry, content } in files {
        if BESIDE.contains(&Compression::bare_name(&name)) {
            if bare(&name, DATA).is_some() {
                dump.notes.push(format!("{name} is not replayed; the collections are as dumped."));
            }
        } else if let Some(stem) = bare(&name, METADATA) {
            let of = found.entry(stem.to_owned()).or_default();
            of.metadata = Some(DumpFile { name, path, bytes, entry, content });
        } else if let Some(stem) = bare(&name, DATA) {
            let of = found.entry(stem.to_owned()).or_default();
            of.bytes = bytes;
            if let Some(other) = std::mem::replace(&mut of.data, vec![path]).first() {
                let other = file_name(other);
                dump.notes.push(format!("{other} is left out, because {name} has the same name."));
            }
        }
    }
    for (stem, files) in found {
        dump.collections.push(collection(db, decoded_collection(&stem), files));
    }
}

/// Calls `visit` with the number of each collection, in the order in which their files are read fastest.
/// Ends when the user cancels.
pub fn visit_in_file_order<'c>(
    collections: impl IntoIterator<Item = &'c DumpCollection>,
    progress: &Progress,
    visit: impl FnMut(usize),
) {
    let first = |found: &'c DumpCollection| found.files.first().map(PathBuf::as_path);
    let files: Vec<Option<&Path>> = collections.into_iter().map(first).collect();
    in_file_order(&files, progress.container(), visit);
}

/// Counts the documents of a collection that are past the thresholds of its TTL indexes, among the
/// first `documents_max`, read with these options. Nothing is stored.
///
/// # Errors
/// When the file can't be read, or the user cancels.
pub fn rehearse_dump(
    collection: &DumpCollection,
    options: &ReadOptions,
    now_ms: i64,
    documents_max: u64,
    progress: &Progress,
) -> Result<Rehearsal, TransferError> {
    let read = |index: &DumpIndex| rules::read_index(&index.spec, Dialect::Open).ok();
    let indexes: Vec<IndexMeta> = collection.indexes.iter().filter_map(read).collect();
    let rules = rules_of(indexes.iter());
    let mut all = Rehearsal::default();
    for file in &collection.files {
        let left = documents_max.saturating_sub(all.documents + all.rejected);
        all.add(rehearse_rules(&rules, now_ms, file, options, left, progress)?);
    }
    Ok(all)
}
