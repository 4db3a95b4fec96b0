//! The manifest of an exported folder: its collections, and size and checksum of each file.
//!
//! `manifest.json` is written last, so a folder with one is whole. mongorestore skips the file.

use std::{
    collections::BTreeMap,
    fs,
    io::Read as _,
    iter,
    path::{Component, Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use xxhash_rust::xxh3::Xxh3;

use crate::store::open_chosen;
use crate::transfer::{
    Compression, Progress, TransferError,
    export::atomic_file::AtomicFile,
    limits::{MANIFEST_BYTES_MAX, READ_BYTES},
};

/// Its file name.
pub(in crate::transfer) const MANIFEST: &str = "manifest.json";

const PROGRAM: &str = "Mayfly";

/// The layout of the manifest. A newer one is refused.
const FORMAT_VERSION: u64 = 1;

/// A file of the folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::transfer) struct ListedFile {
    /// `<folder>/<file>`, below the folder of the manifest.
    pub path: String,
    pub bytes: u64,
    /// XXH3, 64 bits, of the file as it is on the disk.
    #[serde(rename = "xxh3", with = "hex")]
    pub checksum: u64,
}

/// A collection of the folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::transfer) struct ListedCollection {
    pub db: String,
    #[serde(rename = "collection")]
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub documents: u64,
    pub metadata: ListedFile,
    /// The documents; `None` for a view.
    pub data: Option<ListedFile>,
}

impl ListedFile {
    /// Reads the size and the checksum of `root/path`.
    pub(in crate::transfer) fn of(
        root: &Path,
        path: String,
        progress: &Progress,
    ) -> Result<Self, TransferError> {
        let file = root.join(&path);
        let about = fs::metadata(&file).map_err(|error| TransferError::file(&file, &error))?;
        let checksum = checksum(&file, progress, |_| {})?;
        Ok(Self { path, bytes: about.len(), checksum })
    }

    /// Whether its path can't lead out of the folder.
    fn is_inside(&self) -> bool {
        let parts: Vec<Component<'_>> = Path::new(&self.path).components().collect();
        matches!(parts[..], [Component::Normal(_), Component::Normal(_)])
    }
}

impl ListedCollection {
    fn files(&self) -> impl Iterator<Item = &ListedFile> {
        iter::once(&self.metadata).chain(&self.data)
    }
}

/// A checksum as 16 hexadecimal digits.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
    pub(in crate::transfer) fn serialize<S: Serializer>(
        sum: &u64,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{sum:016x}"))
    }

    pub(in crate::transfer) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<u64, D::Error> {
        u64::from_str_radix(&String::deserialize(from)?, 16).map_err(D::Error::custom)
    }
}

/// Writes the manifest of a folder whose other files are complete.
pub(in crate::transfer) fn write(
    root: &Path,
    listed: &[ListedCollection],
    (now_ms, data_folder): (i64, &Path),
    progress: &Progress,
) -> Result<(), TransferError> {
    let bug = |error: String| TransferError::Bug { what: error };
    let created = bson::DateTime::from_millis(now_ms).try_to_rfc3339_string();
    let manifest = json!({
        "program": PROGRAM,
        "version": env!("CARGO_PKG_VERSION"),
        "formatVersion": FORMAT_VERSION,
        "created": created.map_err(|error| bug(error.to_string()))?,
        "collections": listed,
    });
    let text = serde_json::to_string_pretty(&manifest).map_err(|error| bug(error.to_string()))?;
    let path = root.join(MANIFEST);
    let mut file = AtomicFile::begin(&path, data_folder, Compression::None, progress)?;
    file.write(text.as_bytes())?;
    file.write(b"\n")?;
    file.complete()?.publish()
}

/// The manifest of a folder, or of one database folder in it.
#[derive(Debug)]
pub(in crate::transfer) struct Manifest {
    root: PathBuf,
    collections: Vec<ListedCollection>,
}

