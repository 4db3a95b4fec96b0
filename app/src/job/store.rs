//! Which store is opened, what it can do, and what the window says about it.

use std::path::PathBuf;

use mayfly_engine::engine::OpenError;
use mayfly_engine::store::WalkProgram;

/// The databases of the demo store that hold sample data.
pub const SAMPLE_DATABASES: [&str; 2] = ["demo", "shop"];

/// Which store to open, and how.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OpenRequest {
    /// The data folder. `None`: one in the platform's data directory.
    pub folder: Option<PathBuf>,
    /// Open the demo store, which is filled with sample data while it is empty. It is kept beside the
    /// user's own store.
    pub demo: bool,
    /// Run the store on a simulated clock that starts at this instant, in milliseconds since 1970.
    pub simulated_start_ms: Option<i64>,
    /// The program that walks a file the user picked; `None`: this process does.
    pub walker: Option<WalkProgram>,
}

impl OpenRequest {
    /// The data folder.
    ///
    /// # Errors
    /// One sentence: no home folder was found.
    pub fn data_folder(&self) -> Result<PathBuf, OpenError> {
        self.folder.clone().map_or_else(|| default_folder(self.demo), Ok)
    }

    /// Whether this is the user's own store, which needs no folder to be named.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.folder.is_none() && !self.demo
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

/// What a source can do beyond answering commands.
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
}

/// Something unwise, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// One or two sentences.
    pub sentence: String,
    /// A command for a terminal that puts it right.
    pub command: Option<String>,
}
