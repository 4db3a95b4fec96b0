//! An export of a database to a folder, as drafted.

use std::path::{Path, PathBuf};

use mayfly_engine::transfer::{Compression, DumpExport, DumpReport, file_name};

use super::import::{WHOLE_PATH, typed_path};
use crate::state::number;

/// An export of a database, as drafted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DumpExportDraft {
    pub db: String,
    /// The new or empty folder, as typed.
    pub path: String,
    /// How the files are compressed.
    pub compression: Compression,
    /// Why the export could not begin.
    pub error: Option<String>,
}

impl DumpExportDraft {
    /// A draft for a database. Suggests a folder inside of `within`.
    pub fn new(db: String, within: Option<&Path>) -> Self {
        let (path, compression) = (String::new(), Compression::None);
        let mut draft = Self { db, path, compression, error: None };
        if let Some(within) = within {
            draft.suggest(within);
        }
        draft
    }

    /// Suggests a folder inside of this one, with the name of the database.
    pub fn suggest(&mut self, within: &Path) {
        self.path = within.join(file_name(&self.db)).to_string_lossy().into_owned();
        self.error = None;
    }

    /// Ready for the store.
    ///
    /// # Errors
    /// One sentence that says what is missing.
    pub fn request(&self) -> Result<DumpExport, String> {
        let folder = typed_path(&self.path).ok_or("Enter a folder")?;
        if folder.is_relative() {
            return Err(WHOLE_PATH.to_owned());
        }
        let (db, compression) = (Some(self.db.clone()), self.compression);
        Ok(DumpExport { db, collections: None, folder, compression })
    }

    /// The folder; `None` while no whole path is typed.
    pub fn folder(&self) -> Option<PathBuf> {
        typed_path(&self.path).filter(|path| path.is_absolute())
    }
}

/// The result of exporting a database to `folder`, in words.
pub fn exported(report: &DumpReport, folder: &Path) -> String {
    let documents = number::counted(report.documents(), "document", "documents");
    let collections = report.collections.len() as u64;
    let collections = number::counted(collections, "collection", "collections");
    format!("Exported {documents} of {collections} to {}", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_gets_a_folder_of_its_own() {
        let mut draft = DumpExportDraft::new("a b".to_owned(), Some(Path::new("/tmp")));
        let expected = PathBuf::from("/tmp").join(file_name("a b"));
        assert_eq!(draft.folder().as_ref(), Some(&expected));
        let request = draft.request().expect("a request");
        assert_eq!((request.db.as_deref(), request.folder), (Some("a b"), expected));
        for wrong in ["", "dumps"] {
            wrong.clone_into(&mut draft.path);
            assert_eq!(draft.folder(), None);
            assert!(draft.request().is_err(), "{wrong}");
        }
    }
}
