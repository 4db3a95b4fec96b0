//! `mayfly watch`: the expiry view in a terminal.

use std::{collections::BTreeSet, io::IsTerminal as _};

use bson::{Bson, Document, doc};
use mayfly_engine::{catalog::Namespace, engine::Engine, value::Layout, value::shell::write_value};

use super::{Failure, args::Watch, limits::WATCH_DOCS_MAX, store, watch_lines, watch_screen};
use crate::shutdown::ShutdownSignal;

/// A document counting down.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Waiting {
    pub namespace: Namespace,
    pub id: String,
    pub index: String,
    pub threshold_ms: i64,
}

/// What is watched.
pub(super) struct Watched<'w> {
    pub engine: &'w Engine,
    pub shutdown: ShutdownSignal,
    args: &'w Watch,
}

/// Shows documents counting down until somebody stops it or, without a terminal, nothing is left
/// to expire.
pub(super) fn run(args: &Watch) -> Result<(), Failure> {
    let shutdown = ShutdownSignal::listen().map_err(Failure::from_error)?;
    let (engine, _folder) = match &args.data {
        Some(data) => (store::open(data, false, true)?, None),
        None if args.demo => store::demo().map(|(engine, folder)| (engine, Some(folder)))?,
        None => (store::usual()?, None),
    };
    let watched = Watched { engine: &engine, shutdown, args };
    let shown = if std::io::stdout().is_terminal() {
        watch_screen::run(&watched)
    } else {
        watch_lines::run(&watched)
    };
    engine.close().map_err(Failure::from_error)?;
    shown
}

impl Watched<'_> {
    /// Whether this collection is watched.
    pub(super) fn covers(&self, namespace: &Namespace) -> bool {
        self.args.db.as_ref().is_none_or(|db| *db == namespace.db)
            && self.args.collection.as_ref().is_none_or(|name| *name == namespace.collection)
    }

    /// The documents that expire soonest, soonest first.
    pub(super) fn soonest(&self) -> Result<Vec<Waiting>, Failure> {
        let targets = self.engine.collections().catalog().ttl_indexes();
        let namespaces: BTreeSet<Namespace> = targets
            .iter()
            .map(|target| target.collection.namespace.clone())
            .filter(|namespace| self.covers(namespace))
            .collect();
        let mut all = Vec::new();
        for namespace in namespaces {
            let command = doc! { "mayflyExpiring": &namespace.collection, "limit": WATCH_DOCS_MAX };
            let reply = self.engine.run(&namespace.db, &command);
            if let Some(message) = store::error_of(&reply) {
                return Err(Failure(format!("{namespace}: {message}.")));
            }
            let Ok(batch) = reply.get_array("batch") else { continue };
            let rows = batch.iter().filter_map(Bson::as_document);
            all.extend(rows.filter_map(|row| waiting(&namespace, row)));
        }
        all.sort_by_key(|waiting| waiting.threshold_ms);
        Ok(all)
    }
}

fn waiting(namespace: &Namespace, row: &Document) -> Option<Waiting> {
    Some(Waiting {
        namespace: namespace.clone(),
        id: plain(&write_value(row.get("_id")?, Layout::OneLine)),
        index: row.get_str("index").ok()?.to_owned(),
        threshold_ms: row.get_datetime("threshold").ok()?.timestamp_millis(),
    })
}

/// Text without characters that a terminal would act on.
pub(super) fn plain(text: &str) -> String {
    let odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if odd(c) { '\u{fffd}' } else { c }).collect()
}

/// An instant in UTC.
pub(super) fn instant(ms: i64) -> String {
    chrono::DateTime::from_timestamp_millis(ms).map_or_else(
        || format!("{ms} ms after 1970"),
        |time| time.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
    )
}

/// How long until a threshold: `1 d 02:03:04`, or how long it is overdue.
pub(super) fn countdown(left_ms: i64) -> String {
    let secs = left_ms.unsigned_abs() / 1_000;
    let (days, hours, minutes, rest) =
        (secs / 86_400, secs / 3_600 % 24, secs / 60 % 60, secs % 60);
    let days = if days > 0 { format!("{days} d ") } else { String::new() };
    let overdue = if left_ms <= 0 { "overdue " } else { "" };
    format!("{overdue}{days}{hours:02}:{minutes:02}:{rest:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countdowns() {
        for (left_ms, expected) in [
            (1, "00:00:00"),
            (0, "overdue 00:00:00"),
            (61_000, "00:01:01"),
            (-5_500, "overdue 00:00:05"),
            (90_061_000, "1 d 01:01:01"),
        ] {
            assert_eq!(countdown(left_ms), expected);
        }
    }

    #[test]
    fn a_terminal_is_not_commanded_by_data() {
        assert_eq!(plain("a\u{1b}[2Jb\u{202e}c"), "a\u{fffd}[2Jb\u{fffd}c");
        assert_eq!(plain("Ayşe 王小明"), "Ayşe 王小明");
    }
}
