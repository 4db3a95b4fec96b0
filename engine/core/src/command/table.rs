//! All commands by folder and file.

use super::{
    admin, aggregate,
    core::{Command, CommandTable},
    crud, ddl, mayfly, refused, session,
};

/// Every command: those that work, and those that are known and refused.
pub const TABLE: CommandTable = CommandTable { working: COMMANDS, refused: refused::ALL };

/// Files with a `pub static COMMAND` each, then the statics of a file with several commands.
macro_rules! commands {
    ($($folder:ident: $($file:ident)* $([$shared:ident: $($command:ident)*])?;)*) => {
        &[$(
            $(&$folder::$file::COMMAND,)*
            $($(&$folder::$shared::$command,)*)?
        )*]
    };
}

/// The commands that work.
pub static COMMANDS: &[&Command] = commands! {
    crud:
        bulk_write count delete distinct find find_and_modify get_more insert kill_cursors update;
    aggregate: command explain;
    ddl:
        coll_mod convert_to_capped create create_indexes drop drop_database drop_indexes
        list_collections list_databases list_indexes rename_collection;
    session:
        connection_status hello
        [sessions: END_SESSIONS REFRESH_SESSIONS KILL_SESSIONS KILL_ALL_SESSIONS
            KILL_ALL_SESSIONS_BY_PATTERN START_SESSION LOGOUT WHATSMYURI];
    admin:
        build_info coll_stats compact current_op data_size db_stats fsync get_cluster_parameter
        get_log get_parameter host_info kill_op list_commands profile repl_set_get_status roles_info
        server_status set_parameter users_info validate validate_db_metadata
        [constant: PING CONN_POOL_STATS GET_CMD_LINE_OPTS LOCK_INFO FSYNC_UNLOCK PLAN_CACHE_CLEAR];
    mayfly:
        archive archives backup clock damaged dialect discard_trash expiring forecast held
        listen passes reap release restore_trash scrub trash verdict what_if;
};
