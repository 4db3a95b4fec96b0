//! `mayflyListen`: switches the listener for local programs, and shows its clients.

use std::path::PathBuf;

use bson::{Bson, DateTime, Document, doc};

use crate::command::core::{
    Answer, Code, Command, CommandError, Context, Request, fields,
    listening::{ConnectedClient, ListenAt, ListeningStatus},
    long, raw,
};

fields! {
    struct ListenFields<'r> from Request<'r> {
        optional "on": flag_if_any => on Option<bool>,
        optional "port": count => port Option<u64>,
        optional "socket": text => socket Option<&'r str>,
        optional "auth": flag_or(true) => with_password bool,
    }
}

/// `{mayflyListen: 1, on, port, socket, auth}`: without `on` it only shows the status. `socket` is
/// the path of a Unix socket and replaces the port. The reply has `on`, and while it is on `port`
/// or `socket`, `uri`, `clients`, `commands` and `refused`. Only the program itself may send it.
pub static COMMAND: Command = Command::admin("mayflyListen", ListenFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    if request.client.connection_id != 0 {
        return Err(CommandError::new(
            Code::UNAUTHORIZED,
            "mayflyListen is available only in the window; clients can't change who can connect",
        ));
    }
    let Some(switch) = context.listener.get() else {
        return Err(CommandError::not_supported("this store has no listener"));
    };
    let ListenFields { on, port, socket, with_password } = ListenFields::read(request)?;
    match on {
        Some(true) => switch
            .switch_on(place(port, socket)?, with_password)
            .map_err(CommandError::bad_value)?,
        Some(false) => switch.switch_off(),
        None => {}
    }
    raw(&switch.status().map_or_else(|| doc! { "on": false }, status_document))
}

fn place(port: Option<u64>, socket: Option<&str>) -> Result<ListenAt, CommandError> {
    match (socket, port) {
        (Some(_), Some(_)) => {
            Err(CommandError::bad_value("a listener has a port or a socket; leave one of them out"))
        }
        (Some(path), None) => Ok(ListenAt::Socket(PathBuf::from(path))),
        (None, port) => {
            let port = port.unwrap_or(0);
            u16::try_from(port).map(ListenAt::Port).map_err(|_| {
                let sentence = format!("{port} is not a valid port; use 0 to 65535");
                CommandError::bad_value(sentence)
            })
        }
    }
}

fn status_document(status: ListeningStatus) -> Document {
    let clients: Vec<Bson> = status.clients.into_iter().map(client_document).collect();
    let mut document = doc! { "on": true };
    match status.at {
        ListenAt::Port(port) => document.insert("port", i32::from(port)),
        ListenAt::Socket(path) => document.insert("socket", path.to_string_lossy().as_ref()),
    };
    document.extend(doc! {
        "uri": status.uri,
        "clients": clients,
        "commands": long(status.commands),
        "refused": long(status.refused),
    });
    document
}

fn client_document(client: ConnectedClient) -> Bson {
    let ConnectedClient { id, address, application, driver, user, since_ms, commands } = client;
    Bson::Document(doc! {
        "id": id,
        "address": address,
        "application": application,
        "driver": driver,
        "user": user,
        "since": DateTime::from_millis(since_ms),
        "commands": long(commands),
    })
}
