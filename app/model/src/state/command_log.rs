//! Every command that the window has sent, in mongosh syntax.

use std::collections::VecDeque;

use crate::limits::{COMMAND_LOG_MAX, COMMAND_TEXT_CHARS_MAX};

/// The commands, the oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CommandLog {
    records: VecDeque<CommandRecord>,
    count: u64,
    /// The names of the stores that were opened. Their numbers count from 1.
    stores: Vec<String>,
    store: u64,
}

/// One command that was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandRecord {
    /// The store that it went to, see [`CommandLog::begin_store`].
    pub store: u64,
    /// Counts from 1.
    pub number: u64,
    /// When the answer came, in milliseconds since 1970 by the store's clock.
    pub at_ms: i64,
    /// As typed in mongosh.
    pub text: String,
    /// How long the store took, in microseconds.
    pub micros: u64,
    pub error: Option<String>,
    /// Whether the window asked by itself, to keep what it shows fresh.
    pub background: bool,
}

impl CommandLog {
    /// Notes a command.
    pub fn push(
        &mut self,
        at_ms: i64,
        text: &str,
        micros: u64,
        error: Option<String>,
        background: bool,
    ) {
        self.count += 1;
        if self.records.len() >= COMMAND_LOG_MAX {
            // The user's commands are kept longer than background reads.
            let at = self.records.iter().position(|record| record.background).unwrap_or(0);
            self.records.remove(at);
        }
        let text = shortened(text);
        let (number, store) = (self.count, self.store);
        let record = CommandRecord { store, number, at_ms, text, micros, error, background };
        self.records.push_back(record);
    }

    /// The commands, the oldest first.
    pub fn records(&self) -> &VecDeque<CommandRecord> {
        &self.records
    }

    /// Another store is open: what follows goes to it. Returns its number.
    pub fn begin_store(&mut self, name: &str) -> u64 {
        self.stores.push(name.to_owned());
        self.store = self.stores.len() as u64;
        self.store
    }

    /// The name of the store that a command went to. It may be closed by now.
    pub fn store_name(&self, record: &CommandRecord) -> &str {
        let at = usize::try_from(record.store).ok().and_then(|number| number.checked_sub(1));
        at.and_then(|at| self.stores.get(at)).map_or("", String::as_str)
    }

    /// How long the open store took for the user's last command, in microseconds.
    pub fn last_micros(&self) -> Option<u64> {
        let mut records = self.records.iter().rev();
        let last = records.find(|record| record.store == self.store && !record.background)?;
        Some(last.micros)
    }

    /// Whether the commands went to more than one store.
    pub fn has_several_stores(&self) -> bool {
        self.records.iter().any(|record| record.store != self.store)
    }

    /// A store that was open before is open again.
    pub fn continue_store(&mut self, store: u64) {
        self.store = store;
    }

    /// The changes of the open store since it was opened, the oldest first, as far as they are
    /// kept.
    pub fn changes(&self) -> impl Iterator<Item = &CommandRecord> {
        self.records.iter().filter(|record| {
            record.store == self.store && record.error.is_none() && is_change(&record.text)
        })
    }

    /// Empties the log.
    pub fn clear(&mut self) {
        self.records.clear();
    }
}

/// Whether a command, as mongosh writes it, changes documents, indexes or the clock.
fn is_change(text: &str) -> bool {
    const COMMANDS: [&str; 11] = [
        "insert",
        "update",
        "delete",
        "findAndModify",
        "create",
        "createIndexes",
        "collMod",
        "dropIndexes",
        "drop",
        "renameCollection",
        "mayflyClock",
    ];
    const METHODS: [&str; 12] = [
        "insertOne",
        "insertMany",
        "updateOne",
        "updateMany",
        "replaceOne",
        "deleteOne",
        "deleteMany",
        "createIndex",
        "createCollection",
        "dropIndex",
        "dropIndexes",
        "drop",
    ];
    // A document may have a text that looks like a command.
    let (head, fields) = text.split_once('{').unwrap_or((text, ""));
    if head.ends_with("ommand(") {
        let name = fields.split_once(':').map_or("", |(name, _)| name.trim());
        let is_read = name == "mayflyClock" && !fields.contains(',');
        return COMMANDS.contains(&name) && !is_read;
    }
    METHODS.iter().any(|method| head.contains(&format!(".{method}(")))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(COMMAND_TEXT_CHARS_MAX) {
        Some((at, _)) => format!("{} … ({} bytes in total)", &text[..at], text.len()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_did_stays_longest() {
        let mut log = CommandLog::default();
        log.push(0, "mine", 1, None, false);
        for _ in 0..COMMAND_LOG_MAX + 3 {
            log.push(0, "its own", 1, None, true);
        }
        assert_eq!(log.records().len(), COMMAND_LOG_MAX);
        assert_eq!(log.records()[0].text, "mine");
    }

    #[test]
    fn what_changed_the_open_store_is_known() {
        let mut log = CommandLog::default();
        log.push(0, "db.getSiblingDB(\"a\").of.drop()", 1, None, false);
        let own = log.begin_store("a");
        let changes = [
            "db.getSiblingDB(\"a\").of.insertOne({ n: 1 })",
            "db.getSiblingDB(\"a\").runCommand({ collMod: \"of\", index: 1 })",
            "db.adminCommand({ mayflyClock: 1, advanceMS: 5 })",
            "db.getSiblingDB(\"a\").of.dropIndex(\"n_1\")",
        ];
        let others = [
            "db.getSiblingDB(\"a\").of.find({ text: \".drop(\" })",
            "db.adminCommand({ mayflyClock: 1 })",
        ];
        for text in changes.iter().chain(&others) {
            log.push(0, text, 1, None, false);
        }
        log.push(0, changes[0], 1, Some("no".to_owned()), false);
        log.begin_store("b");
        log.push(0, changes[0], 1, None, false);
        log.continue_store(own);
        let found: Vec<&str> = log.changes().map(|record| record.text.as_str()).collect();
        assert_eq!(found, changes);
    }

    #[test]
    fn long_commands_are_cut() {
        let text = "ä".repeat(COMMAND_TEXT_CHARS_MAX + 1);
        let mut log = CommandLog::default();
        log.push(0, &text, 1, None, false);
        assert!(log.records()[0].text.ends_with(&format!("({} bytes in total)", text.len())));
    }
}
