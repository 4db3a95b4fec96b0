//! The first task of a window.

use std::path::PathBuf;

use super::invisible::with_marks;

/// The window's first task, once its store is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Beginning {
    /// Shows the beginning of these files, or of the folder of a dump, and imports them.
    Files(Vec<PathBuf>),
    /// Asks whether this backup takes the place of the store.
    Backup(PathBuf),
    /// Lists these lesson files and course folders.
    Lessons(Vec<PathBuf>),
    /// Says why nothing was opened: one sentence.
    Refused(String),
}

impl Beginning {
    /// Whether the store changes. The demo store is then not the one to open.
    pub fn writes(&self) -> bool {
        matches!(self, Self::Files(_) | Self::Backup(_))
    }

    /// The opened files, for a sentence: a file by its name, several by their number.
    pub fn opens(&self) -> String {
        let paths = match self {
            Self::Files(paths) | Self::Lessons(paths) => paths.as_slice(),
            Self::Backup(path) => std::slice::from_ref(path),
            Self::Refused(_) => &[],
        };
        let [path] = paths else { return format!("{} files open", paths.len()) };
        let name = path.file_name().unwrap_or(path.as_os_str());
        format!("{} opens", with_marks(&name.to_string_lossy()))
    }
}
