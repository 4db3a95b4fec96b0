//! Commands about connections and sessions.

pub(crate) mod connection_status;
pub(crate) mod hello;
pub(crate) mod sessions;
