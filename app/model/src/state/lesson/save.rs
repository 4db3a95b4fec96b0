//! A lesson that is written from a sandbox, as drafted.

use std::path::PathBuf;

use crate::limits::{LESSON_FILE_BYTES_MAX, LESSON_SAVED_DOCUMENTS_MAX};
use crate::state::command_log::CommandLog;
use crate::state::sent::Sent;
use crate::state::store::{Database, StoreTree};
use crate::state::transfer::import::{WHOLE_PATH, whole_path};

/// A lesson to write.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SaveLesson {
    pub title: String,
    pub path: String,
    pub db: String,
    pub sent: Sent,
    /// Whether there is a file at that path, so that the user is asked.
    pub exists: bool,
}

impl SaveLesson {
    /// The file to write.
    ///
    /// # Errors
    /// One sentence: the path can't be a lesson.
    pub fn file(&self) -> Result<PathBuf, &'static str> {
        let path = whole_path(&self.path).ok_or(WHOLE_PATH)?;
        let is_lesson = path.extension().is_some_and(|it| it.eq_ignore_ascii_case("md"));
        if is_lesson { Ok(path) } else { Err("End the name of the file with .md") }
    }

    /// The file name that is suggested.
    pub fn file_name(&self) -> String {
        let letters = self.title.trim().to_lowercase();
        let words = letters.split(|letter: char| !letter.is_alphanumeric());
        let name = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
        if name.is_empty() { "my-lesson.md".to_owned() } else { format!("{name}.md") }
    }

    /// Another path: what was wrong with the last one no longer counts.
    pub fn path_changed(&mut self) {
        self.exists = false;
        self.sent.error = None;
    }

    /// The contents of the file and the omissions, in one sentence each.
    pub fn contents(&self, tree: &StoreTree, commands: &CommandLog) -> Vec<String> {
        let mut lines = Vec::new();
        let Some(db) = tree.database(&self.db) else { return lines };
        let (mut documents, mut bytes) = (0, 0);
        for it in db.collections.iter().filter(|it| it.kind == "collection") {
            let line = match it.documents {
                Some(1) => format!("{}: 1 document", it.name),
                Some(count) => format!("{}: {count} documents", it.name),
                None => format!("{}: its documents", it.name),
            };
            lines.push(line);
            documents = it.documents.unwrap_or(0).max(documents);
            bytes += it.bytes.unwrap_or(0);
        }
        lines.push(match commands.changes().count() {
            0 => "No command was sent that changed something".to_owned(),
            1 => "1 command, to read: the documents are written as they are now".to_owned(),
            count => {
                format!("{count} commands, to read: the documents are written as they are now")
            }
        });
        let is_large = documents > LESSON_SAVED_DOCUMENTS_MAX.unsigned_abs().into()
            || bytes > LESSON_FILE_BYTES_MAX as u64 / 4;
        if is_large {
            let kib = LESSON_FILE_BYTES_MAX / 1_024;
            lines.push(format!(
                "A lesson file holds {kib} KiB. Of a collection that is too large, only the first \
                 documents are written."
            ));
        }
        let is_other = |it: &&Database| it.name != self.db && !it.collections.is_empty();
        let others = tree.databases.iter().filter(is_other).count();
        if others > 0 {
            lines.push(format!("Only the database {} is written.", self.db));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{OpenRequest, Sandbox};
    use crate::state::Phase;
    use crate::state::State;

    fn state() -> State {
        let mut state = State::default();
        state.store.phase = Phase::Open;
        let names = vec![("a".to_owned(), 0), ("shop".to_owned(), 0)];
        state.tree.learn_databases(names);
        let kind = "collection".to_owned();
        state.tree.learn_collections("shop", vec![("carts".to_owned(), kind)]);
        state
    }

    #[test]
    fn only_a_sandbox_becomes_a_lesson() {
        let mut state = state();
        assert_eq!(state.lesson_to_save(), None);
        let sandbox = Some(Sandbox::Empty);
        state.store.request = OpenRequest { sandbox, ..OpenRequest::default() };
        assert_eq!(state.lesson_to_save().map(|draft| draft.db), Some("shop".to_owned()));
        state.tree.learn_databases(Vec::new());
        assert_eq!(state.lesson_to_save(), None);
    }

    #[test]
    fn a_draft_says_what_is_written_and_where() {
        let mut state = state();
        let mut draft = SaveLesson { db: "shop".to_owned(), ..SaveLesson::default() };
        let collection = &mut state.tree.databases[1].collections[0];
        (collection.documents, collection.bytes) = (Some(3), Some(1_000_000));
        let lines = draft.contents(&state.tree, &state.commands);
        assert_eq!(lines[0], "carts: 3 documents");
        assert!(lines[2].starts_with("A lesson file holds 64 KiB."), "{lines:?}");
        assert_eq!(draft.file_name(), "my-lesson.md");
        draft.title = "My First!".to_owned();
        assert_eq!(draft.file_name(), "my-first.md");
        assert_eq!(draft.file(), Err(WHOLE_PATH));
        draft.path = std::env::temp_dir().join("a.txt").display().to_string();
        assert_eq!(draft.file(), Err("End the name of the file with .md"));
    }
}
