//! The server's records about its work: log, metrics, running operations and the profile.

pub(crate) mod event_log;
pub(crate) mod index_uses;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod operations;
pub(crate) mod profiler;
pub(crate) mod registration;
pub(crate) mod ttl_status;
