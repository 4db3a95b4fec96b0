//! Keeps the bytes of removed damaged documents, one file each, in the folder `damaged`.

use std::io::{self, Write as _};
use std::path::{Path as FsPath, PathBuf};

use super::folder::{create_private, private_file, sync_folder};
use crate::store::{CollectionId, RecordNumber, StoreError};

const FOLDER: &str = "damaged";

/// Writes the bytes of a damaged document to a new file in the data folder. Returns its path once the bytes
/// are synced.
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
    let failed = |error| StoreError::io("Can't save the bytes of a damaged document", &error);
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
    fn never_overwrites_an_earlier_file() {
        let folder = tempfile::tempdir().expect("a folder");
        for (bytes, name) in [(b"1", "7-9.bson"), (b"2", "7-9-2.bson"), (b"3", "7-9-3.bson")] {
            let path = save_damaged_bytes(folder.path(), CollectionId(7), 9, bytes).expect("kept");
            assert_eq!(path, folder.path().join("damaged").join(name));
            assert_eq!(fs::read(&path).expect("read"), bytes);
        }
    }
}
