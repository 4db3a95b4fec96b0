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
    &super::aggregate::COMMAND,
    &super::build_info::COMMAND,
    &super::bulk_write::COMMAND,
    &super::coll_mod::COMMAND,
    &super::coll_stats::COMMAND,
    &super::count::COMMAND,
    &super::create::COMMAND,
    &super::create_indexes::COMMAND,
    &super::db_stats::COMMAND,
    &super::delete::COMMAND,
    &super::distinct::COMMAND,
    &super::drop::COMMAND,
    &super::drop_database::COMMAND,
    &super::drop_indexes::COMMAND,
    &super::end_sessions::COMMAND,
    &super::explain::COMMAND,
    &super::find::COMMAND,
    &super::find_and_modify::COMMAND,
    &super::get_more::COMMAND,
    &super::hello::COMMAND,
    &super::insert::COMMAND,
    &super::kill_cursors::COMMAND,
    &super::list_collections::COMMAND,
    &super::list_databases::COMMAND,
    &super::list_indexes::COMMAND,
    &super::rename_collection::COMMAND,
    &super::update::COMMAND,
    &super::validate::COMMAND,
    &super::current_op::COMMAND,
    &super::get_parameter::COMMAND,
    &super::host_info::COMMAND,
    &super::kill_op::COMMAND,
    &super::mayfly_archive::COMMAND,
    &super::mayfly_archived::COMMAND,
    &super::mayfly_archives::COMMAND,
    &super::mayfly_backup::COMMAND,
    &super::mayfly_clock::COMMAND,
    &super::mayfly_damaged::COMMAND,
    &super::mayfly_dialect::COMMAND,
    &super::mayfly_expiring::COMMAND,
    &super::mayfly_forecast::COMMAND,
    &super::mayfly_held::COMMAND,
    &super::mayfly_listen::COMMAND,
    &super::mayfly_reap::COMMAND,
    &super::mayfly_release::COMMAND,
    &super::mayfly_scrub::COMMAND,
    &super::mayfly_verdict::COMMAND,
    &super::mayfly_what_if::COMMAND,
    &super::mayfly_restore_archived::COMMAND,
    &super::mayfly_restore_trash::COMMAND,
    &super::mayfly_trash::COMMAND,
    &super::server_status::COMMAND,
    &super::profile::COMMAND,
    &super::set_parameter::COMMAND,
    &super::get_log::COMMAND,
    &super::connection_status::COMMAND,
    &super::users_info::COMMAND,
    &super::roles_info::COMMAND,
    &super::list_commands::COMMAND,
    &super::whatsmyuri::COMMAND,
    &super::get_cmd_line_opts::COMMAND,
    &super::logout::COMMAND,
    &super::start_session::COMMAND,
    &super::refresh_sessions::COMMAND,
    &super::kill_sessions::COMMAND,
    &super::kill_all_sessions::COMMAND,
    &super::kill_all_sessions_by_pattern::COMMAND,
    &super::data_size::COMMAND,
    &super::validate_db_metadata::COMMAND,
    &super::conn_pool_stats::COMMAND,
    &super::lock_info::COMMAND,
    &super::plan_cache_clear::COMMAND,
    &super::fsync::COMMAND,
    &super::fsync_unlock::COMMAND,
    &super::compact::COMMAND,
    &super::convert_to_capped::COMMAND,
    &super::get_cluster_parameter::COMMAND,
];

/// All commands: those that do something, and those that are known and refused.
pub fn all() -> impl Iterator<Item = &'static Command> {
    COMMANDS.iter().chain(super::refused::ALL).copied()
}

/// The command with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Command> {
    all().find(|command| command.name == name || command.aliases.contains(&name))
}
