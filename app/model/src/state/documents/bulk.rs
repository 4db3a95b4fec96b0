//! The dialogs of a change of many documents: what it is about, and what it would do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bson::{Bson, Document, RawDocumentBuf};
use mayfly_engine::interrupt::{Limit, StopReason, run_within};
use mayfly_engine::query::{Filter, Update, UpdateContext};
use mayfly_engine::value::{Layout, shell};

use super::change::id_of;
use super::editor::Problem;
use super::pages::estimated_bytes;
use super::undo_words;
use crate::commands::bulk as command;
use crate::job::bulk::{BulkChange, Target};
use crate::job::{Namespace, OperationId, TabId};
use crate::limits::{PREVIEW_STEPS_MAX, PREVIEWED_BYTES_MAX, PREVIEWED_DOCUMENTS};
use crate::state::completion::Completing;
use crate::state::names::{collection_problem, database_problem};
use crate::state::{duration, number};

/// The documents that a dialog is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Scope {
    pub target: Target,
    pub selected: u64,
    /// How many there are, and their bytes; `None` until the store has said it. The error: why not.
    pub measured: Option<Result<Measured, String>>,
    pub sample: Vec<Document>,
}

/// How many documents there are, and how large they are together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Measured {
    pub documents: u64,
    pub bytes: u64,
}

impl Scope {
    /// Documents that nothing is known of yet.
    pub fn new(target: Target, selected: u64) -> Self {
        Self { target, selected, measured: None, sample: Vec::new() }
    }

    /// Takes some of the documents, without those that are too large to be shown while an update
    /// is typed.
    pub fn set_sample(&mut self, found: Vec<Document>) {
        let mut bytes = 0;
        let fits = |document: &Document| {
            bytes += estimated_bytes(document);
            bytes <= PREVIEWED_BYTES_MAX
        };
        self.sample = found.into_iter().take_while(fits).collect();
    }

    /// The command that counts them.
    pub fn measure(&self, collection: &str) -> Document {
        command::measure(collection, &self.target.filter(), &self.target.collation())
    }

    /// The command that reads some of them.
    pub fn read_sample(&self, collection: &str) -> Document {
        let (filter, collation) = (self.target.filter(), self.target.collation());
        command::sample(collection, &filter, &collation, PREVIEWED_DOCUMENTS)
    }

    /// How many documents the store has counted.
    pub fn documents(&self) -> Option<u64> {
        self.measured.as_ref()?.as_ref().ok().map(|measured| measured.documents)
    }

    /// Why they could not be counted.
    pub fn error(&self) -> Option<&str> {
        self.measured.as_ref()?.as_ref().err().map(String::as_str)
    }

    /// Whether the change can be taken back, in words. Each document is kept `times` times.
    pub fn undo_words(&self, times: u64, obstacle: Option<String>) -> String {
        let measured = self.measured.as_ref().and_then(|measured| measured.as_ref().ok());
        undo_words::words(measured.map(|it| it.bytes.saturating_mul(times)), obstacle)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct BulkDelete {
    pub scope: Scope,
}

#[derive(Debug, Clone, PartialEq)]
pub struct BulkUpdate {
    pub scope: Scope,
    pub text: String,
    pub first: String,
    /// The parsed text, updated when it changes.
    pub read: Result<Bson, Problem>,
    pub previews: Vec<Preview>,
    /// The words that are offered below the cursor.
    pub completing: Option<Completing>,
}

impl BulkUpdate {
    /// Whether something else was typed than the text that it began with.
    pub fn is_changed(&self) -> bool {
        self.text != self.first
    }
}

/// The effect of an update on one document.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    pub id: Bson,
    /// The fields that change. The error: why the store would refuse it.
    pub fields: Result<Vec<FieldChange>, String>,
}

/// A field before and after an update, in mongosh's syntax. `None` if it is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    pub name: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// The initial text of an update.
const UPDATE: &str = "{ $set: {  } }";

impl BulkUpdate {
    /// Nothing is typed yet.
    pub fn new(scope: Scope, now_ms: i64) -> Self {
        let (text, read) = (UPDATE.to_owned(), Ok(Bson::Null));
        let mut draft =
            Self { scope, first: text.clone(), text, read, previews: Vec::new(), completing: None };
        draft.changed(now_ms);
        draft
    }

    /// Reads the text again, and computes what it would do.
    pub fn changed(&mut self, now_ms: i64) {
        self.read = read_update(&self.text, now_ms);
        self.previews.clear();
        if let Ok(update) = &self.read {
            let filter = match &self.scope.target {
                Target::Matching(filter) | Target::Collated { filter, .. } => Some(filter),
                Target::Ids(_) => None,
            };
            self.previews = previews(update, filter, &self.scope.sample, now_ms);
        }
    }
}

/// Documents are to be copied.
#[derive(Debug, Clone, PartialEq)]
pub struct BulkCopy {
    pub scope: Scope,
    pub db: String,
    pub collection: String,
    /// Whether it is in another store.
    pub is_outside: bool,
    /// The data folder of that store.
    pub folder: String,
}

impl BulkCopy {
    /// A copy whose collection is to be named.
    pub fn new(scope: Scope, from: &Namespace) -> Self {
        let (collection, folder) = (String::new(), String::new());
        Self { scope, db: from.db.clone(), collection, is_outside: false, folder }
    }

