//! Where the documents of the ledger are kept, and which of them are chosen.

use std::collections::HashSet;

use bson::{Bson, DateTime, Document, doc};
use mayfly_engine::value::extjson::Layout;
use mayfly_engine::value::shell;

use super::figures::{Kept, Removal};
use super::{ExpiryView, Lane};
use crate::limits::LEDGER_MAX;
use crate::state::Namespace;
use crate::state::trash::Place;

/// How a click chooses a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    Only,
    /// This one too, or no longer.
    Toggle,
    /// From the row that was chosen last to this one.
    Range,
}

fn id_text(id: &Bson) -> String {
    shell::write_value(id, Layout::OneLine)
}

impl ExpiryView {
    /// Where a document of the ledger is kept.
    pub fn kept(&self, lane: &Lane) -> Kept {
        let Some(removed_ms) = lane.removed_ms else { return Kept::Nowhere };
        let id = id_text(&lane.id);
        match self.keep.newest.get(&id) {
            _ if self.keep.restored.contains(&(id, removed_ms)) => Kept::Restored,
            // Compared by the instant too: a later document with this `_id` may be kept.
            Some((at, place)) if *at == removed_ms => Kept::In(place.clone()),
            Some(_) => Kept::Older,
            None if self.keep.is_known => Kept::Nowhere,
            None => Kept::Unknown,
        }
    }

    /// Takes a page of what is kept, newest first: `_id`s, when they were removed and where they are,
    /// and whether it is the first and the last page.
    pub fn take_kept(
        &mut self,
        page: impl IntoIterator<Item = (Bson, i64, Place)>,
        (is_first, is_last): (bool, bool),
    ) {
        let keep = &mut self.keep;
        if is_first {
            keep.coming.clear();
        }
        for (id, removed_ms, place) in page {
            // Pages come newest first, so an older removal of the same `_id` must not replace the
            // newer one.
            keep.coming.entry(id_text(&id)).or_insert((removed_ms, place));
        }
        if is_last {
            // Replaced as a whole at the last page, so that the table never shows half of an answer.
            keep.newest = std::mem::take(&mut keep.coming);
            keep.is_known = true;
        }
    }

    /// When the oldest document of the ledger was removed, in milliseconds since 1970: what was
    /// removed earlier is not asked for.
    pub fn ledger_since_ms(&self) -> Option<i64> {
        self.ledger.back().and_then(|lane| lane.removed_ms)
    }

    /// Chooses documents of the ledger.
    pub fn pick(&mut self, id: &Bson, removed_ms: i64, how: Pick) {
        let place =
            |picked: &(Bson, i64), of: &Lane| of.id == picked.0 && of.removed_ms == Some(picked.1);
        let this = (id.clone(), removed_ms);
        match how {
            Pick::Only => self.picked = vec![this],
            Pick::Toggle => match self.picked.iter().position(|picked| *picked == this) {
                Some(at) => drop(self.picked.remove(at)),
                None => self.picked.push(this),
            },
            Pick::Range => {
                let last = self.picked.last().cloned().unwrap_or_else(|| this.clone());
                let at = |of: &(Bson, i64)| self.ledger.iter().position(|lane| place(of, lane));
                let (Some(from), Some(to)) = (at(&last), at(&this)) else { return };
                let rows = from.min(to)..=from.max(to);
                let lanes = rows.filter_map(|at| self.ledger.get(at));
                let removals = lanes.filter_map(|lane| Some((lane.id.clone(), lane.removed_ms?)));
                let mut picked: Vec<(Bson, i64)> = removals.filter(|one| *one != last).collect();
                // The next range begins where this one did.
                picked.push(last);
                self.picked = picked;
            }
        }
    }

    /// Chooses every document of the ledger that can be restored.
    pub fn pick_restorable(&mut self) {
        let lanes = self.ledger.iter().filter(|lane| self.kept(lane).is_restorable());
        self.picked = lanes.filter_map(|lane| Some((lane.id.clone(), lane.removed_ms?))).collect();
    }

    /// Whether a document of the ledger is chosen.
    pub fn is_picked(&self, lane: &Lane) -> bool {
        lane.removed_ms.is_some_and(|at| {
            self.picked.iter().any(|(id, removed_ms)| *removed_ms == at && *id == lane.id)
        })
    }

    /// The `_id`s of the chosen documents that are kept.
    pub fn picked_kept(&self) -> Vec<Bson> {
        let picked = self.ledger.iter().filter(|lane| self.is_picked(lane));
        picked.filter(|lane| self.kept(lane).is_restorable()).map(|lane| lane.id.clone()).collect()
    }

    /// Notes that documents were restored: their `_id`s, and when these versions were removed. Those
    /// that the ledger does not list are forgotten when there are too many.
    pub fn note_restored(&mut self, removals: impl IntoIterator<Item = (Bson, i64)>) {
        let removals = removals.into_iter().map(|(id, removed_ms)| (id_text(&id), removed_ms));
        self.keep.restored.extend(removals);
        // Those that the ledger no longer lists are looked up by nothing, so they may go.
        if self.keep.restored.len() > LEDGER_MAX * 2 {
            let listed = self.ledger.iter();
            let listed = listed.filter_map(|lane| Some((id_text(&lane.id), lane.removed_ms?)));
            let listed: HashSet<Removal> = listed.collect();
            self.keep.restored.retain(|removal| listed.contains(removal));
        }
    }

    /// Until when the trash keeps a document, in milliseconds since 1970, if it has it.
    fn kept_until_ms(&self, lane: &Lane) -> Option<i64> {
        match self.kept(lane) {
            Kept::In(Place::Trash { until_ms, .. }) if until_ms < i64::MAX => Some(until_ms),
            _ => None,
        }
    }

