//! Removed documents that can be restored: in the trash, or moved to an archive.

use std::collections::BTreeSet;

use bson::{Bson, Document};
use mayfly_engine::limits::TRASH_SECS_MAX;
use mayfly_engine::reply::TrashRow;
use mayfly_engine::value::extjson::Layout;
use mayfly_engine::value::shell::write_value;

use super::archive::{ArchiveDraft, Status, target_words};
use super::documents::bulk::BulkRun;
use super::documents::change::is_same;
use super::store::StoreTree;
use super::{Namespace, Zone, number};
use crate::commands::trash;
use crate::job::TrashScope;
use crate::job::bulk::BulkChange;
use crate::job::number_draft::NumberDraft;

/// Seconds that the trash keeps removed documents by default.
pub const KEEP_SECS: i32 = 600;

/// The trash and the archives as the dialog shows them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trash {
    /// Whether the first answer has come.
    pub is_known: bool,
    /// Seconds that future removals are kept; 0: the trash is off.
    pub secs: i64,
    /// Documents in the trash, of all collections.
    pub documents: u64,
    pub bytes: u64,
    pub max_bytes: u64,
    /// Those that wait for an archive which the store doesn't know.
    pub unclaimed: u64,
    /// The archives of all collections. `None` until the store has said.
    pub archives: Option<Vec<Status>>,
    /// The listed documents, the last removed first.
    pub rows: Vec<Row>,
    pub next: Option<Bson>,
    /// The page that was asked for and has not come.
    pub asked: Option<Bson>,
    /// The listed documents: of a collection, or all, and those that match a filter.
    pub scope: TrashScope,
    /// Collections of which a document was listed.
    pub seen: BTreeSet<Namespace>,
    /// Whether a change waits for its answer.
    pub is_waiting: bool,
    /// Why the last thing that was asked for failed.
    pub error: Option<String>,
    /// The result of the last restore, and whether any document was restored.
    pub result: Option<(bool, String)>,
}

/// Where a removed document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In the trash until then, in milliseconds since 1970; after that it is moved to an archive or
    /// deleted.
    Trash { until_ms: i64, is_moved: bool },
    /// In the archive with this target; empty is the data folder.
    Archive { target: String },
}

impl Place {
    pub fn of(row: &TrashRow) -> Self {
        match &row.target {
            Some(target) => Self::Archive { target: target.clone() },
            None => Self::Trash {
                until_ms: row.until_ms.unwrap_or(i64::MAX),
                is_moved: row.archive.is_some(),
            },
        }
    }

    /// The words in a list.
    pub fn label(&self, zone: Zone, now_ms: i64) -> String {
        match self {
            Self::Trash { until_ms, .. } if *until_ms > now_ms => {
                format!("Kept until {}", zone.when(*until_ms, now_ms))
            }
            Self::Trash { is_moved: true, .. } => "Waits for the archive".to_owned(),
            Self::Trash { .. } => "Deleted by the next pass".to_owned(),
            Self::Archive { target } => format!("Moved to {}", target_words(target)),
        }
    }
}

/// A removed document that can be restored.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub namespace: Namespace,
    /// Its `_id`.
    pub id: Bson,
    /// Its size in bytes.
    pub bytes: u64,
    pub index: String,
    /// The pass that removed it. `None` if that was before the store was opened, or it was moved.
    pub pass: Option<i64>,
    /// When it was removed, in milliseconds since 1970.
    pub removed_ms: i64,
    pub place: Place,
    pub document: Option<Document>,
    /// No later listed removal has its `_id`: this version can be restored.
    pub is_newest: bool,
}

impl Row {
    pub fn of(row: TrashRow) -> Option<Self> {
        let (db, collection) = row.ns.split_once('.')?;
        Some(Self {
            place: Place::of(&row),
            namespace: Namespace::new(db, collection),
            id: row.id,
            bytes: row.bytes,
            index: row.index,
            pass: row.pass.and_then(|pass| i64::try_from(pass).ok()),
            removed_ms: row.removed_ms,
            document: row.document,
            is_newest: true,
        })
    }

    /// The same as long as the document is listed.
    pub fn key(&self) -> RowKey {
        RowKey {
            namespace: self.namespace.clone(),
            id: write_value(&self.id, Layout::OneLine),
            removed_ms: self.removed_ms,
        }
    }
}

/// Which removal a row is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowKey {
    namespace: Namespace,
    id: String,
    removed_ms: i64,
}

