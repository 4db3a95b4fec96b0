//! The command line: the same engine without a window.
//!
//! Errors go to standard error as one plain sentence. The exit code is 0 only on success.

mod args;
mod backup;
mod check;
mod compact;
mod export;
mod import;
mod job_line;
mod limits;
mod progress_line;
mod restore;
mod scrub;
mod serve;
mod store;
mod verify;
mod walk;
mod watch;
mod watch_lines;
mod watch_screen;

use std::{ffi::OsString, process::ExitCode};

use clap::Parser as _;

pub use args::{Args, Command};

use crate::{
    shutdown::ShutdownSignal,
    source::{OpenRequest, embedded::first_request},
};

/// Why a command failed: one sentence for standard error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(pub String);

impl Failure {
    /// From an error whose text is a sentence.
    fn from_error(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// Whether a window was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowOutcome {
    /// It was open and is closed now.
    Closed,
    /// There is no display.
    NoDisplay,
}

/// Parses the arguments and runs the command. `window` opens the window, which a signal closes.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    window: impl FnOnce(OpenRequest, ShutdownSignal) -> Result<WindowOutcome, Failure>,
) -> ExitCode {
    let args = match Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => {
            let code = u8::try_from(error.exit_code()).unwrap_or(1);
            // If standard error is closed, the message can't be printed anywhere.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match dispatch(args, window) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(sentence)) => {
            if !sentence.is_empty() {
                eprintln!("{sentence}");
            }
            ExitCode::FAILURE
        }
    }
}

fn dispatch(
    args: Args,
    window: impl FnOnce(OpenRequest, ShutdownSignal) -> Result<WindowOutcome, Failure>,
) -> Result<(), Failure> {
    // Before a store is opened: a signal during that time must count too.
    let shutdown = ShutdownSignal::listen().map_err(Failure::from_error)?;
    match args.command {
        None => {
            let request = first_request(OpenRequest {
                folder: args.folder.clone(),
                demo: args.demo,
                walker: walk::itself(),
                ..OpenRequest::default()
            });
            match window(request, shutdown)? {
                WindowOutcome::Closed => Ok(()),
                WindowOutcome::NoDisplay => {
                    eprintln!("No display found; running mayfly watch instead.");
                    let (data, demo) = (args.folder, args.demo);
                    watch::run(&args::Watch { data, demo, db: None, collection: None })
                }
            }
        }
        Some(Command::Watch(args)) => watch::run(&args),
        Some(Command::Import(args)) => import::run(&args),
        Some(Command::Export(args)) => export::run(args),
        Some(Command::Verify(args)) => verify::run(&args),
        Some(Command::Backup(args)) => backup::run(&args),
        Some(Command::Restore(args)) => restore::run(&args),
        Some(Command::Compact(args)) => compact::run(&args),
        Some(Command::Scrub(args)) => scrub::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Walk) => walk::run(),
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Shell(_)) => Err(not_supported("shell")),
    }
}

fn not_supported(command: &str) -> Failure {
    Failure(format!("mayfly {command} is not supported yet."))
}
