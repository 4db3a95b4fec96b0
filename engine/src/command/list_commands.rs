//! `listCommands`: the table of commands.

use bson::{Bson, Document, doc};

use super::{
    context::Context,
    error::Answer,
    request::Request,
    run::raw,
    table::{self, Command, Scope},
};

/// `{listCommands: 1}`
pub static COMMAND: Command =
    Command { name: "listCommands", aliases: &[], scope: Scope::Any, fields: &[], run };

/// Commands of MongoDB's Stable API, version 1.
pub const STABLE_API: [&str; 27] = [
    "abortTransaction",
    "aggregate",
    "authenticate",
    "bulkWrite",
    "collMod",
    "commitTransaction",
    "count",
    "create",
    "createIndexes",
    "delete",
    "drop",
    "dropDatabase",
    "dropIndexes",
    "endSessions",
    "explain",
    "find",
    "findAndModify",
    "getMore",
    "hello",
    "insert",
    "killCursors",
    "listCollections",
    "listDatabases",
    "listIndexes",
    "ping",
    "refreshSessions",
    "update",
];

fn run(_: &Context, _: &Request<'_>) -> Answer {
    let mut commands: Vec<&Command> = table::all().collect();
    commands.sort_unstable_by_key(|command| command.name);
    let mut entries = Document::new();
    for command in commands {
        let versions: Vec<Bson> =
            if STABLE_API.contains(&command.name) { vec!["1".into()] } else { vec![] };
        let mut entry = doc! {
            "help": "no help defined",
            "requiresAuth": !matches!(
                command.name,
                "hello" | "ping" | "buildInfo" | "connectionStatus" | "logout" | "endSessions"
            ),
            "secondaryOk": true,
            "adminOnly": command.scope == Scope::Admin,
            "apiVersions": versions,
            "deprecatedApiVersions": [],
        };
        if !command.aliases.is_empty() {
            entry.insert("aliases", command.aliases.to_vec());
        }
        entries.insert(command.name, entry);
    }
    raw(&doc! { "commands": entries })
}
