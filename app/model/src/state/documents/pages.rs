//! Pages of a result that may have millions of documents: a bounded cache, addressed by row.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use bson::{Bson, Document};

use super::due::Due;
use super::json_lines::JsonText;
use crate::limits::{PAGE_DOCUMENTS, PAGES_ASKED_MAX, PAGES_BYTES_MAX, PAGES_MAX};

/// One document of the result.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its `_id`; null when the projection leaves it out.
    pub id: Bson,
    /// Its fields, as far as the projection lets them through.
    pub document: Document,
    /// When it expires; `None` when the collection has no TTL index, the fields that tell are
    /// projected away, or the store has not said it yet.
    pub due: Option<Due>,
    json: OnceCell<JsonText>,
}

impl Row {
    pub fn new(document: Document, due: Option<Due>) -> Self {
        let id = document.get("_id").cloned().unwrap_or(Bson::Null);
        Self { id, document, due, json: OnceCell::new() }
    }

    /// The document as indented text.
    pub fn json(&self) -> &JsonText {
        self.json.get_or_init(|| JsonText::of(&self.document))
    }

    /// Whether the document can be addressed, that is: its `_id` is known.
    pub fn has_id(&self) -> bool {
        self.document.contains_key("_id")
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Page {
    run: u64,
    rows: Vec<Row>,
    bytes: usize,
    /// More documents of this page are still to come: the reply was full.
    cut: bool,
}

/// The cache.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pages {
    kept: BTreeMap<u64, Page>,
    asked: BTreeSet<u64>,
    run: u64,
    wanted: Range<u64>,
    total: Option<u64>,
    end: Option<u64>,
    /// A page of this run that begins here was empty: the count says more than can be read.
    empty_from: Option<u64>,
    /// Changes with the documents that are there.
    version: u64,
}

impl Pages {
    /// A number that changes when other documents are there.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// How many documents are there.
    pub fn loaded(&self) -> u64 {
        self.kept.values().map(|page| page.rows.len() as u64).sum()
    }

    /// Takes every document out: another query begins.
    #[must_use]
    pub fn take_all(&mut self) -> Self {
        let (run, version) = (self.run, self.version + 1);
        std::mem::replace(self, Self { run, version, ..Self::default() })
    }

    /// Shows what was taken out before. Replies to what was asked since are of no use.
    pub fn put_back(&mut self, taken: Self) {
        let version = self.version + 1;
        // Replies that are on their way belong to another query, so the pages count as not asked
        // for.
        *self = Self { run: self.run, asked: BTreeSet::new(), version, ..taken };
        self.begin_run();
    }

    /// Begins another run of the same query. What is there stays on the screen until it is
    /// replaced.
    pub fn begin_run(&mut self) -> u64 {
        self.run += 1;
        self.asked.clear();
        self.end = None;
        self.empty_from = None;
        self.run
    }

    /// The present run.
    pub fn run(&self) -> u64 {
        self.run
    }

    pub fn row(&self, row: u64) -> Option<&Row> {
        let page = self.kept.get(&(row / PAGE_DOCUMENTS))?;
        page.rows.get(usize::try_from(row % PAGE_DOCUMENTS).ok()?)
    }

    pub fn rows(&self) -> impl Iterator<Item = (u64, &Row)> {
        self.kept
            .iter()
            .flat_map(|(page, content)| (page * PAGE_DOCUMENTS..).zip(content.rows.iter()))
    }

    /// How many documents match, once they are counted.
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// How many documents match, once they are counted or the last one was read.
    pub fn known_total(&self) -> Option<u64> {
        self.total.or(self.end)
    }

    /// The row after the last one that is there.
    pub fn loaded_end(&self) -> u64 {
        let last = self.kept.last_key_value();
        last.map_or(0, |(page, content)| page * PAGE_DOCUMENTS + content.rows.len() as u64)
    }

    /// Stores the count.
    pub fn set_total(&mut self, total: u64) {
        self.total = Some(total);
        self.version += 1;
        let pages = total.div_ceil(PAGE_DOCUMENTS);
        self.kept.retain(|page, _| *page < pages);
    }

    /// How many rows the list has: the count, or as far as is known.
    pub fn len(&self) -> u64 {
        let loaded = self.loaded_end();
        let known = match (self.end, self.total) {
            (Some(end), _) => return end.max(loaded),
            (None, Some(total)) => total,
            // Not counted yet: one more page, so that the user can scroll further.
            (None, None) if loaded > 0 => loaded + PAGE_DOCUMENTS,
            (None, None) => 0,
        };
        self.empty_from.map_or(known, |from| known.min(from))
    }

    /// Whether there is nothing, for certain.
    pub fn is_empty(&self) -> bool {
        self.total == Some(0) || self.end == Some(0)
    }

    /// Whether nothing came yet.
    pub fn is_unknown(&self) -> bool {
        self.kept.is_empty() && self.total.is_none() && self.end.is_none()
    }

    /// Notes which rows are on the screen.
    pub fn want(&mut self, rows: Range<u64>) {
        self.wanted = rows;
    }