    /// The ledger as documents, the oldest removal first.
    pub fn ledger_rows(&self, of: &Namespace) -> Vec<Document> {
        let date = |ms| Bson::DateTime(DateTime::from_millis(ms));
        let row = |lane: &Lane| {
            let removed_ms = lane.removed_ms.unwrap_or(lane.threshold_ms);
            doc! {
                "_id": lane.id.clone(),
                "ns": of.to_string(),
                "index": &lane.index,
                "base": date(lane.base_ms),
                "threshold": date(lane.threshold_ms),
                "removed": date(removed_ms),
                "lateMS": lane.late_ms().unwrap_or(0),
                "keptUntil": self.kept_until_ms(lane).map_or(Bson::Null, date),
            }
        };
        self.ledger.iter().rev().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removed(id: i32, removed_ms: i64) -> Lane {
        Lane {
            id: Bson::Int32(id),
            index: "at_1".into(),
            field: "at".into(),
            base_ms: 0,
            threshold_ms: removed_ms - 9,
            own_ttl: false,
            dates_ms: Vec::new(),
            removed_ms: Some(removed_ms),
            removable_ms: None,
            seen_ms: None,
        }
    }

    fn view() -> ExpiryView {
        let mut view = ExpiryView::default();
        view.take_removed([removed(1, 10), removed(2, 20), removed(1, 30), removed(3, 40)], 0);
        view
    }

    const TRASH: Place = Place::Trash { until_ms: 600, is_moved: false };
    const ARCHIVE: Place = Place::Archive { target: String::new() };

    fn kept(view: &ExpiryView) -> Vec<Kept> {
        view.ledger.iter().map(|lane| view.kept(lane)).collect()
    }

    #[test]
    fn each_row_says_where_its_document_is_kept() {
        let mut view = view();
        assert_eq!(kept(&view), [const { Kept::Unknown }; 4]);
        view.take_kept([(Bson::Int32(1), 30, TRASH)], (true, false));
        assert_eq!(kept(&view), [const { Kept::Unknown }; 4], "more pages come");
        let rest = [(Bson::Int32(2), 20, ARCHIVE), (Bson::Int32(1), 10, ARCHIVE)];
        view.take_kept(rest, (false, true));
        let expected = [Kept::Nowhere, Kept::In(TRASH), Kept::In(ARCHIVE), Kept::Older];
        assert_eq!(kept(&view), expected);
        view.note_restored([(Bson::Int32(1), 30)]);
        assert_eq!(kept(&view)[1], Kept::Restored, "before the store is asked again");
        let archive = || [(Bson::Int32(2), 20, ARCHIVE)];
        view.take_kept(archive(), (true, true));
        let expected = [Kept::Nowhere, Kept::Restored, Kept::In(ARCHIVE), Kept::Nowhere];
        assert_eq!(kept(&view), expected);
        // The archive keeps what is restored from it.
        view.note_restored([(Bson::Int32(2), 20)]);
        view.take_kept(archive(), (true, true));
        assert_eq!(kept(&view)[2], Kept::Restored);
    }

    #[test]
    fn the_words_say_until_when_or_where_to() {
        let label = |kept: Kept| kept.label(crate::state::Zone::Utc, 0);
        assert_eq!(label(Kept::In(TRASH)), "Kept until 00:00:00");
        assert_eq!(label(Kept::In(ARCHIVE)), "Moved to the data folder");
        assert_eq!((&*label(Kept::Restored), &*label(Kept::Nowhere)), ("Restored", "Not kept"));
    }

    #[test]
    fn rows_are_chosen_one_by_one_in_a_range_or_all_that_can_be_restored() {
        let mut view = view();
        let picked = |view: &ExpiryView| {
            view.ledger.iter().map(|lane| view.is_picked(lane)).collect::<Vec<_>>()
        };
        view.pick(&Bson::Int32(3), 40, Pick::Only);
        view.pick(&Bson::Int32(2), 20, Pick::Toggle);
        assert_eq!(picked(&view), [true, false, true, false]);
        view.pick(&Bson::Int32(1), 10, Pick::Range);
        assert_eq!(picked(&view), [false, false, true, true]);
        view.pick(&Bson::Int32(3), 40, Pick::Range);
        assert_eq!(picked(&view), [true, true, true, false], "from where the last one began");
        let both = [(Bson::Int32(1), 30, TRASH), (Bson::Int32(2), 20, ARCHIVE)];
        view.take_kept(both, (true, true));
        view.pick_restorable();
        assert_eq!(picked(&view), [false, true, true, false]);
        assert_eq!(view.picked_kept(), [Bson::Int32(1), Bson::Int32(2)]);
    }

    #[test]
    fn the_ledger_is_written_from_the_oldest_removal_on() {
        let date = |ms| Bson::DateTime(DateTime::from_millis(ms));
        let mut view = view();
        view.take_kept([(Bson::Int32(2), 20, TRASH)], (true, true));
        let rows = view.ledger_rows(&Namespace::new("d", "c"));
        assert_eq!(rows.len(), 4);
        let expected = doc! {
            "_id": 1, "ns": "d.c", "index": "at_1", "base": DateTime::from_millis(0),
            "threshold": DateTime::from_millis(1), "removed": DateTime::from_millis(10),
            "lateMS": 9_i64, "keptUntil": Bson::Null,
        };
        assert_eq!(rows[0], expected);
        assert_eq!(rows[1].get("keptUntil"), Some(&date(600)));
    }
}
