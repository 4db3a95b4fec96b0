//! The bounds of the command line.

use std::time::Duration;

/// Time between two checks for a shutdown request.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Age from which `metrics` reads the figures again.
pub(super) const METRICS_AGE_MAX: Duration = Duration::from_secs(30);

/// Time that a client of `metrics` has for its request, and for taking the answer.
pub(super) const METRICS_WAIT: Duration = Duration::from_secs(2);

/// Bytes of its request that are read.
pub(super) const METRICS_REQUEST_BYTES_MAX: u64 = 8_192;

/// Time between two looks of `serve` at the state of its store.
pub(super) const SERVE_LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Findings of damage that `serve` prints; then it refers to `verify`.
pub(super) const SERVE_FINDINGS_MAX: usize = 10;

/// Collections of a database that `watch` lists.
pub(super) const WATCH_COLLECTIONS_MAX: i32 = 10_000;

/// Documents that `watch` reads of each collection.
pub(super) const WATCH_DOCS_MAX: i64 = 100;

/// Events between the store and the terminal. The store counts further ones as missed.
pub(super) const WATCH_QUEUE_MAX: usize = 1_000;

/// Questions and commands that wait for the store. A further one is asked later, or refused.
pub(super) const WATCH_QUESTIONS_MAX: usize = 64;

/// Keys that wait while a frame is drawn.
pub(super) const WATCH_KEYS_MAX: usize = 256;

/// Inputs that are handled before the next frame.
pub(super) const WATCH_INPUTS_MAX: usize = 500;

/// Removed documents that the ledger keeps.
pub(super) const WATCH_LEDGER_MAX: usize = 10_000;

/// Characters of an `_id` that are kept to show it.
pub(super) const WATCH_ID_CHARS_MAX: usize = 200;

/// Characters that narrow the list of collections.
pub(super) const WATCH_TYPED_MAX: usize = 100;

/// Removed documents that stay in the lanes for a moment.
pub(super) const WATCH_TOMBSTONES_MAX: usize = 100;

/// How long a removed document stays in the lanes.
pub(super) const TOMBSTONE_TIME: Duration = Duration::from_secs(6);

/// From then on a removed document fades.
pub(super) const TOMBSTONE_FADES: Duration = Duration::from_secs(3);

/// How long a message stays in the last line.
pub(super) const NOTE_TIME: Duration = Duration::from_secs(8);

/// The shortest time between two frames.
pub(super) const FRAME_MIN: Duration = Duration::from_millis(50);

/// The shortest time between two frames in which only bars and countdowns move.
pub(super) const MOVE_MIN: Duration = Duration::from_millis(250);

/// The shortest time between two reads of the documents that expire next.
pub(super) const READ_MIN: Duration = Duration::from_millis(250);

/// The shortest time between the reads of two collections of a server, on average.
pub(super) const SERVER_READS_APART: Duration = Duration::from_secs(1);

/// How often the collections of a server are listed again, and its clock is read.
pub(super) const SERVER_LIST_AGE: Duration = Duration::from_mins(1);

/// A read of the documents that takes long is repeated only after this multiple of its duration.
pub(super) const READ_REST_FACTOR: u32 = 10;

/// How long a second signal waits until the terminal is restored.
pub(super) const RESTORE_MAX: Duration = Duration::from_millis(200);
