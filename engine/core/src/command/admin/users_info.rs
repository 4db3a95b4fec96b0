//! `usersInfo`: the one user there is, where a login is needed.

use bson::{
    Bson, Document, doc,
    raw::{RawBsonRef, RawDocument},
};

use crate::{
    command::core::{
        Answer, Command, CommandError, Context, ROLE, Request, USERS_DB, as_integer, optional, raw,
    },
    query::Filter,
};

/// `{usersInfo: 1 | 'name' | {user, db} | [...] | {forAllDBs: true}}`
pub static COMMAND: Command = Command::any(
    "usersInfo",
    &[
        optional("showCredentials"),
        optional("showCustomData"),
        optional("showPrivileges"),
        optional("showAuthenticationRestrictions"),
        optional("filter"),
    ],
    run,
);

fn run(_: &Context, request: &Request<'_>) -> Answer {
    let mut users: Vec<Bson> = Vec::new();
    let filter = request.document("filter")?.map(Filter::parse).transpose()?;
    if let Some(user) = request.client.user()
        && asks_for(request.first()?, request.db, &user)?
    {
        let entry = entry(&user);
        let shown = raw(&entry)?;
        if filter.map_or(Ok(true), |filter| filter.matches(&shown))? {
            users.push(entry.into());
        }
    }
    raw(&doc! { "users": users })
}

fn entry(user: &str) -> Document {
    doc! {
        "_id": format!("{USERS_DB}.{user}"),
        "user": user,
        "db": USERS_DB,
        "roles": [{ "role": ROLE, "db": USERS_DB }],
        "mechanisms": ["SCRAM-SHA-256"],
    }
}

/// Whether the command's own field asks for this user.
fn asks_for(what: RawBsonRef<'_>, db: &str, user: &str) -> Result<bool, CommandError> {
    let is_pair = |pair: &RawDocument| {
        let is = |name, expected: &str| matches!(pair.get(name), Ok(Some(RawBsonRef::String(text))) if text == expected);
        let everywhere = pair.get("forAllDBs").ok().flatten().is_some();
        everywhere || (is("user", user) && is("db", USERS_DB))
    };
    Ok(match what {
        RawBsonRef::String(name) => name == user && db == USERS_DB,
        RawBsonRef::Document(pair) => is_pair(pair),
        RawBsonRef::Array(list) => {
            for item in list {
                if asks_for_one(item?, db, user, &is_pair) {
                    return Ok(true);
                }
            }
            false
        }
        other => as_integer(other) == Some(1) && db == USERS_DB,
    })
}

fn asks_for_one(
    item: RawBsonRef<'_>,
    db: &str,
    user: &str,
    is_pair: &dyn Fn(&RawDocument) -> bool,
) -> bool {
    match item {
        RawBsonRef::String(name) => name == user && db == USERS_DB,
        RawBsonRef::Document(pair) => is_pair(pair),
        _ => false,
    }
}