/// The fields of the dialog.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrashDraft {
    pub keep: NumberDraft,
    /// The seconds that `keep` was filled with; `None` before.
    pub filled: Option<i64>,
    /// The filter as typed.
    pub filter: String,
    pub chosen: Vec<RowKey>,
    pub scope: Scope,
    /// Whether the document of the chosen row is shown.
    pub shows_document: bool,
    /// The settings of the archive of the listed collection, while they are shown.
    pub archive: Option<ArchiveDraft>,
}

/// The documents to restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    #[default]
    Document,
    /// All documents that the same pass removed.
    Pass,
    /// Everything of the collection, or of all.
    All,
}

impl Scope {
    pub const ALL: [Self; 3] = [Self::Document, Self::Pass, Self::All];
}

/// A command that restores documents.
#[derive(Debug, Clone, PartialEq)]
pub struct RestoreCommand {
    pub db: String,
    pub command: Document,
    pub label: String,
    /// A restore in steps, of which `command` is the first; `None` for one command.
    pub scope: Option<TrashScope>,
}

/// The result of a restore.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RestoreOutcome {
    /// Documents that are in their collections again.
    pub restored: u64,
    /// Documents whose `_id` their collection has.
    pub existing: u64,
    pub refused: u64,
    /// Documents that are kept no longer.
    pub not_found: u64,
    /// Whether an index is on hold because of it.
    pub is_held: bool,
    /// Documents that it did not reach.
    pub remaining: u64,
}

impl RestoreOutcome {
    /// It as a sentence, and whether any document was restored.
    pub fn sentence(&self) -> (bool, String) {
        let stayed = [
            (self.existing, "has an _id that already exists", "have an _id that already exists"),
            (self.refused, "was rejected", "were rejected"),
            (self.not_found, "is no longer kept", "are no longer kept"),
        ];
        let stayed = stayed.into_iter().filter(|(count, ..)| *count > 0);
        let stayed: Vec<String> =
            stayed.map(|(count, one, more)| number::counted(count, one, more)).collect();
        let remain =
            (self.remaining > 0).then(|| number::counted(self.remaining, "remains", "remain"));
        if self.restored == 0 {
            let whys: Vec<String> = stayed.into_iter().chain(remain).collect();
            let why = if whys.is_empty() { "nothing is kept".to_owned() } else { whys.join(", ") };
            return (false, format!("Nothing was restored: {why}"));
        }
        let restored = number::counted(self.restored, "document", "documents");
        let mut sentence = format!("Restored {restored}");
        for part in stayed {
            sentence.push_str(", ");
            sentence.push_str(&part);
        }
        if self.is_held {
            sentence.push_str("; the index is on hold until you release it");
        }
        if let Some(remain) = remain {
            sentence.push_str("; ");
            sentence.push_str(&remain);
        }
        (true, sentence)
    }
}

impl TrashDraft {
    /// Fills the field of the time with what the store says, whenever that is another time.
    pub fn fill(&mut self, net: &Trash) {
        if net.is_known && self.filled != Some(net.secs) {
            let secs = if net.secs > 0 { net.secs } else { i64::from(KEEP_SECS) };
            (self.keep, self.filled) = (NumberDraft::from_secs(secs), Some(net.secs));
        }
    }

    /// The seconds in the field.
    ///
    /// # Errors
    /// One sentence: nothing was typed, or no number of seconds up to a day.
    pub fn secs(&self) -> Result<i64, String> {
        if self.keep.text.trim().is_empty() {
            return Err("Enter how long to keep removed documents".to_owned());
        }
        let outside = |_| "Must be from 1 second to 1 day".to_owned();
        if self.keep.text.trim().parse::<i64>().is_ok() {
            return self.keep.secs(1..=TRASH_SECS_MAX).map_err(outside);
        }
        self.keep.secs(1..=TRASH_SECS_MAX)
    }

    pub fn has_chosen(&self, row: &Row) -> bool {
        self.chosen.contains(&row.key())
    }

