//! The palette's knowledge of an entry in addition to its name: other words for it, and why it
//! can't be used.
//!
//! The words are those that users of other tools type. They are lower case, separated by commas.

use super::Entry;
use super::supported::{absent, refusal};
use crate::state::{Phase, State};

/// The label of an entry, other words for it, and what is missing while a collection is open and
/// the entry still can't be used.
type Row = (&'static str, &'static str, &'static str);

const ROWS: &[Row] = &[
    ("Refresh", "reload, update, sync", ""),
    ("Open data folder…", "store, directory, path, switch", ""),
    (
        "Connect to a server…",
        "attach, mongodb, atlas, documentdb, cosmos, ferretdb, uri, connection string, remote",
        "",
    ),
    ("Unlock this connection…", "write, edit, read-only, change", "No locked server is open"),
    ("Lock this connection", "read-only, protect, safe", "No unlocked server is open"),
    ("Open my store", "own, home, default", "Your own store is already open"),
    ("Open the demo store", "sample, example, tutorial, try", "The demo store is already open"),
    (
        "Turn traffic on",
        "sample data, generate, arrivals, heartbeat",
        "Traffic is on, or this is not the demo store",
    ),
    (
        "Turn traffic off",
        "sample data, generate, arrivals, heartbeat",
        "Traffic is off, or this is not the demo store",
    ),
    (
        "Open a sandbox on a simulated clock…",
        "time, travel, playground, test, try, temporary, tutorial",
        "",
    ),
    ("Back to my store", "leave, close, sandbox", "No sandbox is open"),
    (
        "Copy this collection into a sandbox",
        "time, try, test, travel, simulate, clone",
        "Open a collection first",
    ),
    ("Create database…", "new, add, make, db", ""),
    ("Create collection…", "new, add, make, table", "Create a database first"),
    ("Drop database…", "delete, remove, destroy, db", ""),
    ("Copy collection name", "namespace, clipboard", ""),
    ("Rename collection…", "change name, move", ""),
    ("Duplicate collection…", "copy, clone", OF_COLLECTION),
    ("Collection statistics", "size, storage, count, collstats", OF_COLLECTION),
    ("Empty collection…", "delete, remove, clear, truncate, all", OF_COLLECTION),
    ("About this server…", "version, members, replica set, info", "No server is open"),
    (
        "Forget the password of this server",
        "keyring, secret, login",
        "No password of an open server is in the keyring",
    ),
    (
        "Copy to a store…",
        "clone, sandbox, local, download, migrate",
        "Open a collection of a server first",
    ),
    ("Copy to a server…", "clone, upload, migrate", OF_COLLECTION),
    ("Drop collection…", "delete, remove, destroy, table", ""),
    (
        "Backup and maintenance…",
        "save, copy, dump, size, disk, storage",
        "This store has no maintenance",
    ),
    ("Back up…", "backup, save, copy, dump, snapshot", "This store has no maintenance"),
    ("Restore…", "backup, recover, undo, load, rollback", "This store has no maintenance"),
    ("Compact…", "shrink, vacuum, disk, space, size, free", "This store has no maintenance"),
    ("Verify…", "check, repair, integrity, corruption", "This store has no maintenance"),
    ("Scrub now", "check, integrity, corruption, checksum", "A scrub is running already"),
    (
        "Recently removed…",
        "trash, archive, undo, recover, recycle bin, deleted, history, keep, restore, expire, ttl",
        "",
    ),
    (
        "Connect other programs…",
        "server, listen, port, driver, shell, mongosh, uri, network",
        "This store has no listener",
    ),
    ("Import…", "load, json, csv, file, mongoimport", "This store takes no files"),
    ("Export…", "save, json, csv, file, mongoexport, download", "This store writes no files"),
    (
        "Import folder…",
        "load, bson, mongodump, mongorestore, database, manifest",
        "This store takes no files",
    ),
    (
        "Export database…",
        "save, bson, mongodump, dump, folder, manifest, backup",
        "Open a collection first",
    ),
    (
        "Unfinished operations…",
        "resume, continue, roll back, undo, imports, crash",
        "No operation stopped early",
    ),
    ("Add document…", "new, insert, create", ""),
    ("Paste documents…", "clipboard, insert, json, ndjson", "Open a collection first"),
    ("Run the filter", "query, search, execute, find", SHOW_DOCUMENTS),
    ("Reset the filter", "clear, query, search", "The filter is empty, or Documents is not shown"),
    ("Show as cards", "view, list, layout", "Documents is not shown, or shows cards already"),
    ("Show as JSON", "view, text, layout, raw", "Documents is not shown, or shows JSON already"),
    (
        "Show as a table",
        "view, grid, columns, layout",
        "Documents is not shown, or is a table already",
    ),
    ("Compare documents…", "diff, difference, side by side", "Select two documents first"),
    ("Fold all", "collapse, json, tree, nested", "Show documents as JSON first"),
    ("Unfold all", "expand, open, json, tree, nested", "Show documents as JSON first"),
    ("Select all documents", "mark, everything", SHOW_DOCUMENTS),
    ("Edit document…", "change, modify, update", SELECT_DOCUMENT),
    ("Clone document…", "duplicate, copy", SELECT_DOCUMENT),
    ("Delete selected documents…", "remove, erase", SELECT_DOCUMENT),
    ("Update selected documents…", "change, modify, set, bulk", SELECT_DOCUMENT),
    ("Copy selected documents to…", "clone, move, bulk", SELECT_DOCUMENT),
    ("Copy as table text", "clipboard, spreadsheet, tsv", SELECT_DOCUMENT),
    ("Copy as Extended JSON", "clipboard, ejson", SELECT_DOCUMENT),
    ("Copy as mongosh literals", "clipboard, shell, javascript", SELECT_DOCUMENT),
    ("Copy as CSV", "clipboard, spreadsheet", SELECT_DOCUMENT),
    ("Damaged documents…", "corruption, broken, repair", SHOW_DOCUMENTS),
    ("Save the edit", "write, commit, apply", "No value is being edited"),
    ("Undo", "revert, back, oops", "Nothing to undo here"),
    ("Redo", "again, repeat", "Nothing to redo here"),
    ("Follow now", "time, live, current, today, scroll", SHOW_EXPIRY),
    ("Fit the next expirations", "zoom, span, range", SHOW_EXPIRY),
    ("Zoom in on the timeline", "span, range, closer", SHOW_EXPIRY),
    ("Zoom out of the timeline", "span, range, wider", SHOW_EXPIRY),
    ("Show the timeline", "expiry, lanes, axis, view, mode", SHOW_EXPIRY),
    ("Show the expiry table", "expiry, list, rows, view, mode", SHOW_EXPIRY),
    ("Show removed documents", "expiry, ledger, tombstones, lag, view, mode", SHOW_EXPIRY),
    ("What if…", "ttl, preview, simulate, expire, shorten, forecast", SHOW_EXPIRY),
    (
        "Analyze the schema",
        "fields, types, sample, read",
        "Schema is not shown, or is being analyzed already",
    ),
    ("Stop analyzing the schema", "cancel, fields, types", "No schema is being analyzed"),
    ("Export the schema as JSON Schema…", "save, fields, types, file", SHOW_SCHEMA),
    ("Use the schema as validator…", "validation, check, rules, fields, types", SHOW_SCHEMA),
    ("Create index…", "new, add, key, unique, sort", ""),
    ("Create a TTL index…", "ttl, expire, expireafterseconds, time to live, age, new", ""),
    (
        "Change TTL…",
        "ttl, expire, expireafterseconds, time to live, collmod, age, shorten",
        "This collection has no TTL index",
    ),
    ("Run pass", "pass, sweep, ttl monitor, reaper, expire, clean, delete expired", ""),
    ("Pause the TTL monitor", "stop, disable, reaper, expire, off", "It is already paused"),
    ("Resume the TTL monitor", "start, enable, reaper, expire, on", "It is already running"),
    (
        "Keep removed documents in the trash for 10 minutes",
        "undo, recover, recycle bin",
        "The trash is already on",
    ),
    ("Turn off the trash", "undo, recover, recycle bin, disable", "The trash is already off"),
    ("TTL monitor: every 60 s", "schedule, period, interval, sleep, minute, reaper", ""),
    ("TTL monitor: every 10 s", "schedule, period, interval, sleep, reaper", ""),
    ("TTL monitor: every 1 s", "schedule, period, interval, sleep, second, reaper", ""),
    ("TTL monitor: on expiration", "schedule, period, immediately, at once, reaper", ""),
    ("Start or pause the clock", "play, stop, time, freeze, simulated", SIMULATED),
    ("Advance the clock by one second", "time, step, skip, forward, travel", SIMULATED),
    ("Advance the clock by one minute", "time, step, skip, forward, travel", SIMULATED),
    ("Advance to the next event", "time, clock, step, skip, threshold, expiration", SIMULATED),
    ("Run the clock at ×60", "time, speed, fast, rate, simulated", SIMULATED),
    ("Run the clock at ×3600", "time, speed, fast, rate, simulated", SIMULATED),
    ("Advance to the next pass", "time, clock, step, skip, forward, travel", SIMULATED),
    ("Show Documents", "view, data, rows", ""),
    ("Show Aggregate", "view, pipeline, aggregation, group, stages, report, chart", ""),
    ("Run the pipeline", "aggregate, execute, query", SHOW_AGGREGATE),
    ("Save the pipeline…", "aggregate, keep, favorite, name", SHOW_AGGREGATE),
    ("Create a view of the pipeline…", "aggregate, collection, query", SHOW_AGGREGATE),
    ("Explain", "query plan, index, slow, performance, why", "Show Documents or Aggregate first"),
    ("Show Expiry", "view, ttl, time, timeline, expire, countdown", ""),
    ("Show Indexes", "view, keys", ""),
    ("Open a collection", "search, find, go to, table", ""),
    ("Close tab", "remove", ""),
    ("Reopen closed tab", "undo, restore", "No tab was closed"),
    ("Next tab", "switch, right", "Only one tab is open"),
    ("Previous tab", "switch, left", "Only one tab is open"),
    ("Go to the filter", "query, search, find", ""),
    ("Find documents", "query, search, filter", SHOW_DOCUMENTS),
    ("Commands", "palette, search, help", ""),
    (
        "Present",
        "presentation, presenter, lecture, full screen, fullscreen, projector, beamer, classroom, \
         slides",
        "",
    ),
    ("Show or hide the sidebar", "panel, tree, left, collections", LEAVE),
    ("Show or hide the inspector", "panel, details, right, properties", LEAVE),
    ("Show or hide the drawer", "panel, bottom, log", LEAVE),
    ("Show the TTL monitor log", "history, passes, reaper, expire, lag, removed", LEAVE),
    ("Show Commands", "history, log, mongosh, console", LEAVE),
    ("Show Operations", "progress, jobs, tasks, background", LEAVE),
    (
        "Open the console",
        "shell, mongosh, javascript, script, terminal, command line, js, prompt, run",
        LEAVE,
    ),
    (
        "Stop the console",
        "cancel, interrupt, shell, mongosh, script",
        "Nothing runs in the console",
    ),
    ("Local time", "time zone, clock, utc, offset", "Times are shown in local time already"),
    ("UTC", "time zone, clock, time, gmt, local time", "Times are shown in UTC already"),
    ("Dark theme", "night, black, color, appearance, mode", ""),
    ("Light theme", "day, white, bright, color, appearance, mode", ""),
    ("System theme", "automatic, color, appearance, mode, dark, light", ""),
    ("Zoom in", "font size, text size, bigger, larger, scale", ""),
    ("Zoom out", "font size, text size, smaller, scale", ""),
    ("Reset zoom", "font size, text size, normal, scale, 100%", ""),
    ("Quit", "exit, close, leave, end", ""),
    ("Settings…", "preferences, options, configure, theme, font size, dark", ""),
    (
        "Lessons",
        "learn, teach, course, tutorial, help, exercise, challenge, half-hour path, test, quiz",
        "The Lessons page is already open",
    ),
    (
        "Take the exam",
        "exam, test, quiz, questions, learn, certificate",
        "The exam is already open",
    ),
    ("Sandbox from here", "copy, playground, lesson, try, experiment", "No lesson is open"),
    (
        "Save as lesson…",
        "sandbox, markdown, export, write, teach, file",
        "Only a sandbox with a collection can be saved as a lesson",
    ),
    ("Export handout…", "lesson, markdown, print, teach, save", "No lesson is open"),
    ("Close the lesson", "end, leave, stop, exit", "No lesson is open"),
    ("Restart card", "lesson, again, repeat, reset", "No lesson is open"),
    ("Step back to the last event", "lesson, undo, before", "No lesson is open"),
    ("Next card", "lesson, forward, page", "No lesson is open, or the card isn’t finished"),
    (
        "Previous card",
        "lesson, backward, previous, page",
        "No lesson is open, or this is its first card",
    ),
    ("Show Messages", "notifications, toasts, log, errors", LEAVE),
    ("Open a lesson or a course…", "file, markdown, add, teach, folder", ""),
    ("Keyboard shortcuts", "help, keys, hotkeys, bindings, manual", ""),
    ("What is TTL?", "help, tutorial, time to live, expire, introduction, learn, manual", ""),
    ("Show the introduction", "help, tutorial, callouts, tour, hints, first steps", ""),
    ("Glossary", "help, words, terms, meaning, ttl, lag, pass, threshold, overdue", ""),
    ("Report a problem", "help, bug, issue, feedback, support, version, contact", ""),
    ("About Mayfly", "help, version, license, credits", ""),
];

const UNSAID: &str = "Not available now";
const SHOW_DOCUMENTS: &str = "Show Documents first (Ctrl+1)";
const SELECT_DOCUMENT: &str = "Select a document in Documents first";
const OF_COLLECTION: &str = "Open a collection first; this is a view";
const SHOW_SCHEMA: &str = "Show Schema first (Ctrl+2)";
const SHOW_AGGREGATE: &str = "Show Aggregate first (Ctrl+3)";
const SHOW_EXPIRY: &str = "Show Expiry first (Ctrl+4)";
const LEAVE: &str = "Leave the presentation first (F11)";
const SIMULATED: &str = "Only a store on a simulated clock can do this";

fn row(label: &str) -> Option<&'static Row> {
    ROWS.iter().find(|(known, ..)| *known == label)
}

