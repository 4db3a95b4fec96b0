//! Which store is opened, what it can do, and what the window says about it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mayfly_engine::engine::{CopyReport, OpenError};
use mayfly_engine::store::WalkProgram;
use tempfile::TempDir;

use super::Server;

/// The database of the demo store whose collections traffic writes to.
pub const TRAFFIC_DATABASE: &str = "demo";

/// The databases of the demo store that hold sample data.
pub const SAMPLE_DATABASES: [&str; 2] = ["demo", "shop"];

#[derive(Debug, Clone, PartialEq, Default)]
pub struct OpenRequest {
    /// The data folder. `None` for one in the platform's data directory.
    pub folder: Option<PathBuf>,
    /// Open the demo store, which is filled with sample data while it is empty. It is kept next to
    /// the user's own store.
    pub demo: bool,
    /// Open a new store in a temporary folder, on a simulated clock that stands still.
    pub sandbox: Option<Sandbox>,
    /// Run the store on a simulated clock that starts at this instant, in milliseconds since 1970.
    /// `None` runs it on the clock that it last ran on; a sandbox starts at the present minute.
    pub simulated_start_ms: Option<i64>,
    /// Refuse a folder without a store instead of making a store in it.
    pub must_exist: bool,
    /// Attach to this server instead of opening a folder.
    pub server: Option<Box<Server>>,
    /// The program that walks a file the user picked. Without one this process does.
    pub walker: Option<WalkProgram>,
}

/// The initial contents of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sandbox {
    Empty,
    Demo,
    /// A copy of a collection. The TTL monitor is off at first.
    Copy(CopiedStore),
}

/// A temporary folder that other programs see as in use. Dropping it removes it.
#[derive(Debug)]
pub struct SandboxFolder {
    /// Released first: a system may refuse to remove an open file.
    lock: Option<File>,
    folder: TempDir,
}

impl SandboxFolder {
    /// Owns the folder, and the lock on a file in it.
    pub fn new(lock: File, folder: TempDir) -> Self {
        Self { lock: Some(lock), folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for SandboxFolder {
    fn drop(&mut self) {
        self.lock = None;
    }
}

/// A store in a temporary folder, which goes away with the last clone.
#[derive(Debug, Clone)]
pub struct CopiedStore {
    folder: Arc<SandboxFolder>,
    pub report: CopyReport,
}

impl CopiedStore {
    /// Owns the folder.
    pub fn new(folder: SandboxFolder, report: CopyReport) -> Self {
        Self { folder: Arc::new(folder), report }
    }

    /// The folder around the data folder.
    pub fn folder(&self) -> &Arc<SandboxFolder> {
        &self.folder
    }
}

impl PartialEq for CopiedStore {
    fn eq(&self, other: &Self) -> bool {
        self.folder.path() == other.folder.path()
    }
}

impl Eq for CopiedStore {}

/// The instant of a time in RFC 3339, in milliseconds since 1970.
///
/// # Errors
/// One sentence with an example.
pub fn instant_ms(text: &str) -> Result<i64, String> {
    bson::DateTime::parse_rfc3339_str(text.trim())
        .map(bson::DateTime::timestamp_millis)
        .map_err(|_| format!("{text}: use a time such as 2026-01-01T00:00:00Z"))
}

impl OpenRequest {
    /// Whether the folder goes away with the store.
    pub fn is_temporary(&self) -> bool {
        self.sandbox.is_some()
    }

    /// The data folder; a sandbox has none before it is open, and a server never.
    ///
    /// # Errors
    /// One sentence: no home folder was found, or it is a sandbox or a server.
    pub fn data_folder(&self) -> Result<PathBuf, OpenError> {
        if let Some(server) = &self.server {
            let name = server.string.name();
            return Err(OpenError::new(format!("{name} is a server and has no folder here")));
        }
        if self.is_temporary() {
            return Err(OpenError::new("The sandbox is not open".to_owned()));
        }
        self.folder.clone().map_or_else(|| default_folder(self.demo), Ok)
    }

    /// Whether this is the user's own store, which needs no folder to be named.
    pub fn is_own(&self) -> bool {
        self.folder.is_none() && !self.demo && !self.is_temporary() && self.server.is_none()
    }
}

/// Where a store is kept when no folder is named.
fn default_folder(demo: bool) -> Result<PathBuf, OpenError> {
    let folders = directories::ProjectDirs::from("", "", "mayfly");
    let name = if demo { "demo" } else { "store" };
    folders.map(|folders| folders.data_dir().join(name)).ok_or_else(|| {
        OpenError::new("No home folder found; give a data folder on the command line".to_owned())
    })
}

/// The abilities of a source beyond answering commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one answer a question, none depends on another")]
pub struct Capabilities {
    /// Files can be imported and exported.
    pub transfer: bool,
    /// Other programs can connect through a listener.
    pub listener: bool,
    /// The clock is simulated and can be set.
    pub simulated_clock: bool,
    /// The reaper reports each pass and the removed documents.
    pub reaper_events: bool,
    /// It can be backed up, restored, compacted and verified.
    pub maintenance: bool,
    /// Passes can be run and scheduled, and documents on hold released.
    pub reaper: bool,
    /// Removed documents can be kept, in the trash and in archives.
    pub archives: bool,
    /// A database can follow the rules of Azure Cosmos DB.
    pub dialects: bool,
    /// A collection can be copied into a sandbox.
    pub sandboxes: bool,
}

/// Something unwise, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    pub sentence: String,
    /// A command for a terminal that puts it right.
    pub command: Option<String>,
}
