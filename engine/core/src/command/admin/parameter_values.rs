//! Parameters of the server and of the TTL monitor, as replies show them.

use bson::{Bson, doc};

use crate::{
    command::core::server::SESSION_TIMEOUT_MINUTES,
    limits::CURSOR_IDLE_MS,
    reaper::{ParameterInfo, ParameterKind, Reaper},
};

/// Parameters that can be read and not set.
pub const FIXED: [&str; 6] = [
    "authenticationMechanisms",
    "cursorTimeoutMillis",
    "enableTestCommands",
    "featureCompatibilityVersion",
    "localLogicalSessionTimeoutMinutes",
    "requireApiVersion",
];

/// Whether a parameter can be read and not set.
pub fn is_fixed(name: &str) -> bool {
    FIXED.contains(&name)
}

/// The value of a parameter that can be read and not set.
pub fn fixed(name: &str) -> Bson {
    match name {
        "authenticationMechanisms" => Bson::Array(vec!["SCRAM-SHA-256".into()]),
        "cursorTimeoutMillis" => Bson::Int64(i64::try_from(CURSOR_IDLE_MS).unwrap_or(i64::MAX)),
        "featureCompatibilityVersion" => Bson::Document(doc! { "version": "8.2" }),
        "localLogicalSessionTimeoutMinutes" => Bson::Int32(SESSION_TIMEOUT_MINUTES),
        _ => Bson::Boolean(false),
    }
}

/// A parameter's value in its own type.
pub fn value(reaper: &Reaper, info: &ParameterInfo) -> Bson {
    typed(info, reaper.parameters().get(info.parameter))
}

/// A number in the type of a parameter.
pub fn typed(info: &ParameterInfo, value: i64) -> Bson {
    match info.kind {
        ParameterKind::Bool => Bson::Boolean(value != 0),
        ParameterKind::Int32 => i32::try_from(value).map_or(Bson::Int64(value), Bson::Int32),
        ParameterKind::Int64 => Bson::Int64(value),
    }
}
