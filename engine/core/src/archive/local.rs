//! An archive in a folder.

use std::{
    fs::{self, DirBuilder},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use super::{
    ArchiveError,
    backend::Backend,
    segment::{self, SegmentFile},
};
use crate::store::{create_chosen, open_chosen, sync_names};

/// A folder with one file a segment.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    chosen: Option<PathBuf>,
}

impl Folder {
    /// A folder that need not exist yet. The parent that the user chose must exist.
    pub(super) fn new(path: PathBuf, chosen: Option<PathBuf>) -> Self {
        Self { path, chosen }
    }

    /// Creates the folder durably.
    fn prepare(&self) -> io::Result<()> {
        if self.path.is_dir() {
            return Ok(());
        }
        self.check_chosen()?;
        make(&self.path)
    }

    fn check_chosen(&self) -> io::Result<()> {
        let Some(chosen) = self.chosen.as_ref().filter(|chosen| !chosen.is_dir()) else {
            return Ok(());
        };
        let what = format!("{} not found; is its disk mounted?", chosen.display());
        Err(io::Error::new(io::ErrorKind::NotFound, what))
    }

    fn write(&self, segment: &str, frame: &[u8]) -> io::Result<()> {
        self.prepare()?;
        let path = self.path.join(segment);
        // A copy of this store may write here too, so never overwrite a segment it created.
        let mut file = create_chosen(&path)?;
        if let Err(error) = file.write_all(frame) {
            // Frees the space. If that fails too, the next attempt removes it.
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        file.sync_all()?;
        sync_names(&self.path)
    }
}

impl Backend for Folder {
    fn begin(&self) -> Result<(), ArchiveError> {
        let Some(chosen) = self.chosen.as_ref().filter(|chosen| !chosen.is_dir()) else {
            return Ok(());
        };
        let tried = format!("Can't make the folder {}", chosen.display());
        make(chosen).map_err(|error| ArchiveError::io(&tried, &error))
    }

    fn put(&self, segment: &str, frame: &[u8]) -> Result<(), ArchiveError> {
        let tried = format!("Can't write the archive in {}", self.path.display());
        self.write(segment, frame).map_err(|error| ArchiveError::io(&tried, &error))
    }

    fn list(&self) -> Result<Vec<SegmentFile>, ArchiveError> {
        let tried = format!("Can't read the archive in {}", self.path.display());
        let failed = |error: io::Error| ArchiveError::io(&tried, &error);
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.check_chosen().map_err(failed)?;
                return Ok(Vec::new());
            }
            other => other.map_err(failed)?,
        };
        let mut listed = Vec::new();
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if segment::number(&name).is_some() {
                listed.push(SegmentFile { name, bytes: entry.metadata().map_err(failed)?.len() });
            }
        }
        listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }

    fn read(&self, segment: &str, offset: u64, len: usize) -> Result<Vec<u8>, ArchiveError> {
        let read = || {
            let mut file = open_chosen(&self.path.join(segment))?;
            file.seek(SeekFrom::Start(offset))?;
            let mut bytes = Vec::new();
            file.take(len as u64).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        read().map_err(|error| {
            let tried = format!("Can't read {segment} in {}", self.path.display());
            ArchiveError::io(&tried, &error)
        })
    }

    fn remove(&self, segment: &str) -> Result<(), ArchiveError> {
        let path = self.path.join(segment);
        fs::remove_file(&path)
            .and_then(|()| sync_names(&self.path))
            .map_err(|error| ArchiveError::io(&format!("Can't remove {}", path.display()), &error))
    }
}

/// Creates a folder and its parents durably: fsyncs each parent of a new folder.
fn make(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let missing: Vec<&Path> = path.ancestors().take_while(|path| !path.exists()).collect();
    builder.create(path)?;
    missing.into_iter().filter_map(Path::parent).try_for_each(sync_names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_never_written_over_and_other_files_do_not_count() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = Folder::new(parent.path().join("a/b"), None);
        assert_eq!(folder.list(), Ok(Vec::new()), "nothing is made before it is needed");
        let name = segment::name(1, 0);
        folder.put(&name, b"abcde!").expect("written");
        assert!(folder.put(&name, b"other").is_err(), "it is there");
        fs::write(parent.path().join("a/b/notes.txt"), "mine").expect("written");
        assert_eq!(folder.list(), Ok(vec![SegmentFile { name: name.clone(), bytes: 6 }]));
        assert_eq!(folder.read(&name, 2, 3), Ok(b"cde".to_vec()));
        assert_eq!(folder.read(&name, 5, 100), Ok(b"!".to_vec()));
        folder.remove(&name).expect("removed");
        assert_eq!(folder.list(), Ok(Vec::new()));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let parent = tempfile::tempdir().expect("a folder");
        let folder = Folder::new(parent.path().join("a"), None);
        folder.put(&segment::name(1, 0), b"abc").expect("written");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&folder.path), 0o700);
        assert_eq!(mode(&folder.path.join(segment::name(1, 0))), 0o600);
    }

    #[test]
    fn a_place_that_is_no_folder_is_named() {
        let parent = tempfile::tempdir().expect("a folder");
        let path = parent.path().join("file");
        fs::write(&path, "x").expect("written");
        let failed = Folder::new(path, None).put(&segment::name(1, 0), b"x").expect_err("a file");
        assert!(failed.to_string().starts_with("Can't write the archive in /"), "{failed}");
    }

    #[test]
    fn a_chosen_folder_that_is_gone_is_missed() {
        let parent = tempfile::tempdir().expect("a folder");
        let chosen = parent.path().join("disk/archive");
        let folder = Folder::new(chosen.join("of store/a"), Some(chosen.clone()));
        folder.begin().expect("made");
        let name = segment::name(1, 0);
        folder.put(&name, b"x").expect("kept");
        fs::rename(parent.path().join("disk"), parent.path().join("unmounted")).expect("moved");
        let missed = folder.put(&segment::name(2, 0), b"x").expect_err("gone").to_string();
        assert!(missed.contains("is its disk mounted?"), "{missed}");
        let missed = folder.list().expect_err("it is not empty").to_string();
        assert!(missed.contains("is its disk mounted?"), "{missed}");
        assert!(!parent.path().join("disk").exists(), "nothing is made in its place");
        fs::rename(parent.path().join("unmounted"), parent.path().join("disk")).expect("moved");
        folder.put(&segment::name(2, 0), b"x").expect("kept");
    }
}
