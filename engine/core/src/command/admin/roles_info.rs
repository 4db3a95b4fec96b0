//! `rolesInfo`: there are no roles but the built-in one of the one user.

use bson::{Bson, doc, raw::RawBsonRef};

use crate::command::core::{Answer, Command, Context, ROLE, Request, USERS_DB, optional, raw};

/// `{rolesInfo: 1 | 'name', showBuiltinRoles: false}`
pub static COMMAND: Command = Command::any(
    "rolesInfo",
    &[
        optional("showBuiltinRoles"),
        optional("showPrivileges"),
        optional("showAuthenticationRestrictions"),
    ],
    run,
);

fn run(_: &Context, request: &Request<'_>) -> Answer {
    let is_named = match request.first()? {
        RawBsonRef::String(name) => name == ROLE,
        RawBsonRef::Document(pair) => {
            matches!(pair.get("role"), Ok(Some(RawBsonRef::String(name))) if name == ROLE)
        }
        _ => request.flag("showBuiltinRoles")?,
    };
    let mut roles: Vec<Bson> = Vec::new();
    if is_named && request.db == USERS_DB {
        let role = doc! {
            "role": ROLE, "db": USERS_DB, "isBuiltin": true, "roles": [], "inheritedRoles": [],
        };
        roles.push(role.into());
    }
    raw(&doc! { "roles": roles })
}
