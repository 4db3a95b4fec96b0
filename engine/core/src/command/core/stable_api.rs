//! MongoDB's Stable API, version 1.

use bson::raw::{RawBsonRef, RawDocument};

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

/// Stages that are not in the Stable API: they show the server itself.
const UNSTABLE_STAGES: [&str; 5] =
    ["$collStats", "$currentOp", "$indexStats", "$listLocalSessions", "$listSessions"];

/// Checks the stages of a pipeline that may use only the Stable API.
///
/// # Errors
/// `APIStrictError` for a stage that is not in it.
pub fn check_stages(request: &Request<'_>, stages: &[&RawDocument]) -> Result<(), CommandError> {
    if !request.given("apiStrict")?.and_then(as_flag).unwrap_or(false) {
        return Ok(());
    }
    for stage in stages {
        let Some(Ok((name, value))) = stage.iter().next() else { continue };
        let name = name.as_str();
        // Of a collection's statistics, the count alone is in the API.
        let is_count = name == "$collStats"
            && value.as_document().is_some_and(|options| {
                options.iter().all(|option| option.is_ok_and(|(name, _)| name.as_str() == "count"))
            });
        if UNSTABLE_STAGES.contains(&name) && !is_count {
            return Err(CommandError::new(
                Code::API_STRICT_ERROR,
                format!(
                    "stage {name} is not allowed with 'apiStrict: true' in API Version 1; send it \
                     without apiStrict"
                ),
            ));
        }
    }
    Ok(())
}

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
