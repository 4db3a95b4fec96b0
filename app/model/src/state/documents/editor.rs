//! Documents as text in a dialog: a new one, a copy, or one that is there.

use bson::{Bson, Document, oid::ObjectId};
use mayfly_engine::value::{Layout, TextError, shell};

use super::change::{self, Step};
use super::due::{Due, TtlIndex, due};

/// Documents as text.
#[derive(Debug, Clone, PartialEq)]
pub struct Editor {
    pub mode: Mode,
    pub text: String,
    /// The initial text, to know whether something would be lost.
    pub first: String,
    /// The ids that documents without `_id` get.
    pub base: ObjectId,
    /// Where it stands.
    pub phase: Phase,
    /// The store's time when the text was read, in milliseconds since 1970: its `new Date()`.
    pub now_ms: i64,
    /// The parsed text; read again when it changes, and before it is saved.
    pub read: Result<Vec<Document>, Problem>,
}

/// The purpose of the text.
#[derive(Debug, Clone, PartialEq)]
pub enum Mode {
    Add,
    /// New documents from the clipboard.
    Paste,
    /// A document that is there, as it was opened.
    Edit(Document),
}

/// Where an editor stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    Typing,
    /// The store is asked.
    Busy,
    /// The store refused, in one sentence.
    Failed(String),
    /// The document was changed by someone else; this is what it is now.
    Changed(Document),
    /// The document was removed while it was edited.
    Gone,
}

/// A mistake in the text, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// One sentence.
    pub message: String,
    /// The byte in the text, when there is one.
    pub offset: Option<usize>,
}

impl Editor {
    pub fn add(base: ObjectId, now_ms: i64) -> Self {
        let text = format!("{{\n  _id: ObjectId('{}'),\n  \n}}", base.to_hex());
        Self::new(Mode::Add, text, base, now_ms)
    }

