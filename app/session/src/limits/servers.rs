//! Every bound of servers, copies and the keyring, with its unit.

use std::time::Duration;

/// How often the Expiry view reads the soonest documents of a server.
pub const SERVER_POLL: Duration = Duration::from_secs(10);

/// How often it does so without the keyboard's focus, or while a change stream reports deletions.
pub const SERVER_POLL_CALM: Duration = Duration::from_secs(30);

/// How often it asks a server for the passes of its TTL monitor, at most.
pub const SERVER_MONITOR_AGE: Duration = Duration::from_mins(1);

/// How far apart the window looks at the backlog of an attached server.
pub const SERVER_SAMPLE_APART: Duration = Duration::from_mins(1);

/// Collections that it looks at, each with two reads.
pub const SERVER_SAMPLED_COLLECTIONS: usize = 5;

/// How long the parameters of a server's TTL monitor are believed.
pub const SERVER_PARAMETERS_AGE: Duration = Duration::from_mins(5);

/// How long a change stream waits for an event before the server answers that there is none.
pub const WATCH_AWAIT: Duration = Duration::from_secs(20);

/// Events of a change stream that wait for the window; more are counted and dropped.
pub const WATCH_EVENTS_MAX: usize = 2_000;

/// How long after a change stream broke another one is opened.
pub const WATCH_AGAIN: Duration = Duration::from_mins(5);

/// Looks in a row that a server may answer too late; after that it looks only when the user asks.
pub const SERVER_LATE_LOOKS_MAX: u32 = 3;

/// Samples of collections that are kept, to estimate from the same documents again. The oldest one is
/// forgotten first.
pub const SERVER_SAMPLES_KEPT_MAX: usize = 32;

/// How far apart the window by itself asks a server for the density of a collection, in milliseconds.
pub const SERVER_DENSITY_APART_MS: i64 = 90_000;

/// How long after a change the count that a server keeps may lack it. DocumentDB's lags 4 to 6 s.
pub const SERVER_COUNT_LAG: Duration = Duration::from_secs(8);

/// How far apart the documents of an open collection are counted, at least.
pub const SERVER_COUNT_APART: Duration = Duration::from_secs(10);

/// Documents of an open collection that are counted one by one; a server's own count is taken for more.
pub const RECOUNT_MAX: u64 = 100_000;

/// From this many milliseconds between two looks on, the view counts as closed in between.
pub const SERVER_UNSEEN_MS: i64 = 90_000;

/// How long after its threshold the next document of a server's collection is named in the sidebar, in
/// milliseconds.
pub const SERVER_NEXT_AGE_MS: i64 = 120_000;

/// How long after its threshold a server is asked again which document of a collection is next, in milliseconds.
pub const SERVER_NEXT_AGAIN_MS: i64 = 65_000;

/// How far apart it is asked that.
pub const SERVER_NEXT_APART: Duration = Duration::from_mins(1);

/// How long a server may work for one export, in milliseconds.
pub const SERVER_EXPORT_MS: i64 = 600_000;

/// How long a server may take to send one reply of an export or a copy, next to the time that it may
/// search. A reply of 16 MB fits a link of 1.1 Mbit/s.
pub const SERVER_REPLY_MAX: Duration = Duration::from_mins(2);

/// How long a change stream may send nothing. A server answers after [`WATCH_AWAIT`] at the latest.
pub const WATCH_SILENCE_MAX: Duration = Duration::from_mins(1);

/// Documents that one command inserts into a server.
pub const INSERTED_DOCS_MAX: usize = 1_000;

/// Bytes of documents that one command inserts into a server, unless one document has more.
pub const INSERTED_BYTES_MAX: usize = 16 << 20;

/// Documents, and bytes of them unless one has more, that are read after they were written to a server,
/// to see that it stored what was sent.
pub const READ_BACK_DOCS: usize = 100;
/// See [`READ_BACK_DOCS`].
pub const READ_BACK_BYTES: usize = 1 << 20;

/// Bytes of the `_id`s that are kept to roll an import or a copy back.
pub const ROLL_BACK_IDS_BYTES: usize = 64 << 20;

