//! The ledger: removed documents, the newest last, which follows or is scrolled.

use std::collections::VecDeque;

use super::view::Lane;
use crate::{cli::limits::WATCH_LEDGER_MAX, job::Namespace};

/// The contents of a line of the ledger.
#[expect(clippy::large_enum_variant, reason = "nearly every line is a removed document")]
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    /// A removed document.
    Removed(Lane),
    /// Further documents of the same transaction, which are not named.
    More { namespace: Option<Namespace>, count: u64 },
    /// Events that came faster than they were shown.
    Missed(u64),
}

/// The removed documents.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    lines: VecDeque<(u64, Entry)>,
    /// The number of the next line.
    next: u64,
    /// The number of the first line on the screen; `None` follows the newest.
    top: Option<u64>,
    total: u64,
}

impl Ledger {
    /// Adds removed documents.
    pub(super) fn removed(&mut self, lanes: impl IntoIterator<Item = Lane>, more: u64) {
        let mut namespace = None;
        for lane in lanes {
            self.total += 1;
            namespace = Some(lane.namespace.clone());
            self.push(Entry::Removed(lane));
        }
        if more > 0 {
            self.total += more;
            self.push(Entry::More { namespace, count: more });
        }
    }

    /// Notes that removed documents may be missing.
    pub(super) fn missed(&mut self, events: u64) {
        self.push(Entry::Missed(events));
    }

    fn push(&mut self, entry: Entry) {
        if self.lines.len() >= WATCH_LEDGER_MAX {
            self.lines.pop_front();
        }
        self.lines.push_back((self.next, entry));
        self.next += 1;
    }

    /// How many documents were removed; of one collection, those that the ledger still has.
    pub(super) fn total(&self, chosen: Option<&Namespace>) -> u64 {
        if chosen.is_none() {
            return self.total;
        }
        let documents = |entry: &Entry| match entry {
            Entry::Removed(_) => 1,
            Entry::More { count, .. } => *count,
            Entry::Missed(_) => 0,
        };
        self.lines_of(chosen).into_iter().map(|(_, entry)| documents(entry)).sum()
    }

    /// Whether the newest line is always on the screen.
    pub(super) fn follows(&self) -> bool {
        self.top.is_none()
    }

    /// Follows the newest line from now on.
    pub(super) fn follow(&mut self) {
        self.top = None;
    }

    /// The lines on the screen, the oldest first.
    pub(super) fn visible(&self, rows: usize, chosen: Option<&Namespace>) -> Vec<&Entry> {
        let lines = self.lines_of(chosen);
        let from = self.first(&lines, rows);
        lines.into_iter().skip(from).take(rows).map(|(_, entry)| entry).collect()
    }

    /// How many lines are above and below those on the screen.
    pub(super) fn hidden(&self, rows: usize, chosen: Option<&Namespace>) -> (usize, usize) {
        let lines = self.lines_of(chosen);
        let from = self.first(&lines, rows);
        (from, lines.len().saturating_sub(from + rows))
    }

    /// Scrolls by this number of lines: up if negative. At the newest line it follows again.
    pub(super) fn scroll(&mut self, by: isize, rows: usize, chosen: Option<&Namespace>) {
        let lines = self.lines_of(chosen);
        let last = lines.len().saturating_sub(rows);
        let to = self.first(&lines, rows).saturating_add_signed(by).min(last);
        let top = if to == last { None } else { lines.get(to).map(|(number, _)| *number) };
        self.top = top;
    }

    fn lines_of(&self, chosen: Option<&Namespace>) -> Vec<&(u64, Entry)> {
        self.lines.iter().filter(|(_, entry)| entry.is_of(chosen)).collect()
    }

    /// The index of the first line on the screen.
    fn first(&self, lines: &[&(u64, Entry)], rows: usize) -> usize {
        let last = lines.len().saturating_sub(rows);
        self.top.map_or(last, |top| lines.partition_point(|(number, _)| *number < top).min(last))
    }
}

impl Entry {
    fn is_of(&self, chosen: Option<&Namespace>) -> bool {
        let Some(chosen) = chosen else { return true };
        match self {
            Self::Removed(lane) => lane.namespace == *chosen,
            Self::More { namespace, .. } => namespace.as_ref() == Some(chosen),
            Self::Missed(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::watch_screen::draw::samples::removed;

    fn documents(collection: &str, ids: std::ops::Range<i32>) -> Vec<Lane> {
        let of = |id: i32| Lane {
            namespace: Namespace::new("d", collection),
            ..removed(&id.to_string(), 0, 1_500)
        };
        ids.map(of).collect()
    }

    fn shown(ledger: &Ledger, chosen: Option<&Namespace>) -> String {
        let text = |entry: &&Entry| match entry {
            Entry::Removed(lane) => lane.label.clone(),
            Entry::More { count, .. } => format!("+{count}"),
            Entry::Missed(count) => format!("?{count}"),
        };
        let lines: Vec<String> = ledger.visible(3, chosen).iter().map(text).collect();
        lines.join(" ")
    }

    #[test]
    fn it_follows_until_it_is_scrolled_and_then_stays() {
        let mut ledger = Ledger::default();
        ledger.removed(documents("a", 0..6), 0);
        assert_eq!(shown(&ledger, None), "3 4 5");
        ledger.scroll(-1, 3, None);
        assert_eq!((shown(&ledger, None).as_str(), ledger.follows()), ("2 3 4", false));
        ledger.removed(documents("a", 6..9), 0);
        assert_eq!(shown(&ledger, None), "2 3 4", "what you read does not move");
        assert_eq!(ledger.hidden(3, None), (2, 4));
        ledger.scroll(-100, 3, None);
        assert_eq!(shown(&ledger, None), "0 1 2");
        ledger.scroll(100, 3, None);
        assert_eq!((shown(&ledger, None).as_str(), ledger.follows()), ("6 7 8", true));
        ledger.scroll(-2, 3, None);
        ledger.follow();
        assert_eq!(shown(&ledger, None), "6 7 8");
    }

    #[test]
    fn a_short_ledger_is_not_scrolled() {
        let mut ledger = Ledger::default();
        ledger.scroll(-1, 3, None);
        ledger.removed(documents("a", 0..2), 0);
        ledger.scroll(-1, 3, None);
        assert!(ledger.follows());
        assert_eq!(shown(&ledger, None), "0 1");
    }

    #[test]
    fn one_collection_has_its_own_lines() {
        let mut ledger = Ledger::default();
        ledger.removed(documents("a", 0..2), 7);
        ledger.removed(documents("b", 2..4), 0);
        ledger.missed(3);
        assert_eq!(ledger.total(None), 11);
        assert_eq!(ledger.total(Some(&Namespace::new("d", "a"))), 9);
        assert_eq!(shown(&ledger, Some(&Namespace::new("d", "a"))), "1 +7 ?3");
        assert_eq!(shown(&ledger, Some(&Namespace::new("d", "b"))), "2 3 ?3");
    }

    #[test]
    fn it_is_bounded_and_a_scrolled_place_moves_to_what_is_left() {
        let mut ledger = Ledger::default();
        ledger.removed(documents("a", 0..6), 0);
        ledger.scroll(-100, 3, None);
        let max = i32::try_from(WATCH_LEDGER_MAX).unwrap();
        ledger.removed(documents("a", 6..max + 2), 0);
        assert_eq!(shown(&ledger, None), "2 3 4");
        assert_eq!(ledger.visible(usize::MAX, None).len(), WATCH_LEDGER_MAX);
    }
}
