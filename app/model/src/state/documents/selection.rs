//! Which documents of a tab are selected.

use std::collections::{BTreeMap, BTreeSet};

use bson::{Bson, Document, doc};

use super::DocumentsView;
use super::view::key;
use crate::commands::query::{self, Query};
use crate::job::bulk::Target;
use crate::limits::SELECTED_MAX;

#[derive(Debug, Clone, PartialEq)]
pub enum Selection {
    /// These, by the text of their `_id`.
    Ids(BTreeMap<String, Bson>),
    /// All that match the filter, but for some. They are too many for a list.
    All {
        /// How many match.
        count: u64,
        /// The documents that are left out, by the text of their `_id`.
        except: BTreeMap<String, Bson>,
    },
}

impl Default for Selection {
    fn default() -> Self {
        Self::Ids(BTreeMap::new())
    }
}

impl Selection {
    /// These documents.
    pub fn of(ids: impl IntoIterator<Item = Bson>) -> Self {
        Self::Ids(ids.into_iter().map(|id| (key(&id), id)).collect())
    }

    /// All documents that match, of which there are `count`.
    pub fn all(count: u64) -> Self {
        Self::All { count, except: BTreeMap::new() }
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        match self {
            Self::Ids(ids) => ids.len() as u64,
            Self::All { count, except } => count.saturating_sub(except.len() as u64),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The two documents, if they are two; the order is not that in which they were selected.
    pub(super) fn pair(&self) -> Option<[Bson; 2]> {
        let Self::Ids(ids) = self else { return None };
        let mut ids = ids.values();
        let pair = [ids.next()?.clone(), ids.next()?.clone()];
        ids.next().is_none().then_some(pair)
    }

    pub fn contains(&self, id: &Bson) -> bool {
        match self {
            Self::Ids(ids) => !ids.is_empty() && ids.contains_key(&key(id)),
            Self::All { except, .. } => except.is_empty() || !except.contains_key(&key(id)),
        }
    }

    /// Selects a document too, or no longer. Returns whether there was room.
    fn toggle(&mut self, id: &Bson) -> bool {
        let (Self::Ids(listed) | Self::All { except: listed, .. }) = self;
        let key = key(id);
        if listed.remove(&key).is_some() {
            return true;
        }
        // Bounded, because the ids become one list in a command.
        let is_room = listed.len() < SELECTED_MAX;
        if is_room {
            listed.insert(key, id.clone());
        }
        is_room
    }

    /// Selects nothing.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// These documents are gone.
    pub fn forget(&mut self, gone: &BTreeSet<String>) {
        // In a selection of all, documents that are gone no longer match the filter anyway.
        if let Self::Ids(ids) = self {
            ids.retain(|key, _| !gone.contains(key));
        }
    }

    /// Notes the present number of matches.
    pub fn set_count(&mut self, now: u64) {
        if let Self::All { count, .. } = self {
            *count = now;
        }
    }

    /// The documents that a query shows, for a change of them. With a collation, a document whose
    /// `_id` is equal to that of one that is left out is left out too.
    pub fn target_of(&self, query: &Query) -> Target {
        match self.target(&query.filter) {
            Target::Matching(filter) if !query.collation.is_empty() => {
                Target::Collated { filter, collation: query.collation.clone() }
            }
            target => target,
        }
    }

    /// The documents, for a change of them. `filter` is the one that runs.
    pub fn target(&self, filter: &Document) -> Target {
        match self {
            Self::Ids(ids) => Target::Ids(ids.values().cloned().collect()),
            Self::All { except, .. } if except.is_empty() => Target::Matching(filter.clone()),
            // As a condition next to the filter, because the filter may have one on `_id` itself.
            Self::All { except, .. } => {
                let except: Vec<Bson> = except.values().cloned().collect();
                let others = doc! { "_id": { "$nin": except } };
                let both = if filter.is_empty() {
                    others
                } else {
                    doc! { "$and": [filter.clone(), others] }
                };
                Target::Matching(both)
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowRange {
    pub first: u64,
    /// How many rows, at least one.
    pub count: u64,
    /// The text of the `_id` in the first and in the last row; `None` for a row that was never on
    /// the screen.
    pub ends: [Option<String>; 2],
}

impl RowRange {
    /// The part of `ids`, which were read from these rows, between the two ends. Rows move
    /// when documents before them are removed, and what moved in was not on the screen.
    pub fn within(&self, ids: Vec<Bson>) -> Vec<Bson> {
        let place = |end: &Option<String>| {
            let end = end.as_ref()?;
            ids.iter().position(|id| key(id) == *end)
        };
        let first = place(&self.ends[0]).unwrap_or(0);
        let end = place(&self.ends[1]).map_or(ids.len(), |last| last + 1);
        ids.into_iter().take(end).skip(first).collect()
    }
}

/// The row that the keyboard is at, and the one that a range is selected from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cursor {
    /// The row that the keys went to last.
    pub row: u64,
    /// The row that a range of rows is selected from.
    pub anchor: u64,
    /// The text of the `_id` in that row.
    pub anchor_key: Option<String>,
    /// The keys went to [`row`](Self::row) before it was loaded; whether they extend the selection.
    pub waits: Option<bool>,
    /// The range whose `_id`s the store was asked for.
    pub range: Option<RowRange>,
}

impl DocumentsView {
    pub fn is_selected(&self, id: &Bson) -> bool {
        self.selected.contains(id)
    }

    /// Selects one document alone.
    pub fn select_only(&mut self, row: u64, id: &Bson) {
        self.selected = Selection::of([id.clone()]);
        self.set_anchor(row, id);
    }

    fn set_anchor(&mut self, row: u64, id: &Bson) {
        self.cursor =
            Cursor { row, anchor: row, anchor_key: Some(key(id)), waits: None, range: None };
    }

    /// Selects a document too, or no longer. Returns whether there was room.
    pub fn toggle(&mut self, row: u64, id: &Bson) -> bool {
        self.set_anchor(row, id);
        self.selected.toggle(id)
    }

    /// The rows from the anchor to this one, whose `_id` is known if it is loaded.
    pub fn range_to(&self, row: u64, id: Option<&Bson>) -> RowRange {
        let Cursor { anchor, anchor_key, .. } = self.cursor.clone();
        let clicked = id.map(key);
        let ends = if anchor <= row { [anchor_key, clicked] } else { [clicked, anchor_key] };
        let first = anchor.min(row);
        RowRange { first, count: anchor.max(row) - first + 1, ends }
    }

    /// Selects these rows if all of them are loaded. Returns whether they are.
    pub fn select_loaded(&mut self, range: &RowRange) -> bool {
        let rows = (range.first..range.first + range.count).map(|at| self.pages.row(at));
        // A document without its `_id` can't be named, so the whole range is read instead.
        let ids: Option<Vec<Bson>> =
            rows.map(|row| row.filter(|row| row.has_id()).map(|row| row.id.clone())).collect();
        ids.map(|ids| self.selected = Selection::of(ids)).is_some()
    }

    /// The command that reads the `_id` of `count` documents from row `first` on.
    pub fn find_ids(&self, collection: &str, first: u64, count: u64) -> Document {
        query::ids_only(self.find(collection, first, count))
    }

    /// Whether all that match can be named by the filter alone.
    pub fn is_named_by_filter(&self) -> bool {
        self.query.skip == 0 && self.query.limit.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(count: i32) -> DocumentsView {
        let mut view = DocumentsView::default();
        let run = view.pages.begin_run();
        view.take(run, 0, (0..count).map(|id| doc! {"_id": id}).collect(), false);
        view
    }

    #[test]
    fn a_range_is_selected_from_the_anchor() {
        let mut view = view(10);
        view.select_only(2, &Bson::Int32(2));
        let select_to = |view: &mut DocumentsView, row: i32| {
            let range = view.range_to(u64::from(row.unsigned_abs()), Some(&Bson::Int32(row)));
            view.select_loaded(&range)
        };
        assert!(select_to(&mut view, 5));
        assert_eq!(view.selected.len(), 4);
        assert!(select_to(&mut view, 0));
        assert_eq!(view.selected.len(), 3);
        assert!(!select_to(&mut view, 60), "not all of these rows are loaded");
        assert_eq!(view.selected.len(), 3);
        assert!(view.toggle(9, &Bson::Int32(9)));
        assert!(view.is_selected(&Bson::Int32(9)));
        assert!(!view.is_selected(&Bson::Int64(9)), "another type is another document");
    }

    #[test]
    fn a_range_ends_where_it_was_clicked_when_rows_have_moved() {
        let ends = [2, 4].map(|id| Some(key(&Bson::Int32(id))));
        let mut range = RowRange { first: 2, count: 3, ends };
        let check = |range: &RowRange, ids: &[i32], expected: &[i32]| {
            let [ids, expected] =
                [ids, expected].map(|ids| ids.iter().copied().map(Bson::Int32).collect::<Vec<_>>());
            assert_eq!(range.within(ids), expected);
        };
        check(&range, &[2, 3, 4], &[2, 3, 4]);
        check(&range, &[3, 4, 5], &[3, 4]);
        check(&range, &[1, 2, 3], &[2, 3]);
        range.ends[1] = None;
        check(&range, &[1, 2, 3], &[2, 3]);
        check(&range, &[2, 4, 6], &[2, 4, 6]);
    }

    #[test]
    fn all_but_some_are_named_by_a_filter() {
        let filter = doc! {"a": 1};
        let mut all = Selection::all(20_000);
        assert_eq!(all.target(&filter), Target::Matching(filter.clone()));
        assert!(all.contains(&Bson::Int32(7)) && all.toggle(&Bson::Int32(7)));
        assert!(!all.contains(&Bson::Int32(7)) && all.contains(&Bson::Int32(8)));
        assert_eq!(all.len(), 19_999);
        let others = doc! {"_id": {"$nin": [7]}};
        let both = doc! {"$and": [filter.clone(), others.clone()]};
        assert_eq!(all.target(&filter), Target::Matching(both));
        assert_eq!(all.target(&doc! {}), Target::Matching(others));
        assert!(all.toggle(&Bson::Int32(7)));
        assert_eq!(all, Selection::all(20_000));
        all.set_count(20_001);
        assert_eq!(all.len(), 20_001);
    }

    #[test]
    fn one_and_several_documents_are_named_by_their_ids() {
        let one = Selection::of([Bson::Int32(3)]).target(&doc! {"a": 1});
        assert_eq!(one.filter(), doc! {"_id": {"$eq": 3}});
        let two = Selection::of([3, 4].map(Bson::Int32)).target(&doc! {});
        assert_eq!(two.filter(), doc! {"_id": {"$in": [3, 4]}});
    }
}
