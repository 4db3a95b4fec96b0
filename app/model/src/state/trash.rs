//! Recently removed documents: how long the trash keeps them, which it has, and restoring them.

use std::collections::BTreeSet;

use bson::{Bson, Document};
use mayfly_engine::limits::TRASH_SECS_MAX;

use super::archive::ArchiveDraft;
use super::documents::bulk::BulkRun;
use super::store::StoreTree;
use super::{Namespace, number};
use crate::commands::trash;
use crate::job::TrashScope;
use crate::job::bulk::BulkChange;
use crate::job::number_draft::NumberDraft;

/// Seconds that the trash keeps removed documents by default.
pub const KEEP_SECS: i32 = 600;

/// The trash as the dialog shows it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trash {
    /// Whether the first answer has come.
    pub is_known: bool,
    /// Seconds that future removals are kept; 0: the trash is off.
    pub secs: i64,
    /// Documents in it, of all collections.
    pub documents: u64,
    pub bytes: u64,
    pub max_bytes: u64,
    /// The listed documents, the last removed first.
    pub rows: Vec<Row>,
    pub next: Option<i64>,
    /// The page that was asked for and has not come.
    pub asked: Option<i64>,
    /// The collection whose documents are listed; `None` is all.
    pub filter: Option<Namespace>,
    /// Collections of which a document was listed.
    pub seen: BTreeSet<Namespace>,
    /// Whether a change waits for its answer.
    pub is_waiting: bool,
    /// Why the last thing that was asked for failed.
    pub error: Option<String>,
    /// The result of the last restore, and whether any document was restored.
    pub result: Option<(bool, String)>,
}

/// A removed document that can be restored.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its number in the trash; later removals have larger ones.
    pub number: i64,
    pub namespace: Namespace,
    /// Its `_id`.
    pub id: Bson,
    /// Its size in bytes.
    pub bytes: u64,
    pub index: String,
    /// The pass that removed it. `None` if that was before the store was opened.
    pub pass: Option<i64>,
    /// When it was removed, in milliseconds since 1970.
    pub removed_ms: i64,
    /// When the trash drops it for good, or it is moved to an archive.
    pub until_ms: i64,
    /// Whether it is moved to an archive.
    pub is_moved: bool,
    /// No later listed removal has its `_id`: this version can be restored.
    pub is_newest: bool,
}

/// The fields of the dialog.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrashDraft {
    pub is_on: bool,
    pub keep: NumberDraft,
    /// Whether the fields have been filled from what the store says.
    pub is_filled: bool,
    pub chosen: Option<i64>,
    pub scope: Scope,
    /// The archive of the listed collection, while that is shown.
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
    /// Documents that were no longer in the trash.
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
            (self.not_found, "is no longer in the trash", "are no longer in the trash"),
        ];
        let stayed = stayed.into_iter().filter(|(count, ..)| *count > 0);
        let stayed: Vec<String> =
            stayed.map(|(count, one, more)| number::counted(count, one, more)).collect();
        let remain = (self.remaining > 0).then(|| {
            number::counted(self.remaining, "remains in the trash", "remain in the trash")
        });
        if self.restored == 0 {
            let whys: Vec<String> = stayed.into_iter().chain(remain).collect();
            let why =
                if whys.is_empty() { "the trash is empty".to_owned() } else { whys.join(", ") };
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
    /// Fills the fields from the status, once: typed values stay.
    pub fn fill(&mut self, net: &Trash) {
        if !net.is_known || std::mem::replace(&mut self.is_filled, true) {
            return;
        }
        self.is_on = net.secs > 0;
        let secs = if self.is_on { net.secs } else { i64::from(KEEP_SECS) };
        self.keep = NumberDraft::from_secs(secs);
    }

    /// The seconds in the fields; 0 is off.
    ///
    /// # Errors
    /// One sentence: nothing was typed, or no number of seconds up to a day.
    pub fn secs(&self) -> Result<i64, String> {
        if !self.is_on {
            return Ok(0);
        }
        if self.keep.text.trim().is_empty() {
            return Err("Enter how long to keep removed documents".to_owned());
        }
        let outside = |_| "Must be from 1 second to 1 day".to_owned();
        if self.keep.text.trim().parse::<i64>().is_ok() {
            return self.keep.secs(1..=TRASH_SECS_MAX).map_err(outside);
        }
        self.keep.secs(1..=TRASH_SECS_MAX)
    }
}

impl Trash {
    /// The command that lists a page, and the database it is sent to.
    pub fn page_command(&self, after: Option<i64>, limit: i32) -> (String, Document) {
        let (db, of) = self.home();
        (db, trash::page(of, limit, after))
    }

    /// The database and the first value of a command about what is listed.
    fn home(&self) -> (String, Bson) {
        self.scope(None).home()
    }

