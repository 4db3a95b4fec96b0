//! `mayfly shell`: JavaScript in mongosh's dialect on a store, from files, arguments, standard input
//! or a prompt.

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::failure::start_ms;
use super::script_file::{self, ScriptFile};
use super::store::check_exists;
use super::{Failure, args, prompt, server, terminal, walk};
use crate::job::{Cancel, OpenRequest, Sandbox};
use crate::shell::watch::{self, Waited};
use crate::shell::{Output, Shell, ShellLimits};
use crate::shutdown::ShutdownSignal;
use crate::source::{Opened, Source, embedded};

/// Runs everything that the arguments name, or what standard input has.
///
/// # Errors
/// One sentence, or an empty one if a script failed and said why.
pub(super) fn run(args: args::Shell) -> Result<(), Failure> {
    let shutdown = ShutdownSignal::listen().map_err(Failure::from_error)?;
    let files = script_file::read(&args.files)?;
    let source = match &args.uri_env {
        Some(name) => server::attach(name, args.quiet)?.0,
        None => open(&args)?.source,
    };
    let result = supervised(&Arc::new(args), files, &source, &shutdown);
    source.close();
    result
}

/// Runs everything on a thread that is abandoned if a script can't be stopped. The prompt then starts
/// over on another one.
fn supervised(
    args: &Arc<args::Shell>,
    files: Vec<ScriptFile>,
    source: &Arc<dyn Source>,
    shutdown: &ShutdownSignal,
) -> Result<(), Failure> {
    let is_prompt = args.eval.is_empty() && files.is_empty() && io::stdin().is_terminal();
    let files = Arc::new(files);
    loop {
        let (args, files) = (Arc::clone(args), Arc::clone(&files));
        let (source, signal) = (Arc::clone(source), shutdown.clone());
        let work = move || run_on(&args, &files, source, &signal);
        let ended = watch::run("mayfly-shell", work)
            .map_err(|error| Failure(format!("Can't start a thread: {error}.")))?;
        match ended {
            Waited::Answer(result) => return result,
            Waited::Ended => return Err(Failure("The shell stopped.".to_owned())),
            Waited::Stuck(stuck) if is_prompt => {
                eprintln!("{stuck}. The shell starts over, and its variables are gone.");
                // The signal that canceled the script must not end the prompt.
                shutdown.forget();
            }
            Waited::Stuck(stuck) => return Err(Failure(format!("{stuck}."))),
        }
    }
}

fn open(args: &args::Shell) -> Result<Opened, Failure> {
    let start = args.simulated_clock.as_deref();
    let simulated_start_ms = start.map(|at| start_ms("--simulated-clock", at)).transpose()?;
    let is_missing = args.data.is_none();
    if let Some(folder) = args.data.as_deref().filter(|_| simulated_start_ms.is_none()) {
        check_exists(folder)?;
    }
    let request = OpenRequest {
        folder: args.data.clone(),
        sandbox: is_missing.then_some(Sandbox::Empty),
        simulated_start_ms,
        walker: walk::itself(),
        ..OpenRequest::default()
    };
    let opened = embedded::opener()(&request).map_err(|error| Failure(error.message))?;
    for warning in &opened.warnings {
        eprintln!("{warning}");
    }
    for advice in &opened.advice {
        eprintln!("Warning: {}", advice.sentence);
    }
    if is_missing && !args.quiet {
        eprintln!(
            "Using a temporary sandbox on a simulated clock, deleted at the end; --data DIR keeps a \
             store."
        );
    }
    Ok(opened)
}

fn run_on(
    args: &args::Shell,
    files: &[ScriptFile],
    source: Arc<dyn Source>,
    shutdown: &ShutdownSignal,
) -> Result<(), Failure> {
    let time = args.time_limit.map(Duration::from_secs);
    // A terminal or a file has room.
    let limits = ShellLimits { time, output: usize::MAX, ..ShellLimits::default() };
    let mut shell = Shell::new(source, limits).map_err(Failure::from_error)?;
    let is_json = args.json;
    shell.print_to(|line| print_line(&line));
    let mut running = Running::new(shutdown);
    if let Some(db) = &args.db {
        let cancel = running.begin();
        if !shell.run_input(&format!("use {db}"), &cancel, &mut |output| keep_failure(output)) {
            return Err(Failure(String::new()));
        }
    }
    let mut out = |output| show(output, is_json);
    for (index, script) in args.eval.iter().enumerate() {
        let is_last = index + 1 == args.eval.len();
        if !shell.run_eval(script, is_last, &running.begin(), &mut out) {
            return Err(Failure(String::new()));
        }
    }
    for file in files {
        if !shell.run_file(&file.name, &file.text, &running.begin(), &mut out) {
            return Err(Failure(String::new()));
        }
    }
    if !args.eval.is_empty() || !files.is_empty() {
        return Ok(());
    }
    if io::stdin().is_terminal() {
        return prompt::run(shell, shutdown, &mut running, &mut out);
    }
    let mut text = String::new();
    io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| Failure(format!("Can't read standard input: {error}.")))?;
    let all = shell.run_input(&text, &running.begin(), &mut out);
    if all { Ok(()) } else { Err(Failure(String::new())) }
}

/// Prints what an input made visible: errors to standard error, all else to standard output.
fn show(output: Output, is_json: bool) {
    match output {
        Output::Printed(line) => print_line(&line),
        Output::Value { json, .. } if is_json => print_line(&terminal::json(&json)),
        Output::Value { text, .. } => print_line(&terminal::shown(&text)),
        Output::Failed(message) if is_json => {
            let line = serde_json::json!({ "error": message }).to_string();
            eprintln!("{}", terminal::json(&line));
        }
        Output::Failed(message) => eprintln!("{message}"),
    }
}

fn keep_failure(output: Output) {
    if let Output::Failed(message) = output {
        eprintln!("{message}");
    }
}

/// If the reader has closed the pipe, the line has no reader.
fn print_line(line: &str) {
    let _ = writeln!(io::stdout().lock(), "{line}");
}

/// The input that a signal stops.
pub(super) struct Running {
    cancel: Arc<Mutex<Cancel>>,
    is_reading: Arc<AtomicBool>,
}

impl Running {
    fn new(shutdown: &ShutdownSignal) -> Self {
        let cancel = Arc::new(Mutex::new(Cancel::default()));
        let is_reading = Arc::new(AtomicBool::new(false));
        let (stopped, waits) = (Arc::clone(&cancel), Arc::clone(&is_reading));
        shutdown.wake_with(move || {
            stopped.lock().unwrap_or_else(PoisonError::into_inner).cancel();
            if waits.load(Relaxed) {
                prompt::interrupt();
            }
        });
        if shutdown.is_requested() {
            cancel.lock().unwrap_or_else(PoisonError::into_inner).cancel();
        }
        Self { cancel, is_reading }
    }

    /// Reads with `read`, which [`prompt::interrupt`] ends at a signal.
    pub(super) fn reading<R>(&self, read: impl FnOnce() -> R) -> R {
        self.is_reading.store(true, Relaxed);
        let result = read();
        self.is_reading.store(false, Relaxed);
        result
    }

    /// Stops the next input. A signal between two inputs stops all that follow.
    fn begin(&self) -> Cancel {
        self.cancel.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Another input may run after one that was stopped.
    pub(super) fn renew(&mut self) -> Cancel {
        let cancel = Cancel::default();
        *self.cancel.lock().unwrap_or_else(PoisonError::into_inner) = cancel.clone();
        cancel
    }
}
