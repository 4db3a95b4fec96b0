//! `mayfly serve`: the store as a MongoDB server for drivers and shells on this machine.

use std::io::{self, Write as _};

use bson::doc;
use mayfly_engine::{
    command::ListenAt,
    engine::{ClockOption, Engine, EngineOptions},
    wire::{ListenOptions, default_socket},
};

use super::Failure;
use super::args::Serve;
use super::failure::start_ms;
use super::limits::SERVE_LOOK_INTERVAL;
use super::serve_warnings::Warnings;
use super::store::{error_of, warn};
use super::walk::store_options;
use crate::{shutdown::ShutdownSignal, state::Zone};

/// Listens until a signal arrives.
pub(super) fn run(args: &Serve) -> Result<(), Failure> {
    let clock = clock(args.simulated_clock.as_deref())?;
    let shutdown = ShutdownSignal::listen().map_err(Failure::from_error)?;
    let options = EngineOptions { clock, store: store_options(), ..EngineOptions::default() };
    let engine = Engine::open(&args.data, options).map_err(Failure::from_error)?;
    warn(&engine, &args.data);
    if engine.simulated_clock().is_some() && args.simulated_clock.is_none() {
        let now = Zone::Utc.date_time(engine.clock().now_ms());
        eprintln!("Time is simulated, as when this store was last open: {now} UTC.");
    }
    if let Some(secs) = args.sleep_secs {
        let reply = engine.run("admin", &doc! { "setParameter": 1, "ttlMonitorSleepSecs": secs });
        if let Some(error) = error_of(&reply) {
            return Err(Failure(format!("--sleep-secs {secs}: {error}.")));
        }
    }
    let at = at(args);
    let who = match at {
        ListenAt::Port(_) => "Any program and user on this machine",
        ListenAt::Socket(_) => "Any program you run",
    };
    let options = ListenOptions { at, with_password: !args.no_auth, ..ListenOptions::default() };
    let mut listener = engine.listen(options).map_err(Failure::from_error)?;
    if args.no_auth {
        eprintln!("Warning: no authentication. {who} can read and change this store.");
    }
    announce(listener.uri())?;
    let mut warnings = Warnings::of(&engine);
    loop {
        for line in warnings.next() {
            eprintln!("{line}");
        }
        if shutdown.wait_for(SERVE_LOOK_INTERVAL) {
            break;
        }
    }
    drop(warnings);
    listener.stop();
    engine.close().map_err(Failure::from_error)
}

fn at(args: &Serve) -> ListenAt {
    match &args.socket {
        Some(path) => ListenAt::Socket(path.clone().unwrap_or_else(|| default_socket(&args.data))),
        None => ListenAt::Port(args.port),
    }
}

/// Prints the first line of standard output and flushes it: programs wait for it.
fn announce(uri: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "mayfly listening on {uri}")
        .and_then(|()| out.flush())
        .map_err(|error| Failure(format!("Can't write to standard output: {error}.")))
}

fn clock(start: Option<&str>) -> Result<ClockOption, Failure> {
    // As in the window, a store that last ran on a simulated clock continues on it.
    let Some(start) = start else { return Ok(ClockOption::Stored) };
    let start_ms = start_ms("--simulated-clock", start)?;
    Ok(ClockOption::Simulated { start_ms })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_ran_on_a_simulated_clock_is_served_on_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = |start: Option<&str>| {
            let clock = clock(start).map_err(|failure| failure.0).expect("a clock");
            let options = EngineOptions { clock, run_reaper: false, ..EngineOptions::default() };
            let engine = Engine::open(&folder.path().join("store"), options).expect("a store");
            let is_simulated = engine.simulated_clock().is_some();
            engine.close().expect("closed");
            is_simulated
        };
        assert!(!open(None), "a new store runs on the system's clock");
        assert!(open(Some("2026-01-01T00:00:00Z")));
        assert!(open(None));
    }
}
