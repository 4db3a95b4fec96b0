//! `hello`, `isMaster` and `ismaster`: what the server is.

use bson::{DateTime, Document, doc, raw::RawBsonRef};

use crate::{
    command::core::{
        Answer, Code, Command, CommandError, Context, Request, Scope, any, member::member_fields,
        raw, server::SESSION_TIMEOUT_MINUTES,
    },
    limits::WRITE_STATEMENTS_MAX,
    value::scan::DOCUMENT_BYTES_MAX,
};

/// MongoDB 8.2's number. Drivers of today want at least 9, and from 25 on they send `bulkWrite` of
/// several collections, which this server has; nothing else that they send depends on it.
const WIRE_VERSION_MAX: i32 = 27;

/// Bytes of what a client says about itself, and of the application's name in it (as MongoDB).
const METADATA_BYTES_MAX: usize = 1_024;
const APPLICATION_NAME_BYTES_MAX: usize = 128;

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
    if let Some(metadata) = request.get("client")? {
        request.client.introduce(checked(metadata)?);
    }
    let was_hello = request.document.get("hello")?.is_some();
    let writable = if was_hello { "isWritablePrimary" } else { "ismaster" };
    match member_fields(context, writable) {
        Some(fields) => reply.extend(fields),
        None => drop(reply.insert(writable, true)),
    }
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

/// The client metadata.
fn checked(metadata: RawBsonRef<'_>) -> Result<Document, CommandError> {
    let RawBsonRef::Document(metadata) = metadata else {
        return Err(CommandError::type_mismatch(
            "what a client says about itself, its field client, must be a document",
        ));
    };
    // Bounded as in MongoDB, because it is kept and other clients can see it.
    if metadata.as_bytes().len() > METADATA_BYTES_MAX {
        return Err(CommandError::new(
            Code::CLIENT_METADATA_DOCUMENT_TOO_LARGE,
            format!(
                "what a client says about itself, its field client, may have {METADATA_BYTES_MAX} bytes at \
                 most"
            ),
        ));
    }
    let metadata = Document::try_from(metadata)?;
    let name = metadata.get_document("application").and_then(|it| it.get_str("name"));
    if name.is_ok_and(|name| name.len() > APPLICATION_NAME_BYTES_MAX) {
        return Err(CommandError::new(
            Code::CLIENT_METADATA_APP_NAME_TOO_LARGE,
            format!(
                "the name of an application may have {APPLICATION_NAME_BYTES_MAX} bytes at most; choose a \
                 shorter one"
            ),
        ));
    }
    Ok(metadata)
}

#[cfg(test)]
mod tests {
    use bson::Bson;

    use super::*;
    use crate::command::{Client, testing::Lab};

    #[test]
    fn what_a_client_says_about_itself_has_a_bound() {
        let lab = Lab::new();
        let mut id = 0;
        let mut check = |metadata: Bson, code: Option<i32>| {
            id += 1;
            let client = Client::of_connection(id, "127.0.0.1:1".to_owned());
            let command = raw(&doc! { "hello": 1, "client": metadata }).expect("a command");
            let reply = lab.engine.run_for(&client, "admin", &command);
            assert_eq!(reply.get_i32("code").ok(), code, "{reply:?}");
            assert_eq!(client.metadata().is_some(), code.is_none());
        };
        let application = |name: usize| doc! { "application": { "name": "x".repeat(name) } }.into();
        // A document with one text has 12 bytes more.
        let other = |bytes: usize| doc! { "": "x".repeat(bytes - 12) }.into();
        check(application(128), None);
        check(application(129), Some(184));
        check(application(2_000), Some(185));
        check(other(1_024), None);
        check(other(1_025), Some(185));
        check(1.into(), Some(14));
        check(doc! { "application": { "name": 1 } }.into(), None);
    }
}
