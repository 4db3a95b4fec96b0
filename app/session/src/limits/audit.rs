//! The bounds of an audit.

use std::time::Duration;

/// How long an audit may take, unless it is asked to take longer.
pub const AUDIT_TIME: Duration = Duration::from_mins(1);

/// The same in the window, which shows how far it is and can stop it.
pub const AUDIT_WINDOW_TIME: Duration = Duration::from_mins(10);

/// Commands that an audit sends to a server in a second, at most.
pub const AUDIT_READS_A_SECOND: u32 = 30;

/// How long one of these may take on the server, in milliseconds.
pub const AUDIT_READ_MS: i32 = 2_000;

/// How often an audit that waits looks whether the audit was canceled.
pub const AUDIT_LOOK: Duration = Duration::from_millis(50);

/// Collections that an audit reads. Further ones are listed as not finished.
pub const AUDIT_COLLECTIONS_MAX: usize = 10_000;

/// Indexes of a collection that are read. `MongoDB` has at most 64.
pub const AUDIT_INDEXES_MAX: usize = 1_000;

/// Documents from the beginning of a collection that are sampled, and as many from its end.
pub const AUDIT_SAMPLE_DOCS: u32 = 400;

/// Documents of a collection that are all read for a TTL that no index serves. A larger one is only sampled.
pub const AUDIT_WHOLE_DOCS: u64 = 1_000_000;

/// Documents of a collection without a TTL that are counted on a server.
pub const AUDIT_COUNTED_DOCS: i64 = 1_000_000;

/// Hours that are looked into for the steepest minute, in a store and on a server.
pub const AUDIT_HOURS_MAX: [usize; 2] = [20, 3];

/// Collections whose overdue documents are counted in each sample of a server.
pub const AUDIT_SAMPLED_COLLECTIONS: usize = 50;

/// Samples of a server that are kept. The oldest one goes first.
pub const AUDIT_SAMPLES_KEPT_MAX: usize = 120;

/// Samples that an audit without earlier ones takes after it has read everything, until they say whether the monitor
/// keeps up.
pub const AUDIT_SAMPLES_MAX: usize = 30;

/// How long it waits between two of them. It takes no other one that the time limit may cut.
pub const AUDIT_SAMPLES_APART: Duration = Duration::from_secs(10);

/// Places that could not be read that are kept, and those of them that a finding names.
pub const AUDIT_UNREADABLE_MAX: usize = AUDIT_COLLECTIONS_MAX;
pub const AUDIT_UNREADABLE_NAMED: usize = 20;
