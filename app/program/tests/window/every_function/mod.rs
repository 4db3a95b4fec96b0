//! Every function of the window, on both kinds of server.
//!
//! The palette's entries are listed by the program, the scripts by the tables here. A new entry fails
//! the first test until it has a script, which says how it is used and what the server has after that.

mod bench;
mod data;
mod leaves;
mod reads;
mod refused;
mod screen;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use mayfly::action::entries;
use mayfly::action::lookup::missing;
use mayfly_tests::documentdb::Habits;

use bench::{Bench, FAR_SECS};

/// How an entry of the palette is used on a server.
pub enum Script {
    /// Reads from the server at most. Several share one window on a locked connection.
    Reads(fn(&mut Bench)),
    /// Changes documents, indexes or collections of a server that is unlocked.
    Changes(fn(&mut Bench)),
    /// Leaves the server, or ends the program.
    Leaves(fn(&mut Bench)),
    /// Can't be used on a server, for this reason.
    Refused(&'static str),
}

/// The label of an entry, and its script.
pub type Row = (&'static str, Script);

fn rows() -> impl Iterator<Item = &'static Row> {
    [data::ROWS, leaves::ROWS, reads::ROWS, refused::ROWS, screen::ROWS].into_iter().flatten()
}

fn both() -> [Habits; 2] {
    [Habits::documentdb(), Habits::mongodb()]
}

#[test]
fn every_entry_has_one_script_and_every_script_an_entry() {
    let known: BTreeSet<&str> = entries().map(|entry| entry.label).collect();
    let mut counts = BTreeMap::<&str, usize>::new();
    for (label, _) in rows() {
        *counts.entry(label).or_default() += 1;
    }
    let scripted: BTreeSet<&str> = counts.keys().copied().collect();
    let lacking: Vec<_> = known.difference(&scripted).collect();
    assert!(lacking.is_empty(), "entries without a script: {lacking:?}");
    let unknown: Vec<_> = scripted.difference(&known).collect();
    assert!(unknown.is_empty(), "scripts of no entry: {unknown:?}");
    let twice: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "two scripts: {twice:?}");
}

/// Runs each script of a kind, and fails with the labels of all that failed.
fn each(is_one: fn(&Script) -> bool, mut run: impl FnMut(&str, &Script)) {
    let rows = rows().filter(|(_, script)| is_one(script));
    let failed: Vec<&str> = rows
        .filter(|(label, script)| catch_unwind(AssertUnwindSafe(|| run(label, script))).is_err())
        .map(|(label, _)| *label)
        .collect();
    assert!(failed.is_empty(), "failed: {failed:?}");
}

#[test]
fn what_reads_changes_nothing_on_a_locked_server() {
    for habits in both() {
        let mut bench = Bench::locked(habits);
        let before = bench.contents();
        each(
            |script| matches!(script, Script::Reads(_)),
            |label, script| {
                let Script::Reads(script) = script else { return };
                bench.begin(label);
                script(&mut bench);
                assert_eq!(bench.server.writes(), [""; 0], "{label}");
                assert!(bench.window.state().store.connection.is_some(), "{label} left the server");
            },
        );
        assert_eq!(bench.contents(), before);
    }
}

#[test]
fn what_changes_a_server_sends_nothing_while_it_is_locked() {
    for habits in both() {
        let mut bench = Bench::locked(habits);
        let before = bench.contents();
        each(
            |script| matches!(script, Script::Changes(_)),
            |label, _| {
                bench.begin(label);
                bench.select(&[1, 2]);
                // Some are possible only after a change.
                if let Some(action) = bench.action(label) {
                    bench.window.ask(action);
                }
                assert_eq!(bench.server.writes(), [""; 0], "{label}");
            },
        );
        assert_eq!(bench.contents(), before);
    }
}

#[test]
fn what_changes_a_server_is_stored_there() {
    for habits in both() {
        each(
            |script| matches!(script, Script::Changes(_)),
            |label, script| {
                let Script::Changes(script) = script else { return };
                let mut bench = Bench::unlocked(habits);
                bench.begin(label);
                script(&mut bench);
                assert_ne!(bench.server.writes(), [""; 0], "{label}");
            },
        );
    }
}

#[test]
fn what_leaves_a_server_changes_nothing_there() {
    for habits in both() {
        each(
            |script| matches!(script, Script::Leaves(_)),
            |label, script| {
                let Script::Leaves(script) = script else { return };
                let mut bench = Bench::locked(habits);
                let before = bench.contents();
                bench.begin(label);
                script(&mut bench);
                assert_eq!(bench.server.writes(), [""; 0], "{label}");
                assert_eq!(bench.contents(), before, "{label}");
            },
        );
    }
}

#[test]
fn what_a_server_cannot_do_says_why() {
    for habits in both() {
        let mut bench = Bench::unlocked(habits);
        let mut wrong = Vec::new();
        for view in ["Documents", "Schema", "Aggregate", "Expiry", "Indexes"] {
            bench.begin(view);
            bench.window.click(view);
            for (label, script) in rows() {
                let Script::Refused(reason) = script else { continue };
                assert_eq!(bench.action(label), None, "{label} in {view}");
                let said = missing(Bench::entry(label), bench.window.state());
                if said != *reason {
                    wrong.push(format!("{label} in {view}: {said}"));
                }
            }
        }
        assert_eq!(wrong, [""; 0]);
        assert_eq!(bench.server.writes(), [""; 0]);
    }
}

/// The one TTL of the data.
#[test]
fn the_data_expires_later() {
    let bench = Bench::locked(Habits::mongodb());
    assert_eq!(bench.secs("at_1"), Some(FAR_SECS));
    assert_eq!(bench.server.pass(), 0);
}
