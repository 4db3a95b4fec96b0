//! The open store.

use std::fs::File;
use std::path::{Path as FsPath, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::app_lock::{AppLock, Registration};
use super::env::Environment;
use super::fault::Fault;
use super::folder::{self, DATA_FILE};
use super::gate::Gate;
use super::group::Counts;
use super::line::Line;
use super::open::{self, Opened};
use super::{BackupStage, Reader, StoreError, Writer, backup, walk};
use crate::limits::{DISK_ROOM_BYTES_WANTED, MAP_GROWTH_WAIT, MAP_SIZE_BYTES};

/// How to open a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreOptions {
    /// Bytes of address space to reserve; the file itself stays small. Halved when the system refuses.
    pub map_size_bytes: u64,
    /// Open without writing anything: for a folder or disk that can't be written.
    pub read_only: bool,
    /// Walk the whole file first, however the last session ended.
    pub full_check: bool,
    /// The time now in milliseconds since 1970: a new store's creation time.
    pub now_ms: i64,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { map_size_bytes: MAP_SIZE_BYTES, read_only: false, full_check: false, now_ms: 0 }
    }
}

/// Who a store is: the contents of `identity.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The store's UUID as text.
    pub uuid: String,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: i64,
    /// The version of the file format.
    pub format_version: u32,
}

/// What was found and done at opening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenReport {
    /// Who the store is.
    pub identity: Identity,
    /// The last session did not end cleanly; the file was walked and is sound.
    pub unclean: bool,
    /// The store is new.
    pub created: bool,
    /// What a person should know, one sentence each.
    pub warnings: Vec<String>,
}

/// The result of a full check of the file's structure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StructureReport {
    /// Pages that hold something, headers included.
    pub pages_used: u64,
    /// Pages that can be used again.
    pub pages_free: u64,
    /// What is wrong, one sentence each; empty for a sound file.
    pub findings: Vec<String>,
}

/// An open store. Dropping it closes it cleanly.
pub struct Store {
    /// Empty only while the store is being dropped.
    opened: Option<Opened>,
    folder: PathBuf,
    read_only: bool,
    gate: Gate,
    line: Line,
    counts: Counts,
    /// A commit failed in a way after which nothing may be believed until the file has been walked.
    is_broken: AtomicBool,
}

impl Store {
    /// Opens the store in `folder`, or makes a new one there.
    ///
    /// # Errors
    /// Every kind but `Busy`; each with its sentence.
    pub fn open(
        folder: &FsPath,
        options: &StoreOptions,
    ) -> Result<(Store, OpenReport), StoreError> {
        let (opened, report) = open::open(folder, options)?;
        let store = Store {
            folder: opened.folder.clone(),
            opened: Some(opened),
            read_only: options.read_only,
            gate: Gate::default(),
            line: Line::default(),
            counts: Counts::default(),
            is_broken: AtomicBool::new(false),
        };
        Ok((store, report))
    }