    /// Whether something on the screen is missing or old and was not asked for.
    pub fn lacks(&self, rows: &Range<u64>) -> bool {
        // Bounded, because pages that the user scrolled past would otherwise occupy the reader.
        self.asked.len() < PAGES_ASKED_MAX && self.missing(rows).next().is_some()
    }

    /// The next places to read, as first row and number of documents; they count as asked from now.
    pub fn ask(&mut self) -> Vec<(u64, u64)> {
        let mut wanted = self.wanted.clone();
        if wanted.is_empty() {
            wanted = 0..PAGE_DOCUMENTS;
        }
        let free = PAGES_ASKED_MAX.saturating_sub(self.asked.len());
        let missing: Vec<u64> = self.missing(&wanted).take(free).collect();
        let mut places = Vec::with_capacity(missing.len());
        for page in missing {
            self.asked.insert(page);
            let had = match self.kept.get(&page) {
                // A page whose reply was full has its first documents already.
                Some(content) if content.run == self.run && content.cut => {
                    content.rows.len() as u64
                }
                _ => 0,
            };
            places.push((page * PAGE_DOCUMENTS + had, PAGE_DOCUMENTS - had));
        }
        places
    }

    /// Adds documents that were read from row `first` on. `cut`: the reply was full before all
    /// were in it. Documents of an older run are dropped.
    pub fn take(&mut self, run: u64, first: u64, rows: Vec<Row>, cut: bool) {
        if run != self.run {
            return;
        }
        self.version += 1;
        let page = first / PAGE_DOCUMENTS;
        self.asked.remove(&page);
        let bytes = rows.iter().map(|row| estimated_bytes(&row.document)).sum();
        let asked_all = first.is_multiple_of(PAGE_DOCUMENTS);
        // An empty reply that was cut would be asked for again without end.
        let cut = cut && !rows.is_empty();
        let fresh = Page { run, rows, bytes, cut };
        match self.kept.get_mut(&page).filter(|page| page.run == run && !asked_all) {
            Some(present) => {
                present.rows.extend(fresh.rows);
                present.bytes += fresh.bytes;
                present.cut = cut;
            }
            None => drop(self.kept.insert(page, fresh)),
        }
        self.note_end(page);
        self.evict();
    }

    pub fn update(&mut self, change: impl FnMut(&mut Row)) {
        self.kept.values_mut().flat_map(|page| page.rows.iter_mut()).for_each(change);
    }

    /// A page could not be read; it may be asked for again.
    pub fn failed(&mut self, run: u64, first: u64) {
        if run == self.run {
            self.asked.remove(&(first / PAGE_DOCUMENTS));
        }
    }

    fn note_end(&mut self, page: u64) {
        let Some(content) = self.kept.get(&page) else { return };
        let count = content.rows.len() as u64;
        if content.cut || count == PAGE_DOCUMENTS {
            return;
        }
        // A short page is the last one, unless it starts after the end: then the count decides.
        if count > 0 || page == 0 {
            self.end = Some(page * PAGE_DOCUMENTS + count);
            // Pages after the end are of an older run.
            self.kept.retain(|other, _| *other <= page);
        } else {
            let from = page * PAGE_DOCUMENTS;
            self.empty_from = Some(self.empty_from.map_or(from, |known| known.min(from)));
        }
    }

    fn missing(&self, rows: &Range<u64>) -> impl Iterator<Item = u64> {
        let last = rows.end.min(self.len().max(1)).saturating_sub(1) / PAGE_DOCUMENTS;
        let first = rows.start / PAGE_DOCUMENTS;
        (first..=last.max(first)).filter(|page| {
            let fresh =
                self.kept.get(page).is_some_and(|content| content.run == self.run && !content.cut);
            !fresh && !self.asked.contains(page)
        })
    }

    fn evict(&mut self) {
        let middle = (self.wanted.start / 2 + self.wanted.end / 2) / PAGE_DOCUMENTS;
        let mut bytes: usize = self.kept.values().map(|page| page.bytes).sum();
        while self.kept.len() > 1 && (self.kept.len() > PAGES_MAX || bytes > PAGES_BYTES_MAX) {
            // The page farthest from the screen, because scrolling comes to it last.
            let farthest = self.kept.keys().copied().max_by_key(|page| page.abs_diff(middle));
            let Some(gone) = farthest.and_then(|page| self.kept.remove(&page)) else { break };
            bytes = bytes.saturating_sub(gone.bytes);
        }
    }
}

/// About how much memory a document takes; only its top is looked at closely.
pub fn estimated_bytes(document: &Document) -> usize {
    document.iter().map(|(name, value)| name.len() + 48 + value_bytes(value, 0)).sum()
}

fn value_bytes(value: &Bson, depth: usize) -> usize {
    match value {
        Bson::String(text) => text.len(),
        Bson::Binary(binary) => binary.bytes.len(),
        Bson::Document(inner) if depth < 8 => {
            inner.iter().map(|(name, value)| name.len() + 48 + value_bytes(value, depth + 1)).sum()
        }
        Bson::Array(inner) if depth < 8 => {
            inner.iter().map(|value| 32 + value_bytes(value, depth + 1)).sum()
        }
        _ => 16,
    }
}

#[cfg(test)]
#[path = "pages_tests.rs"]
mod tests;
