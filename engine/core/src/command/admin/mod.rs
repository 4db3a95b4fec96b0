//! Commands about the server, its parameters and its statistics, and the care of collections.

pub(crate) mod build_info;
pub(crate) mod coll_stats;
pub(crate) mod compact;
pub(crate) mod constant;
pub(crate) mod current_op;
pub(crate) mod data_size;
pub(crate) mod db_stats;
pub(crate) mod fsync;
pub(crate) mod get_cluster_parameter;
pub(crate) mod get_log;
pub(crate) mod get_parameter;
pub(crate) mod host_info;
pub(crate) mod kill_op;
pub(crate) mod list_commands;
pub(crate) mod parameter_values;
pub(crate) mod profile;
pub(crate) mod repl_set_get_status;
pub(crate) mod roles_info;
pub(crate) mod server_status;
pub(crate) mod set_parameter;
pub(crate) mod users_info;
pub(crate) mod validate;
pub(crate) mod validate_db_metadata;
