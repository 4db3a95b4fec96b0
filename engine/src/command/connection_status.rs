//! `connectionStatus`: who has logged in on this connection.

use bson::{Bson, doc};

use super::{
    context::Context,
    error::Answer,
    field::optional,
    request::Request,
    run::raw,
    table::{Command, Scope},
    users_info::{ROLE, USERS_DB},
};

/// `{connectionStatus: 1, showPrivileges: false}`
pub static COMMAND: Command = Command {
    name: "connectionStatus",
    aliases: &[],
    scope: Scope::Any,
    fields: &[optional("showPrivileges")],
    run,
};

fn run(_: &Context, request: &Request<'_>) -> Answer {
    let (mut users, mut roles, mut privileges) = (vec![], vec![], Vec::<Bson>::new());
    if let Some(user) = request.client.user() {
        users.push(doc! { "user": user, "db": USERS_DB });
        roles.push(doc! { "role": ROLE, "db": USERS_DB });
        privileges
            .push(doc! { "resource": { "anyResource": true }, "actions": ["anyAction"] }.into());
    }
    let mut info = doc! { "authenticatedUsers": users, "authenticatedUserRoles": roles };
    if request.flag("showPrivileges")? {
        info.insert("authenticatedUserPrivileges", privileges);
    }
    raw(&doc! { "authInfo": info })
}
