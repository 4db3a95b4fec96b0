//! `connectionStatus`: who has logged in on this connection.

use bson::{Bson, doc};

use crate::command::core::{Answer, Command, Context, ROLE, Request, USERS_DB, optional, raw};

/// `{connectionStatus: 1, showPrivileges: false}`
pub static COMMAND: Command = Command::any("connectionStatus", &[optional("showPrivileges")], run);

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
