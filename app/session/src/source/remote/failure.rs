//! The driver's errors as replies with one sentence.

use bson::{Document, doc};
use mongodb::error::{Error, ErrorKind};

use super::runtime::Ended;
use super::said;
use crate::limits::{SERVER_LEVELS_MAX, SERVER_NESTED_MAX};

/// `HostUnreachable`, for what did not reach a server.
const UNREACHABLE: i32 = 6;

/// `NetworkTimeout`: no answer came, which a server that ends a command in time gives.
const LATE: i32 = 89;

/// `Overflow`, for a value that is nested too deeply.
const OVERFLOW: i32 = 15;

/// `InvalidBSON`.
const INVALID_BSON: i32 = 22;

/// `Interrupted`.
const INTERRUPTED: i32 = 11601;

/// Added when a change was sent and no answer came.
pub const UNKNOWN: &str =
    "It is not known whether the change was made; look at the data before you try again";

/// Said of bytes that aren't a message of the protocol.
const NOT_A_MESSAGE: &str = "The server sent a reply that isn't a MongoDB message";

/// Said when no server answers.
const NO_SERVER: &str =
    "No server can be reached; check the address and that the server is running";

/// The beginning of the sentence of [`too_deep`].
const TOO_DEEP: &str = "The server's reply is nested too deeply to be read";

/// `UserNotFound`, `AuthenticationFailed` and Atlas's own error.
const LOGIN_REFUSED: [i32; 3] = [11, 18, 8000];

/// The reply to a command that the driver reports as failed. What the server said goes first.
pub fn reply(error: &Error, is_write: bool) -> Document {
    let response = error.server_response();
    let response = response.and_then(|raw| Document::try_from(raw.as_ref()).ok());
    // The server's words and code say more than the driver's.
    if let Some(mut response) = response.filter(|response| response.contains_key("errmsg")) {
        said::make_showable(&mut response);
        return response;
    }
    if let ErrorKind::Command(command) = error.kind.as_ref() {
        return doc! {
            "ok": 0.0, "errmsg": said::text(&command.message), "code": command.code,
            "codeName": said::text(&command.code_name),
        };
    }
    let mut sentence = sentence(error);
    if is_of_values(error.kind.as_ref()) && !is_write {
        return failed(INVALID_BSON, "InvalidBSON", &sentence);
    }
    let may_have_been_sent = match error.kind.as_ref() {
        // After these errors the command may have reached the server.
        ErrorKind::Io(_)
        | ErrorKind::ConnectionPoolCleared { .. }
        | ErrorKind::InvalidResponse { .. } => true,
        ErrorKind::InvalidArgument { message, .. } => is_of_length(message),
        _ => false,
    };
    if is_write && may_have_been_sent {
        sentence = format!("{sentence}. {UNKNOWN}");
    }
    failed(UNREACHABLE, "HostUnreachable", &sentence)
}

/// Whether a server refused a login, and did not only fail to answer it.
pub fn is_login_refused(error: &Error) -> bool {
    match error.kind.as_ref() {
        ErrorKind::Authentication { .. } => true,
        ErrorKind::Command(command) => LOGIN_REFUSED.contains(&command.code),
        _ => false,
    }
}

/// Whether nothing came from a server that could be read.
pub fn is_silence(error: &Error) -> bool {
    match error.kind.as_ref() {
        ErrorKind::Io(_) | ErrorKind::ProxyConnect { .. } => true,
        ErrorKind::ServerSelection { message, .. } => selection(message) == NO_SERVER,
        _ => false,
    }
}

/// The reply to a command without a result.
pub fn ended(ended: Ended, is_write: bool) -> Document {
    match (ended, is_write) {
        (Ended::Canceled, _) => failed(INTERRUPTED, "Interrupted", "The command was stopped"),
        (Ended::Closed, _) => failed(UNREACHABLE, "HostUnreachable", "The connection is closed"),
        (Ended::Late, false) => failed(LATE, "NetworkTimeout", "The server did not answer in time"),
        (Ended::Late, true) => {
            let sentence = format!("The server did not answer in time. {UNKNOWN}");
            failed(LATE, "NetworkTimeout", &sentence)
        }
    }
}

/// The reply of a read whose server stopped sending.
pub fn stalled() -> Document {
    let sentence = "The server did not send its whole reply in time; check the server and the \
                    network, then try again";
    failed(LATE, "NetworkTimeout", sentence)
}

/// One sentence about a failure to reach a server or to understand it.
pub fn sentence(error: &Error) -> String {
    // The driver quotes what it received.
    said::text(&explained(error))
}

