//! The refusals of a lesson: access outside of its store, and commands that its challenge does not
//! allow.

use bson::{Bson, Document};

use crate::job::lesson::Goal;

/// Commands that change nothing.
const READS: &[&str] = &[
    "aggregate",
    "buildInfo",
    "collStats",
    "connectionStatus",
    "count",
    "currentOp",
    "dataSize",
    "dbStats",
    "distinct",
    "explain",
    "find",
    "getCmdLineOpts",
    "getLog",
    "getMore",
    "getParameter",
    "hello",
    "hostInfo",
    "isMaster",
    "ismaster",
    "killCursors",
    "listCollections",
    "listCommands",
    "listDatabases",
    "listIndexes",
    "mayflyArchives",
    "mayflyDamaged",
    "mayflyExpiring",
    "mayflyForecast",
    "mayflyHeld",
    "mayflyPasses",
    "mayflyTrash",
    "mayflyVerdict",
    "mayflyWhatIf",
    "ping",
    "replSetGetStatus",
    "rolesInfo",
    "serverStatus",
    "usersInfo",
    "validate",
];

/// Commands that name a path or an address, or end the store.
const OUTSIDE: &[&str] = &["compact", "mayflyBackup", "mayflyListen", "shutdown"];

/// The methods of the shell that send a command that changes something.
const METHODS: &[(&str, &[&str])] = &[
    ("insert", &["insert", "insertOne", "insertMany", "bulkWrite"]),
    ("update", &["update", "updateOne", "updateMany", "replaceOne", "bulkWrite"]),
    ("delete", &["remove", "deleteOne", "deleteMany", "bulkWrite"]),
    (
        "findAndModify",
        &["findAndModify", "findOneAndUpdate", "findOneAndReplace", "findOneAndDelete"],
    ),
    ("createIndexes", &["createIndex", "createIndexes"]),
    ("dropIndexes", &["dropIndex", "dropIndexes"]),
    ("collMod", &["hideIndex", "unhideIndex"]),
    ("drop", &["drop"]),
    ("create", &["createCollection", "createView"]),
    ("renameCollection", &["renameCollection"]),
    ("dropDatabase", &["dropDatabase"]),
    ("mayflyReap", &["pass", "reaper.pass"]),
    ("setParameter", &["reaper.every", "reaper.on", "reaper.off"]),
    ("mayflyClock", &["play", "clock.advance"]),
];

/// Methods that only pass a command on.
const CARRIERS: &[&str] = &["runCommand", "adminCommand"];

/// Whether a command changes nothing.
pub fn is_read(command: &Document) -> bool {
    let Some((name, _)) = command.iter().next() else { return true };
    match name.as_str() {
        "aggregate" => !is_output(command),
        // With a name it sets the dialect.
        "mayflyDialect" => command.get_str(name).is_err(),
        "mayflyClock" => command.keys().all(|key| key == name || key.starts_with('$')),
        name => READS.contains(&name),
    }
}

/// Whether a pipeline writes a collection.
pub fn is_output(command: &Document) -> bool {
    let stages = command.get_array("pipeline").map_or(&[][..], Vec::as_slice);
    let last = stages.last().and_then(Bson::as_document);
    last.is_some_and(|stage| stage.contains_key("$out") || stage.contains_key("$merge"))
}

/// Why no lesson may run a command, as a sentence.
pub fn outside(command: &Document) -> Option<String> {
    let name = command.keys().next()?;
    let is_target = name == "mayflyArchive" && command.contains_key("target");
    (is_target || OUTSIDE.contains(&name.as_str()))
        .then(|| format!("{name} reaches out of the lesson's store, so a lesson can't run it"))
}

/// The commands that a challenge allows in addition to reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permit {
    allow: Vec<String>,
    deny: Vec<String>,
}

impl Permit {
    /// The commands that a goal allows.
    pub fn of(goal: &Goal) -> Self {
        Self { allow: goal.allow.clone(), deny: goal.deny.clone() }
    }

    /// Whether it refuses nothing.
    pub fn is_free(&self) -> bool {
        self.allow.is_empty() && self.deny.is_empty()
    }

    fn is_denied(&self, name: &str) -> bool {
        self.deny.iter().any(|denied| denied == name)
    }

    fn is_allowed(&self, name: &str) -> bool {
        self.allow.is_empty() || self.allow.iter().any(|allowed| allowed == name)
    }

