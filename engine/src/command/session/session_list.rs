//! The list of sessions in the commands about them.

use bson::raw::RawBsonRef;

use crate::command::core::{CommandError, Request};

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
