//! `mayfly audit`: whether the TTL rules of a store or a server work.
//!
//! Standard output has the audit and nothing else, so that it can go to a file. Progress is on standard
//! error if that is a terminal.

use std::env;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::bounded;
use mayfly_engine::transfer::{check_target, export_text};

use super::audit_args::{Audit, FailOn};
use super::limits::POLL_INTERVAL;
use super::standard_io::is_standard;
use super::store::check_exists;
use super::walk::itself;
use super::{Failure, server, terminal};
use crate::inspect::audit::facts::AuditEnd;
use crate::inspect::audit::form::{self, Paint};
use crate::inspect::audit::samples::Samples;
use crate::inspect::audit::{self, AuditProgress, Severity};
use crate::job::Cancel;
use crate::lessons::file::duration_ms;
use crate::limits::{AUDIT_SAMPLES_APART, AUDIT_SAMPLES_MAX};
use crate::shutdown::ShutdownSignal;
use crate::source::embedded::{first_request, open_to_read};
use crate::source::{OpenRequest, Opened};
use crate::worker::audit::{AuditSubject, AuditWork};

/// How a store that another program has open is audited all the same.
const IN_USE: &str = " Or audit it while it is open: in that program's window with TTL audit…, or here with \
                      --uri-env and its connection string, which mayfly serve prints and the window has under \
                      Connect other programs….";

/// The exit code of an audit that has a finding at or above `--fail-on`.
const FOUND: u8 = 1;

/// The exit code of an audit that could not run, or not to its end.
const NOT_RUN: u8 = 2;

/// Audits and prints. Returns the exit code.
pub(super) fn run(args: &Audit, shutdown: &ShutdownSignal) -> ExitCode {
    let code = check(args).and_then(|()| {
        let audit = audited(args, Looks::UntilKnown, shutdown)?;
        write(args, &audit)?;
        Ok(code(args.fail_on, &audit))
    });
    ExitCode::from(code.unwrap_or_else(|Failure(sentence)| {
        eprintln!("{sentence}");
        NOT_RUN
    }))
}

/// Whether the page can be written, before anything is read.
fn check(args: &Audit) -> Result<(), Failure> {
    let Some(file) = args.html.as_deref().filter(|file| !is_standard(file)) else { return Ok(()) };
    check_target(file, Path::new("")).map(drop).map_err(|error| Failure(error.to_string()))
}

/// The exit code of an audit that was written.
fn code(fail_on: Option<FailOn>, audit: &audit::Audit) -> u8 {
    let least = match fail_on {
        _ if audit.facts.effort.end == AuditEnd::Canceled => return NOT_RUN,
        None => return 0,
        Some(FailOn::Error) => Severity::Error,
        Some(FailOn::Warning) => Severity::Warning,
    };
    let is_unfinished = audit.facts.effort.end != AuditEnd::Complete
        || audit.facts.collections.iter().any(|collection| collection.unfinished.is_some());
    match () {
        () if audit.has(least) => FOUND,
        () if is_unfinished => NOT_RUN,
        () => 0,
    }
}

/// How often a server's backlog is looked at, to say whether its monitor keeps up.
pub(super) enum Looks {
    /// At least twice, and again until it is known or the time is over.
    UntilKnown,
    /// Twice, after these.
    After(Samples),
}

/// Reads and judges what the arguments name.
pub(super) fn audited(
    args: &Audit,
    looks: Looks,
    shutdown: &ShutdownSignal,
) -> Result<audit::Audit, Failure> {
    let time_limit = time_limit(&args.time_limit)?;
    let (opened, subject) = match &args.of.uri_env {
        Some(variable) => of_server(server::open(variable)?),
        None => of_store(open(args.of.data.as_deref())?),
    };
    let mut work = AuditWork {
        databases: args.of.db.clone(),
        collections: args.of.collection.clone(),
        time_limit,
        ..AuditWork::new(subject)
    };
    match looks {
        Looks::UntilKnown => {
            (work.samples_max, work.samples_apart) = (AUDIT_SAMPLES_MAX, AUDIT_SAMPLES_APART);
        }
        Looks::After(samples) => work.samples = samples,
    }
    let source = Arc::clone(&opened.source);
    let found = with_progress(shutdown, |cancel, tell| work.run(source.as_ref(), cancel, tell));
    source.close();
    let mut audit = found?.map_err(|sentence| Failure(format!("{sentence}.")))?;
    if args.no_examples {
        audit.leave_out_examples();
    }
    Ok(audit)
}

