//! The Documents view of one tab.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use bson::spec::ElementType;
use bson::{Bson, Document, RawDocumentBuf};
use mayfly_engine::query::Filter;
use mayfly_engine::value::{Layout, named, shell};
use serde::{Deserialize, Serialize};

use super::due::{Due, TtlIndex, due};
use super::find::Find;
use super::pages::{Pages, Row};
use super::query::{Query, QueryText, Refusal};
use super::reference::Reference;
use super::undo::Change;
use super::{
    Cursor, FieldEdit, Focused, Folds, SavedCell, Selection, Undo, Writing, columns, field_path,
};
use crate::commands::query;
use crate::limits::{COLUMNS_MAX, KNOWN_DOCUMENTS_MAX};
use crate::state::completion::Completing;
use crate::state::fields::KnownFields;

named! {
    /// How documents are shown.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    pub enum Mode {
        #[default]
        Cards => "Cards",
        /// Indented text.
        Json => "JSON",
        /// A line for each, a column for each field.
        Table => "Table",
    }
    /// Its name.
    pub fn label;
}

/// The Documents view of one tab.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing; none excludes another")]
pub struct DocumentsView {
    /// Whether the documents were asked for since the view was opened or the data changed.
    pub asked: bool,
    /// Whether what was kept from the last start is in place.
    pub restored: bool,
    /// How documents are shown.
    pub mode: Mode,
    /// The query as typed when it was run.
    pub text: QueryText,
    /// The query that runs.
    pub query: Query,
    pub pages: Pages,
    /// The queries on their way, by the generation of their job: since when, on the window's clock.
    pub running: BTreeMap<u64, Duration>,
    /// Why the store could not read, in one sentence.
    pub error: Option<String>,
    /// How long the query had run when the user stopped it.
    pub stopped_after: Option<Duration>,
    /// The last query that was run, if the store refused it.
    pub refusal: Option<Refusal>,
    /// The result of the last answered query, until the next one is answered.
    answered: Option<Box<Answered>>,
    /// Whether damaged documents are left out, because a read has met one.
    pub partial: bool,
    /// How long the last page took, in microseconds.
    pub micros: u64,
    /// The TTL indexes, which decide when each row expires.
    pub ttl: Vec<TtlIndex>,
    /// Whether the store has to be asked when each row expires.
    pub asks_due: bool,
    /// The fields of the documents that were read.
    pub known: KnownFields,
    /// The fields of a sample from the end of the collection, for completion: rare fields are often
    /// new ones. `None` until it is requested.
    pub sampled: Option<KnownFields>,
    /// The columns of the table.
    pub columns: Vec<String>,
    /// Columns that the user hid, by their path.
    pub hidden: BTreeSet<String>,
    /// Columns whose fields have columns of their own, with the names of these fields.
    pub expanded: BTreeMap<String, Vec<String>>,
    /// The document in the inspector.
    pub focus: Option<Focused>,
    pub selected: Selection,
    /// The row that the keyboard is at.
    pub cursor: Cursor,
    /// The document whose deletion waits for a yes.
    pub confirming: Option<Bson>,
    /// The last changes.
    pub undo: Undo,
    /// The change on its way.
    pub writing: Option<Writing>,
    pub saved_cell: Option<SavedCell>,
    /// A value whose document is looked for.
    pub reference: Option<Reference>,
}

/// The result of a query.
#[derive(Debug, Clone, PartialEq)]
struct Answered {
    text: QueryText,
    query: Query,
    pages: Pages,
    columns: Vec<String>,
    selected: Selection,
}

/// The part that is restored at the next start.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedDocuments {
    /// The query as typed.
    pub query: QueryText,
    /// The mode of the list. `None` for that of the previous collection.
    pub mode: Option<Mode>,
    /// Columns that the user hid, by their path.
    pub hidden: BTreeSet<String>,
    /// Columns whose fields have columns of their own.
    pub expanded: BTreeSet<String>,
}

/// The scroll position of a list: the row at its top, and how much of it is above the top, in
/// points.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scroll {
    /// The row at the top.
    pub row: u64,
    /// How much of it is above the top.
    pub offset: f32,
}

