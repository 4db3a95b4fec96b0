//! The files of a dump.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::transfer::{
    Compression, DumpCollection, TransferError,
    dump::metadata::{CollectionFiles, collection, decoded},
    limits::{DUMP_DEPTH_MAX, DUMP_FILES_MAX},
};

/// A file of a folder, or of one in a container.
#[derive(Debug, Clone)]
pub(super) struct DumpFile {
    pub name: String,
    pub path: PathBuf,
    pub bytes: u64,
    /// The number of its entry in a tar; else 0.
    pub entry: u64,
    /// Its bytes, if they were read already.
    pub content: Option<Vec<u8>>,
}

impl DumpFile {
    pub(super) fn of(path: PathBuf) -> Self {
        let bytes = fs::metadata(&path).map_or(0, |about| about.len());
        Self { name: file_name(&path), path, bytes, entry: 0, content: None }
    }
}

pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A file name without this ending and without that of a compression.
pub(super) fn bare<'n>(name: &'n str, ending: &str) -> Option<&'n str> {
    Compression::bare_name(name).strip_suffix(ending).filter(|stem| !stem.is_empty())
}

pub(super) fn files(folder: &Path) -> Result<Vec<DumpFile>, TransferError> {
    let found = entries(folder, fs::FileType::is_file)?.into_iter();
    Ok(found.map(|(_, path)| DumpFile::of(path)).collect())
}

pub(super) fn folders(folder: &Path) -> Result<Vec<(String, PathBuf)>, TransferError> {
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

/// The file that Atlas writes next to those of a collection.
pub(super) const SNAPSHOT_METADATA: &str = "metadata.json";

fn is_snapshot_data(name: &str) -> bool {
    name != SNAPSHOT_METADATA && bare(name, ".json").is_some()
}

/// The replica set and the number of a file, so that 10 comes after 9.
fn snapshot_part(name: &str) -> (&str, u64, &str) {
    let stem = bare(name, ".json").unwrap_or(name);
    let (set, number) = stem.rsplit_once('.').unwrap_or((stem, ""));
    (set, number.parse().unwrap_or(0), name)
}

/// The files of each collection of a snapshot that Atlas exported: `<database>/<collection>/` has
/// `metadata.json` and the documents in `<replica set>.<number>.json.gz`. Dates and other folders are
/// above. What can't be read or is too much is a sentence in `notes`.
pub(super) fn snapshot_folders(folder: &Path, notes: &mut Vec<String>) -> Vec<Vec<DumpFile>> {
    let (mut found, mut visited) = (Vec::new(), 0);
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let read = files(&folder).and_then(|files| Ok((files, folders(&folder)?)));
        let (files, inside) = match read {
            Ok(read) => read,
            Err(error) => {
                notes.push(error.to_string());
                continue;
            }
        };
        visited += files.len() + 1;
        if visited > DUMP_FILES_MAX {
            notes.push(format!(
                "The snapshot has more than {DUMP_FILES_MAX} files and folders, so collections are \
                 left out; import the folders of its databases one by one."
            ));
            break;
        }
        let has_metadata = files.iter().any(|file| file.name == SNAPSHOT_METADATA);
        if has_metadata && files.iter().any(|file| is_snapshot_data(&file.name)) {
            found.push(files);
        } else if depth < DUMP_DEPTH_MAX {
            open.extend(inside.into_iter().map(|(_, folder)| (folder, depth + 1)));
        }
    }
    found
}

/// The collection of a snapshot whose files these are. `None` if they are other ones.
pub(super) fn of_snapshot(files: &[DumpFile]) -> Option<DumpCollection> {
    let metadata = files.iter().find(|file| file.name == SNAPSHOT_METADATA)?;
    let mut data: Vec<&DumpFile> =
        files.iter().filter(|file| is_snapshot_data(&file.name)).collect();
    // Those of a tar are read in its order.
    data.sort_by_key(|file| (file.entry, snapshot_part(&file.name)));
    let folder = metadata.path.parent()?;
    let of = CollectionFiles {
        bytes: data.iter().map(|file| file.bytes).sum(),
        data: data.into_iter().map(|file| file.path.clone()).collect(),
        metadata: Some(metadata.clone()),
    };
    if of.data.is_empty() {
        return None;
    }
    let db = folder.parent().map(file_name).filter(|db| !db.is_empty());
    Some(collection(db.as_deref(), (decoded(&file_name(folder)), None), of))
}