    /// The listed documents, or those of them that one pass removed.
    fn scope(&self, pass: Option<i64>) -> TrashScope {
        TrashScope { of: self.filter.clone(), pass }
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

    /// The chosen row, while it is listed.
    pub fn chosen(&self, draft: &TrashDraft) -> Option<&Row> {
        self.rows.iter().find(|row| Some(row.number) == draft.chosen)
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
            let label = match &self.filter {
                Some(of) => format!("Restore all of {of}"),
                None => "Restore everything".to_owned(),
            };
            return Ok(RestoreCommand::in_steps(self.scope(None), label));
        }
        let Some(row) = self.chosen(draft) else {
            return Err("Select a document in the list");
        };
        if draft.scope == Scope::Pass {
            let Some(pass) = row.pass else {
                return Err("Removed before this store was opened, so its pass number is unknown");
            };
            let of_all = if self.filter.is_none() { "" } else { " here" };
            let label = format!("Restore documents from pass {pass}{of_all}");
            return Ok(RestoreCommand::in_steps(self.scope(Some(pass)), label));
        }
        if !row.is_newest {
            return Err("Removed again later; only the newest version of each _id can be restored");
        }
        Ok(RestoreCommand {
            db: row.namespace.db.clone(),
            command: trash::restore_ids(&row.namespace.collection, vec![row.id.clone()]),
            label: "Restore this document".to_owned(),
            scope: None,
        })
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

    fn row(number: i64, id: i32, pass: Option<i64>) -> Row {
        Row {
            number,
            namespace: Namespace::new("shop", "carts"),
            id: Bson::Int32(id),
            bytes: 0,
            index: "at_1".to_owned(),
            pass,
            removed_ms: 0,
            until_ms: 0,
            is_moved: false,
            is_newest: true,
        }
    }

    #[test]
    fn what_is_typed_becomes_seconds() {
        let check = |is_on, text: &str, unit, expected: Result<i64, &str>| {
            let keep = NumberDraft { text: text.to_owned(), unit };
            let draft = TrashDraft { is_on, keep, ..TrashDraft::default() };
            assert_eq!(draft.secs(), expected.map_err(ToOwned::to_owned), "{text}");
        };
        check(false, "nothing", Unit::Days, Ok(0));
        check(true, "10", Unit::Minutes, Ok(600));
        check(true, "1", Unit::Days, Ok(86_400));
        check(true, "2", Unit::Days, Err("Must be from 1 second to 1 day"));
        check(true, "0", Unit::Seconds, Err("Must be from 1 second to 1 day"));
        check(true, " ", Unit::Seconds, Err("Enter how long to keep removed documents"));
        check(true, "ten", Unit::Seconds, Err("ten is not a whole number"));
    }

    #[test]
    fn the_fields_are_filled_once() {
        let check = |secs, is_on, text: &str, unit| {
            let mut draft = TrashDraft::default();
            draft.fill(&Trash::default());
            assert!(!draft.is_filled, "nothing is known yet");
            let net = Trash { is_known: true, secs, ..Trash::default() };
            draft.fill(&net);
            assert_eq!((draft.is_on, &*draft.keep.text, draft.keep.unit), (is_on, text, unit));
            draft.keep.text.clear();
            draft.fill(&net);
            assert_eq!(draft.keep.text, "", "what a person typed stays");
        };
        check(0, false, "10", Unit::Minutes);
        check(7_200, true, "2", Unit::Hours);
    }

    #[test]
    fn a_choice_becomes_a_command() {
        let mut net = Trash::default();
        net.add([row(9, 1, Some(3)), row(8, 2, None), row(7, 1, Some(2))]);
        let mut filtered = net.clone();
        filtered.filter = Some(Namespace::new("shop", "carts"));
        let check = |net: &Trash, scope, chosen, expected: Result<(&str, Document), &str>| {
            let draft = TrashDraft { chosen, scope, ..TrashDraft::default() };
            let found = net.restore_command(&draft);
            let found = found.as_ref().map(|found| (found.db.as_str(), found.command.clone()));
            assert_eq!(found.map_err(|why| *why), expected);
        };
        let one = doc! {"mayflyRestoreTrash": "carts", "ids": [1]};
        check(&net, Scope::Document, Some(9), Ok(("shop", one)));
        check(&net, Scope::Document, None, Err("Select a document in the list"));
        check(&net, Scope::Document, Some(5), Err("Select a document in the list"));
        let older = "Removed again later; only the newest version of each _id can be restored";
        check(&net, Scope::Document, Some(7), Err(older));
        let pass = doc! {"mayflyRestoreTrash": 1, "pass": 2_i64, "limit": 1_000};
        check(&net, Scope::Pass, Some(7), Ok(("admin", pass)));
        let pass = doc! {"mayflyRestoreTrash": "carts", "pass": 2_i64, "limit": 1_000};
        check(&filtered, Scope::Pass, Some(7), Ok(("shop", pass)));
        let before = "Removed before this store was opened, so its pass number is unknown";
        check(&net, Scope::Pass, Some(8), Err(before));
        let all = doc! {"mayflyRestoreTrash": 1, "limit": 1_000};
        check(&net, Scope::All, None, Ok(("admin", all)));
        let all = doc! {"mayflyRestoreTrash": "carts", "limit": 1_000};
        check(&filtered, Scope::All, None, Ok(("shop", all)));
        check(&Trash::default(), Scope::All, None, Err("The list is empty"));
    }

    #[test]
    fn what_a_restore_did_says_how_many_remain() {
        let check = |outcome: RestoreOutcome, expected: (bool, &str)| {
            assert_eq!(outcome.sentence(), (expected.0, expected.1.to_owned()));
        };
        let nothing = RestoreOutcome::default;
        check(nothing(), (false, "Nothing was restored: the trash is empty"));
        let words = "Nothing was restored: 1 remains in the trash";
        check(RestoreOutcome { remaining: 1, ..nothing() }, (false, words));
        let part = RestoreOutcome {
            restored: 3_000,
            existing: 1,
            is_held: true,
            remaining: 93_611,
            ..nothing()
        };
        let words = "Restored 3,000 documents, 1 has an _id that already exists; the index is on \
                     hold until you release it; 93,611 remain in the trash";
        check(part, (true, words));
    }
}
