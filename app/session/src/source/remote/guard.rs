//! The lock of a connection: which commands a locked one sends.
//!
//! An allow-list, because a server may have commands that this program does not know. It refuses any
//! other command before it leaves the program.

use bson::{Bson, Document, doc};

/// The code of `Unauthorized`, as a server answers a user without the role.
const UNAUTHORIZED: i32 = 13;

/// Commands that change nothing on the server, whatever their arguments.
const READS: [&str; 25] = [
    "buildInfo",
    "buildinfo",
    "collStats",
    "connectionStatus",
    "count",
    "dataSize",
    "dbHash",
    "dbStats",
    "distinct",
    "find",
    "getMore",
    "getParameter",
    "hello",
    "hostInfo",
    "killCursors",
    "listCollections",
    "listCommands",
    "listDatabases",
    "listIndexes",
    "ping",
    "replSetGetConfig",
    "replSetGetStatus",
    "rolesInfo",
    "serverStatus",
    "usersInfo",
];

/// Stages that write to a collection.
const WRITING_STAGES: [&str; 2] = ["$out", "$merge"];

/// The reply to a command that a locked connection does not send. `None` if it may be sent.
pub fn refusal(command: &Document) -> Option<Document> {
    let sentence = reason(command)?;
    Some(doc! {
        "ok": 0.0, "errmsg": sentence, "code": UNAUTHORIZED, "codeName": "Unauthorized",
    })
}

/// Why a locked connection does not send a command.
fn reason(command: &Document) -> Option<String> {
    let Some((name, value)) = command.iter().next() else {
        return Some("An empty command can't be sent".to_owned());
    };
    match name.as_str() {
        name if READS.contains(&name) => None,
        "aggregate" => {
            // The value of `aggregate` is the collection's name, which may look like a stage.
            let stages = command.iter().filter(|(field, _)| *field != "aggregate");
            let stage = stages.into_iter().find_map(|(_, value)| writing_stage(value))?;
            Some(format!("This connection is read-only, and {stage} writes to a collection"))
        }
        // The server plans an explained write without doing it, but an older one may not know that.
        "explain" => match value {
            Bson::Document(explained) => reason(explained),
            _ => Some("explain needs a command to explain".to_owned()),
        },
        name => Some(format!("This connection is read-only; {name} may change data")),
    }
}

/// The first stage in a value, at any depth, that writes.
fn writing_stage(value: &Bson) -> Option<&'static str> {
    match value {
        Bson::Document(inner) => inner.iter().find_map(|(name, value)| {
            // A field of that name counts too: a refusal harms less than a write.
            let stage = WRITING_STAGES.into_iter().find(|stage| stage == name);
            stage.or_else(|| writing_stage(value))
        }),
        Bson::Array(items) => items.iter().find_map(writing_stage),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names in a section of the list of commands, which says where it is from.
    fn listed(section: &str) -> Vec<&'static str> {
        let list = include_str!("../../../../../tests/cases/commands.txt");
        let start = format!("[{section}]");
        let lines = list.lines().skip_while(|line| *line != start).skip(1);
        let lines = lines.take_while(|line| !line.starts_with('['));
        let lines = lines.filter(|line| !line.starts_with('#'));
        lines.flat_map(str::split_whitespace).collect()
    }

    #[test]
    fn each_command_is_allowed_or_refused() {
        assert_eq!(listed("read"), READS);
        assert_eq!(listed("depends"), ["aggregate", "explain"]);
        for name in READS {
            assert_eq!(refusal(&doc! { name: 1 }), None, "{name}");
        }
        let refused = listed("refused");
        assert!(refused.len() > 400, "{}", refused.len());
        for name in refused {
            let refused = refusal(&doc! { name: 1 }).expect(name);
            assert_eq!(refused.get_i32("code").ok(), Some(13), "{name}");
            let said = refused.get_str("errmsg").expect("a sentence");
            assert!(said.contains("read-only") && said.contains(name), "{said}");
        }
        // The first field is the command. A server reads it so, too.
        assert!(refusal(&doc! { "insert": "c", "find": "c" }).is_some());
        assert!(refusal(&doc! {}).is_some());
    }

    #[test]
    fn a_pipeline_may_read_only() {
        let pipeline = |stages: Vec<Document>| {
            doc! { "aggregate": "c", "pipeline": stages, "cursor": {} }
        };
        let group = doc! { "$group": { "_id": "$a", "all": { "$mergeObjects": "$b" } } };
        assert_eq!(refusal(&pipeline(vec![doc! { "$match": {} }, group])), None);
        let out = doc! { "$out": "d" };
        let hidden = [
            out.clone(),
            doc! { "$merge": { "into": "d" } },
            doc! { "$facet": { "a": [out.clone()] } },
            doc! { "$lookup": { "from": "d", "pipeline": [out.clone()], "as": "x" } },
            doc! { "$unionWith": { "coll": "d", "pipeline": [{ "$facet": { "b": [out] } }] } },
        ];
        for stage in hidden {
            let command = pipeline(vec![doc! { "$match": {} }, stage.clone()]);
            assert!(refusal(&command).is_some(), "{stage}");
            assert!(refusal(&doc! { "explain": command }).is_some(), "{stage}");
        }
    }

    #[test]
    fn what_is_explained_must_be_allowed_itself() {
        let explain = |command: Document| doc! { "explain": command, "verbosity": "queryPlanner" };
        assert_eq!(refusal(&explain(doc! { "find": "c" })), None);
        assert!(refusal(&explain(doc! { "delete": "c" })).is_some());
        assert!(refusal(&explain(explain(doc! { "drop": "c" }))).is_some());
        assert!(refusal(&doc! { "explain": 1 }).is_some());
    }
}
