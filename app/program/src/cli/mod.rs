//! The command line: the same engine without a window.
//!
//! Errors go to standard error as one plain sentence. The exit code is 0 only on success.

#[macro_use]
pub(crate) mod terminal;

mod args;
mod audit;
mod audit_args;
mod backup;
mod check;
mod compact;
mod export;
mod failure;
mod generate;
mod import;
mod import_columns;
mod import_dump;
mod import_indexes;
mod job_line;
mod lesson;
mod lesson_args;
mod lesson_check;
mod lesson_exam;
mod lesson_play;
mod lesson_progress;
mod limits;
mod metrics;
mod named_paths;
mod progress_line;
mod prompt;
mod restore;
mod script_file;
mod scrub;
mod serve;
mod serve_warnings;
mod server;
mod shell;
mod standard_io;
mod store;
mod verify;
mod walk;
mod watch;
mod watch_lines;
mod watch_screen;
mod watched_store;
mod window;

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use clap::Parser as _;

pub use args::{Args, Command};
pub use failure::Failure;
use named_paths::NamedPaths;
pub use window::{WindowOutcome, WindowRequest};

use self::failure::start_ms;
use crate::job::{Beginning, OpenRequest, Sandbox};
use crate::shutdown::ShutdownSignal;
use crate::source::embedded::first_request;

/// Parses the arguments and runs the command. `window` opens the window, which a signal closes.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    window: impl FnOnce(WindowRequest, ShutdownSignal) -> Result<WindowOutcome, Failure>,
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
        Ok(code) => code,
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
    window: impl FnOnce(WindowRequest, ShutdownSignal) -> Result<WindowOutcome, Failure>,
) -> Result<ExitCode, Failure> {
    // Before a store is opened: a signal during that time must count too.
    let shutdown = ShutdownSignal::listen().map_err(Failure::from_error)?;
    match args.command {
        None => {
            let request = request(&args)?;
            let (data, beginning) = (request.store.folder.clone(), request.beginning.clone());
            match window(request, shutdown)? {
                WindowOutcome::Closed => Ok(()),
                WindowOutcome::NoDisplay => without_window(&args, data, beginning),
            }
        }
        Some(Command::Watch(args)) => watch::run(&args),
        Some(Command::Audit(args)) => return Ok(audit::run(&args, &shutdown)),
        Some(Command::Metrics(args)) => metrics::run(&args, &shutdown),
        Some(Command::Import(args)) => import::run(&args),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Lesson(args)) => return lesson::run(&args, shutdown, window),
        Some(Command::Verify(args)) => verify::run(&args),
        Some(Command::Backup(args)) => backup::run(&args),
        Some(Command::Restore(args)) => restore::run(&args),
        Some(Command::Compact(args)) => compact::run(&args),
        Some(Command::Scrub(args)) => scrub::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Generate(args)) => generate::run(&args),
        Some(Command::Walk) => walk::run(),
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Shell(args)) => shell::run(args),
    }
    .map(|()| ExitCode::SUCCESS)
}

/// Runs in the terminal, because there is no display.
fn without_window(
    args: &Args,
    data: Option<PathBuf>,
    beginning: Option<Beginning>,
) -> Result<(), Failure> {
    let instead = match beginning {
        Some(Beginning::Files(_)) => "To import files without a window, use mayfly import",
        Some(Beginning::Backup(_)) => "To restore a backup without a window, use mayfly restore",
        Some(Beginning::Lessons(_)) => "To play a lesson without a window, use mayfly lesson play",
        Some(Beginning::Refused(sentence)) => return Err(Failure(format!("{sentence}."))),
        None if args.sandbox => {
            "For a sandbox in the terminal, use mayfly watch --sandbox or mayfly serve --simulated-clock"
        }
        None => {
            eprintln!("No display found; running mayfly watch instead.");
            let demo = args.demo;
            return watch::run(&args::Watch { data, demo, ..args::Watch::default() });
        }
    };
    Err(Failure(format!("No display found. {instead}.")))
}

