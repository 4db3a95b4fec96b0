//! Answers of a member of the teaching replica set. Other engines answer as a standalone server.

use bson::{Document, doc};

use super::{Code, Command, CommandError, Context};
use crate::collection::Role;

/// Commands that only a primary runs. Others are refused where they change something.
const WRITES: [&str; 15] = [
    "bulkWrite",
    "collMod",
    "convertToCapped",
    "create",
    "createIndexes",
    "delete",
    "drop",
    "dropDatabase",
    "dropIndexes",
    "findAndModify",
    "insert",
    "mayflyDiscardTrash",
    "mayflyRestoreTrash",
    "renameCollection",
    "update",
];

/// Refuses a write on a secondary before it looks at any document.
///
/// # Errors
/// `NotWritablePrimary`.
pub fn check_role(context: &Context, command: &Command) -> Result<(), CommandError> {
    if context.collections.is_secondary() && WRITES.contains(&command.name) {
        return Err(CommandError::new(Code::NOT_WRITABLE_PRIMARY, "not primary"));
    }
    Ok(())
}

/// The fields of `hello` and of `serverStatus.repl` about the set and this member's role, with this
/// name for the role; `None` in a standalone server.
pub fn member_fields(context: &Context, writable: &str) -> Option<Document> {
    let member = context.member.as_ref()?;
    let role = member.role();
    let status = member.status();
    let mut fields = Document::new();
    if let Some(set) = &status {
        let hosts: Vec<&str> = set.members.iter().map(|member| member.name.as_str()).collect();
        fields.extend(doc! { "hosts": hosts, "setName": &set.name, "setVersion": 1 });
    }
    fields.insert(writable, role == Role::Primary);
    fields.insert("secondary", role == Role::Secondary);
    if let Some(set) = &status {
        if let Some(primary) = set.primary() {
            fields.insert("primary", primary);
        }
        fields.insert("me", &set.me);
    }
    Some(fields)
}