/// The user's unsent input in the Documents view.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DocumentsDraft {
    pub query: QueryText,
    /// The list of words under the filter, while it is open.
    pub completing: Option<Completing>,
    pub history_search: String,
    /// The name that the query gets as a favorite.
    pub favorite: String,
    /// Whether the options are shown.
    pub options: bool,
    /// Whether the options that are rarely needed are shown too.
    pub more_options: bool,
    /// Whether what was kept is in the lines.
    pub restored: bool,
    /// A value under edit in the inspector.
    pub field: Option<FieldEdit>,
    pub folds: Folds,
    /// The search in the loaded documents, while its line is open.
    pub find: Option<Find>,
    /// Where the list stands.
    pub scroll: Scroll,
    /// The rows that were on the screen, for the words above the list.
    pub shown: (u64, u64),
    /// The row at which the table stood; `None` while the list is shown.
    pub table_row: Option<u64>,
    /// The row to scroll into view in the table.
    pub brought: Option<u64>,
    /// The types that the columns of the table were fitted to.
    pub fitted: HashMap<String, ElementType>,
}

impl DocumentsView {
    /// Puts what was kept in place. Does nothing the second time. `mode` is for a collection that
    /// was not open before.
    pub fn restore(&mut self, saved: &SavedDocuments, mode: Mode, now_ms: i64) {
        if self.restored {
            return;
        }
        self.restored = true;
        self.mode = saved.mode.unwrap_or(mode);
        self.hidden.clone_from(&saved.hidden);
        self.expanded = saved.expanded.iter().map(|name| (name.clone(), Vec::new())).collect();
        if let Ok(query) = saved.query.read(now_ms) {
            self.text.clone_from(&saved.query);
            self.query = query;
        }
    }

    /// The change on its way was not made: what it should have taken back, or made again, can be
    /// tried once more.
    pub fn give_up(&mut self) {
        if let Some(writing) = self.writing.take() {
            self.undo.give_back(Change::One(writing.step), writing.origin);
        }
    }

    /// The part that is saved for the next start.
    pub fn saved(&self) -> SavedDocuments {
        SavedDocuments {
            query: self.text.clone(),
            mode: Some(self.mode),
            hidden: self.hidden.clone(),
            expanded: self.expanded.keys().cloned().collect(),
        }
    }

    /// Begins another query.
    pub fn set_query(&mut self, text: QueryText, query: Query) {
        let (text, query) =
            (std::mem::replace(&mut self.text, text), std::mem::replace(&mut self.query, query));
        if self.query != query {
            let pages = self.pages.take_all();
            let columns = std::mem::take(&mut self.columns);
            let selected = std::mem::take(&mut self.selected);
            self.cursor = Cursor::default();
            if !pages.is_unknown() && self.answered.is_none() {
                self.answered = Some(Box::new(Answered { text, query, pages, columns, selected }));
            }
            self.confirming = None;
        }
        (self.error, self.stopped_after) = (None, None);
        self.refusal = None;
    }

    /// The store refuses the query that runs. What the last answered query showed comes back.
    /// Returns whether there was one.
    pub fn refuse(&mut self, message: String) -> bool {
        self.refusal = Some(Refusal::new(self.text.clone(), message));
        let Some(answered) = self.answered.take() else { return false };
        let Answered { text, query, pages, columns, selected } = *answered;
        (self.text, self.query) = (text, query);
        self.pages.put_back(pages);
        (self.columns, self.selected) = (columns, selected);
        true
    }

    /// Whether the query that runs is one that the store refuses: asking again is of no use.
    pub fn is_refused(&self) -> bool {
        self.refusal.as_ref().is_some_and(|refusal| refusal.text == self.text)
    }

    /// The command that reads `count` documents from row `first` on.
    pub fn find(&self, collection: &str, first: u64, count: u64) -> Document {
        self.partly(self.query.find(collection, first, count))
    }

    /// The command that counts.
    pub fn count(&self, collection: &str) -> Document {
        let count = self.query.count(collection);
        // All documents of a collection are counted at no cost, the damaged ones too. With a filter
        // each is read, and what can't be read must not end the count.
        if self.query.filter.is_empty() { count } else { self.partly(count) }
    }

    fn partly(&self, command: Document) -> Document {
        if self.partial { query::allow_partial(command) } else { command }
    }

