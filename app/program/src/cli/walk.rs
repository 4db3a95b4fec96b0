//! `mayfly walk`: a process that the program starts itself, to check a file for it.

use mayfly_engine::store::{StoreOptions, WalkProgram, walk_standard_input};

use super::Failure;

/// The subcommand's name.
const WALK: &str = "walk";

/// Checks the file on standard input for the process that reads standard output.
pub(super) fn run() -> Result<(), Failure> {
    walk_standard_input().map_err(|error| Failure(format!("Can't report the result: {error}.")))
}

/// This program as a checker in another process.
pub(super) fn itself() -> Option<WalkProgram> {
    // The running binary, even if an update has replaced the file.
    #[cfg(target_os = "linux")]
    let program = Some("/proc/self/exe".into());
    #[cfg(not(target_os = "linux"))]
    let program = std::env::current_exe().ok();
    program.map(|program| WalkProgram { program, arguments: vec![WALK.into()] })
}

/// The command line's options for opening a store.
pub(super) fn store_options() -> StoreOptions {
    StoreOptions { walker: itself(), ..StoreOptions::default() }
}
