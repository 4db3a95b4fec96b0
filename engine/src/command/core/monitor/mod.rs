//! What the server records about its own work: log, metrics, running operations and the profile.

pub mod event_log;
pub mod index_uses;
pub mod log;
pub mod metrics;
pub mod operations;
pub mod profiler;
pub mod registration;
pub mod ttl_status;
