//! Care for a whole store, as work for the threads.

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use mayfly_engine::clock::{Clock, SystemClock};
use mayfly_engine::store::{
    Store, StructureReport, WalkProgram, backups_kept, damaged_copy, replaced_stores,
};

use crate::job::{Backup, BackupList, JobGauge, KeptBackup};
use crate::limits::REPLACED_STORES_SHOWN_MAX;
use crate::source::maintenance::{MaintenanceError, Offline, OfflineWork, perform};
use crate::source::{OpenRequest, Source};

/// Writes a backup. May take as long as the store is large.
///
/// # Errors
/// One sentence, or that the user stopped it.
pub fn backup(
    source: Option<&dyn Source>,
    file: &Path,
    gauge: &JobGauge,
) -> Result<Backup, MaintenanceError> {
    let no_store = || MaintenanceError::Failed("Open a store to back it up".to_owned());
    let maintenance = source.and_then(Source::maintenance).ok_or_else(no_store)?;
    maintenance.backup(file, &mut |at| gauge.watch(at))
}

/// Looks at the structure of a backup: in the program that walks it, or without one in this process.
///
/// # Errors
/// One sentence, or that the user stopped it.
pub fn check(
    file: &Path,
    walker: Option<&WalkProgram>,
    gauge: &JobGauge,
) -> Result<StructureReport, MaintenanceError> {
    let report = Store::check_file(file, walker, &mut |at| gauge.watch(at));
    report.map_err(MaintenanceError::from)
}

/// Does work for which the store is closed: `source`, or the one of the request.
pub fn offline(
    source: Option<&dyn Source>,
    work: &OfflineWork,
    request: &OpenRequest,
    gauge: &JobGauge,
) -> Offline {
    match source.and_then(Source::maintenance) {
        Some(maintenance) => maintenance.offline(work, &mut |at| gauge.watch(at)),
        None => Offline { done: closed(work, request, gauge), reopened: None },
    }
}

/// Works on a store that is not open anyway.
fn closed(
    work: &OfflineWork,
    request: &OpenRequest,
    gauge: &JobGauge,
) -> Result<crate::source::maintenance::OfflineDone, MaintenanceError> {
    let folder = request.data_folder()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    perform(work, &folder, &clock, request.walker.as_ref(), &mut |at| gauge.watch(at))
}

/// Lists the backups that are written under a name, or under the usual one for the data folder.
pub fn look(file: Option<&Path>, folder: Option<&Path>) -> BackupList {
    let file = file.map_or_else(|| usual_file(folder), Path::to_owned);
    let written = |path: &Path| {
        let found = fs::metadata(path).ok()?;
        let written = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let written_ms = i64::try_from(written.as_millis()).ok()?;
        Some(KeptBackup { path: path.to_owned(), bytes: found.len(), written_ms })
    };
    let backups = backups_kept(&file).iter().filter_map(|path| written(path)).collect();
    let damaged = damaged_copy(&file).and_then(|path| written(&path));
    let replaced = folder.map(replaced_stores).unwrap_or_default();
    let mut replaced: Vec<_> = replaced.iter().filter_map(|path| written(path)).collect();
    replaced.sort_by_key(|store| Reverse(store.written_ms));
    replaced.truncate(REPLACED_STORES_SHOWN_MAX);
    BackupList { file, backups, damaged, replaced, at_ms: SystemClock.now_ms() }
}

/// Next to the data folder, or in the user's documents.
fn usual_file(folder: Option<&Path>) -> PathBuf {
    if let Some((parent, name)) = folder.and_then(|folder| folder.parent().zip(folder.file_name()))
    {
        let mut name = name.to_owned();
        name.push(".backup");
        return parent.join(name);
    }
    let folders = directories::UserDirs::new();
    let home = folders.as_ref().map(|folders| {
        let documents = folders.document_dir().filter(|folder| folder.is_dir());
        documents.unwrap_or(folders.home_dir()).to_owned()
    });
    home.unwrap_or_default().join("mayfly-demo.backup")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backups_are_found_the_newest_first() {
        let place = tempfile::tempdir().expect("a folder");
        let store = place.path().join("store");
        let found = look(None, Some(&store));
        assert_eq!(
            (found.file.clone(), found.backups),
            (place.path().join("store.backup"), vec![])
        );
        for (name, text) in [("store.backup", "new"), ("store.backup.1", "older")] {
            fs::write(place.path().join(name), text).expect("a file");
        }
        let found = look(None, Some(&store)).backups;
        assert_eq!(found.iter().map(|one| one.bytes).collect::<Vec<_>>(), [3, 5]);
        assert!(found.iter().all(|one| one.written_ms > 1_600_000_000_000), "{found:?}");
        let elsewhere = look(Some(&place.path().join("other")), Some(&store));
        assert_eq!(elsewhere.backups, []);
        assert!(look(None, None).file.ends_with("mayfly-demo.backup"));
    }

    #[test]
    fn what_else_is_kept_is_found() {
        let place = tempfile::tempdir().expect("a folder");
        let store = place.path().join("store");
        let path = |name: &str| place.path().join(name);
        for number in [2, 5, 6] {
            fs::create_dir(path(&format!("store.before-restore-{number}"))).expect("a folder");
        }
        let files = ["store.before-restore-2/data.mdb", "store.before-restore-5/data.mdb"];
        for name in files.into_iter().chain(["store.backup.damaged"]) {
            fs::write(path(name), "kept").expect("a file");
        }
        let written = fs::File::options().write(true).open(path(files[0])).expect("a file");
        written.set_modified(UNIX_EPOCH + std::time::Duration::from_secs(9)).expect("older");
        let found = look(None, Some(&store));
        assert_eq!(found.backups, []);
        let damaged = path("store.backup.damaged");
        let expected = [damaged, path(files[1]), path(files[0])];
        let all: Vec<_> = found.all().map(|kept| kept.path.clone()).collect();
        assert_eq!(all, expected);
        assert_eq!(look(Some(&path("store.backup")), None).all().count(), 1);
    }
}
