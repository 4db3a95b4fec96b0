//! One command: its name, its fields and the function that runs it.

use super::{Answer, Context, Field, Request};

/// One command: its declaration and its function.
pub struct Command {
    /// The name as MongoDB writes it. Names are matched exactly; see `aliases`.
    pub name: &'static str,
    /// Other spellings.
    pub aliases: &'static [&'static str],
    /// The databases that it may be sent to.
    pub scope: Scope,
    /// Every field but its own and those of `core::field::COMMON`.
    pub fields: &'static [Field],
    /// Runs it.
    pub run: Run,
}

/// Runs a command; returns the reply's fields without `ok`.
pub type Run = fn(&Context, &Request<'_>) -> Answer;

impl Command {
    /// A command for any database, without aliases.
    pub const fn any(name: &'static str, fields: &'static [Field], run: Run) -> Self {
        Self { name, aliases: &[], scope: Scope::Any, fields, run }
    }

    /// A command for `admin` only, without aliases.
    pub const fn admin(name: &'static str, fields: &'static [Field], run: Run) -> Self {
        Self { name, aliases: &[], scope: Scope::Admin, fields, run }
    }
}

/// Every command that the server knows.
#[derive(Clone, Copy)]
pub struct CommandTable {
    /// Commands that work.
    pub working: &'static [&'static Command],
    /// Commands of MongoDB that are known and refused.
    pub refused: &'static [&'static Command],
}

impl CommandTable {
    /// Working commands, then refused ones.
    pub fn iter(self) -> impl Iterator<Item = &'static Command> {
        self.working.iter().chain(self.refused).copied()
    }

    /// Their names, without aliases.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.iter().map(|command| command.name)
    }

    /// The command with this name or alias.
    #[must_use]
    pub fn find(self, name: &str) -> Option<&'static Command> {
        self.iter().find(|command| command.name == name || command.aliases.contains(&name))
    }
}

/// The databases that a command may be sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Any database.
    Any,
    /// `admin` only.
    Admin,
}
