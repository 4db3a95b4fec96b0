//! `mayfly watch`: the expiry view in a terminal.

use std::{io::IsTerminal as _, sync::Arc, thread};

use crossbeam_channel::{Receiver, bounded, never};

use super::args::Watch;
use super::failure::start_ms;
use super::limits::WATCH_QUEUE_MAX;
use super::store::check_exists;
use super::walk::itself;
use super::watched_store::{Reader, Watched, WatchedStore};
use super::{Failure, server, watch_lines, watch_screen};
use crate::{
    job::{Event, Sandbox},
    shutdown::ShutdownSignal,
    source::{
        Events, OpenRequest, Opened,
        embedded::{first_request, opener},
    },
};

/// Shows when documents expire until the user or a signal ends it or, without a terminal, no
/// document is left to expire.
pub(super) fn run(args: &Watch) -> Result<(), Failure> {
    let shutdown = ShutdownSignal::listen().map_err(Failure::from_error)?;
    let opened = match &args.uri_env {
        Some(variable) => server::open(variable)?,
        None => open(args)?,
    };
    let source = Arc::clone(&opened.source);
    let shown = watch(args, opened, shutdown);
    source.close();
    shown
}

fn open(args: &Watch) -> Result<Opened, Failure> {
    if let Some(folder) = &args.data {
        check_exists(folder)?;
    }
    let opened = opener()(&request(args)?).map_err(Failure::from_error)?;
    for warning in &opened.warnings {
        eprintln!("{warning}");
    }
    for advice in &opened.advice {
        eprintln!("Warning: {}", advice.sentence);
    }
    Ok(opened)
}

/// The store that the arguments name.
fn request(args: &Watch) -> Result<OpenRequest, Failure> {
    let at = args.at.as_deref();
    Ok(first_request(OpenRequest {
        folder: args.data.clone(),
        demo: args.demo && !args.sandbox,
        // Without a window there is no way to fill an empty one.
        sandbox: args.sandbox.then_some(Sandbox::Demo),
        simulated_start_ms: at.map(|at| start_ms("--at", at)).transpose()?,
        walker: itself(),
        ..OpenRequest::default()
    }))
}

fn watch(args: &Watch, opened: Opened, shutdown: ShutdownSignal) -> Result<(), Failure> {
    let Opened { source, name, clock, attached, .. } = opened;
    let is_server = attached.is_some();
    // A server has no events, and the end of them would be the end of the store.
    let events = if is_server { never() } else { forward(source.subscribe())? };
    let (db, collection) = (args.db.clone(), args.collection.clone());
    let reader = Reader { source, db, collection, is_server };
    let watched = Watched::new(attached, clock.now_ms);
    let mut store = WatchedStore::new(reader, watched, (shutdown, events), (name, clock))?;
    if !std::io::stdout().is_terminal() {
        return watch_lines::run(&mut store);
    }
    if let Some(sentence) = watch_screen::refusal() {
        eprintln!("{sentence}");
        return watch_lines::run(&mut store);
    }
    watch_screen::run(store)
}

/// Moves events to a channel, so that waiting for one can time out.
fn forward(mut events: Events) -> Result<Receiver<Event>, Failure> {
    let (sender, receiver) = bounded(WATCH_QUEUE_MAX);
    thread::Builder::new()
        .name("watch-events".to_owned())
        // The thread ends with the source, whose events then end.
        .spawn(move || while events.next().is_some_and(|event| sender.send(event).is_ok()) {})
        .map_err(|error| Failure(format!("Can't start a thread: {error}.")))?;
    Ok(receiver)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Args, Command};

    #[test]
    fn a_sandbox_has_the_demo_data_and_a_simulated_clock() {
        let asked = |arguments: &str| {
            let args = Args::try_parse_from(arguments.split(' '));
            let args = args.map_err(|error| error.to_string())?;
            let Some(Command::Watch(args)) = args.command else { panic!("{arguments}") };
            request(&args).map_err(|failure| failure.0)
        };
        let check = |arguments, sandbox, start_ms| {
            let found = asked(arguments).expect(arguments);
            assert_eq!((found.sandbox, found.simulated_start_ms), (sandbox, start_ms));
        };
        check("mayfly watch --demo", None, None);
        check("mayfly watch --sandbox", Some(Sandbox::Demo), None);
        let at = "mayfly watch --sandbox --demo --at 1970-01-01T00:01:00Z";
        check(at, Some(Sandbox::Demo), Some(60_000));
        let wrong = asked("mayfly watch --sandbox --at soon").expect_err("it is no time");
        assert_eq!(wrong, "--at soon: use a time such as 2026-01-01T00:00:00Z.");
        for refused in ["--sandbox --data folder", "--at 2026-01-01T00:00:00Z"] {
            assert!(asked(&format!("mayfly watch {refused}")).is_err(), "{refused}");
        }
    }
}
