//! Commands about connections and sessions.

pub mod connection_status;
pub mod hello;
pub mod sessions;
