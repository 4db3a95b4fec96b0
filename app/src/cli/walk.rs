//! `mayfly walk`, which the program starts itself: a process that looks at a file for another one.

use mayfly_engine::store::{StoreOptions, WalkProgram, walk_standard_input};

use super::Failure;

/// The word on the command line.
const WALK: &str = "walk";

/// Walks the file that is the standard input, for the process that reads the standard output.
pub(super) fn run() -> Result<(), Failure> {
    walk_standard_input().map_err(|error| Failure(format!("Can't report the result: {error}.")))
}

/// This program, to walk a file in a process of its own.
pub(super) fn itself() -> Option<WalkProgram> {
    // The program as it runs, also when an update has put another one in its place.
    #[cfg(target_os = "linux")]
    let program = Some("/proc/self/exe".into());
    #[cfg(not(target_os = "linux"))]
    let program = std::env::current_exe().ok();
    program.map(|program| WalkProgram { program, arguments: vec![WALK.into()] })
}

/// How the command line opens a store.
pub(super) fn store_options() -> StoreOptions {
    StoreOptions { walker: itself(), ..StoreOptions::default() }
}
