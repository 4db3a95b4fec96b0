//! Splits what was typed or pasted into statements.

/// One step of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// JavaScript.
    Script {
        /// What errors call it.
        name: String,
        /// The text.
        text: String,
    },
    /// A line that is no JavaScript: `use`, `show`, `it`, `help`, `cls`, `exit`.
    Command {
        /// Its words.
        words: Vec<String>,
    },
}

/// The first words of lines that are no JavaScript.
const COMMANDS: [&str; 7] = ["use", "show", "it", "help", "cls", "exit", "quit"];

/// The statements of an input, in order.
#[must_use]
pub fn statements(text: &str) -> Vec<Statement> {
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if words.first().is_some_and(|first| COMMANDS.contains(&first.as_str())) {
        return vec![Statement::Command { words }];
    }
    vec![Statement::Script { name: "console".to_owned(), text: text.to_owned() }]
}