/// Other words for an entry, separated by commas; empty if none are known.
pub fn synonyms(entry: &Entry) -> &'static str {
    row(entry.label).map_or("", |(_, words, _)| words)
}

/// Why an entry can't be used, as a short sentence.
pub fn missing(entry: &Entry, state: &State) -> &'static str {
    match state.store.phase {
        Phase::Opening => return "The store is still opening",
        Phase::Away(_) => return "The store is temporarily closed",
        Phase::Failed(_) => return "No store is open",
        Phase::Open => {}
    }
    let refused = (entry.action)(state).and_then(|action| refusal(&action, state));
    if let Some(sentence) = refused.or_else(|| absent(entry, state)) {
        return sentence;
    }
    let specific = row(entry.label).map_or("", |(.., missing)| missing);
    match specific {
        // Their own reason holds without a collection too.
        "" | SHOW_DOCUMENTS | SELECT_DOCUMENT | SHOW_EXPIRY | SHOW_SCHEMA | OF_COLLECTION
            if state.tabs.active().is_none() =>
        {
            "Open a collection first"
        }
        "" => UNSAID,
        specific => specific,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::entries;
    use crate::state::Namespace;
    use crate::state::store::{Collection, Database};
    use crate::state::tabs::ViewKind;

    #[test]
    fn every_row_belongs_to_an_entry() {
        for (label, words, _) in ROWS {
            assert!(entries().any(|entry| entry.label == *label), "no entry {label}");
            assert!(!words.is_empty() && *words == words.to_lowercase(), "{label}: {words}");
        }
    }

    #[test]
    fn each_command_has_a_reason_of_its_own_in_every_view() {
        let mut state = State::default();
        state.store.phase = Phase::Open;
        let mut unsaid = std::collections::BTreeSet::new();
        let mut look = |state: &State| {
            let off = entries().filter(|entry| !entry.is_enabled(state));
            unsaid.extend(
                off.filter(|entry| missing(entry, state) == UNSAID).map(|entry| entry.label),
            );
        };
        look(&state);
        let shown = Namespace::new("shop", "orders");
        state.tabs.show(&shown);
        for kind in ["collection", "view"] {
            let collections = vec![Collection::new("orders", kind)];
            let database = Database { name: shown.db.clone(), collections, ..Database::default() };
            state.tree.databases = vec![database];
            for view in ViewKind::ALL {
                state.tabs.active_mut().expect("a tab").view = view;
                look(&state);
            }
        }
        state.view.presented_zoom = Some(2.0);
        look(&state);
        assert!(unsaid.is_empty(), "no reason: {unsaid:?}");
    }

    #[test]
    fn a_command_says_what_is_missing() {
        let check = |state: &State, label: &str, expected: &str| {
            let entry = entries().find(|entry| entry.label == label).expect("an entry");
            assert!(!entry.is_enabled(state), "{label} can be used");
            assert_eq!(missing(entry, state), expected, "{label}");
        };
        let mut state = State::default();
        check(&state, "Refresh", "The store is still opening");
        state.store.phase = Phase::Open;
        check(&state, "Drop collection…", "Open a collection first");
        check(&state, "Edit document…", "Open a collection first");
        check(&state, "What if…", "Open a collection first");
        check(&state, "Advance to the next pass", SIMULATED);
        check(&state, "Next tab", "Only one tab is open");
        check(&state, "Reopen closed tab", "No tab was closed");
    }
}