fn time_limit(text: &str) -> Result<Duration, Failure> {
    let ms = duration_ms(text).and_then(|ms| u64::try_from(ms).ok()).filter(|ms| *ms > 0);
    ms.map(Duration::from_millis)
        .ok_or_else(|| Failure(format!("--time-limit {text}: use a time such as 60s, 5m or 1h.")))
}

fn open(folder: Option<&Path>) -> Result<Opened, Failure> {
    let folder = match folder {
        Some(folder) => folder.to_owned(),
        None => first_request(OpenRequest::default()).data_folder().map_err(Failure::from_error)?,
    };
    check_exists(&folder)?;
    let opened = open_to_read(&folder, itself()).map_err(|error| {
        // LMDB would let a second process read, but the engine's catalog and its check of pages would not
        // follow what the first one writes.
        let way = if error.is_in_use { IN_USE } else { "" };
        Failure(format!("{error}{way}"))
    })?;
    for warning in &opened.warnings {
        eprintln!("{warning}");
    }
    Ok(opened)
}

fn of_store(opened: Opened) -> (Opened, AuditSubject) {
    let name = opened.name.clone();
    (opened, AuditSubject { name, is_at_rest: true, ..AuditSubject::default() })
}

fn of_server(opened: Opened) -> (Opened, AuditSubject) {
    let subject = AuditSubject::of(opened.name.clone(), opened.attached.as_deref());
    (opened, subject)
}

/// Runs the audit on a thread and shows how far it is on a terminal. A signal cancels it.
fn with_progress<T: Send>(
    shutdown: &ShutdownSignal,
    work: impl FnOnce(&Cancel, &dyn Fn(AuditProgress)) -> T + Send,
) -> Result<T, Failure> {
    let cancel = Cancel::default();
    let is_terminal = io::stderr().is_terminal();
    // Only the newest counts; one that finds no room is followed by the next.
    let (sender, receiver) = bounded(1);
    thread::scope(|scope| {
        let worker = thread::Builder::new().name("audit".to_owned()).spawn_scoped(scope, || {
            work(&cancel, &|progress| {
                let _ = sender.try_send(progress);
            })
        });
        let worker = worker.map_err(|error| Failure(format!("Can't start a thread: {error}.")))?;
        while !worker.is_finished() {
            if shutdown.is_requested() {
                cancel.cancel();
            }
            if let Ok(progress) = receiver.recv_timeout(POLL_INTERVAL)
                && is_terminal
            {
                eprint!("\r\x1b[K{progress}");
                // A broken terminal must not stop the work.
                let _ = io::stderr().flush();
            }
        }
        if is_terminal {
            eprint!("\r\x1b[K");
        }
        worker.join().map_err(|_| Failure("The audit ended unexpectedly.".to_owned()))
    })
}

fn write(args: &Audit, audit: &audit::Audit) -> Result<(), Failure> {
    if let Some(file) = args.html.as_deref().filter(|file| !is_standard(file)) {
        if audit.facts.effort.end == AuditEnd::Canceled {
            let file = file.display();
            return Err(Failure(format!("The audit was canceled, so {file} was not written.")));
        }
        let written = export_text(file, &form::html(audit));
        return written.map(drop).map_err(|error| Failure(error.to_string()));
    }
    let is_colored =
        io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let paint = if is_colored { Paint::Colors } else { Paint::Plain };
    let shown = match () {
        () if args.json => json(audit),
        () if args.markdown => form::markdown(audit),
        () if args.html.is_some() => form::html(audit),
        () => form::text(audit, paint),
    };
    match io::stdout().lock().write_all(shown.as_bytes()) {
        // The reader has enough, such as `head`.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure(format!("Can't write to standard output: {error}.")))
        }
        _ => Ok(()),
    }
}

