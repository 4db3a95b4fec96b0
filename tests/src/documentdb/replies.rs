//! Replies that don't depend on the data, and refusals.

use bson::{DateTime, Document, doc};

/// The code of a command that the server does not have.
pub const NOT_SUPPORTED: i64 = 115;

/// The code of an error of the database under the server.
const INTERNAL: i64 = 52_461_700;

/// A reply with `ok: 0`.
pub fn failed(code: i64, name: &str, message: &str) -> Document {
    let code = super::answer::smallest(code);
    doc! { "ok": 0.0, "code": code, "codeName": name, "errmsg": message }
}

/// A command or a field that is not supported.
pub fn unsupported(message: &str) -> Document {
    failed(NOT_SUPPORTED, "CommandNotSupported", message)
}

/// An error of the database under the server.
pub fn internal(message: &str) -> Document {
    failed(INTERNAL, "DocumentDB error.", message)
}

/// DocumentDB's `hello`.
pub fn hello(now_ms: i64) -> Document {
    doc! {
        "isWritablePrimary": true, "ismaster": true, "msg": "isdbgrid",
        "maxBsonObjectSize": 16_777_216, "maxMessageSizeBytes": 48_000_000,
        "maxWriteBatchSize": 25_000, "localTime": now_ms, "logicalSessionTimeoutMinutes": 30,
        "minWireVersion": 0, "maxWireVersion": 21, "readOnly": false, "connectionId": 1_i64,
        "saslSupportedMechs": ["SCRAM-SHA-256"], "internal": {}, "ok": 1.0,
    }
}

/// That of a MongoDB server alone.
pub fn standalone_hello(now_ms: i64) -> Document {
    doc! {
        "isWritablePrimary": true, "ismaster": true, "helloOk": true,
        "maxBsonObjectSize": 16_777_216, "maxMessageSizeBytes": 48_000_000,
        "maxWriteBatchSize": 100_000, "localTime": DateTime::from_millis(now_ms),
        "logicalSessionTimeoutMinutes": 30, "connectionId": 1, "minWireVersion": 0,
        "maxWireVersion": 25, "readOnly": false, "ok": 1.0,
    }
}

/// The configuration of a replica set with a member that is an hour late on purpose.
pub fn set_config() -> Document {
    doc! {
        "config": { "_id": "rs0", "version": 1, "members": [
            { "_id": 0, "host": "one.example:27017" }, { "_id": 1, "host": "two.example:27017" },
            { "_id": 2, "host": "late.example:27017", "secondaryDelaySecs": 3_600_i64 },
        ] },
        "ok": 1.0,
    }
}

/// Its members, with the slowest secondary this many milliseconds from the primary.
pub fn set_status(now_ms: i64, lag_ms: i64) -> Document {
    let member = |id: i32, state: i32, late_ms: i64| {
        let at = DateTime::from_millis(now_ms - late_ms);
        doc! { "_id": id, "state": state, "health": 1.0, "optimeDate": at }
    };
    let members = vec![member(0, 1, 0), member(1, 2, lag_ms), member(2, 2, 3_600_000)];
    doc! { "set": "rs0", "members": members, "ok": 1.0 }
}

/// DocumentDB's `buildInfo`, or MongoDB's.
pub fn build_info(is_documentdb: bool) -> Document {
    let (version, major) = if is_documentdb { ("7.0.0", 7) } else { ("8.0.0", 8) };
    doc! {
        "version": version, "versionArray": [major, 0, 0, 0], "bits": 64,
        "maxBsonObjectSize": 16_777_216, "ok": 1.0,
    }
}

/// `connectionStatus`, the same for every user.
pub fn connection_status() -> Document {
    doc! {
        "authInfo": {
            "authenticatedUsers": [], "authenticatedUserRoles": [],
            "authenticatedUserPrivileges": [],
        },
        "ok": 1.0,
    }
}

/// `getParameter`
pub fn no_parameters() -> Document {
    internal("function documentdb_api.get_parameter(boolean, boolean, text[]) does not exist")
}

/// A command that ran out of time.
pub fn late() -> Document {
    let message = "The command being executed was terminated due to a command timeout. This may be \
                   due to concurrent transactions. Consider increasing the maxTimeMS on the command.";
    failed(50, "SqlState(E57014)", message)
}