    pub fn to(&self) -> Namespace {
        Namespace::new(self.db.trim(), self.collection.trim())
    }

    /// Why it can't be done yet.
    pub fn problem(&self, from: &Namespace) -> Option<String> {
        let to = self.to();
        if self.is_outside && self.folder.trim().is_empty() {
            return Some("Enter the data folder of the other store".to_owned());
        }
        let problem =
            database_problem(&to.db).or_else(|| collection_problem(&to.db, &to.collection));
        if problem.is_some() {
            return problem.map(ToOwned::to_owned);
        }
        (!self.is_outside && to == *from).then(|| "The documents are in this collection".to_owned())
    }

    pub fn change(&self) -> BulkChange {
        let folder = self.is_outside.then(|| self.folder.trim().into());
        BulkChange::Copy { target: self.scope.target.clone(), to: self.to(), folder }
    }
}

/// A change that runs.
#[derive(Debug, Clone)]
pub struct BulkRun {
    /// Its place in the list of operations.
    pub operation: OperationId,
    /// The tab that it was asked for in; `None` for a restore from the trash.
    pub tab: Option<TabId>,
    pub work: crate::job::bulk::BulkWork,
    pub origin: super::Origin,
    /// When it began, in window time.
    pub started: Duration,
}

impl BulkRun {
    /// How far it is, and for how long it runs: `1,000 of 3,000 documents · 4 s`.
    pub fn words(&self, uptime: Duration) -> String {
        let (done, total) = self.work.gauge.now();
        let secs = uptime.saturating_sub(self.started).as_secs();
        let ms = i64::try_from(secs.saturating_mul(1_000)).unwrap_or(i64::MAX);
        let elapsed = if secs == 0 { String::new() } else { format!(" · {}", duration::span(ms)) };
        if total == 0 {
            return format!("Reading{elapsed}");
        }
        // Others may insert more during the work.
        let total = total.max(done);
        format!("{} of {} documents{elapsed}", number::count(done), number::count(total))
    }
}

/// Reads update operators or a pipeline.
///
/// # Errors
/// The part that can't be read, or that the store would refuse whatever the document is.
pub fn read_update(text: &str, now_ms: i64) -> Result<Bson, Problem> {
    let update = shell::read_value_at(text, now_ms)
        .map_err(|error| Problem { message: error.to_string(), offset: Some(error.offset) })?;
    let said = |message: &str| Problem { message: message.to_owned(), offset: None };
    let parsed = parse(&update).map_err(|message| said(&message))?;
    let is_empty = match &update {
        Bson::Document(operators) => {
            operators.values().all(|fields| fields.as_document().is_some_and(Document::is_empty))
        }
        Bson::Array(stages) => stages.is_empty(),
        _ => true,
    };
    if is_empty {
        return Err(said("Enter the fields to change, such as { $set: { name: 'x' } }"));
    }
    if parsed.is_replacement() {
        return Err(said("Begin with an operator such as $set; a document would replace each one"));
    }
    Ok(update)
}

fn parse(update: &Bson) -> Result<Update, String> {
    let wrong = || "Enter update operators in braces, or a pipeline in brackets".to_owned();
    match update {
        Bson::Document(_) | Bson::Array(_) => {}
        _ => return Err(wrong()),
    }
    let raw = bson::RawBson::try_from(update.clone()).map_err(|error| error.to_string())?;
    Update::parse(raw.as_raw_bson_ref(), &[]).map_err(|error| error.to_string())
}

/// Ends a computation after this number of steps.
struct Steps(AtomicU64);

impl Limit for Steps {
    fn tick(&self) -> Result<(), StopReason> {
        let before = self.0.fetch_add(1, Ordering::Relaxed);
        if before < PREVIEW_STEPS_MAX { Ok(()) } else { Err(StopReason::TimeLimit) }
    }
}

/// The effect of an update on these documents.
fn previews(
    update: &Bson,
    filter: Option<&Document>,
    sample: &[Document],
    now_ms: i64,
) -> Vec<Preview> {
    let Ok(update) = parse(update) else { return Vec::new() };
    let raw = filter.and_then(|filter| RawDocumentBuf::try_from(filter).ok());
    let filter = raw.and_then(|raw| Filter::parse(&raw).ok());
    let context = UpdateContext { now_ms, filter: filter.as_ref(), ..UpdateContext::default() };
    let limit = Arc::new(Steps(AtomicU64::new(0)));
    run_within(Some(limit), || {
        let preview = |before: &Document| {
            let after = update.apply(before, &context);
            let fields = match &after {
                Ok(None) => Ok(Vec::new()),
                Ok(Some(after)) => Ok(differences(before, after)),
                Err(error) => Err(error.to_string()),
            };
            Preview { id: id_of(before), fields }
        };
        sample.iter().map(preview).collect()
    })
}

/// The fields that differ, in the order of the document before, then new ones.
pub fn differences(before: &Document, after: &Document) -> Vec<FieldChange> {
    let text = |value: &Bson| shell::write_value(value, Layout::OneLine);
    let new = after.keys().filter(|name| !before.contains_key(name.as_str()));
    let names = before.keys().chain(new);
    let change = |name: &String| {
        let (before, after) = (before.get(name), after.get(name));
        if before == after {
            return None;
        }
        let (before, after) = (before.map(text), after.map(text));
        // No number is equal to itself if it is none.
        (before != after).then(|| FieldChange { name: name.clone(), before, after })
    };
    names.filter_map(change).collect()
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;
    use crate::limits::UNDO_BYTES_MAX;

    fn draft(text: &str) -> BulkUpdate {
        let mut scope = Scope::new(Target::Matching(doc! {}), 2);
        scope.sample = vec![doc! {"_id": 1, "n": 1, "s": "x"}, doc! {"_id": 2, "n": "one"}];
        let mut draft = BulkUpdate::new(scope, 5);
        text.clone_into(&mut draft.text);
        draft.changed(5);
        draft
    }

    fn change(name: &str, before: Option<&str>, after: Option<&str>) -> FieldChange {
        let [before, after] = [before, after].map(|text| text.map(ToOwned::to_owned));
        FieldChange { name: name.to_owned(), before, after }
    }

    #[test]
    fn an_update_shows_what_it_would_change_and_what_it_can_not() {
        let previews = draft("{ $inc: { n: 1 }, $unset: { s: 1 } }").previews;
        let first = vec![change("n", Some("1"), Some("2")), change("s", Some("'x'"), None)];
        assert_eq!(previews[0].fields, Ok(first));
        let refused = previews[1].fields.clone().expect_err("it is a text");
        assert!(refused.contains("$inc"), "{refused}");
        let previews = draft("[{ $set: { both: { $concat: ['a', '$s'] } } }]").previews;
        assert_eq!(previews[0].fields, Ok(vec![change("both", None, Some("'ax'"))]));
        let previews = draft("{ $set: { at: new Date() } }").previews;
        let at = "ISODate('1970-01-01T00:00:00.005Z')";
        assert_eq!(previews[1].fields, Ok(vec![change("at", None, Some(at))]));
    }

    #[test]
    fn what_is_no_update_says_so() {
        let check = |text: &str, expected: &str| {
            let problem = draft(text).read.expect_err(text);
            assert!(problem.message.contains(expected), "{text}: {}", problem.message);
        };
        check("{ $set: {  } }", "Enter the fields to change");
        check("{ name: 'x' }", "Begin with an operator such as $set");
        check("{ $sett: { a: 1 } }", "$sett");
        check("{ $set: ", "column 9");
        check("7", "Enter update operators");
        check("[]", "Enter the fields to change");
    }

    #[test]
    fn an_update_that_loops_for_long_is_given_up() {
        let long = "[{ $set: { n: { $reduce: { input: { $range: [0, 100000000] }, \
                    initialValue: 0, in: { $add: ['$$value', 1] } } } } }]";
        let fields = draft(long).previews[0].fields.clone();
        assert!(fields.is_err(), "{fields:?}");
    }

    #[test]
    fn documents_that_are_too_large_are_left_out_of_the_preview() {
        let mut scope = Scope::new(Target::Matching(doc! {}), 3);
        let long = "x".repeat(PREVIEWED_BYTES_MAX / 2);
        scope.set_sample((0..3).map(|id| doc! {"_id": id, "text": &long}).collect());
        assert_eq!(scope.sample.len(), 1);
    }

    #[test]
    fn undo_is_promised_as_far_as_it_has_room() {
        let mut scope = Scope::new(Target::Matching(doc! {}), 2);
        let words = |scope: &Scope, times| scope.undo_words(times, None);
        assert!(words(&scope, 1).contains("up to 67.1 MB"), "{}", words(&scope, 1));
        let bytes = UNDO_BYTES_MAX as u64;
        scope.measured = Some(Ok(Measured { documents: 9, bytes }));
        assert_eq!(words(&scope, 1), "Press Ctrl+Z to undo while this tab is open");
        assert!(words(&scope, 2).starts_with("Too large to undo"), "{}", words(&scope, 2));
    }

    #[test]
    fn a_copy_names_another_collection() {
        let from = Namespace::new("d", "c");
        let mut draft = BulkCopy::new(Scope::new(Target::Matching(doc! {}), 2), &from);
        assert!(draft.problem(&from).is_some(), "no name");
        "c".clone_into(&mut draft.collection);
        assert!(draft.problem(&from).is_some(), "the same");
        "e".clone_into(&mut draft.collection);
        assert_eq!(draft.problem(&from), None);
        draft.is_outside = true;
        assert!(draft.problem(&from).is_some(), "no folder");
        "/data".clone_into(&mut draft.folder);
        "c".clone_into(&mut draft.collection);
        assert_eq!(draft.problem(&from), None, "of the same name in another store");
    }
}
