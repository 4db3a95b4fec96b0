//! Which collections a command may use and write.

use bson::raw::RawBsonRef;

use super::{Code, CommandError, Context, Request};
use crate::catalog::Namespace;

/// Refuses a collection that can't be used, for whatever command.
pub fn check_usable(context: &Context, request: &Request<'_>) -> Result<(), CommandError> {
    if let Ok(RawBsonRef::String(name)) = request.first() {
        context.collections.catalog().check_usable(request.db, name)?;
    }
    Ok(())
}

pub fn check_target(request: &Request<'_>) -> Result<(), CommandError> {
    let writes = matches!(request.name, "insert" | "update" | "delete" | "findAndModify");
    if writes && let Ok(namespace) = request.namespace() {
        return check_writable(&namespace);
    }
    Ok(())
}

/// The profile and the other collections of the system are written by the server alone.
///
/// # Errors
/// `InvalidNamespace`
pub fn check_writable(namespace: &Namespace) -> Result<(), CommandError> {
    if namespace.is_system() {
        return Err(CommandError::new(
            Code::INVALID_NAMESPACE,
            format!("cannot write to '{namespace}'"),
        ));
    }
    Ok(())
}
