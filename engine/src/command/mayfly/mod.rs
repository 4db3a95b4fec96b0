//! Mayfly's own commands: expiration, trash, archives, the clock and the store.

pub mod archive;
pub mod archive_document;
pub mod archive_selection;
pub mod archived;
pub mod archives;
pub mod backup;
pub mod clock;
pub mod damaged;
pub mod dialect;
pub mod expiring;
pub mod forecast;
pub mod held;
pub mod listen;
pub mod reap;
pub mod release;
pub mod restore_archived;
pub mod restore_report;
pub mod restore_trash;
pub mod scrub;
pub mod trash;
pub mod trash_selection;
pub mod ttl_targets;
pub mod verdict;
pub mod what_if;
