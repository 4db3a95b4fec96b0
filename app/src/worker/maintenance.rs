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

use crate::job::{Backup, BackupList, Gauge, KeptBackup};
use crate::limits::REPLACED_STORES_SHOWN_MAX;
use crate::source::maintenance::{MaintenanceError, Offline, OfflineWork, perform};
use crate::source::{OpenRequest, Source};

/// One thing to do.
#[derive(Debug, Clone)]
pub enum MaintenanceWork {
    /// Look which backups there are.
    Look {
        /// The name that backups are written under. `None` for the usual one for the folder.
        file: Option<PathBuf>,
        /// The data folder. `None` if no home folder was found.
        folder: Option<PathBuf>,
    },
    /// Write a backup.
    Backup {
        /// The file.
        file: PathBuf,
        /// How far it is; stops it.
        gauge: Arc<Gauge>,
    },
    /// Look at the structure of a backup.
    Check {
        /// The file.
        file: PathBuf,
        /// Walks the file. Without it this process does.
        walker: Option<WalkProgram>,
        /// How far it is; stops it.
        gauge: Arc<Gauge>,
    },
    /// Work for which the store is closed.
    Offline {
        work: OfflineWork,
        /// Which store it is, if it is not open.
        request: OpenRequest,
        /// How far it is; stops it.
        gauge: Arc<Gauge>,
    },
}

/// The result.
#[derive(Debug, Clone)]
pub enum MaintenanceDone {
    /// The backups that there are.
    BackupList(BackupList),
    /// A backup was written.
    Backup(Result<Backup, MaintenanceError>),
    /// The structure of a backup.
    Checked(Result<StructureReport, MaintenanceError>),
    /// Work on a closed store.
    Offline(Offline),
}

impl MaintenanceWork {
    /// How far it is, when it can be stopped.
    #[must_use]
    pub fn gauge(&self) -> Option<&Arc<Gauge>> {
        match self {
            Self::Look { .. } => None,
            Self::Backup { gauge, .. }
            | Self::Check { gauge, .. }
            | Self::Offline { gauge, .. } => Some(gauge),
        }
    }

    /// The same work with nothing done, because `message` says why not.
    #[must_use]
    pub fn failed(&self, message: String) -> MaintenanceDone {
        let failed = MaintenanceError::Failed(message);
        match self {
            Self::Look { .. } => MaintenanceDone::BackupList(BackupList::default()),
            Self::Backup { .. } => MaintenanceDone::Backup(Err(failed)),
            Self::Check { .. } => MaintenanceDone::Checked(Err(failed)),
            Self::Offline { .. } => {
                MaintenanceDone::Offline(Offline { done: Err(failed), reopened: None })
            }
        }
    }

    /// Does it. May take as long as the store is large.
    pub fn run(&self, source: Option<&dyn Source>) -> MaintenanceDone {
        let maintenance = source.and_then(Source::maintenance);
        match self {
            Self::Look { file, folder } => {
                MaintenanceDone::BackupList(look(file.as_deref(), folder.as_deref()))
            }
            Self::Backup { file, gauge } => match maintenance {
                Some(maintenance) => {
                    MaintenanceDone::Backup(maintenance.backup(file, &mut |at| gauge.watch(at)))
                }
                None => self.failed("Open a store to back it up".to_owned()),
            },
            Self::Check { file, walker, gauge } => {
                let report = Store::check_file(file, walker.as_ref(), &mut |at| gauge.watch(at));
                MaintenanceDone::Checked(report.map_err(MaintenanceError::from))
            }
            Self::Offline { work, request, gauge } => MaintenanceDone::Offline(match maintenance {
                Some(maintenance) => maintenance.offline(work, &mut |at| gauge.watch(at)),
                None => Offline { done: closed(work, request, gauge), reopened: None },
            }),
        }
    }
}

/// Works on a store that is not open anyway.
fn closed(
    work: &OfflineWork,
    request: &OpenRequest,
    gauge: &Gauge,
) -> Result<crate::source::maintenance::OfflineDone, MaintenanceError> {
    let folder = request.data_folder()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    perform(work, &folder, &clock, request.walker.as_ref(), &mut |at| gauge.watch(at))
}

fn look(file: Option<&Path>, folder: Option<&Path>) -> BackupList {
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
