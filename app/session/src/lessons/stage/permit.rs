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

/// A command that changes something, with the methods of the shell that send it.
struct Sent {
    command: &'static str,
    /// The usual methods. A goal that denies all of them denies the command.
    usual: &'static [&'static str],
    others: &'static [&'static str],
}

const fn sent(
    command: &'static str,
    usual: &'static [&'static str],
    others: &'static [&'static str],
) -> Sent {
    Sent { command, usual, others }
}

const SENT: &[Sent] = &[
    sent("insert", &["insertOne", "insertMany"], &["insert", "bulkWrite"]),
    sent("update", &["updateOne", "updateMany", "replaceOne"], &["update", "bulkWrite"]),
    sent("delete", &["deleteOne", "deleteMany"], &["remove", "bulkWrite"]),
    sent(
        "findAndModify",
        &["findOneAndUpdate", "findOneAndReplace", "findOneAndDelete"],
        &["findAndModify"],
    ),
    sent("createIndexes", &["createIndex", "createIndexes"], &[]),
    sent("dropIndexes", &["dropIndex", "dropIndexes"], &[]),
    sent("collMod", &[], &["hideIndex", "unhideIndex"]),
    sent("drop", &["drop"], &[]),
    sent("create", &["createCollection", "createView"], &[]),
    sent("renameCollection", &["renameCollection"], &[]),
    sent("dropDatabase", &["dropDatabase"], &[]),
    sent("mayflyReap", &["pass", "reaper.pass"], &[]),
    sent("setParameter", &["reaper.every", "reaper.on", "reaper.off"], &[]),
    sent("mayflyClock", &["play", "clock.advance"], &[]),
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

    /// Whether a command is denied: itself, or every usual method that sends it.
    fn is_command_denied(&self, name: &str) -> bool {
        let known = SENT.iter().find(|sent| sent.command == name);
        self.is_denied(name)
            || known.is_some_and(|sent| {
                !sent.usual.is_empty() && sent.usual.iter().all(|method| self.is_denied(method))
            })
    }

    fn is_allowed(&self, name: &str) -> bool {
        self.allow.is_empty() || self.allow.iter().any(|allowed| allowed == name)
    }

    /// Whether a command is allowed: itself, or a method that sends it.
    fn is_command_allowed(&self, name: &str) -> bool {
        let known = SENT.iter().find(|sent| sent.command == name);
        let mut methods = known.into_iter().flat_map(|sent| sent.usual.iter().chain(sent.others));
        self.is_allowed(name) || methods.any(|method| self.is_allowed(method))
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
        let Some(first) = outer.next() else {
            let is_refused = self.is_command_denied(name) || !self.is_command_allowed(name);
            return is_refused.then(|| usual_method(name).to_owned());
        };
        let is_allowed = self.is_allowed(name) || running.iter().any(|it| self.is_allowed(it));
        (self.is_command_denied(name) || !is_allowed).then(|| first.to_owned())
    }
}

/// The method that the user knows a command by.
fn usual_method(command: &str) -> &str {
    let known = SENT.iter().find(|sent| sent.command == command);
    known.and_then(|sent| sent.usual.first()).copied().unwrap_or(command)
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
        let delete = doc! {"delete": "c"};
        assert_eq!(permit.check_command(&[], &delete), Some("deleteOne".to_owned()));
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
        let delete = doc! {"delete": "c"};
        assert_eq!(permit.check_command(&[], &delete), Some("deleteOne".to_owned()));
        assert_eq!(permit.check_method(&[], "reaper.on", false), None);
        let remove = running(&["remove"]);
        assert_eq!(permit.check_command(&remove, &delete), Some("remove".to_owned()));
        assert!(Permit::default().is_free());
    }

    #[test]
    fn the_window_is_refused_only_what_no_method_may_send() {
        let update = doc! {"update": "c"};
        let check = |deny: &[&str]| permit(&[], deny).check_command(&[], &update);
        assert_eq!(check(&["replaceOne"]), None);
        assert_eq!(check(&["updateMany", "replaceOne"]), None);
        let refused = Some("updateOne".to_owned());
        assert_eq!(check(&["updateOne", "updateMany", "replaceOne"]), refused);
        assert_eq!(check(&["update"]), refused);
        let reap = doc! {"mayflyReap": 1};
        let refused = permit(&["play"], &[]).check_command(&[], &reap);
        assert_eq!(refused.as_deref(), Some("pass"), "the user's word, not the command's");
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
