//! `mayflyListen`: lets other programs on this machine in, and tells who has come.

use bson::{Bson, DateTime, Document, doc};

use super::{
    context::Context,
    error::{Answer, Code, CommandError},
    field::optional,
    listening::{ConnectedClient, ListeningStatus},
    mayfly_reap::long,
    request::Request,
    run::raw,
    table::{Command, Scope},
};

/// `{mayflyListen: 1, on, port, auth}`: without `on` it only tells. The reply has `on`, and while it is on
/// `port`, `uri`, `clients`, `commands` and `refused`. Only the program itself may send it.
pub static COMMAND: Command = Command {
    name: "mayflyListen",
    aliases: &[],
    scope: Scope::Admin,
    fields: &[optional("on"), optional("port"), optional("auth")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    if request.client.connection_id != 0 {
        return Err(CommandError::new(
            Code::UNAUTHORIZED,
            "mayflyListen is for the window only: a client can't change who may come in",
        ));
    }
    let Some(switch) = context.listener.get() else {
        return Err(CommandError::new(Code::NOT_SUPPORTED, "this store has no listener"));
    };
    if request.get("on")?.is_some() {
        if request.flag("on")? {
            let port = request.count("port")?.unwrap_or(0);
            let port = u16::try_from(port).map_err(|_| {
                CommandError::new(
                    Code::BAD_VALUE,
                    format!("{port} is no port; take one up to 65535"),
                )
            })?;
            let with_password = request.flag_or("auth", true)?;
            switch
                .switch_on(port, with_password)
                .map_err(|sentence| CommandError::new(Code::BAD_VALUE, sentence))?;
        } else {
            switch.switch_off();
        }
    }
    raw(&switch.status().map_or_else(|| doc! { "on": false }, status_document))
}

fn status_document(status: ListeningStatus) -> Document {
    let clients: Vec<Bson> = status.clients.into_iter().map(client_document).collect();
    doc! {
        "on": true,
        "port": i32::from(status.port),
        "uri": status.uri,
        "clients": clients,
        "commands": long(status.commands),
        "refused": long(status.refused),
    }
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