/// The store that the window opens, and how.
fn request(args: &Args) -> Result<WindowRequest, Failure> {
    let (folder, beginning) = match named_paths::sort(&args.path) {
        NamedPaths::Nothing => (None, None),
        NamedPaths::Store(folder) => (Some(folder), None),
        NamedPaths::Beginning(beginning) => (None, Some(beginning)),
    };
    if folder.is_some() && (args.demo || args.sandbox) {
        let option = if args.sandbox { "--sandbox" } else { "--demo" };
        return Err(Failure(format!("{option} opens a separate store; leave out the folder.")));
    }
    let sandbox = match (args.sandbox, args.demo) {
        (true, true) => Some(Sandbox::Demo),
        (true, false) => Some(Sandbox::Empty),
        (false, _) => None,
    };
    let at = args.at.as_deref();
    let named = OpenRequest {
        folder,
        demo: args.demo && !args.sandbox,
        sandbox,
        simulated_start_ms: at.map(|at| start_ms("--at", at)).transpose()?,
        walker: walk::itself(),
        ..OpenRequest::default()
    };
    let open_last = named.is_own();
    // Files that are opened go into the user's own store, which is made for it.
    let writes = beginning.as_ref().is_some_and(Beginning::writes);
    let store = if writes { named } else { first_request(named) };
    Ok(WindowRequest { store, open_last, present: args.present, lesson: None, beginning })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &str) -> Result<OpenRequest, String> {
        let args = Args::try_parse_from(arguments.split(' ')).map_err(|error| error.to_string())?;
        request(&args).map(|request| request.store).map_err(|failure| failure.0)
    }

    #[test]
    fn a_presentation_is_asked_for() {
        for (arguments, expected) in [
            ("mayfly --present", true),
            ("mayfly folder --present", true),
            ("mayfly --sandbox --demo --present", true),
            ("mayfly --demo", false),
        ] {
            let args = Args::try_parse_from(arguments.split(' ')).expect(arguments);
            assert_eq!(request(&args).map(|request| request.present), Ok(expected), "{arguments}");
        }
    }

    #[test]
    fn the_last_store_is_opened_where_none_is_named() {
        for (arguments, expected) in [
            ("mayfly", true),
            ("mayfly --present", true),
            ("mayfly folder", false),
            ("mayfly --demo", false),
            ("mayfly --sandbox", false),
        ] {
            let args = Args::try_parse_from(arguments.split(' ')).expect(arguments);
            assert_eq!(request(&args).map(|found| found.open_last), Ok(expected), "{arguments}");
        }
    }

    #[test]
    fn what_is_opened_goes_into_a_store_of_the_user() {
        let file = tempfile::Builder::new().suffix(".json").tempfile().expect("a file");
        let name = file.path().to_str().expect("a path");
        let files = Some(Beginning::Files(vec![file.path().to_owned()]));
        for (options, demo, sandbox, open_last) in [
            (&[][..], false, None, true),
            (&["--demo"], true, None, false),
            (&["--sandbox"], false, Some(Sandbox::Empty), false),
        ] {
            let arguments = [&["mayfly", name], options].concat();
            let args = Args::try_parse_from(&arguments).expect("arguments");
            let found = request(&args).expect("a request");
            assert_eq!(found.beginning, files, "{options:?}");
            let store = (found.store.demo, found.store.sandbox, found.open_last);
            assert_eq!(store, (demo, sandbox, open_last), "{options:?}");
        }
        let gone = Args::try_parse_from(["mayfly", "gone.json"]).expect("arguments");
        let refused = Some(Beginning::Refused("gone.json doesn't exist".to_owned()));
        assert_eq!(request(&gone).map(|found| found.beginning), Ok(refused));
        for option in ["--demo", "--sandbox"] {
            let sentence = format!("{option} opens a separate store; leave out the folder.");
            assert_eq!(parsed(&format!("mayfly folder {option}")), Err(sentence));
        }
    }

    #[test]
    fn a_sandbox_is_asked_for() {
        let check = |arguments, sandbox, start_ms| {
            let request = parsed(arguments).expect(arguments);
            let found = (request.sandbox, request.simulated_start_ms, request.demo);
            assert_eq!(found, (sandbox, start_ms, false), "{arguments}");
        };
        check("mayfly --sandbox", Some(Sandbox::Empty), None);
        check("mayfly --sandbox --demo", Some(Sandbox::Demo), None);
        check(
            "mayfly --sandbox --at 1970-01-01T01:00:00+00:30",
            Some(Sandbox::Empty),
            Some(1_800_000),
        );
        let wrong = parsed("mayfly --sandbox --at tomorrow");
        assert_eq!(
            wrong,
            Err("--at tomorrow: use a time such as 2026-01-01T00:00:00Z.".to_owned())
        );
        for refused in ["mayfly folder --sandbox", "mayfly --at 2026-01-01T00:00:00Z"] {
            assert!(parsed(refused).is_err(), "{refused}");
        }
    }
}
