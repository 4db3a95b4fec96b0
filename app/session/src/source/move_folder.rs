//! Moves a closed data folder to another place.

use std::fs;
use std::io;
use std::path::Path;

/// Moves a folder to a place that is empty or missing. Between two disks it is copied; the old
/// folder then stays and belongs to the caller.
///
/// # Errors
/// One sentence; the old folder is as it was.
pub fn move_folder(from: &Path, to: &Path) -> Result<(), String> {
    let shown = to.display();
    match fs::read_dir(to).map(|mut entries| entries.next().is_none()) {
        Ok(false) => return Err(format!("{shown} is not empty; enter a new folder")),
        // A rename needs the name.
        Ok(true) => fs::remove_dir(to).map_err(|error| format!("Can't use {shown}: {error}"))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(format!("Can't use {shown}: {error}")),
    }
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(|error| format!("Can't create {shown}: {error}"))?;
    }
    if fs::rename(from, to).is_ok() {
        return Ok(());
    }
    copy_folder(from, to).map_err(|error| {
        // A part of a store must not look like one.
        let _ = fs::remove_dir_all(to);
        format!("Can't copy the store to {shown}: {error}")
    })
}

/// Whether a place, which may be missing, is a folder or in it.
pub fn is_within(place: &Path, folder: &Path) -> bool {
    let Ok(place) = std::path::absolute(place) else { return false };
    // Only what is there can be compared: links have other names.
    let there = place.ancestors().find_map(|known| known.canonicalize().ok());
    let folder = folder.canonicalize().ok();
    folder.zip(there).is_some_and(|(folder, there)| there.starts_with(folder))
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &target)?;
            // The caller may delete the old folder next, so the copy must be on the disk.
            fs::File::open(&target)?.sync_all()?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_moved_to_a_place_that_is_empty_or_missing() {
        let place = tempfile::tempdir().expect("a folder");
        let path = |name: &str| place.path().join(name);
        let make = |name: &str| {
            fs::create_dir_all(path(name).join("inner")).expect("a folder");
            fs::write(path(name).join("inner/file"), "kept").expect("a file");
        };
        make("full");
        fs::create_dir(path("empty")).expect("a folder");
        for target in ["empty", "new/deep"] {
            make("store");
            move_folder(&path("store"), &path(target)).expect(target);
            assert_eq!(fs::read(path(target).join("inner/file")).ok(), Some(b"kept".to_vec()));
            assert!(!path("store").exists());
        }
        make("store");
        assert!(is_within(&path("store/deep/new"), &path("store")));
        assert!(is_within(&path("store"), &path("store")));
        assert!(!is_within(&path("storeroom"), &path("store")));
        let refused = move_folder(&path("store"), &path("full")).expect_err("it is not empty");
        assert!(refused.ends_with("is not empty; enter a new folder"), "{refused}");
        assert!(path("store").exists());
        copy_folder(&path("store"), &path("copy")).expect("copied");
        assert_eq!(fs::read(path("copy/inner/file")).ok(), Some(b"kept".to_vec()));
    }
}