/// Imports into a server that can be rolled back.
pub const SERVER_IMPORTS_MAX: usize = 10;

/// Documents and bytes that are read from a server before they are written.
pub const READ_BATCH_DOCS: usize = 1_000;
/// See [`READ_BATCH_DOCS`].
pub const READ_BATCH_BYTES: usize = 4 << 20;

/// Overdue documents that are counted before a copy.
pub const COPY_OVERDUE_MAX: u64 = 1_000_000;

/// Documents of a sample that is copied.
pub const COPY_SAMPLE_MAX: u64 = 10_000_000;

/// Reasons of refused documents that a copy reports.
pub const REFUSALS_LISTED_MAX: usize = 8;

/// How long the system's keyring may take until it counts as none.
pub const KEYRING_LOOK: Duration = Duration::from_secs(5);

/// How long a call to the keyring may take. The keyring may ask the user for its own password
/// during the call.
pub const KEYRING_CALL: Duration = Duration::from_mins(1);

/// Calls to the keyring that have not ended. With more it counts as one that does not answer.
pub const KEYRING_CALLS_MAX: usize = 8;

/// How long a window that closes waits for passwords to be kept or removed.
pub const KEYRING_CLOSE: Duration = Duration::from_secs(1);

/// How long an unlocked connection to a server stays so without a change.
pub const UNLOCKED_IDLE: Duration = Duration::from_mins(15);

/// Characters of one text of a server that are shown: a message, a version, a host's name.
pub const SERVER_TEXT_MAX: usize = 2_000;

/// Levels of documents and arrays that a reply of a server may have. MongoDB stores 100.
pub const SERVER_LEVELS_MAX: usize = 200;

/// Bytes of documents and arrays of a reply that contain each other, each counted whole. The driver
/// has them all in memory while it decodes the innermost. 16 MiB may be in 60 levels.
pub const SERVER_NESTED_MAX: usize = 1 << 30;

/// Bytes of a message of a server: what the driver reads at most. MongoDB sends 48,000,000.
pub const SERVER_MESSAGE_MAX: usize = 48 << 20;

/// Bytes of a message that a relay makes room for before they arrive, and that a resting connection keeps.
pub const SERVER_PART: usize = 1 << 20;

/// How long a connection rests until the room of its last message is freed.
pub const SERVER_REST: Duration = Duration::from_secs(1);

/// How long a relay tries to connect to a server, TLS included. The driver gives up after 10 s too.
pub const SERVER_CONNECT: Duration = Duration::from_secs(10);

/// How long one address of a host is tried alone.
pub const SERVER_ADDRESS_APART: Duration = Duration::from_millis(250);

/// How long a connection to a server rests until the system checks that it is still there.
pub const SERVER_KEEPALIVE: Duration = Duration::from_mins(2);

/// How long a program may take to log in to a relay.
pub const RELAY_LOGIN: Duration = Duration::from_secs(5);

/// Programs that log in to a relay at the same time; the next ones wait.
pub const RELAY_LOGINS_MAX: usize = 16;

/// Hosts whose failures a relay remembers.
pub const FAULTS_MAX: usize = 16;

/// Bytes of the stack of a thread of the driver, which decodes [`SERVER_LEVELS_MAX`] levels by recursion.
/// A quarter is enough without optimization.
pub const DRIVER_STACK: usize = 2 << 20;

/// How long a command waits first when a server asks to slow down and doesn't say for how long.
pub const THROTTLE_FIRST_PAUSE: Duration = Duration::from_millis(100);

/// How long it waits by itself later, each time twice as long.
pub const THROTTLE_OWN_PAUSE_MAX: Duration = Duration::from_secs(5);

/// How long it waits once because the server says so.
pub const THROTTLE_PAUSE_MAX: Duration = Duration::from_secs(30);

/// How long a server may ask to slow down and take nothing, until the command fails.
pub const THROTTLE_MAX: Duration = Duration::from_mins(2);

/// How often a command that waits looks whether its job was canceled.
pub const THROTTLE_LOOK: Duration = Duration::from_millis(50);