    /// Chooses a row: with Ctrl one more or one less, with Shift all up to it. One command restores
    /// documents of one collection, so those of others are no longer chosen.
    pub fn choose(&mut self, net: &Trash, row: &Row, (is_more, is_range): (bool, bool)) {
        let key = row.key();
        self.chosen.retain(|chosen| chosen.namespace == key.namespace);
        let place = |key: &RowKey| net.rows.iter().position(|row| row.key() == *key);
        let from = self.chosen.last().and_then(place).filter(|_| is_range);
        if let (Some(from), Some(to)) = (from, place(&key)) {
            let range = net.rows.iter().take(from.max(to) + 1).skip(from.min(to));
            let here = range.filter(|one| one.namespace == row.namespace).map(Row::key);
            let mut keys: Vec<RowKey> = here.collect();
            // The next range begins where this one did.
            if from < to {
                keys.reverse();
            }
            self.chosen = keys;
        } else if is_more {
            match self.chosen.iter().position(|chosen| *chosen == key) {
                Some(at) => drop(self.chosen.remove(at)),
                None => self.chosen.push(key),
            }
        } else {
            self.chosen = vec![key];
        }
    }
}

impl Trash {
    /// The command that lists a page, and the database it is sent to.
    pub fn page_command(&self, after: Option<Bson>, limit: i32) -> (String, Document) {
        (self.scope.home().0, trash::page(&self.scope, limit, true, after))
    }

    /// Whether documents are listed by this filter. To the byte: a NaN in it is not equal to
    /// itself.
    pub fn is_listed_by(&self, filter: Option<&Document>) -> bool {
        match (&self.scope.filter, filter) {
            (None, None) => true,
            (Some(listed), Some(filter)) => is_same(listed, filter),
            _ => false,
        }
    }

    /// Lists nothing any more.
    pub fn clear_rows(&mut self) {
        self.rows.clear();
        self.next = None;
        self.asked = None;
    }

    /// Appends documents to the list.
    pub fn add(&mut self, rows: impl IntoIterator<Item = Row>) {
        for mut row in rows {
            let is_same = |known: &Row| known.id == row.id && known.namespace == row.namespace;
            row.is_newest = !self.rows.iter().any(is_same);
            self.seen.insert(row.namespace.clone());
            self.rows.push(row);
        }
    }

    /// The archives of the listed collections.
    pub fn listed_archives(&self) -> impl Iterator<Item = &Status> {
        let of = self.scope.of.as_ref().map(ToString::to_string);
        let all = self.archives.iter().flatten();
        all.filter(move |status| of.as_ref().is_none_or(|of| *of == status.ns))
    }

    /// The archive of the listed collection. The last one is that of the collection as it is now;
    /// others belong to dropped ones.
    pub fn archive(&self) -> Option<&Status> {
        self.scope.of.as_ref().and_then(|_| self.listed_archives().last())
    }

    /// The chosen rows that are still listed.
    pub fn chosen<'t>(&'t self, draft: &'t TrashDraft) -> impl Iterator<Item = &'t Row> {
        self.rows.iter().filter(|row| !draft.chosen.is_empty() && draft.has_chosen(row))
    }

    /// The command that restores the selection.
    ///
    /// # Errors
    /// The step that has to be done first, in one sentence.
    pub fn restore_command(&self, draft: &TrashDraft) -> Result<RestoreCommand, &'static str> {
        if self.rows.is_empty() {
            return Err("The list is empty");
        }
        if draft.scope == Scope::All {
            let label = match (&self.scope.filter, &self.scope.of) {
                (Some(_), _) => "Restore all that match".to_owned(),
                (None, Some(of)) => format!("Restore all of {of}"),
                (None, None) => "Restore everything".to_owned(),
            };
            return Ok(RestoreCommand::in_steps(self.scope.clone(), label));
        }
        let chosen: Vec<&Row> = self.chosen(draft).collect();
        let Some(row) = chosen.first() else {
            return Err("Select a document in the list");
        };
        if draft.scope == Scope::Pass {
            let Some(pass) = row.pass else {
                return Err(match row.place {
                    Place::Archive { .. } => "Archives don't know which pass removed a document",
                    Place::Trash { .. } => {
                        "Removed before this store was opened, so its pass number is unknown"
                    }
                });
            };
            let of_all = if self.scope.of.is_none() { "" } else { " here" };
            let label = format!("Restore documents from pass {pass}{of_all}");
            let scope = TrashScope { pass: Some(pass), ..self.scope.clone() };
            return Ok(RestoreCommand::in_steps(scope, label));
        }
        if chosen.iter().any(|row| !row.is_newest) {
            return Err("Removed again later; only the newest version of each _id can be restored");
        }
        let ids: Vec<Bson> = chosen.iter().map(|row| row.id.clone()).collect();
        let label = match ids.len() {
            1 => "Restore this document".to_owned(),
            many => format!("Restore {}", number::counted(many as u64, "document", "documents")),
        };
        let filter = self.scope.filter.as_ref();
        let command = trash::restore_ids(&row.namespace.collection, ids, filter);
        Ok(RestoreCommand { db: row.namespace.db.clone(), command, label, scope: None })
    }
}