    /// A short read. The transaction ends with the call. Do not call the store again from inside.
    ///
    /// # Errors
    /// What `work` returns; `Busy` when too many readers are alive.
    pub fn read<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&Reader<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let env = self.env()?;
        let _inside = self.gate.enter();
        let txn = env.read().map_err(StoreError::from)?;
        work(&Reader::new(&txn, &env.tables))
    }

    /// A write transaction, unless a failed write forbids it.
    pub(super) fn begin<'s>(&'s self, env: &'s Environment) -> Result<Writer<'s>, StoreError> {
        if self.is_broken.load(Ordering::Relaxed) {
            return Err(StoreError::Io {
                what: "A write to the disk failed, so the store takes no more changes; \
                       close and open it again to have it checked"
                    .to_owned(),
            });
        }
        let txn = env.write().map_err(|error| self.failed(error))?;
        Ok(Writer::new(txn, &env.tables))
    }

    pub(super) fn check_writable(&self) -> Result<(), StoreError> {
        if self.read_only {
            return Err(StoreError::ReadOnly { what: "it was opened for reading".to_owned() });
        }
        Ok(())
    }

    pub(super) fn line(&self) -> &Line {
        &self.line
    }

    pub(super) fn gate(&self) -> &Gate {
        &self.gate
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.counts
    }

    pub(super) fn grow(&self) -> Result<(), StoreError> {
        let Some(closed) = self.gate.close(MAP_GROWTH_WAIT) else {
            return Err(StoreError::Busy { what: "a long read keeps it from growing".to_owned() });
        };
        self.env()?.grow(&closed)
    }

    /// The meaning of a failed write, and what the store makes of it.
    pub(super) fn failed(&self, error: heed::Error) -> StoreError {
        match Fault::of(&error, folder::free_bytes(&self.folder)) {
            Fault::DiskFull => StoreError::DiskFull { wanted_bytes: DISK_ROOM_BYTES_WANTED },
            Fault::Suspect => {
                self.is_broken.store(true, Ordering::Relaxed);
                let reason = StoreError::from(error).to_string();
                StoreError::OutcomeUnknown { what: reason.trim_end_matches('.').to_owned() }
            }
            _ => error.into(),
        }
    }

    pub(super) fn env(&self) -> Result<&Environment, StoreError> {
        let opened = self.opened.as_ref().map(|opened| &opened.env);
        opened.ok_or_else(|| StoreError::Bug { what: "the store is closed".to_owned() })
    }

    /// Bytes of `data.mdb` on disk; 0 when the system does not tell.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.env().ok().and_then(|env| env.env().real_disk_size().ok()).unwrap_or(0)
    }

    /// Bytes of the pages that hold something, without the list of free pages; 0 when it can't be told.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        self.used().unwrap_or(0)
    }

    fn used(&self) -> Result<u64, StoreError> {
        let env = self.env()?;
        let _inside = self.gate.enter();
        let txn = env.read()?;
        let main = env.env().unnamed_database_stat();
        // Two header pages and the one of the list of tables.
        let mut pages = 2 + main.branch_pages + main.leaf_pages + main.overflow_pages;
        for table in env.tables.all() {
            let stat = table.stat(&txn)?;
            pages += stat.branch_pages + stat.leaf_pages + stat.overflow_pages;
        }
        Ok(pages as u64 * u64::from(main.page_size))
    }

    /// The data folder.
    #[must_use]
    pub fn folder(&self) -> &FsPath {
        &self.folder
    }

    /// Checks the structure of the file of an open store; writers wait meanwhile.
    ///
    /// # Errors
    /// When the file can't be read. Damage is a finding, not an error.
    pub fn check(&self) -> Result<StructureReport, StoreError> {
        let data_file = self.folder.join(DATA_FILE);
        if self.read_only || self.is_broken.load(Ordering::Relaxed) {
            return walk_file(&data_file);
        }
        // The transaction writes nothing; it keeps every other writer out.
        self.write_in_turn(|_| walk_file(&data_file), false)
    }

    /// Says at once whether another program has the store open, without opening it.
    ///
    /// # Errors
    /// `InUse` with the number of its process.
    pub fn check_free(folder: &FsPath) -> Result<(), StoreError> {
        AppLock::check_free(folder)
    }

    /// Checks the structure of a store that nobody has open.
    ///
    /// # Errors
    /// `InUse`, or the file can't be read. Damage is a finding, not an error.
    pub fn check_structure(folder: &FsPath) -> Result<StructureReport, StoreError> {
        let data_file = folder.join(DATA_FILE);
        let _lock = match AppLock::take(folder, false) {
            Err(StoreError::ReadOnly { .. }) => AppLock::take(folder, true),
            other => other,
        }?;
        let _registration = Registration::take(&data_file)?;
        walk_file(&data_file)
    }

    /// Writes a consistent, compact copy to `file`, which appears whole or not at all.
    ///
    /// # Errors
    /// When `file` lies in the data folder or is not a regular file, or a step fails; an older backup
    /// under that name is then still there.
    pub fn backup_to(
        &self,
        file: &FsPath,
        progress: &mut dyn FnMut(BackupStage),
    ) -> Result<(), StoreError> {
        let (env, bytes) = (self.env()?, self.used_bytes());
        let copy = |target: &mut File| {
            let _inside = self.gate.enter();
            env.env()
                .copy_to_file(target, heed::CompactionOption::Enabled)
                .map_err(|error| backup::copy_failed(error.into()))
        };
        backup::write(&self.folder, file, bytes, copy, progress)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let Some(opened) = self.opened.take() else { return };
        let Opened { env, folder, mut card, _registration, mut lock } = opened;
        let last_transaction = open::last_transaction(&env);
        env.close();
        if self.is_broken.load(Ordering::Relaxed) {
            lock.end_uncleanly();
        } else if !self.read_only && card.last_transaction != last_transaction {
            card.last_transaction = last_transaction;
            if card.write(&folder).is_err() {
                lock.end_uncleanly();
            }
        }
    }
}

fn walk_file(data_file: &FsPath) -> Result<StructureReport, StoreError> {
    let file = File::open(data_file)
        .map_err(|error| StoreError::io("Can't read the data file", &error))?;
    walk::walk(&file)
}
