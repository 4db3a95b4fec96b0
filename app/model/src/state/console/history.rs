//! The inputs of former sessions, by store.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::limits::{
    CONSOLE_EDITED_BYTES_MAX, CONSOLE_HISTORY_BYTES_MAX, CONSOLE_HISTORY_MAX, RECENT_STORES_MAX,
};

/// Words of inputs with passwords in them. As in mongosh, such an input is not kept.
const SECRETS: [&str; 6] =
    ["createUser", "updateUser", "changeUserPassword", "auth(", "authenticate", "pwd"];

/// Inputs, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct History(Vec<String>);

impl History {
    /// The inputs, the oldest first.
    pub fn inputs(&self) -> &[String] {
        &self.0
    }

    /// Notes an input; the same one twice in a row is noted once.
    pub fn push(&mut self, input: &str) {
        let input = input.trim();
        let is_long = input.len() > CONSOLE_EDITED_BYTES_MAX;
        if input.is_empty() || is_long || self.0.last().is_some_and(|last| last == input) {
            return;
        }
        if self.0.len() >= CONSOLE_HISTORY_MAX {
            self.0.remove(0);
        }
        self.0.push(input.to_owned());
    }

    /// The part that is saved when the window closes.
    fn kept(&self) -> Self {
        let is_kept = |input: &&String| {
            input.len() <= CONSOLE_HISTORY_BYTES_MAX
                && !SECRETS.iter().any(|word| input.contains(word))
        };
        Self(self.0.iter().filter(is_kept).cloned().collect())
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct StoreHistory {
    folder: String,
    inputs: History,
}

/// The inputs of stores, the latest first: at most [`RECENT_STORES_MAX`] stores.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KnownHistory(Vec<StoreHistory>);

impl KnownHistory {
    /// Keeps the inputs of the store in a folder.
    pub fn note(&mut self, folder: &Path, history: &History) {
        let (folder, inputs) = (folder.to_string_lossy().into_owned(), history.kept());
        self.0.retain(|known| known.folder != folder);
        if !inputs.0.is_empty() {
            self.0.insert(0, StoreHistory { folder, inputs });
        }
        self.0.truncate(RECENT_STORES_MAX);
    }

    /// The inputs of the store in a folder.
    pub fn of(&self, folder: &Path) -> History {
        let folder = folder.to_string_lossy();
        let known = self.0.iter().find(|known| known.folder == folder);
        known.map(|known| known.inputs.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_input_is_dropped_first() {
        let mut history = History::default();
        for number in 0..CONSOLE_HISTORY_MAX + 2 {
            history.push(&number.to_string());
            history.push(&format!(" {number}\n"));
        }
        assert_eq!(history.inputs().len(), CONSOLE_HISTORY_MAX);
        assert_eq!(history.inputs().first().map(String::as_str), Some("2"));
    }

    #[test]
    fn each_store_has_its_own_history() {
        let (mut known, mut history) = (KnownHistory::default(), History::default());
        history.push("1");
        known.note(Path::new("/one"), &history);
        history.push("2");
        known.note(Path::new("/two"), &history);
        assert_eq!(known.of(Path::new("/one")).inputs(), ["1"]);
        assert_eq!(known.of(Path::new("/two")).inputs(), ["1", "2"]);
        assert!(known.of(Path::new("/three")).inputs().is_empty());
        for number in 0..RECENT_STORES_MAX + 5 {
            known.note(Path::new(&format!("/{number}")), &history);
        }
        assert_eq!(known.0.len(), RECENT_STORES_MAX);
    }

    #[test]
    fn passwords_and_long_inputs_are_not_kept() {
        let (mut known, mut history) = (KnownHistory::default(), History::default());
        history.push("db.createUser({ user: 'me', pwd: 'secret' })");
        history.push("db.auth('me', 'secret')");
        history.push(&"x".repeat(CONSOLE_HISTORY_BYTES_MAX + 1));
        history.push("1");
        known.note(Path::new("/one"), &history);
        assert_eq!(known.of(Path::new("/one")).inputs(), ["1"]);
        assert_eq!(history.inputs().len(), 4);
    }
}
