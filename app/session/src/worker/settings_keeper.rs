//! The settings' way to the disk: the window hands over what they are now, and one thread writes the newest.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::wake::Wake;
use crate::job::kept::{Fields, ListRule};
use crate::limits::{SETTINGS_FLUSH_TIME_MAX, SETTINGS_RETRY_PAUSE};
use crate::source::kept_file::{Found, KeptFile};

/// Reports that wait for the window. Each of them is said once, so there are few.
const REPORTS_MAX: usize = 16;

/// The settings as they were found at the start.
#[derive(Clone, Default)]
pub struct KeptSettings {
    file: Option<KeptFile>,
    /// The settings that were read, and a note about them.
    pub found: Found,
}

impl KeptSettings {
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads the settings of a file, which may be missing.
    pub fn open(path: Option<PathBuf>, rules: &'static [ListRule]) -> Self {
        let file = path.map(|path| KeptFile::new(path, rules));
        let found = file.as_ref().map(KeptFile::read).unwrap_or_default();
        Self { file, found }
    }

    pub fn is_kept(&self) -> bool {
        self.file.is_some()
    }
}

/// A note for the window about the settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsReport {
    /// Something to look at.
    Note(String),
    /// They could not be written.
    Failed(String),
    /// They were written after a failure.
    Recovered,
}

/// Writes settings, and says each failure once.
struct Writer {
    file: KeptFile,
    /// The settings that this window last wrote or read. The difference is its changes.
    base: Fields,
    has_failed: bool,
}

impl Writer {
    fn write(&mut self, settings: &Fields) -> Vec<SettingsReport> {
        match self.file.write(&self.base, settings) {
            Ok(notes) => {
                self.base.clone_from(settings);
                let notes = notes.into_iter().map(SettingsReport::Note);
                let recovered = std::mem::take(&mut self.has_failed);
                notes.chain(recovered.then_some(SettingsReport::Recovered)).collect()
            }
            Err(why) if !std::mem::replace(&mut self.has_failed, true) => {
                vec![SettingsReport::Failed(why)]
            }
            Err(_) => Vec::new(),
        }
    }
}

/// The thread that writes the settings, `mayfly-settings`. Dropping it waits until they are on the disk, up to
/// [`SETTINGS_FLUSH_TIME_MAX`].
pub struct SettingsKeeper {
    newest: Arc<Mutex<Option<Fields>>>,
    /// `None` once no more settings come.
    changed: Option<Sender<()>>,
    reports: Receiver<SettingsReport>,
    ended: Receiver<()>,
}

impl SettingsKeeper {
    /// Starts the thread. `base` is the content that was read. `None` if settings are not saved.
    ///
    /// # Errors
    /// When there is no thread for it.
    pub fn start(kept: KeptSettings, base: Fields, wake: Wake) -> std::io::Result<Option<Self>> {
        let Some(file) = kept.file else { return Ok(None) };
        let newest = Arc::new(Mutex::new(None));
        let (changed, changes) = bounded(1);
        let (report, reports) = bounded(REPORTS_MAX);
        let (end, ended) = bounded(0);
        let mut writer = Writer { file, base, has_failed: false };
        let shared = Arc::clone(&newest);
        let run = move || {
            // Its drop says that the thread ended.
            let _end = end;
            let mut unwritten = None;
            loop {
                let wait = if writer.has_failed { SETTINGS_RETRY_PAUSE } else { Duration::MAX };
                let is_last = changes.recv_timeout(wait) == Err(RecvTimeoutError::Disconnected);
                let taken: Option<Fields> =
                    shared.lock().unwrap_or_else(PoisonError::into_inner).take();
                unwritten = taken.or(unwritten);
                if let Some(settings) = &unwritten {
                    let said = writer.write(settings);
                    if !writer.has_failed {
                        unwritten = None;
                    }
                    for said in said {
                        // A window that takes none of them is closing.
                        if report.try_send(said).is_ok() {
                            wake(Duration::ZERO);
                        }
                    }
                }
                if is_last {
                    return;
                }
            }
        };
        thread::Builder::new().name("mayfly-settings".to_owned()).spawn(run)?;
        Ok(Some(Self { newest, changed: Some(changed), reports, ended }))
    }

    /// Takes settings to write; those that wait are replaced.
    pub fn keep(&self, settings: Fields) {
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(settings);
        if let Some(changed) = &self.changed {
            // A full channel says already that there are new ones.
            let _ = changed.try_send(());
        }
    }

    /// The next thing to say.
    pub fn next_report(&self) -> Option<SettingsReport> {
        self.reports.try_recv().ok()
    }
}

impl Drop for SettingsKeeper {
    fn drop(&mut self) {
        self.changed = None;
        let _ = self.ended.recv_timeout(SETTINGS_FLUSH_TIME_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(number: u8) -> Fields {
        Fields::from_iter([("number".to_owned(), number.into())])
    }

    #[test]
    fn a_failure_is_said_once_and_the_settings_are_written_later() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // A file is where its folder has to be.
        let data = folder.path().join("mayfly");
        std::fs::write(&data, "").expect("written");
        let file = KeptFile::new(data.join("settings.json"), &[]);
        let mut writer = Writer { file, base: Fields::new(), has_failed: false };
        let said = writer.write(&fields(1));
        assert!(matches!(said.as_slice(), [SettingsReport::Failed(_)]), "{said:?}");
        assert_eq!(writer.write(&fields(2)), []);
        std::fs::remove_file(&data).expect("removed");
        assert_eq!(writer.write(&fields(2)), [SettingsReport::Recovered]);
        assert_eq!(writer.write(&fields(3)), []);
        assert_eq!(writer.file.read().fields, fields(3));
    }

    #[test]
    fn the_newest_settings_are_on_the_disk_when_the_keeper_ends() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("settings.json");
        for number in 0..20 {
            let kept = KeptSettings::open(Some(path.clone()), &[]);
            let base = kept.found.fields.clone();
            let keeper = SettingsKeeper::start(kept, base, Arc::new(|_| ())).expect("a thread");
            let keeper = keeper.expect("a file");
            keeper.keep(fields(100));
            keeper.keep(fields(number));
            drop(keeper);
            let found = KeptSettings::open(Some(path.clone()), &[]).found;
            assert_eq!(found, Found { fields: fields(number), notes: Vec::new() });
        }
    }
}
