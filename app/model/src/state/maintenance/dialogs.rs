//! The fields of the maintenance dialogs, and the commands that they show.

use std::path::{Path, PathBuf};

use mayfly_engine::value::shell::write_command;

use super::super::operations::OperationId;
use super::super::transfer::command_line::quoted;
use super::super::transfer::import::{WHOLE_PATH, whole_path};
use super::Ended;
use crate::commands;

/// A dialog for the store as a whole.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    /// How it is and what can be done.
    Home,
    Backup(BackupDraft),
    Restore(RestoreDraft),
    Compact {
        /// Why that could not be done.
        error: Option<String>,
    },
    Verify {
        /// Why that could not be done.
        error: Option<String>,
    },
    Running(OperationId),
    Ended(Box<Ended>),
}

impl Dialog {
    /// The path that a file dialog fills, where there is one.
    pub fn path_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Backup(draft) => Some(&mut draft.path),
            Self::Restore(draft) => Some(&mut draft.path),
            _ => None,
        }
    }
}

/// Where a backup is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BackupDraft {
    pub path: String,
    /// Why it could not be written.
    pub error: Option<String>,
}

impl BackupDraft {
    pub fn file(&self) -> Option<PathBuf> {
        whole_path(&self.path)
    }

    /// The mistake in the path.
    pub fn problem(&self) -> Option<&'static str> {
        let is_wrong = !self.path.trim().is_empty() && self.file().is_none();
        is_wrong.then_some(WHOLE_PATH)
    }
}

/// Which backup comes back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RestoreDraft {
    /// The path as typed or chosen.
    pub path: String,
    pub checked: Checked,
    /// Why it could not be restored.
    pub error: Option<String>,
}

/// The result of checking a backup.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Checked {
    #[default]
    Nothing,
    /// Its structure is sound, so it can be restored.
    Sound {
        file: PathBuf,
        pages: u64,
        /// Which rows in it are damaged, if any.
        damage: Option<String>,
    },
    /// It can't be restored: one sentence.
    Damaged(String),
}

impl RestoreDraft {
    pub fn file(&self) -> Option<PathBuf> {
        whole_path(&self.path)
    }

    /// The file, if it is known that it can be restored.
    pub fn sound(&self) -> Option<PathBuf> {
        let file = self.file()?;
        matches!(&self.checked, Checked::Sound { file: checked, .. } if *checked == file)
            .then_some(file)
    }

    /// The mistake in the path.
    pub fn problem(&self) -> Option<&'static str> {
        let is_wrong = !self.path.trim().is_empty() && self.file().is_none();
        is_wrong.then_some(WHOLE_PATH)
    }

    /// The path is another one now.
    pub fn changed(&mut self) {
        self.checked = Checked::Nothing;
        self.error = None;
    }
}

/// The command that writes a backup, as typed in mongosh.
pub fn backup_text(file: &Path) -> String {
    write_command("admin", &commands::maintenance::backup(file))
}

/// `mayfly restore …`.
pub fn restore_line(file: &Path, folder: &Path) -> String {
    let file = quoted(&file.to_string_lossy());
    format!("mayfly restore --from {file} {} --replace", data(folder))
}

/// `mayfly compact …`.
pub fn compact_line(folder: &Path) -> String {
    format!("mayfly compact {}", data(folder))
}

/// `mayfly verify …`.
pub fn verify_line(folder: &Path) -> String {
    format!("mayfly verify {}", data(folder))
}

/// `mayfly check …`.
pub fn check_line(file: &Path) -> String {
    format!("mayfly check {}", quoted(&file.to_string_lossy()))
}

fn data(folder: &Path) -> String {
    format!("--data {}", quoted(&folder.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_for_a_terminal() {
        let (file, folder) = (Path::new("/b/my store.backup"), Path::new("/data/store"));
        assert_eq!(
            restore_line(file, folder),
            "mayfly restore --from '/b/my store.backup' --data /data/store --replace"
        );
        assert_eq!(compact_line(folder), "mayfly compact --data /data/store");
        assert_eq!(verify_line(folder), "mayfly verify --data /data/store");
        assert_eq!(check_line(file), "mayfly check '/b/my store.backup'");
        assert!(backup_text(file).contains("mayflyBackup"), "{}", backup_text(file));
    }

    #[test]
    fn only_a_whole_path_is_taken() {
        let check = |path: &str, expected: bool| {
            let draft = BackupDraft { path: path.to_owned(), error: None };
            assert_eq!(draft.file().is_some(), expected, "{path}");
            assert_eq!(draft.problem().is_some(), !expected && !path.is_empty(), "{path}");
        };
        check("/a/b", true);
        check("a/b", false);
        check("", false);
    }

    #[test]
    fn what_is_known_of_a_backup_counts_for_its_path_only() {
        let mut draft = RestoreDraft { path: "/a".to_owned(), ..RestoreDraft::default() };
        assert_eq!(draft.sound(), None);
        draft.checked = Checked::Sound { file: PathBuf::from("/a"), pages: 1, damage: None };
        assert_eq!(draft.sound(), Some(PathBuf::from("/a")));
        "/b".clone_into(&mut draft.path);
        assert_eq!(draft.sound(), None);
    }
}
