//! The open store.

use std::path::Path as FsPath;

use super::{Reader, StoreError, Writer};

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
        Self { map_size_bytes: 1 << 40, read_only: false, full_check: false, now_ms: 0 }
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

/// Where a backup stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackupStage {
    /// Copying; about this many bytes will be written.
    Copying {
        /// Bytes in use in the store.
        bytes: u64,
    },
    /// The copy is on disk and its structure is being checked.
    Checking {
        /// Bytes of the copy.
        bytes: u64,
    },
    /// The copy stands under its name.
    Done {
        /// Bytes of the copy.
        bytes: u64,
    },
}

/// An open store. Dropping it closes it cleanly.
pub struct Store {}

impl Store {
    /// Opens the store in `folder`, or makes a new one there.
    ///
    /// # Errors
    /// Every kind but `Busy`; each with its sentence.
    pub fn open(
        _folder: &FsPath,
        _options: &StoreOptions,
    ) -> Result<(Store, OpenReport), StoreError> {
        todo!()
    }

    /// A short read. The transaction ends with the call. Do not call the store again from inside.
    ///
    /// # Errors
    /// What `work` returns; `Busy` when too many readers are alive.
    pub fn read<T, E: From<StoreError>>(
        &self,
        _work: impl FnOnce(&Reader<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        todo!()
    }

    /// One durable write transaction: commits when `work` returns `Ok`, else nothing of it remains.
    /// `work` runs again from the start after the map grew, so it must be repeatable.
    ///
    /// # Errors
    /// What `work` returns; `DiskFull`, `ReadOnly` or `Io` when the commit fails.
    pub fn write<T, E: From<StoreError>>(
        &self,
        _work: impl FnMut(&mut Writer<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        todo!()
    }

    /// Bytes of `data.mdb` on disk.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        todo!()
    }

    /// Bytes of the pages that hold something.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        todo!()
    }

    /// The data folder.
    #[must_use]
    pub fn folder(&self) -> &FsPath {
        todo!()
    }

    /// Checks the structure of the file of an open store; writers wait meanwhile.
    ///
    /// # Errors
    /// When the file can't be read. Damage is a finding, not an error.
    pub fn check(&self) -> Result<StructureReport, StoreError> {
        todo!()
    }

    /// Checks the structure of a store that nobody has open.
    ///
    /// # Errors
    /// `InUse`, or the file can't be read. Damage is a finding, not an error.
    pub fn check_structure(_folder: &FsPath) -> Result<StructureReport, StoreError> {
        todo!()
    }

    /// Writes a consistent, compact copy to `file`, which appears whole or not at all.
    ///
    /// # Errors
    /// When `file` lies in the data folder or is not a regular file, or a step fails; an older backup
    /// under that name is then still there.
    pub fn backup_to(
        &self,
        _file: &FsPath,
        _progress: &mut dyn FnMut(BackupStage),
    ) -> Result<(), StoreError> {
        todo!()
    }
}
