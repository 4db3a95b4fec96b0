//! All commands, one line each.

use super::{context::Context, error::Answer, field::Field, request::Request};

/// One command: its declaration and what runs it.
pub struct Command {
    /// The name as MongoDB writes it. Names are matched exactly; see `aliases`.
    pub name: &'static str,
    /// Other spellings.
    pub aliases: &'static [&'static str],
    /// Where it may be sent.
    pub scope: Scope,
    /// Every field but its own and those of [`super::field::COMMON`].
    pub fields: &'static [Field],
    /// What runs it. The reply's fields without `ok`.
    pub run: fn(&Context, &Request<'_>) -> Answer,
}

/// Where a command may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Any database.
    Any,
    /// `admin` only.
    Admin,
}

/// The table. A new command is one file with a `pub static COMMAND` and one line here.
pub static COMMANDS: &[&Command] = &[
    &super::ping::COMMAND,
    &super::current_op::COMMAND,
    &super::get_parameter::COMMAND,
    &super::mayfly_clock::COMMAND,
    &super::mayfly_dialect::COMMAND,
    &super::mayfly_expiring::COMMAND,
    &super::mayfly_forecast::COMMAND,
    &super::mayfly_held::COMMAND,
    &super::mayfly_reap::COMMAND,
    &super::mayfly_release::COMMAND,
    &super::mayfly_verdict::COMMAND,
    &super::mayfly_what_if::COMMAND,
    &super::server_status::COMMAND,
    &super::set_parameter::COMMAND,
];

/// The command with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name || command.aliases.contains(&name)).copied()
}
