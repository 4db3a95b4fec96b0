//! Commands as lines of mongosh.

use bson::Document;

/// The line that a person would type in mongosh for this command on this database.
pub fn write_command(db: &str, command: &Document) -> String {
    let _ = (db, command);
    todo!()
}
