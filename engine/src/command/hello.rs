//! `hello`, `isMaster` and `ismaster`: what the server is.

use bson::{DateTime, Document, doc, raw::RawBsonRef};

use super::{
    context::Context,
    error::Answer,
    field::any,
    request::Request,
    run::raw,
    table::{Command, Scope},
};
use crate::{limits::WRITE_STATEMENTS_MAX, value::scan::DOCUMENT_BYTES_MAX};

/// MongoDB 7.0's number, which every client that was tried accepts; drivers of today want at least 9.
/// From 25 on drivers may use the newer command forms of MongoDB 8.0.
const WIRE_VERSION_MAX: i32 = 21;

/// Minutes after which a driver takes a session for ended.
pub const SESSION_TIMEOUT_MINUTES: i32 = 30;

/// `{hello: 1}`
pub static COMMAND: Command = Command {
    name: "hello",
    aliases: &["isMaster", "ismaster"],
    scope: Scope::Any,
    fields: &[any()],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let mut reply = doc! { "helloOk": true };
    if let Some(RawBsonRef::Document(metadata)) = request.get("client")? {
        request.client.introduce(Document::try_from(metadata)?);
    }
    let was_hello = request.document.get("hello")?.is_some();
    reply.insert(if was_hello { "isWritablePrimary" } else { "ismaster" }, true);
    reply.extend(doc! {
        "maxBsonObjectSize": i32::try_from(DOCUMENT_BYTES_MAX).unwrap_or(i32::MAX),
        "maxMessageSizeBytes": 48_000_000,
        "maxWriteBatchSize": i32::try_from(WRITE_STATEMENTS_MAX).unwrap_or(i32::MAX),
        "localTime": DateTime::from_millis(context.now_ms()),
        "logicalSessionTimeoutMinutes": SESSION_TIMEOUT_MINUTES,
        "connectionId": request.client.connection_id,
        "minWireVersion": 0,
        "maxWireVersion": WIRE_VERSION_MAX,
        "readOnly": false,
    });
    raw(&reply)
}