    /// Adds documents that were read from row `first` on.
    pub fn take(&mut self, run: u64, first: u64, documents: Vec<Document>, cut: bool) {
        for (at, document) in (first..).zip(&documents) {
            self.learn(at, document);
        }
        let indexes = if self.query.is_whole() { self.ttl.as_slice() } else { &[] };
        let rows = (first..)
            .zip(documents)
            .map(|(at, document)| {
                let due = due(indexes, &document);
                let mut row = Row::new(document, due);
                // Until the store has said it again.
                let known = self.pages.row(at).filter(|old| self.asks_due && old.id == row.id);
                if let Some(old) = known {
                    row.due = old.due;
                }
                row
            })
            .collect();
        if run == self.pages.run() {
            self.answered = None;
        }
        self.pages.take(run, first, rows, cut);
        columns::merge(&mut self.columns, &self.pages);
        self.find_nested();
    }

    /// Hides a column, or shows it again.
    pub fn set_hidden(&mut self, field: String, hidden: bool) {
        if hidden {
            self.hidden.insert(field);
        } else {
            self.hidden.remove(&field);
        }
    }

    /// Gives each subfield its own column, or shows them as one column again.
    pub fn set_expanded(&mut self, field: String, expanded: bool) {
        if expanded {
            self.expanded.insert(field, Vec::new());
            self.find_nested();
        } else {
            self.expanded.remove(&field);
        }
    }

    fn find_nested(&mut self) {
        for (field, names) in &mut self.expanded {
            let found = columns::inside(field, &self.pages);
            let new: Vec<String> = found.into_iter().filter(|name| !names.contains(name)).collect();
            names.extend(new);
            names.truncate(COLUMNS_MAX);
        }
    }

    /// Learns the fields of a document, unless it was there before in this row.
    fn learn(&mut self, row: u64, document: &Document) {
        let is_there = self.pages.row(row).is_some_and(|old| old.document == *document);
        if self.query.is_whole() && !is_there && self.known.documents() < KNOWN_DOCUMENTS_MAX {
            self.known.add(document);
        }
    }

    /// Sets the TTL indexes, and computes when each loaded row expires.
    pub fn set_ttl(&mut self, ttl: Vec<TtlIndex>, asks_due: bool) {
        self.ttl = ttl;
        self.asks_due = asks_due;
        let indexes = if self.query.is_whole() { self.ttl.as_slice() } else { &[] };
        self.pages.update(|row| row.due = due(indexes, &row.document));
    }

    /// The documents from row `first` on that the store has to be asked about, as many as are
    /// there.
    pub fn due_ids(&self, first: u64, count: usize) -> Vec<Bson> {
        // A projection can put anything where the _id is.
        if !self.asks_due || !self.query.is_whole() {
            return Vec::new();
        }
        let rows = (first..).take(count).map_while(|at| self.pages.row(at));
        rows.filter(|row| row.has_id()).map(|row| row.id.clone()).collect()
    }

    /// Stores when these documents expire.
    pub fn set_due(&mut self, known: &[(Bson, Due)]) {
        let known: BTreeMap<String, Due> = known.iter().map(|(id, due)| (key(id), *due)).collect();
        self.pages.update(|row| {
            if let Some(due) = known.get(&key(&row.id)) {
                row.due = Some(*due);
            }
        });
    }

    /// Whether the list shows when each document expires.
    pub fn tells_due(&self) -> bool {
        (self.asks_due || !self.ttl.is_empty()) && self.query.is_whole()
    }

    /// Whether a document is in the inspector.
    pub fn is_focused(&self, id: &Bson) -> bool {
        self.focus.as_ref().is_some_and(|focus| focus.id == *id)
    }

    /// Whether the result lacks the document in the inspector: another filter ran since it was
    /// chosen, or it was edited. False where only the store can tell.
    pub fn lacks_focused(&self) -> bool {
        let Some(focus) = self.focus.as_ref().filter(|_| !self.pages.is_unknown()) else {
            return false;
        };
        let is_whole = self.pages.rows().count() as u64 == self.pages.len();
        if self.query.filter.is_empty() && !is_whole
            || self.pages.rows().any(|(_, row)| row.id == focus.id)
        {
            return false;
        }
        is_whole || focus.document.as_ref().is_some_and(|document| self.refuses(document))
    }

