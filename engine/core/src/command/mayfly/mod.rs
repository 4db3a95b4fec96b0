//! Mayfly's own commands: expiration, trash, archives, the clock and the store.

pub(crate) mod archive;
pub(crate) mod archive_document;
pub(crate) mod archive_selection;
pub(crate) mod archives;
pub(crate) mod backup;
pub(crate) mod clock;
pub(crate) mod damaged;
pub(crate) mod dialect;
pub(crate) mod discard_trash;
pub(crate) mod expiring;
pub(crate) mod forecast;
pub(crate) mod held;
pub(crate) mod listen;
pub(crate) mod reap;
pub(crate) mod release;
pub(crate) mod removed_list;
pub(crate) mod requested_ids;
pub(crate) mod restore;
pub(crate) mod restore_report;
pub(crate) mod restore_trash;
pub(crate) mod scrub;
pub(crate) mod trash;
pub(crate) mod trash_selection;
pub(crate) mod ttl_targets;
pub(crate) mod verdict;
pub(crate) mod what_if;
