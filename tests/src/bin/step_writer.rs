//! The victim of the crash tests: writes documents in a fixed order and prints each acknowledgment.
//!
//! `step_writer FOLDER FIRST [STEPS [faults]]`: from number FIRST on, for this many steps or
//! without end, prints the number and runs the commands of [`steps::commands`]. With `faults` a
//! failed command is retried, and the program exits with 0 when the store stays read-only. Without
//! it, a failure is an error.

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use bson::{Bson, Document};
use mayfly_engine::engine::{Engine, EngineOptions};
use mayfly_tests::steps::{self, DB, STEP};
use mayfly_tests::store::is_ok;

const USAGE: &str = "usage: step_writer FOLDER FIRST [STEPS [faults]]";

/// Attempts of a command when system calls fail.
const TRIES: usize = 5;

/// `DuplicateKey`: an earlier attempt inserted the step's documents.
const DUPLICATE: i32 = 11_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or(USAGE)?);
    let mut next: i64 = arguments.next().ok_or(USAGE)?.parse()?;
    let count = arguments.next().map_or(Ok(u64::MAX), |count| count.parse())?;
    let tries = if arguments.next().as_deref() == Some("faults") { TRIES } else { 1 };
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    let engine = match Engine::open(&folder, options) {
        Ok(engine) => engine,
        Err(refusal) if tries > 1 => {
            eprintln!("not opened: {refusal}");
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let mut out = std::io::stdout();
    writeln!(out, "{next}")?;
    out.flush()?;
    let mut done = run(&engine, &steps::indexes(), tries);
    for _ in 0..count {
        if done.is_err() {
            break;
        }
        done = steps::commands(next).iter().try_for_each(|command| run(&engine, command, tries));
        if done.is_ok() {
            next += STEP;
            writeln!(out, "{next}")?;
            out.flush()?;
        }
    }
    match (done, tries) {
        (Ok(()), _) => Ok(engine.close()?),
        (Err(failure), 1) => Err(failure.into()),
        (Err(failure), _) => {
            eprintln!("stopped: {failure}");
            Ok(())
        }
    }
}

/// Runs a command with retries; the last failure if all attempts fail.
fn run(engine: &Engine, command: &Document, tries: usize) -> Result<(), String> {
    let mut failure = String::new();
    for attempt in 0..tries {
        let reply = engine.run(DB, command);
        let errors = reply.get_array("writeErrors").map_or(&[][..], Vec::as_slice);
        if is_ok(&reply) && errors.iter().all(|error| attempt > 0 && is_duplicate(error)) {
            return Ok(());
        }
        failure = reply.to_string();
        eprintln!("failed: {failure}");
    }
    Err(failure)
}

fn is_duplicate(error: &Bson) -> bool {
    error.as_document().and_then(|error| error.get_i32("code").ok()) == Some(DUPLICATE)
}