    /// A method begins. Those that send commands are refused only by name: their commands tell
    /// whether they read. Returns what is refused.
    pub fn check_method(&self, running: &[String], name: &str, sends: bool) -> Option<String> {
        if self.is_denied(name) {
            return Some(name.to_owned());
        }
        let is_inner = running.iter().any(|outer| self.is_allowed(outer));
        (!sends && !is_inner && !self.is_allowed(name)).then(|| name.to_owned())
    }

    /// A command is about to run, within these methods, the outermost first. Returns what is
    /// refused.
    pub fn check_command(&self, running: &[String], command: &Document) -> Option<String> {
        if self.is_free() || is_read(command) {
            return None;
        }
        let name = command.keys().next().map_or("", String::as_str);
        let mut outer = running.iter().map(String::as_str).filter(|it| !CARRIERS.contains(it));
        let known = METHODS.iter().find(|(command, _)| *command == name);
        let methods = known.map_or(&[][..], |(_, methods)| methods);
        let Some(first) = outer.next() else {
            let is_denied = self.is_denied(name) || methods.iter().any(|it| self.is_denied(it));
            let is_allowed = self.is_allowed(name) || methods.iter().any(|it| self.is_allowed(it));
            return (is_denied || !is_allowed).then(|| name.to_owned());
        };
        let is_allowed = self.is_allowed(name) || running.iter().any(|it| self.is_allowed(it));
        (self.is_denied(name) || !is_allowed).then(|| first.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn permit(allow: &[&str], deny: &[&str]) -> Permit {
        let texts = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Permit { allow: texts(allow), deny: texts(deny) }
    }

    fn running(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn reads_are_always_allowed() {
        let permit = permit(&["play"], &["insertOne"]);
        for read in [
            doc! {"find": "c"},
            doc! {"aggregate": "c", "pipeline": [{"$match": {}}]},
            doc! {"mayflyClock": 1},
            doc! {"mayflyDialect": 1},
        ] {
            assert_eq!(permit.check_command(&[], &read), None, "{read}");
        }
        for write in [
            doc! {"aggregate": "c", "pipeline": [{"$out": "d"}]},
            doc! {"mayflyClock": 1, "set": bson::DateTime::MIN},
            doc! {"mayflyDialect": "cosmos"},
            doc! {"drop": "c"},
        ] {
            assert!(!is_read(&write), "{write}");
        }
    }

    #[test]
    fn a_list_of_allowed_names_refuses_all_others_by_the_outermost_name() {
        let permit = permit(&["insertOne", "play", "collMod"], &[]);
        let insert = doc! {"insert": "c"};
        assert_eq!(permit.check_command(&running(&["insertOne"]), &insert), None);
        let many = running(&["insertMany", "bulkWrite"]);
        assert_eq!(permit.check_command(&many, &insert), Some("insertMany".to_owned()));
        assert_eq!(permit.check_command(&running(&["runCommand"]), &insert), None);
        assert_eq!(permit.check_command(&[], &doc! {"delete": "c"}), Some("delete".to_owned()));
        assert_eq!(permit.check_command(&running(&["runCommand"]), &doc! {"collMod": "c"}), None);
        assert_eq!(permit.check_method(&[], "play", false), None);
        assert_eq!(permit.check_method(&[], "reaper.off", false), Some("reaper.off".to_owned()));
        assert_eq!(permit.check_method(&running(&["play"]), "clock.advance", false), None);
        assert_eq!(permit.check_method(&[], "find", true), None);
    }

    #[test]
    fn a_list_of_denied_names_allows_all_others() {
        let permit = permit(&[], &["deleteOne", "deleteMany", "reaper.off"]);
        assert_eq!(permit.check_method(&[], "deleteOne", true), Some("deleteOne".to_owned()));
        assert_eq!(permit.check_method(&[], "insertOne", true), None);
        let insert = doc! {"insert": "c"};
        assert_eq!(permit.check_command(&running(&["insertOne"]), &insert), None);
        assert_eq!(permit.check_command(&[], &doc! {"delete": "c"}), Some("delete".to_owned()));
        assert_eq!(permit.check_method(&[], "reaper.on", false), None);
        assert!(Permit::default().is_free());
    }

    #[test]
    fn nothing_reaches_out_of_the_store() {
        for command in [
            doc! {"mayflyBackup": "/tmp/x"},
            doc! {"mayflyListen": 1},
            doc! {"shutdown": 1},
            doc! {"mayflyArchive": "c", "target": "/tmp"},
        ] {
            assert!(outside(&command).is_some(), "{command}");
        }
        assert_eq!(outside(&doc! {"mayflyArchive": "c"}), None);
    }
}