    /// An editor for a copy with a new `_id`.
    pub fn copy_of(document: &Document, base: ObjectId, now_ms: i64) -> Self {
        let mut copy = Document::new();
        copy.insert("_id", base);
        copy.extend(
            document
                .iter()
                .filter(|(name, _)| *name != "_id")
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        Self::new(Mode::Add, text_of(&copy), base, now_ms)
    }

    pub fn edit(document: Document, base: ObjectId, now_ms: i64) -> Self {
        let text = text_of(&document);
        Self::new(Mode::Edit(document), text, base, now_ms)
    }

    /// An editor for documents from the clipboard; without `text` it waits for them.
    pub fn paste(text: String, base: ObjectId, now_ms: i64) -> Self {
        Self::new(Mode::Paste, text, base, now_ms)
    }

    /// Takes what the clipboard held, if the editor waits for that.
    pub fn take_pasted(&mut self, text: String, now_ms: i64) {
        if self.waits_for_clipboard() {
            *self = Self::paste(text, self.base, now_ms);
        }
    }

    /// Whether the text of the clipboard is not here yet.
    pub fn waits_for_clipboard(&self) -> bool {
        self.mode == Mode::Paste && self.text.is_empty()
    }

    /// How many of the new documents are past their threshold by these indexes, so that the next
    /// pass removes them.
    pub fn overdue(&self, indexes: &[TtlIndex], now_ms: i64) -> usize {
        let (false, Ok(documents)) = (matches!(self.mode, Mode::Edit(_)), &self.read) else {
            return 0;
        };
        let is_overdue = |document: &&Document| {
            matches!(due(indexes, document), Some(Due::At { threshold_ms, .. })
                if threshold_ms <= now_ms)
        };
        documents.iter().filter(is_overdue).count()
    }

    fn new(mode: Mode, text: String, base: ObjectId, now_ms: i64) -> Self {
        let read = Ok(Vec::new());
        let (phase, first) = (Phase::Typing, text.clone());
        let mut editor = Self { mode, text, first, base, phase, now_ms, read };
        editor.changed(now_ms);
        editor
    }

    /// Reads the text again, at this time.
    pub fn changed(&mut self, now_ms: i64) {
        if !matches!(self.phase, Phase::Changed(_) | Phase::Gone) {
            self.phase = Phase::Typing;
        }
        self.read_at(now_ms);
    }

    /// Reads the text again.
    pub fn read_at(&mut self, now_ms: i64) {
        // The time has passed, and what is saved is the time of saving.
        self.now_ms = now_ms;
        self.read = self.documents();
    }

    /// Whether nothing was typed.
    pub fn is_untouched(&self) -> bool {
        self.text == self.first
    }

    /// Whether closing it would lose something: more than spaces and line ends differ.
    pub fn is_changed(&self) -> bool {
        let is_same = self.read.is_ok() && self.step().is_none();
        !self.is_untouched() && !is_same
    }

    /// Whether it is an editor of this document, in whatever version.
    pub fn is_of(&self, document: &Document) -> bool {
        matches!(&self.mode, Mode::Edit(opened) if change::has_same_id(opened, document))
    }

    /// The change that saving makes. `None` while the text can't be read or nothing was changed.
    pub fn step(&self) -> Option<Step> {
        let documents = self.read.as_ref().ok()?;
        match (&self.mode, &self.phase) {
            (Mode::Add | Mode::Paste, _) | (Mode::Edit(_), Phase::Gone) => {
                Some(Step::Insert(documents.clone()))
            }
            (Mode::Edit(opened), phase) => {
                let after = documents.first()?.clone();
                // After a conflict the user has seen the other version, so that one is replaced.
                let before = match phase {
                    Phase::Changed(theirs) => theirs,
                    _ => opened,
                };
                (!change::is_same(before, &after))
                    .then(|| Step::Replace { before: before.clone(), after })
            }
        }
    }

    fn documents(&self) -> Result<Vec<Document>, Problem> {
        let documents = match &self.mode {
            Mode::Edit(_) => {
                match shell::read_value_at(&self.text, self.now_ms)
                    .map_err(|error| problem(&error))?
                {
                    Bson::Document(document) => vec![document],
                    _ => return Err(said("Enter a document, such as {name: 'x'}")),
                }
            }
            Mode::Add | Mode::Paste => self.new_documents()?,
        };
        if documents.is_empty() {
            return Err(said("Enter at least one document"));
        }
        if let Mode::Edit(opened) = &self.mode {
            let same = documents.first().is_some_and(|edited| {
                edited.contains_key("_id") && change::has_same_id(edited, opened)
            });
            if !same {
                return Err(said("You can't change the _id; clone the document instead"));
            }
        }
        Ok(documents.into_iter().enumerate().map(|(at, it)| with_id(it, self.base, at)).collect())
    }

    /// One document, several that follow one another (NDJSON, say), or an array of them.
    fn new_documents(&self) -> Result<Vec<Document>, Problem> {
        if self.waits_for_clipboard() {
            return Err(said("Paste documents here (Ctrl+V)"));
        }
        let mut values =
            shell::read_values_at(&self.text, self.now_ms).map_err(|error| problem(&error))?;
        let items = match values.as_mut_slice() {
            [Bson::Array(items)] => std::mem::take(items),
            [Bson::Document(_), ..] => values,
            _ => return Err(said("Enter a document, such as {name: 'x'}")),
        };
        let document = |item| match item {
            Bson::Document(document) => Ok(document),
            _ => Err(said("Every item must be a document, such as {name: 'x'}")),
        };
        items.into_iter().map(document).collect()
    }
}

/// A document as text to edit: types are kept by their literals.
pub fn text_of(document: &Document) -> String {
    shell::write_value(&Bson::Document(document.clone()), Layout::Indented)
}

fn problem(error: &TextError) -> Problem {
    Problem { message: error.to_string(), offset: Some(error.offset) }
}

fn said(message: &str) -> Problem {
    Problem { message: message.to_owned(), offset: None }
}

/// The document with an `_id`.
fn with_id(document: Document, base: ObjectId, at: usize) -> Document {
    if document.contains_key("_id") {
        return document;
    }
    let mut bytes = base.bytes();
    let [.., high, middle, low] = &mut bytes;
    let counter = u32::from_be_bytes([0, *high, *middle, *low]);
    let next = counter.wrapping_add(u32::try_from(at).unwrap_or(0)).to_be_bytes();
    [*high, *middle, *low] = [next[1], next[2], next[3]];
    let mut whole = Document::new();
    // As drivers give one before they send it: the shown command is then the sent one, and an
    // insert can be undone.
    whole.insert("_id", ObjectId::from_bytes(bytes));
    whole.extend(document);
    whole
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    const BASE: ObjectId = ObjectId::from_bytes([0; 12]);

    fn edited(document: Document, text: &str) -> Editor {
        let mut editor = Editor::edit(document, BASE, 0);
        text.clone_into(&mut editor.text);
        editor.changed(0);
        editor
    }

    #[test]
    fn types_survive_the_text() {
        let check = |document: Document| {
            let editor = Editor::edit(document.clone(), BASE, 0);
            assert_eq!(editor.read, Ok(vec![document.clone()]));
            assert!(change::is_same(&editor.documents().expect("it reads")[0], &document));
            assert_eq!(editor.step(), None, "nothing was changed");
        };
        check(doc! {"_id": 1, "long": 5_i64, "big": i64::MAX, "double": 5.0, "int": 5});
        check(doc! {"_id": 1, "at": bson::DateTime::from_millis(1), "none": Bson::Null});
        check(doc! {"_id": ObjectId::from_bytes([7; 12]), "a.b": 1, "tags": ["x", "'"]});
    }

    #[test]
    fn spaces_are_no_change() {
        let document = doc! { "_id": 1, "a": 2 };
        assert!(!edited(document.clone(), "{_id: 1,\n\n a: 2}").is_changed());
        assert!(edited(document.clone(), "{_id: 1, a: 3}").is_changed());
        assert!(edited(document, "{_id: 1, a: 2").is_changed());
    }

    #[test]
    fn the_id_stays() {
        let editor = edited(doc! {"_id": 1}, "{_id: 2}");
        assert!(editor.read.is_err());
        assert!(edited(doc! {"_id": 1}, "{a: 2}").read.is_err());
        assert_eq!(
            edited(doc! {"_id": 1}, "{_id: 1, a: 2}").step(),
            Some(Step::Replace { before: doc! {"_id": 1}, after: doc! {"_id": 1, "a": 2} })
        );
    }

    #[test]
    fn an_error_has_a_place() {
        let editor = edited(doc! {"_id": 1}, "{_id: 1,\n a: }");
        let problem = editor.read.expect_err("it lacks a value");
        assert_eq!(problem.offset, Some(13));
        assert!(problem.message.contains("line 2"), "{}", problem.message);
    }

    #[test]
    fn several_new_documents_get_different_ids() {
        let mut editor = Editor::add(BASE, 0);
        "[{a: 1}, {a: 2}]".clone_into(&mut editor.text);
        editor.changed(0);
        let documents = editor.read.expect("two documents");
        assert_ne!(change::id_of(&documents[0]), change::id_of(&documents[1]));
    }

    #[test]
    fn documents_are_pasted_as_an_array_or_one_after_the_other() {
        let count = |text: &str| {
            let read = Editor::paste(text.to_owned(), BASE, 0).read;
            read.map(|documents| documents.len()).map_err(|problem| problem.message)
        };
        assert_eq!(count("{\"a\": {\"$numberLong\": \"5\"}}"), Ok(1));
        assert_eq!(count("{\"a\": 1}\n{\"a\": 2}\n"), Ok(2));
        assert_eq!(count("[{a: ISODate('2026-01-01')}, {a: 2}, {}]"), Ok(3));
        for (text, what) in [
            ("", "Paste documents here"),
            ("{a: 1}\n{a: }", "(line 2, column 5)"),
            ("{a: 1}\n7", "Every item must be a document"),
            ("[1]", "Every item must be a document"),
            ("some words", "(line 1, column 1)"),
            ("7", "Enter a document"),
        ] {
            let error = count(text).expect_err(text);
            assert!(error.contains(what), "{text}: {error}");
        }
    }

    #[test]
    fn only_an_empty_editor_takes_what_the_clipboard_held() {
        let mut editor = Editor::paste(String::new(), BASE, 0);
        editor.take_pasted("{a: 1}".to_owned(), 0);
        editor.take_pasted("{b: 1}".to_owned(), 0);
        assert_eq!((editor.text.as_str(), editor.is_changed()), ("{a: 1}", false));
    }

    #[test]
    fn pasted_documents_past_their_threshold_are_counted() {
        let index = doc! {"name": "at_1", "key": {"at": 1}, "expireAfterSeconds": 60};
        let indexes: Vec<_> = TtlIndex::read(&index).into_iter().collect();
        let text = "[{at: ISODate('1970-01-01')}, {at: ISODate('1970-01-02')}, {at: 'x'}]";
        let editor = Editor::paste(text.to_owned(), BASE, 0);
        assert_eq!(editor.overdue(&indexes, 60_000), 1);
        assert_eq!(editor.overdue(&indexes, 59_999), 0);
        assert_eq!(editor.overdue(&[], 60_000), 0);
    }

    #[test]
    fn after_a_conflict_the_version_that_was_shown_is_replaced() {
        let mut editor = edited(doc! {"_id": 1}, "{_id: 1, mine: 1}");
        let theirs = doc! {"_id": 1, "theirs": 1};
        editor.phase = Phase::Changed(theirs.clone());
        assert_eq!(
            editor.step(),
            Some(Step::Replace { before: theirs, after: doc! {"_id": 1, "mine": 1} })
        );
        editor.phase = Phase::Gone;
        assert_eq!(editor.step(), Some(Step::Insert(vec![doc! {"_id": 1, "mine": 1}])));
    }
}
