//! MongoDB's Stable API, version 1.

use bson::raw::RawBsonRef;

use super::{Code, CommandError, Request, as_flag, type_name};

/// Commands of MongoDB's Stable API, version 1.
pub const STABLE_API: [&str; 27] = [
    "abortTransaction",
    "aggregate",
    "authenticate",
    "bulkWrite",
    "collMod",
    "commitTransaction",
    "count",
    "create",
    "createIndexes",
    "delete",
    "drop",
    "dropDatabase",
    "dropIndexes",
    "endSessions",
    "explain",
    "find",
    "findAndModify",
    "getMore",
    "hello",
    "insert",
    "killCursors",
    "listCollections",
    "listDatabases",
    "listIndexes",
    "ping",
    "refreshSessions",
    "update",
];

/// Checks the fields of the Stable API.
///
/// # Errors
/// `APIVersionError` for a version other than 1, `APIStrictError` for a command that is not in it,
/// `InvalidOptions` when the other fields come without a version.
pub fn check_api(request: &Request<'_>) -> Result<(), CommandError> {
    let name = request.name;
    let is_strict = request.given("apiStrict")?.and_then(as_flag).unwrap_or(false);
    match request.given("apiVersion")? {
        Some(RawBsonRef::String("1")) => {}
        Some(RawBsonRef::String(other)) => {
            return Err(CommandError::new(
                Code::API_VERSION_ERROR,
                format!("API version must be \"1\", found \"{other}\""),
            ));
        }
        Some(other) => {
            return Err(CommandError::type_mismatch(format!(
                "BSON field 'apiVersion' is the wrong type '{}', expected type 'string'",
                type_name(other)
            )));
        }
        None => {
            let strays = ["apiStrict", "apiDeprecationErrors"];
            // MongoDB refuses these fields without a version (72), because they only qualify it.
            if strays.iter().any(|stray| matches!(request.given(stray), Ok(Some(_)))) {
                return Err(CommandError::invalid_options(
                    "Provided apiStrict and/or apiDeprecationErrors without passing apiVersion",
                ));
            }
        }
    }
    if is_strict && !STABLE_API.contains(&name) {
        return Err(CommandError::new(
            Code::API_STRICT_ERROR,
            format!(
                "Provided apiStrict:true, but the command {name} is not in API Version 1; send it \
                 without apiStrict"
            ),
        ));
    }
    Ok(())
}
