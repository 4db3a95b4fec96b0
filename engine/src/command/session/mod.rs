//! Commands about connections and sessions. Sessions change nothing in one process.

pub mod connection_status;
pub mod end_sessions;
pub mod hello;
pub mod kill_all_sessions;
pub mod kill_all_sessions_by_pattern;
pub mod kill_sessions;
pub mod logout;
pub mod refresh_sessions;
pub mod session_list;
pub mod start_session;
pub mod whatsmyuri;
