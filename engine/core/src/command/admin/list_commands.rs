//! `listCommands`: the table of commands.

use bson::{Bson, Document, doc};

use crate::command::core::{Answer, Command, Context, Request, Scope, raw, stable_api::STABLE_API};

/// `{listCommands: 1}`
pub static COMMAND: Command = Command::any("listCommands", &[], run);

fn run(_: &Context, request: &Request<'_>) -> Answer {
    let mut commands: Vec<&Command> = request.table.iter().collect();
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
