//! Commands that DocumentDB refuses though MongoDB takes them.

use bson::{Bson, Document};
use mayfly_engine::value::whole;

use super::{
    Habit, Server,
    answer::collection,
    replies::{failed, internal, no_parameters, unsupported},
};

/// The commands that it has, apart from those whose reply differs.
const COMMANDS: [&str; 38] = [
    "abortTransaction",
    "aggregate",
    "buildInfo",
    "buildinfo",
    "collMod",
    "collStats",
    "commitTransaction",
    "connectionStatus",
    "count",
    "create",
    "createIndexes",
    "createUser",
    "dbStats",
    "delete",
    "distinct",
    "drop",
    "dropDatabase",
    "dropIndexes",
    "dropUser",
    "endSessions",
    "explain",
    "find",
    "findAndModify",
    "getMore",
    "hello",
    "hostInfo",
    "insert",
    "killCursors",
    "listCollections",
    "listCommands",
    "listDatabases",
    "listIndexes",
    "ping",
    "renameCollection",
    "update",
    "usersInfo",
    "validate",
    "whatsmyuri",
];

/// The refusal of a command, if it is refused.
pub fn refusal(server: &Server, db: &str, name: &str, command: &Document) -> Option<Document> {
    unknown(server, name)
        .or_else(|| login(server, name, command))
        .or_else(|| change_stream(server, command))
        .or_else(|| ended(server, db, name, command))
        .or_else(|| {
            let is_narrow = server.has(Habit::NarrowCommands);
            is_narrow.then(|| narrow(server, db, name, command)).flatten()
        })
}

fn unknown(server: &Server, name: &str) -> Option<Document> {
    let is_login = matches!(name, "saslStart" | "saslContinue");
    // The engine's own commands are no server's.
    if name.starts_with("mayfly") && !server.has(Habit::FewCommands) {
        return Some(failed(59, "CommandNotFound", &format!("no such command: '{name}'")));
    }
    if !server.has(Habit::FewCommands) || COMMANDS.contains(&name) || is_login {
        return None;
    }
    Some(match name {
        "getParameter" => no_parameters(),
        "currentOp" => internal("function documentdb_api.current_op_command(bytea) does not exist"),
        name => unsupported(&format!("Unknown request received: {name}")),
    })
}

fn login(server: &Server, name: &str, command: &Document) -> Option<Document> {
    let mechanism = command.get_str("mechanism").ok().filter(|_| name == "saslStart")?;
    let is_known = matches!(mechanism, "SCRAM-SHA-256" | "MONGODB-OIDC");
    server.has(Habit::Login).then(|| {
        let message = "Only SCRAM-SHA-256 and MONGODB-OIDC are supported";
        failed(13, "Unauthorized", if is_known { "Invalid key" } else { message })
    })
}

fn change_stream(server: &Server, command: &Document) -> Option<Document> {
    let stages = command.get_array("pipeline").ok()?;
    let first = stages.first()?.as_document()?;
    first.get("$changeStream")?;
    let message = "The $changeStream stage is only supported on replica sets";
    Some(if server.has(Habit::NarrowCommands) {
        unsupported("Stage $changeStream is not supported yet in native pipeline")
    } else {
        failed(40_573, "Location40573", message)
    })
}

/// Of cursors: those that were idle for too long, and numbers of a type that isn't taken.
fn ended(server: &Server, db: &str, name: &str, command: &Document) -> Option<Document> {
    if !server.has(Habit::ShortTimes) {
        return None;
    }
    match name {
        "getMore" => {
            let id = command.get("getMore").and_then(whole)?;
            if !server.lock().cursors.is_gone(id, server.now_ms()) {
                return None;
            }
            let collection = collection(name, command);
            let kill = bson::doc! { "killCursors": collection, "cursors": [id] };
            server.engine_run(db, &kill);
            Some(failed(43, "CursorNotFound", &format!("Cursor {id} was not found")))
        }
        "killCursors" => {
            let mut ids = command.get_array("cursors").ok()?.iter();
            let is_other = ids.any(|id| !matches!(id, Bson::Int64(_)));
            is_other.then(|| failed(2, "BadValue", "Cursor was not a valid i64"))
        }
        _ => None,
    }
}

fn narrow(server: &Server, db: &str, name: &str, command: &Document) -> Option<Document> {
    let is_write = matches!(name, "update" | "delete" | "findAndModify");
    if is_write && command.contains_key("let") {
        return Some(unsupported(&format!("{name}.let is not yet supported")));
    }
    let mut updates = command.get_array("updates").into_iter().flatten();
    let has_collation =
        |one: &Bson| one.as_document().is_some_and(|one| one.contains_key("collation"));
    if updates.any(has_collation) {
        return Some(unsupported("update.collation is not yet supported"));
    }
    if has_empty_sort(name, command) {
        let message = "The $sort stage requires specifying at least one sorting key to proceed";
        return Some(failed(15_976, "Location15976", message));
    }
    if has_where(&Bson::Document(command.clone())) {
        return Some(failed(2, "BadValue", "unknown top level operator: $where"));
    }
    let hint = command.get("hint").filter(|_| !is_write)?;
    let is_known = server.indexes(db, collection(name, command)).iter().any(|index| match hint {
        Bson::String(name) => index.get_str("name").is_ok_and(|known| known == name),
        Bson::Document(keys) => {
            index.get_document("key").is_ok_and(|known| known == keys)
                || keys.contains_key("$natural")
        }
        _ => false,
    });
    let message = "index specified by index hint is not found: hint provided does not correspond to \
                   an existing index";
    (!is_known).then(|| failed(2, "BadValue", message))
}

fn has_empty_sort(name: &str, command: &Document) -> bool {
    let is_empty =
        |sort: Option<&Bson>| sort.and_then(Bson::as_document).is_some_and(Document::is_empty);
    let mut stages = command.get_array("pipeline").into_iter().flatten();
    name == "find" && is_empty(command.get("sort"))
        || stages.any(|stage| is_empty(stage.as_document().and_then(|stage| stage.get("$sort"))))
}

/// Whether a query in a value has `$where`. Documents to store are not looked into.
fn has_where(value: &Bson) -> bool {
    match value {
        Bson::Document(inner) => inner.iter().any(|(name, value)| {
            name == "$where" || !matches!(name.as_str(), "documents" | "u") && has_where(value)
        }),
        Bson::Array(inner) => inner.iter().any(has_where),
        _ => false,
    }
}