    /// Whether the filter refuses a document.
    fn refuses(&self, document: &Document) -> bool {
        let raw = |document: &Document| RawDocumentBuf::try_from(document).ok();
        let filter = raw(&self.query.filter).and_then(|filter| Filter::parse(&filter).ok());
        let Some(filter) = filter.filter(|filter| !filter.has_expression()) else { return false };
        let matches = |document| filter.matches(&raw(document)?).ok();
        let first = self.pages.rows().next().map(|(_, row)| &row.document);
        // The evaluation must agree with the store on the first document: a collation or a filter
        // that only the store knows may differ.
        self.query.is_whole()
            && first.and_then(matches) == Some(true)
            && matches(document) == Some(false)
    }

    /// The two selected documents, if they are two: the one that was selected first, then the other.
    pub fn selected_pair(&self) -> Option<[Bson; 2]> {
        let [one, other] = self.selected.pair()?;
        Some(if self.is_focused(&one) { [other, one] } else { [one, other] })
    }

    /// The columns that there are, each as the name of its field at each level.
    pub fn column_paths(&self) -> Vec<Vec<String>> {
        let paths = self.columns.iter().flat_map(|name| match self.expanded.get(name) {
            Some(inside) if !inside.is_empty() => {
                inside.iter().map(|inner| vec![name.clone(), inner.clone()]).collect()
            }
            _ => vec![vec![name.clone()]],
        });
        paths.take(COLUMNS_MAX).collect()
    }

    pub fn shown_columns(&self) -> Vec<Vec<String>> {
        let mut paths = self.column_paths();
        paths.retain(|path| !self.hidden.contains(&field_path::dotted(path)));
        paths
    }

    /// Whether the result is sorted by this field alone, and whether upwards.
    pub fn sorted_by(&self, field: &str) -> Option<bool> {
        let (name, direction) = self.query.sort.iter().next()?;
        (name == field && self.query.sort.len() == 1)
            .then_some(!matches!(direction, Bson::Int32(-1) | Bson::Int64(-1)))
    }
}

/// The text of an `_id`, which tells types apart.
pub fn key(id: &Bson) -> String {
    shell::write_value(id, Layout::OneLine)
}

/// The sort that a press on a column's head asks for: up, down, as stored.
pub fn next_sort(field: &str, sorted: Option<bool>) -> String {
    match sorted {
        None => sort_text(field, true),
        Some(true) => sort_text(field, false),
        Some(false) => String::new(),
    }
}

/// The sort by one path, as typed.
pub fn sort_text(path: &str, up: bool) -> String {
    let direction = if up { 1 } else { -1 };
    shell::write_value(&Bson::Document(bson::doc! { path: direction }), Layout::OneLine)
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn view(count: i32) -> DocumentsView {
        let mut view = DocumentsView::default();
        let run = view.pages.begin_run();
        view.take(run, 0, (0..count).map(|id| doc! {"_id": id}).collect(), false);
        view
    }

    #[test]
    fn the_same_query_again_keeps_selection_and_documents() {
        let mut view = view(3);
        view.select_only(1, &Bson::Int32(1));
        view.set_query(QueryText::default(), Query::default());
        assert_eq!((view.selected.len(), view.pages.len()), (1, 3));
        let text = QueryText::of_filter("{a: 1}");
        let query = text.read(0).expect("it reads");
        view.set_query(text, query);
        assert_eq!((view.selected.len(), view.pages.len()), (0, 0));
    }

    #[test]
    fn a_column_sorts_up_then_down_then_not() {
        let check = |sorted, expected: &str| assert_eq!(next_sort("at", sorted), expected);
        check(None, "{ at: 1 }");
        check(Some(true), "{ at: -1 }");
        check(Some(false), "");
    }

    #[test]
    fn what_is_kept_comes_back() {
        let mut view = DocumentsView::default();
        let text = QueryText::of_filter("{a: 1}");
        let query = text.read(0).expect("it reads");
        view.set_query(text, query.clone());
        view.mode = Mode::Table;
        let mut later = DocumentsView::default();
        later.restore(&view.saved(), Mode::Cards, 0);
        assert_eq!((later.mode, later.query), (Mode::Table, query));
        let mut new = DocumentsView::default();
        new.restore(&SavedDocuments::default(), Mode::Json, 0);
        assert_eq!(new.mode, Mode::Json, "as the collection before");
    }
}
