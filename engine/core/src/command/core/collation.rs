//! The collation of a command.

use bson::raw::RawBsonRef;

use super::{Code, CommandError, Context, Request};
use crate::{query::QueryError, value::Collation};

/// The field `collation`; the outer `None` when it is absent or empty.
///
/// # Errors
/// An invalid collation.
#[expect(clippy::option_option, reason = "the simple collation overrides another one")]
pub fn given(fields: &Request<'_>) -> Result<Option<Option<Collation>>, CommandError> {
    match fields.document("collation")? {
        Some(given) if !given.is_empty() => {
            Ok(Some(Collation::read(given, "collation").map_err(QueryError::from)?))
        }
        _ => Ok(None),
    }
}

/// The collation of a command: its own, or the default of its collection or view.
///
/// # Errors
/// An invalid collation; `OptionNotSupportedOnView` for another than the view's.
pub fn of_command(
    context: &Context,
    request: &Request<'_>,
) -> Result<Option<Collation>, CommandError> {
    let given = given(request)?;
    let Ok(RawBsonRef::String(name)) = request.first() else { return Ok(given.flatten()) };
    let catalog = context.collections.catalog();
    let Some(collection) = catalog.collection_named(request.db, name) else {
        return Ok(given.flatten());
    };
    let default = collection.options.collation.as_ref();
    match given {
        None => Ok(default.cloned()),
        Some(given) if collection.is_view() && given.as_ref() != default => Err(CommandError::new(
            Code::OPTION_NOT_SUPPORTED_ON_VIEW,
            format!(
                "Cannot override a view's default collation: {}; leave the collation out",
                collection.namespace
            ),
        )),
        Some(given) => Ok(given),
    }
}