/// JSON in lines, with escapes for what a terminal would obey.
fn json(audit: &audit::Audit) -> String {
    let lines = format!("{:#}", form::json(audit));
    lines.lines().map(|line| terminal::json(line) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser as _;

    use super::*;
    use crate::cli::{Args, Command};
    use crate::inspect::audit::Facts;
    use crate::inspect::audit::facts::CollectionFacts;
    use crate::job::Namespace;

    #[test]
    fn a_time_limit_has_a_unit() {
        assert_eq!(time_limit("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(time_limit("5m"), Ok(Duration::from_mins(5)));
        for wrong in ["", "60", "soon", "0s", "-1m"] {
            let sentence = format!("--time-limit {wrong}: use a time such as 60s, 5m or 1h.");
            assert_eq!(time_limit(wrong), Err(Failure(sentence)));
        }
    }

    #[test]
    fn a_page_replaces_a_file_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let page = folder.path().join("page.html");
        fs::write(&page, "an older one").expect("written");
        let refused = |path: &Path| {
            let path = path.to_str().expect("text");
            let args = Args::try_parse_from(["mayfly", "audit", "--html", path]).expect("good");
            let Some(Command::Audit(args)) = args.command else { panic!("another command") };
            check(&args).err().map(|Failure(sentence)| sentence)
        };
        assert_eq!(refused(&page), None);
        assert_eq!(refused(Path::new("-")), None);
        let said = refused(folder.path()).unwrap_or_default();
        assert!(said.ends_with("it is a folder; add a file name."), "{said}");
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&page, &link).expect("a link");
            for odd in [&link, Path::new("/dev/null")] {
                assert!(refused(odd).is_some(), "{}", odd.display());
            }
        }
        assert_eq!(fs::read_to_string(&page).expect("it stays"), "an older one");
    }

    #[test]
    fn the_forms_exclude_each_other() {
        let parsed = |arguments: &str| Args::try_parse_from(arguments.split(' '));
        let Some(Command::Audit(args)) =
            parsed("mayfly audit --db a --db b --json").expect("it is good").command
        else {
            panic!("another command")
        };
        assert_eq!((args.of.db, args.json), (vec!["a".to_owned(), "b".to_owned()], true));
        for wrong in
            ["--json --markdown", "--json --html f", "--html f --markdown", "--data d --uri-env V"]
        {
            let error = parsed(&format!("mayfly audit {wrong}")).expect_err(wrong);
            assert_eq!(error.exit_code(), 2);
        }
    }

    #[test]
    fn the_exit_code_says_whether_it_ran_and_what_it_found() {
        let with = |end, unfinished: Option<&str>, is_off| {
            let mut facts = Facts::default();
            facts.effort.end = end;
            let mut collection = CollectionFacts::new(Namespace::new("d", "c"));
            collection.unfinished = unfinished.map(str::to_owned);
            facts.collections.push(collection);
            if is_off {
                facts.monitor.holds.push("Why.".to_owned());
            }
            audit::Audit::of(facts)
        };
        let codes = |audit: &audit::Audit| {
            [None, Some(FailOn::Error), Some(FailOn::Warning)].map(|fail_on| code(fail_on, audit))
        };
        assert_eq!(codes(&with(AuditEnd::Complete, None, false)), [0, 0, 0]);
        assert_eq!(codes(&with(AuditEnd::Complete, None, true)), [0, 1, 1]);
        assert_eq!(codes(&with(AuditEnd::TimeOver, None, false)), [0, 2, 2]);
        assert_eq!(codes(&with(AuditEnd::Complete, Some("why"), false)), [0, 2, 2]);
        assert_eq!(codes(&with(AuditEnd::TimeOver, None, true)), [0, 1, 1]);
        assert_eq!(codes(&with(AuditEnd::Canceled, None, true)), [2, 2, 2]);
    }
}
