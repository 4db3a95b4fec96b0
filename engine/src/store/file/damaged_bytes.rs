//! What is removed because it is damaged is kept beside the store, in a file of its own.

use std::io::{self, Write as _};
use std::path::{Path as FsPath, PathBuf};

use super::folder::{create_private, private_file, sync_folder};
use crate::store::{CollectionId, RecordNumber, StoreError};

/// The folder in the data folder.
const FOLDER: &str = "damaged";

/// Writes the bytes of a damaged document into a new file in the data folder and returns its path. They
/// are safe when this returns.
///
/// # Errors
/// When the file can't be written.
pub fn save_damaged_bytes(
    data_folder: &FsPath,
    collection: CollectionId,
    record: RecordNumber,
    bytes: &[u8],
) -> Result<PathBuf, StoreError> {
    let folder = data_folder.join(FOLDER);
    let failed = |error| StoreError::io("Can't keep the bytes of a damaged document", &error);
    create_private(&folder).map_err(failed)?;
    let mut name = format!("{}-{record}.bson", collection.0);
    let mut copies = 1_u32;
    let path = loop {
        let path = folder.join(&name);
        match private_file().create_new(true).open(&path) {
            Ok(mut file) => {
                file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
                break path;
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                copies += 1;
                name = format!("{}-{record}-{copies}.bson", collection.0);
            }
            Err(error) => return Err(failed(error)),
        }
    };
    sync_folder(&folder)?;
    sync_folder(data_folder)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn nothing_that_was_kept_is_written_over() {
        let folder = tempfile::tempdir().expect("a folder");
        for (bytes, name) in [(b"1", "7-9.bson"), (b"2", "7-9-2.bson"), (b"3", "7-9-3.bson")] {
            let path = save_damaged_bytes(folder.path(), CollectionId(7), 9, bytes).expect("kept");
            assert_eq!(path, folder.path().join("damaged").join(name));
            assert_eq!(fs::read(&path).expect("read"), bytes);
        }
    }
}