impl RestoreCommand {
    fn in_steps(scope: TrashScope, label: String) -> Self {
        let (db, _) = scope.home();
        Self { db, command: trash::restore_step(&scope, None), label, scope: Some(scope) }
    }
}

/// The restore in steps that runs.
pub fn running(runs: &[BulkRun]) -> Option<&BulkRun> {
    runs.iter().find(|run| matches!(run.work.change, BulkChange::Restore(_)))
}

/// The collections by which the list can be filtered: those there are, and those of listed
/// documents.
pub fn collections(tree: &StoreTree, trash: &Trash) -> Vec<Namespace> {
    let present = tree.databases.iter().flat_map(|database| {
        let named = |name: &String| Namespace::new(&database.name, name);
        database.collections.iter().map(move |collection| named(&collection.name))
    });
    let all: BTreeSet<Namespace> = present.chain(trash.seen.iter().cloned()).collect();
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;
    use crate::job::number_draft::Unit;

    fn row(removed_ms: i64, id: i32, pass: Option<i64>) -> Row {
        Row {
            namespace: Namespace::new("shop", "carts"),
            id: Bson::Int32(id),
            bytes: 0,
            index: "at_1".to_owned(),
            pass,
            removed_ms,
            place: Place::Trash { until_ms: 0, is_moved: false },
            document: None,
            is_newest: true,
        }
    }

    fn moved(removed_ms: i64, id: i32) -> Row {
        let place = Place::Archive { target: String::new() };
        Row { place, ..row(removed_ms, id, None) }
    }

    #[test]
    fn what_is_typed_becomes_seconds() {
        let check = |text: &str, unit, expected: Result<i64, &str>| {
            let keep = NumberDraft { text: text.to_owned(), unit };
            let draft = TrashDraft { keep, ..TrashDraft::default() };
            assert_eq!(draft.secs(), expected.map_err(ToOwned::to_owned), "{text}");
        };
        check("10", Unit::Minutes, Ok(600));
        check("1", Unit::Days, Ok(86_400));
        check("2", Unit::Days, Err("Must be from 1 second to 1 day"));
        check("0", Unit::Seconds, Err("Must be from 1 second to 1 day"));
        check(" ", Unit::Seconds, Err("Enter how long to keep removed documents"));
        check("ten", Unit::Seconds, Err("ten is not a whole number"));
    }

    #[test]
    fn the_time_is_filled_when_the_store_says_another_one() {
        let mut draft = TrashDraft::default();
        draft.fill(&Trash::default());
        assert_eq!(draft.filled, None, "nothing is known yet");
        let mut check = |secs, text: &str, unit| {
            let net = Trash { is_known: true, secs, ..Trash::default() };
            draft.fill(&net);
            assert_eq!((&*draft.keep.text, draft.keep.unit), (text, unit));
            draft.keep.text.clear();
            draft.fill(&net);
            assert_eq!(draft.keep.text, "", "what a person typed stays");
        };
        check(0, "10", Unit::Minutes);
        check(7_200, "2", Unit::Hours);
    }

    #[test]
    fn a_place_is_said_in_words() {
        let check = |place: Place, expected: &str| {
            assert_eq!(place.label(Zone::Utc, 60_000), expected);
        };
        check(Place::Trash { until_ms: 90_000, is_moved: true }, "Kept until 00:01:30");
        check(Place::Trash { until_ms: 60_000, is_moved: true }, "Waits for the archive");
        check(Place::Trash { until_ms: 60_000, is_moved: false }, "Deleted by the next pass");
        check(Place::Archive { target: String::new() }, "Moved to the data folder");
        check(Place::Archive { target: "/mnt/old".to_owned() }, "Moved to /mnt/old");
    }

    #[test]
    fn a_choice_becomes_a_command() {
        let mut net = Trash::default();
        net.add([row(9, 1, Some(3)), row(8, 2, None), row(7, 1, Some(2)), moved(5, 5)]);
        let mut filtered = net.clone();
        filtered.scope.of = Some(Namespace::new("shop", "carts"));
        filtered.scope.filter = Some(doc! {"user": "bob"});
        let check = |net: &Trash,
                     scope,
                     chosen: &[i64],
                     expected: Result<(&str, Document), &str>| {
            let rows = net.rows.iter().filter(|row| chosen.contains(&row.removed_ms));
            let draft =
                TrashDraft { chosen: rows.map(Row::key).collect(), scope, ..TrashDraft::default() };
            let found = net.restore_command(&draft);
            let found = found.as_ref().map(|found| (found.db.as_str(), found.command.clone()));
            assert_eq!(found.map_err(|why| *why), expected);
        };
        let one = doc! {"mayflyRestoreTrash": "carts", "ids": [1], "archived": true};
        check(&net, Scope::Document, &[9], Ok(("shop", one)));
        let both = doc! {"mayflyRestoreTrash": "carts", "ids": [2, 5], "archived": true};
        check(&net, Scope::Document, &[5, 8], Ok(("shop", both)));
        let seen = doc! {
            "mayflyRestoreTrash": "carts", "ids": [5], "filter": {"user": "bob"}, "archived": true,
        };
        check(&filtered, Scope::Document, &[5], Ok(("shop", seen)));
        check(&net, Scope::Document, &[], Err("Select a document in the list"));
        check(&net, Scope::Document, &[6], Err("Select a document in the list"));
        let older = "Removed again later; only the newest version of each _id can be restored";
        check(&net, Scope::Document, &[7], Err(older));
        let pass = doc! {"mayflyRestoreTrash": 1, "pass": 2_i64, "archived": true, "limit": 1_000};
        check(&net, Scope::Pass, &[7], Ok(("admin", pass)));
        let before = "Removed before this store was opened, so its pass number is unknown";
        check(&net, Scope::Pass, &[8], Err(before));
        let moved = "Archives don't know which pass removed a document";
        check(&net, Scope::Pass, &[5], Err(moved));
        let all = doc! {"mayflyRestoreTrash": 1, "archived": true, "limit": 1_000};
        check(&net, Scope::All, &[], Ok(("admin", all)));
        let all = doc! {
            "mayflyRestoreTrash": "carts", "filter": {"user": "bob"}, "archived": true,
            "limit": 1_000,
        };
        check(&filtered, Scope::All, &[], Ok(("shop", all)));
        check(&Trash::default(), Scope::All, &[], Err("The list is empty"));
    }

    #[test]
    fn rows_are_chosen_one_by_one_or_in_a_range_of_one_collection() {
        let mut net = Trash::default();
        net.add([row(9, 1, None), row(8, 2, None), moved(7, 3)]);
        let elsewhere = Row { namespace: Namespace::new("shop", "users"), ..row(6, 4, None) };
        net.add([elsewhere]);
        let mut draft = TrashDraft::default();
        let mut check = |at: usize, how, expected: &[i64]| {
            draft.choose(&net, &net.rows[at], how);
            let chosen: Vec<i64> = net.chosen(&draft).map(|row| row.removed_ms).collect();
            assert_eq!(chosen, expected);
        };
        check(0, (false, false), &[9]);
        check(2, (true, false), &[9, 7]);
        check(2, (true, false), &[9]);
        check(2, (false, true), &[9, 8, 7]);
        check(1, (false, true), &[9, 8]);
        check(3, (true, false), &[6]);
        check(1, (false, false), &[8]);
    }

    #[test]
    fn a_filter_is_itself() {
        let check = |one: Option<Document>, other: Option<Document>, expected: bool| {
            let scope = TrashScope { filter: one, ..TrashScope::default() };
            let net = Trash { scope, ..Trash::default() };
            assert_eq!(net.is_listed_by(other.as_ref()), expected, "{other:?}");
        };
        let nan = || Some(doc! { "a": f64::NAN });
        check(nan(), nan(), true);
        check(None, None, true);
        check(None, nan(), false);
        check(Some(doc! { "a": 1 }), Some(doc! { "a": 1_i64 }), false);
    }

    #[test]
    fn what_a_restore_did_says_how_many_remain() {
        let check = |outcome: RestoreOutcome, expected: (bool, &str)| {
            assert_eq!(outcome.sentence(), (expected.0, expected.1.to_owned()));
        };
        let nothing = RestoreOutcome::default;
        check(nothing(), (false, "Nothing was restored: nothing is kept"));
        let words = "Nothing was restored: 1 remains";
        check(RestoreOutcome { remaining: 1, ..nothing() }, (false, words));
        let part = RestoreOutcome {
            restored: 3_000,
            existing: 1,
            is_held: true,
            remaining: 93_611,
            ..nothing()
        };
        let words = "Restored 3,000 documents, 1 has an _id that already exists; the index is on \
                     hold until you release it; 93,611 remain";
        check(part, (true, words));
    }
}
