//! Commands about the server, its parameters and its statistics, and the care of collections.

pub mod build_info;
pub mod coll_stats;
pub mod compact;
pub mod constant;
pub mod current_op;
pub mod data_size;
pub mod db_stats;
pub mod fsync;
pub mod get_cluster_parameter;
pub mod get_log;
pub mod get_parameter;
pub mod host_info;
pub mod kill_op;
pub mod list_commands;
pub mod parameter_values;
pub mod profile;
pub mod repl_set_get_status;
pub mod roles_info;
pub mod server_status;
pub mod set_parameter;
pub mod users_info;
pub mod validate;
pub mod validate_db_metadata;
