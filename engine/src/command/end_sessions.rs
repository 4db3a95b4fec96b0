//! `endSessions`: sessions change nothing here.

use bson::{RawDocumentBuf, raw::RawBsonRef};

use super::{
    context::Context,
    error::{Answer, CommandError},
    request::Request,
    table::{Command, Scope},
};

/// `{endSessions: [session]}`
pub static COMMAND: Command =
    Command { name: "endSessions", aliases: &[], scope: Scope::Any, fields: &[], run };

fn run(_: &Context, request: &Request<'_>) -> Answer {
    check_list(request)?;
    Ok(RawDocumentBuf::new())
}

/// The commands about sessions name them in a list.
///
/// # Errors
/// `TypeMismatch`.
pub fn check_list(request: &Request<'_>) -> Result<(), CommandError> {
    match request.first()? {
        RawBsonRef::Array(_) => Ok(()),
        other => Err(request.wrong_type(request.name, other, "array")),
    }
}