fn explained(error: &Error) -> String {
    match error.kind.as_ref() {
        ErrorKind::Authentication { message, .. } => login(message),
        ErrorKind::DnsResolve { message, .. } => {
            format!("The server's name can't be resolved: {}", first_line(message))
        }
        ErrorKind::ServerSelection { message, .. } => selection(message),
        ErrorKind::Io(error) => format!("The connection to the server broke: {error}"),
        ErrorKind::ProxyConnect { .. } => NO_SERVER.to_owned(),
        ErrorKind::ConnectionPoolCleared { .. } => {
            "The connection to the server was lost; try again".to_owned()
        }
        ErrorKind::InvalidTlsConfig { message, .. } => {
            format!("TLS can't be set up: {}", first_line(message))
        }
        ErrorKind::IncompatibleServer { message, .. } => {
            format!("This server is too old or too new: {}", first_line(message))
        }
        ErrorKind::InvalidArgument { message, .. } if is_of_length(message) => {
            NOT_A_MESSAGE.to_owned()
        }
        ErrorKind::InvalidArgument { message, .. } => first_line(message).to_owned(),
        ErrorKind::InvalidResponse { message, .. } if is_of_header(message) => {
            NOT_A_MESSAGE.to_owned()
        }
        ErrorKind::InvalidResponse { message, .. } => {
            format!("The server's reply can't be read: {}", first_line(message))
        }
        kind if is_of_values(kind) => {
            let why = error.to_string();
            let why = first_line(&why);
            format!(
                "The server's reply has a document that can't be read: {why}. An export as BSON \
                 keeps its bytes"
            )
        }
        ErrorKind::SessionsNotSupported => {
            "The server has no sessions, which this command needs".to_owned()
        }
        ErrorKind::Command(command) => command.message.clone(),
        ErrorKind::Shutdown => "The connection is closed".to_owned(),
        _ => "The driver reports a failure that it does not explain".to_owned(),
    }
}

/// Why a login was refused, with the server's reason where it has one. The driver puts the mechanism
/// before it.
fn login(message: &str) -> String {
    let reason = message.split_once(" failure: ").map_or(message, |(_, reason)| reason);
    let reason = first_line(reason).trim_end_matches('.');
    let is_plain = ["", "Authentication failed", "Authentication failure", "internal error"];
    let refused = "The server refused the login";
    let advice = "check the user, the password and authSource";
    if is_plain.contains(&reason) {
        format!("{refused}; {advice}")
    } else {
        format!("{refused}: {reason}; {advice}")
    }
}

/// Whether the values of a reply can't be read, such as text that isn't UTF-8.
fn is_of_values(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::BsonDeserialization(_) | ErrorKind::Bson(_))
}

/// Whether the driver can't count with a length that a server sent. It has no separate kind for it:
/// only these two messages tell it from an argument that the user gave.
fn is_of_length(message: &str) -> bool {
    message.starts_with("out of range integral type conversion attempted")
        || message.starts_with("checked arithmetic failure")
}

/// Whether the beginning of a reply is not that of a message.
fn is_of_header(message: &str) -> bool {
    message.starts_with("Message length") || message.starts_with("Invalid wire protocol opcode")
}

/// Why there is no server to ask. The driver has one kind for all of these.
fn selection(message: &str) -> String {
    // The driver quotes the error of each greeting.
    if message.contains(TOO_DEEP) {
        return too_deep_sentence();
    }
    if message.contains("Message length") {
        return NOT_A_MESSAGE.to_owned();
    }
    if message.contains("wire version") {
        return format!("This server is too old or too new. {}", first_line(message));
    }
    let is_there = message.contains("None of the available servers");
    if is_there && message.contains("ReplicaSetNoPrimary") {
        return "The replica set has no primary now; try again in a few seconds".to_owned();
    }
    NO_SERVER.to_owned()
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

/// The answer of a command whose reply is too deep to be read.
pub fn too_deep() -> Document {
    failed(OVERFLOW, "Overflow", &too_deep_sentence())
}

fn too_deep_sentence() -> String {
    let bytes = SERVER_NESTED_MAX >> 30;
    format!(
        "{TOO_DEEP}: more than {SERVER_LEVELS_MAX} levels, or levels of more than {bytes} GiB in all"
    )
}

/// A reply with `ok: 0`.
pub fn failed(code: i32, name: &str, sentence: &str) -> Document {
    doc! { "ok": 0.0, "errmsg": sentence, "code": code, "codeName": name }
}
