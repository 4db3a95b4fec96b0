//! Warnings about the place of a data folder.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::job::Advice;

/// Services that copy folders between computers: how their folders are called, and what they leave
/// in them. A name that ends in `*` matches every name with that prefix.
const SERVICES: &[(&str, &[&str], &[&str])] = &[
    ("Dropbox", &["dropbox", "dropbox (*"], &[".dropbox", ".dropbox.cache"]),
    ("OneDrive", &["onedrive", "onedrive - *", "onedrive-*"], &[]),
    (
        "iCloud",
        &["iclouddrive", "icloud drive", "icloud", "mobile documents", "com~apple~clouddocs"],
        &[],
    ),
    ("Google Drive", &["google drive", "googledrive", "googledrive-*", "my drive"], &[]),
    ("Nextcloud", &["nextcloud", "nextcloud-*"], &[".nextcloudsync.log", ".sync-exclude.lst"]),
    ("ownCloud", &["owncloud"], &[".owncloudsync.log"]),
    ("Syncthing", &["syncthing"], &[".stfolder"]),
];

/// The warnings about this folder.
pub fn advice(folder: &Path) -> Vec<Advice> {
    let mut found: Vec<Advice> =
        synced(folder).map(|sentence| Advice { sentence, command: None }).into_iter().collect();
    let folder = resolved(folder);
    if is_open_to_others(&folder) {
        let path = folder.to_string_lossy().replace('\'', "'\\''");
        let sentence = "Other users on this computer can open this data folder. Restrict access \
                        with chmod 700."
            .to_owned();
        found.push(Advice { sentence, command: Some(format!("chmod 700 '{path}'")) });
    }
    found
}

/// One line when this folder is inside one that a service copies between computers.
pub fn synced(folder: &Path) -> Option<String> {
    let service = service(&resolved(folder))?;
    Some(format!(
        "This data folder is inside {service}. Syncing can damage an open store; move the folder \
         elsewhere and sync backups instead."
    ))
}

/// A link may lead into such a folder.
fn resolved(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

/// The service in one of whose folders this one is.
fn service(folder: &Path) -> Option<&'static str> {
    let by_name = |name: &OsStr| {
        let name = name.to_string_lossy().to_lowercase();
        let fits = |pattern: &&str| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == **pattern,
        };
        SERVICES.iter().find(|(_, names, _)| names.iter().any(fits))
    };
    let by_mark = |at: &Path| {
        let has = |mark: &&str| fs::symlink_metadata(at.join(mark)).is_ok();
        SERVICES.iter().find(|(_, _, marks)| marks.iter().any(has))
    };
    let known = folder.ancestors().find_map(|at| {
        // The service keeps its settings in the home folder under a mark of the same name.
        let is_home = std::env::home_dir().is_some_and(|home| home == at);
        at.file_name().and_then(by_name).or_else(|| if is_home { None } else { by_mark(at) })
    });
    known.map(|(service, _, _)| *service)
}

#[cfg(unix)]
fn is_open_to_others(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(folder).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_services_are_known_by_name() {
        let check = |path: &str, expected: Option<&str>| {
            assert_eq!(service(Path::new(path)), expected, "{path}");
        };
        check("/nobody/Dropbox/mayfly/store", Some("Dropbox"));
        check("/nobody/Dropbox (Personal)/store", Some("Dropbox"));
        check("/nobody/OneDrive - Contoso/store", Some("OneDrive"));
        check("/nobody/Library/Mobile Documents/com~apple~CloudDocs/s", Some("iCloud"));
        check("/nobody/iCloudDrive/s", Some("iCloud"));
        check("/nobody/Library/CloudStorage/GoogleDrive-a@b.c/My Drive/s", Some("Google Drive"));
        check("/nobody/Google Drive/s", Some("Google Drive"));
        check("/nobody/Nextcloud/s", Some("Nextcloud"));
        check("/nobody/data/store", None);
        check("/nobody/dropbox-notes/store", None);
        check("/", None);
    }

    #[test]
    fn folders_of_services_are_known_by_what_is_in_them() {
        let place = tempfile::tempdir().expect("a folder");
        let store = place.path().join("a/store");
        fs::create_dir_all(&store).expect("folders");
        assert_eq!(service(&store), None);
        fs::create_dir(place.path().join(".stfolder")).expect("a folder");
        assert_eq!(service(&store), Some("Syncthing"));
        assert!(advice(&store)[0].sentence.contains("Syncthing"));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_others_can_open_is_told() {
        use std::os::unix::fs::PermissionsExt as _;
        let place = tempfile::tempdir().expect("a folder");
        let check = |mode, expected: bool| {
            fs::set_permissions(place.path(), fs::Permissions::from_mode(mode)).expect("a mode");
            assert_eq!(!advice(place.path()).is_empty(), expected, "{mode:o}");
        };
        check(0o700, false);
        check(0o750, true);
        check(0o705, true);
        let command = advice(place.path())[0].command.clone().expect("a command");
        assert!(command.starts_with("chmod 700 '/"), "{command}");
        check(0o700, false);
    }
}