impl Manifest {
    /// Finds the manifest in a folder, or next to it if the folder is one of its databases. `None`
    /// without a manifest, as in a folder of mongodump.
    ///
    /// # Errors
    /// When it can't be read, is not of this program, or is newer than this program.
    pub(in crate::transfer) fn of(folder: &Path) -> Result<Option<Self>, TransferError> {
        let here = folder.join(MANIFEST);
        if here.is_file() {
            return Self::read(&here, folder.to_owned()).map(Some);
        }
        let Ok(folder) = folder.canonicalize() else { return Ok(None) };
        let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
            return Ok(None);
        };
        let beside = parent.join(MANIFEST);
        if !beside.is_file() {
            return Ok(None);
        }
        // A file of this name next to the folder may belong to any program, so a wrong one is
        // ignored.
        let Ok(mut found) = Self::read(&beside, parent.to_owned()) else { return Ok(None) };
        found.collections.retain(|listed| Path::new(&listed.metadata.path).starts_with(name));
        Ok(Some(found).filter(|found| !found.collections.is_empty()))
    }

    fn read(path: &Path, root: PathBuf) -> Result<Self, TransferError> {
        let wrong = |what: &str| not_readable(path, what);
        let file = open_chosen(path).map_err(|error| TransferError::file(path, &error))?;
        let mut text = Vec::new();
        let read = file.take(MANIFEST_BYTES_MAX + 1).read_to_end(&mut text);
        let read = read.map_err(|error| TransferError::file(path, &error))?;
        if read as u64 > MANIFEST_BYTES_MAX {
            return Err(wrong("it is too large for a manifest"));
        }
        let damaged = "it is damaged; copy the folder again, or delete this file to import the \
                       folder unchecked";
        let mut value: Value = serde_json::from_slice(&text).map_err(|_| wrong(damaged))?;
        if value.get("program").and_then(Value::as_str) != Some(PROGRAM) {
            let what =
                "it is not a manifest of Mayfly; move it out of the folder, then import again";
            return Err(wrong(what));
        }
        if value.get("formatVersion").and_then(Value::as_u64) > Some(FORMAT_VERSION) {
            return Err(wrong("a newer version of Mayfly wrote it; import it with that version"));
        }
        let listed = value.get_mut("collections").map(Value::take).unwrap_or_default();
        let collections: Vec<ListedCollection> =
            serde_json::from_value(listed).map_err(|_| wrong(damaged))?;
        let is_inside =
            collections.iter().flat_map(ListedCollection::files).all(ListedFile::is_inside);
        if is_inside { Ok(Self { root, collections }) } else { Err(wrong(damaged)) }
    }

    /// The files that differ from the manifest, and how: files that are missing, of another size, or
    /// metadata with another content, and those of `found`, the files of collections, that it does not
    /// list. Documents are checked when they are imported.
    pub(in crate::transfer) fn problems(&self, found: &[PathBuf]) -> BTreeMap<PathBuf, String> {
        let listed = self.files();
        let mut problems = BTreeMap::new();
        for path in found.iter().filter(|path| !listed.contains_key(*path)) {
            let what = "it is not in the manifest of its folder; move it out of the folder";
            problems.insert(path.clone(), what.to_owned());
        }
        for (path, file) in listed {
            if let Some(what) = size_problem(&path, file.bytes) {
                problems.insert(path, what);
            }
        }
        for collection in &self.collections {
            let path = self.root.join(&collection.metadata.path);
            if problems.contains_key(&path) {
                continue;
            }
            let sum = collection.metadata.checksum;
            match check_content(&path, sum, &Progress::new(), |_| {}) {
                Err(TransferError::NotReadable { what, .. }) => drop(problems.insert(path, what)),
                Err(error) => drop(problems.insert(path, error.to_string())),
                Ok(()) => {}
            }
        }
        problems
    }

    /// The collection whose documents are in a file, or whose metadata is.
    pub(in crate::transfer) fn listed(&self, path: &Path) -> Option<&ListedCollection> {
        let is_it = |file: &ListedFile| self.root.join(&file.path) == path;
        self.collections.iter().find(|listed| listed.files().any(is_it))
    }

    /// Its collections, with the files of each.
    pub(in crate::transfer) fn listed_files(
        &self,
    ) -> impl Iterator<Item = (&ListedCollection, Vec<PathBuf>)> {
        let paths = |listed: &ListedCollection| {
            listed.files().map(|file| self.root.join(&file.path)).collect()
        };
        self.collections.iter().map(move |listed| (listed, paths(listed)))
    }

    /// The folder with the databases.
    pub(in crate::transfer) fn root(&self) -> &Path {
        &self.root
    }

    fn files(&self) -> BTreeMap<PathBuf, &ListedFile> {
        let files = self.collections.iter().flat_map(ListedCollection::files);
        files.map(|file| (self.root.join(&file.path), file)).collect()
    }
}

/// Why a file of another size than `expected`, in bytes, is not as listed.
fn size_problem(path: &Path, expected: u64) -> Option<String> {
    let Ok(about) = fs::metadata(path) else {
        let what = "it is missing, but the manifest lists it; copy the folder again";
        return Some(what.to_owned());
    };
    let bytes = about.len();
    (bytes != expected).then(|| {
        format!("it has {bytes} bytes, but the manifest says {expected}; copy the folder again")
    })
}

/// Checks that a file still has the content that its manifest was written for. `read` gets the bytes
/// of each step.
///
/// # Errors
/// When it has another content, can't be read, or the user cancels.
pub(in crate::transfer) fn check_content(
    path: &Path,
    expected: u64,
    progress: &Progress,
    read: impl FnMut(u64),
) -> Result<(), TransferError> {
    if checksum(path, progress, read)? == expected {
        return Ok(());
    }
    let what = "its content is not what the manifest was written for; copy the folder again";
    Err(not_readable(path, what))
}

/// XXH3 of a file. Canceled between two steps.
fn checksum(
    path: &Path,
    progress: &Progress,
    mut read: impl FnMut(u64),
) -> Result<u64, TransferError> {
    let wrong = |error| TransferError::file(path, &error);
    let mut file = open_chosen(path).map_err(wrong)?;
    let mut buffer = vec![0; READ_BYTES];
    let mut hash = Xxh3::new();
    loop {
        if progress.is_cancelled() {
            return Err(TransferError::Cancelled);
        }
        let count = file.read(&mut buffer).map_err(wrong)?;
        if count == 0 {
            return Ok(hash.digest());
        }
        hash.update(buffer.get(..count).unwrap_or_default());
        read(count as u64);
    }
}

fn not_readable(path: &Path, what: &str) -> TransferError {
    TransferError::NotReadable { path: path.display().to_string(), what: what.to_owned() }
}
