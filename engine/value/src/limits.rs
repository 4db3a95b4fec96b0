//! Every bound of the engine, with its unit and the behavior at the bound.

/// Documents per write transaction. LMDB has one writer and the user may be waiting, so longer work
/// is split into several transactions.
pub const BATCH_DOCS_MAX: usize = 1_000;

/// Documents per write transaction that also ends after [`BATCH_MS_MAX`]: each flush to the disk
/// then serves as many as the time allows.
pub const BULK_DOCS_MAX: usize = 10_000;

/// Entries that one step of an index build sorts and writes, if its time allows. The more there
/// are, the fewer times each page of the index is written.
pub const BUILD_ENTRIES_MAX: usize = 50_000;

/// Buckets of a time-series collection that an insert checks for space, newest first; then it
/// starts a new one.
pub const BUCKETS_LOOKED_AT_MAX: usize = 64;

/// Milliseconds after which a write transaction takes no more documents.
pub const BATCH_MS_MAX: u64 = 50;

/// Writes that share one commit. The next one waits for the next commit.
pub const GROUP_WRITES_MAX: usize = 64;

/// Rows written after which a transaction takes no further write from the queue: about
/// [`BATCH_DOCS_MAX`] documents with their entries and counters.
pub const GROUP_OPERATIONS_MAX: usize = 4 * BATCH_DOCS_MAX;

/// Writes waiting in the queue. One more waits for space first.
pub const WRITES_WAITING_MAX: usize = 1_024;

/// Rows from which a run at the end of a collection or an index is written while the rows after it
/// are set aside, see `store::table::entry_rows`. Writing those again costs about a hundred rows.
pub const RUN_ROWS_MIN: usize = 256;

/// Bytes of rows that are set aside: as many as can share a page with the run.
pub const SET_ASIDE_BYTES: usize = 4_096;

/// The highest record number: above every one that comes from an `_id`, see `value::id_number`, and
/// 15 bytes with its length.
pub const RECORD_MAX: u128 = u128::MAX >> 14;

/// Bytes of a value key in an index entry: LMDB's 511 minus the index id (at most 5) and the record
/// number (at most 15). A longer key is refused; `value::key` truncates before that.
pub const VALUE_KEY_BYTES_MAX: usize = 491;

/// Concurrent read transactions. One more gets the error "busy".
pub const READERS_MAX: u32 = 512;

/// Bytes of address space requested at opening; halved while the system refuses.
pub const MAP_SIZE_BYTES: u64 = 1 << 40;

/// Bytes of address space below which halving stops and opening fails.
pub const MAP_SIZE_BYTES_MIN: u64 = 1 << 30;

/// How often one write may double the map before it fails.
pub const MAP_GROWTHS_MAX: usize = 32;

/// How long a growing map waits for readers to finish before the write fails with "busy".
pub const MAP_GROWTH_WAIT: std::time::Duration = std::time::Duration::from_secs(10);

/// Free bytes on the disk below which opening warns and an I/O error counts as a full disk.
pub const DISK_FREE_BYTES_LOW: u64 = 64 << 20;

/// Bytes that must be free, on the disk or within the file, before a store on a full disk accepts
/// inserts and updates again; less on a small disk.
pub const DISK_ROOM_BYTES_WANTED: u64 = 32 << 20;

/// The minimum of that on a small disk.
pub const DISK_ROOM_BYTES_MIN: u64 = 256 << 10;

/// On a small disk, one part in this many must be free.
pub const DISK_ROOM_PART: u64 = 16;

/// Bytes of the file that reserves space for deletions on a full disk.
pub const BALLAST_BYTES: u64 = 16 << 20;

/// The ballast takes at most one part in this many of the free space. A full ballast needs 1 GiB.
pub const BALLAST_PART: u64 = 64;

/// Bytes below which there is no ballast.
pub const BALLAST_BYTES_MIN: u64 = 64 << 10;

/// Documents of the first deleting transactions on a full disk: each changed page needs a new one.
/// Doubled on success, halved on failure.
pub const FULL_DISK_BATCH_DOCS: usize = 16;

/// Slots in LMDB's reader table that ordinary reads leave free, so that a backup finds one.
pub const READERS_KEPT: u32 = 4;

/// Age at which a read transaction is logged: the file grows while it lives.
pub const READ_WARNING: std::time::Duration = std::time::Duration::from_secs(5);

/// Time between two searches for readers whose process has ended.
pub const STALE_READERS_PAUSE: std::time::Duration = std::time::Duration::from_mins(1);

/// Bytes of the largest data file that opening walks before it continues, if the file looks as it was closed:
/// some milliseconds. The walk of a larger one continues while the store is open, with each read guarded.
pub const OPEN_WALK_BYTES: u64 = 8 << 20;

/// How long a write waits for the end of that walk before it fails with "busy".
pub const WALK_WRITE_WAIT: std::time::Duration = std::time::Duration::from_mins(1);

/// Time between two checks of such a write whether its command was canceled.
pub const WALK_WRITE_POLL: std::time::Duration = std::time::Duration::from_millis(20);

/// Bytes of memory that the subprocess walking a picked file may use, for any file.
pub const WALK_MEMORY_BYTES: u64 = 1 << 30;

/// It may also use one part in this many of the file's bytes, for page numbers.
pub const WALK_MEMORY_PART: u64 = 64;

/// Bytes of one line from this process: more than [`FINDINGS_MAX`] of the longest names.
pub const WALK_MESSAGE_BYTES_MAX: usize = 8 << 20;

/// How long to wait for a line before checking for a stop request.
pub const WALK_MESSAGE_WAIT: std::time::Duration = std::time::Duration::from_millis(100);

/// Time between two checks whether it has exited, after its last line.
pub const WALK_EXIT_POLL: std::time::Duration = std::time::Duration::from_millis(2);

/// How often per session a store reopens itself after a write failed at the disk.
pub const REOPENINGS_MAX: u32 = 1;

/// Bytes of LMDB's longest key. Another number would be another format.
pub const LMDB_KEY_BYTES_MAX: usize = 511;

/// Bytes of one value in the tables, several times the largest command: a longer one is damage.
pub const ROW_BYTES_MAX: u64 = 256 << 20;

/// Levels of an LMDB tree. LMDB's cursors hold no more; a deeper tree is damage.
pub const TREE_DEPTH_MAX: u16 = 32;
/// Events queued for one subscriber. A full queue drops its oldest event and counts the loss.
pub const EVENT_QUEUE_MAX: usize = 1_024;

/// Removed documents listed in one event, which also says how many more were removed.
pub const REMOVED_EVENT_DOCS_MAX: usize = 256;

/// Milliseconds by which wall time may lead time since boot before the clock counts as stepped.
pub const GUARD_STEP_FORWARD_MS: i64 = 120_000;

/// Milliseconds by which wall time may lag time since boot before the clock counts as stepped.
pub const GUARD_STEP_BACK_MS: i64 = 5_000;

/// Milliseconds by which wall time may lead time since boot before removals are put on hold.
pub const GUARD_FORWARD_MS_MAX: i64 = 3_600_000;

/// Milliseconds by which wall time may be before the last pass before removals are put on hold.
pub const GUARD_BACK_MS_MAX: i64 = 300_000;

/// Milliseconds since the last pass after which removals are put on hold: 30 days.
pub const GUARD_ABSENCE_MS: i64 = 30 * 86_400_000;

/// The earliest plausible wall time: the release day of the compiler this source requires,
/// 2026-04-14 (Rust 1.95). A constant instead of the build time, so that builds are reproducible.
pub const GUARD_EARLIEST_MS: i64 = 1_776_124_800_000;

/// The latest wall time that is trusted without a release: 20 years later.
pub const GUARD_LATEST_MS: i64 = GUARD_EARLIEST_MS + 7_305 * 86_400_000;

/// Documents that a small clock step may make due in one index without a hold.
pub const GUARD_REMOVALS_MAX: u64 = 1_000;

/// Percent of a collection's documents, if that is more than [`GUARD_REMOVALS_MAX`].
pub const GUARD_REMOVALS_PERCENT: u64 = 25;

/// Index entries counted to find how many documents are due; more are reported as "at least".
pub const DUE_COUNT_MAX: u64 = 1_000_000;

/// Milliseconds between two writes of an unchanged guard state.
pub const GUARD_SAVE_MS: i64 = 60_000;

/// The least real time between two saves of a simulated clock's time while it runs.
pub const SIMULATED_SAVE: std::time::Duration = std::time::Duration::from_secs(10);

/// How long `mayflyClock` waits for the pass that it advanced a simulated clock to. A pass may be large.
pub const CLOCK_PASS_WAIT: std::time::Duration = std::time::Duration::from_mins(1);

/// How often it polls for the end of that pass.
pub const CLOCK_PASS_POLL: std::time::Duration = std::time::Duration::from_millis(1);

/// Time without a finished pass after which the monitor counts as stalled; [`WATCHDOG_SLEEPS`] of
/// its sleeps if that is longer.
pub const WATCHDOG_MIN: std::time::Duration = std::time::Duration::from_mins(5);

/// Sleeps of the monitor without a finished pass after which it counts as stalled.
pub const WATCHDOG_SLEEPS: u32 = 5;

/// How long a stall must last before it is reported.
pub const WATCHDOG_GRACE: std::time::Duration = std::time::Duration::from_mins(1);

/// How long a pass pauses after each transaction during a backup.
pub const COPY_PAUSE: std::time::Duration = std::time::Duration::from_millis(200);

/// How often a backup's progress is polled.
pub const COPY_POLL: std::time::Duration = std::time::Duration::from_millis(10);

/// How long a background thread pauses after a panic before it resumes.
pub const THREAD_RETRY: std::time::Duration = std::time::Duration::from_secs(10);

/// Longest time that removed documents can be kept in the trash, in seconds: a day.
pub const TRASH_SECS_MAX: i64 = 86_400;

/// Seconds they are kept if the configured number was lost.
pub const TRASH_SECS_DEFAULT: i64 = 600;

/// Bytes in the trash after each step of a pass, without those that wait for an archive; the oldest
/// rows leave first. The rows that wait need no bound: they take the space that their documents had.
pub const TRASH_BYTES_MAX: u64 = 64 << 20;

/// Removed documents on one page of the trash.
pub const TRASH_PAGE_DOCS_MAX: usize = 1_000;

/// Documents that one command restores from the trash or an archive; the next one restores the rest.
pub const RESTORE_DOCS_MAX: usize = 10_000;

/// How often one part of a restore checks for rules to put on hold first.
pub const RESTORE_LOOKS_MAX: usize = 16;

/// Seconds after its threshold for which a scheduled pass leaves a document alone in a database that follows
/// Cosmos DB, at least.
pub const BACKGROUND_DELETE_SECS_MIN: i64 = 60;

/// The same, at most. A pass every minute then removes it within five minutes.
pub const BACKGROUND_DELETE_SECS_MAX: i64 = 240;

/// Index entries that a pass reads ahead of its write transactions.
pub const REAPER_SCAN_ENTRIES_MAX: usize = 5 * BULK_DOCS_MAX;

/// Lags from threshold to removal that a pass keeps per rule for the median. Later ones count for
/// the maximum only.
pub const LAG_SAMPLES_MAX: usize = 4_096;

/// Hours whose minutes the history of passes keeps: a year.
pub const HISTORY_MINUTE_HOURS_MAX: i64 = 366 * 24;

/// Hours that the history of passes has at all: ten years.
pub const HISTORY_HOURS_MAX: i64 = 10 * HISTORY_MINUTE_HOURS_MAX;

/// Hours that are summed up, or removed, with the writing of a new one.
pub const HISTORY_CATCH_UP_HOURS: i64 = 256;

/// Hours that one transaction reads of it.
pub const HISTORY_READ_HOURS: i64 = 1_024;

/// Minutes that wait to be stored.
pub const HISTORY_WAITING_MAX: usize = 60;

/// Time from one writing of the history to the next, while documents are removed.
pub const HISTORY_KEEP_WAIT: std::time::Duration = std::time::Duration::from_mins(1);

/// Overdue documents of one rule that are counted after a pass.
pub const HISTORY_LEFT_MAX: u64 = 10_000;

/// Spans of one reply of `mayflyPasses`.
pub const HISTORY_SPANS_MAX: i64 = 10_000;

/// Spans of it unless another number is asked for: a day of minutes.
pub const HISTORY_SPANS_DEFAULT: i64 = 1_440;

/// Index entries that a count reads between two checks for a stop request.
pub const COUNT_ENTRIES_PER_CHECK: u32 = 1_024;

/// Documents with several dates whose earliest threshold a forecast tracks. Above it the forecast
/// counts such documents several times and reports that it is not exact.
pub const FORECAST_DISTINCT_DOCS_MAX: usize = 1_000_000;

/// Entries of an index from which a forecast counts with two threads.
pub const FORECAST_SHARED_ENTRIES_MIN: u64 = 25_000;

/// Entries that one of the two threads counts before it checks the position of the other.
pub const FORECAST_ENTRIES_PER_LOOK: usize = 4_096;

/// Buckets of one forecast; more are refused.
pub const FORECAST_BUCKETS_MAX: usize = 10_000;

/// Documents on one page of expiring documents; a higher limit is lowered to it.
pub const EXPIRING_DOCS_MAX: usize = 1_000;

/// Dates of one document in a reply of `mayflyExpiring`.
pub const EXPIRING_DATES_MAX: usize = 32;

/// Index entries read for one page of expiring documents, which may then be short.
pub const EXPIRING_ENTRIES_MAX: usize = 20_000;

/// Documents in one `mayflyVerdict`; more are refused.
pub const VERDICT_IDS_MAX: usize = 1_000;

/// Documents per read transaction of a long scan, which continues in a new one.
pub const READ_DOCS_MAX: usize = 5_000;

/// Milliseconds per read transaction of a long scan, which continues in a new one.
pub const READ_MS_MAX: u64 = 50;
/// Indexes of one collection, including `_id_`. One more is refused (MongoDB's limit).
pub const INDEXES_PER_COLLECTION_MAX: usize = 64;

/// Bytes of documents that one step of an index build reads.
pub const BATCH_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Damaged documents that one reply lists, and that one command removes.
pub const DAMAGED_DOCS_MAX: usize = 1_000;

/// Findings that a full check lists; more are only counted.
pub const FINDINGS_MAX: usize = 1_000;

/// Key intervals that several fields of an index may make together, such as two `$in`; above it,
/// only the first fields bound the scan.
pub const INTERVALS_MAX: usize = 1_000;

/// Key intervals of one field of an index; a longer `$in` is left to the filter.
pub const POINTS_MAX: usize = 100_000;

/// Bytes of sort keys that one query holds in memory (MongoDB's limit); more is an error.
pub const SORT_BYTES_MAX: usize = 104_857_600;

/// Groups of duplicates that a refused conversion to a unique index lists, and documents per group.
pub const VIOLATIONS_MAX: usize = 100;

/// Records that one query on a multikey index remembers to return each once; more is an error.
pub const SEEN_RECORDS_MAX: usize = 8_000_000;

/// Sessions that are listed; at the bound a new one is listed only when another one has timed out.
pub const SESSIONS_MAX: usize = 10_000;

/// Open cursors; at the bound the longest idle one is closed.
pub const CURSORS_MAX: usize = 1_000;

/// Milliseconds after which an idle cursor is closed (MongoDB: 10 minutes).
pub const CURSOR_IDLE_MS: u64 = 600_000;

/// Documents in the first batch when the client gives no size (MongoDB: 101).
pub const FIRST_BATCH_DOCS: usize = 101;

/// Milliseconds that `getMore` waits for new documents of a capped collection when the client gives
/// no time (MongoDB: 1 second).
pub const AWAIT_DATA_MS: u64 = 1_000;

/// Longest such wait in milliseconds; then the client gets an empty batch and asks again.
pub const AWAIT_DATA_MS_MAX: u64 = 10_000;

/// Milliseconds between two checks whether a waiting operation was asked to stop.
pub const AWAIT_SLICE_MS: u64 = 200;

/// Bytes of documents in one batch of a cursor; at least one document is always returned.
pub const CURSOR_BATCH_BYTES_MAX: usize = 16_777_216;

/// Array elements that the `$[]` and `$[identifier]` of one update may select in one document, over
/// all its paths; more are refused. No array in a document is longer.
pub const UPDATE_PLACES_MAX: usize = 2_000_000;

/// Statements in one insert, update or delete (MongoDB's `maxWriteBatchSize`); more are refused.
pub const WRITE_STATEMENTS_MAX: usize = 100_000;

/// Records that one update or delete remembers before it starts to write; more is an error.
pub const WRITE_RECORDS_MAX: usize = 50_000_000;

/// Bytes of one command including its documents (MongoDB's `maxMessageSizeBytes`); more is refused.
pub const COMMAND_BYTES_MAX: usize = 48_000_000;

/// Levels of documents and arrays in one command; more is refused. A document in it may have 100.
pub const COMMAND_DEPTH_MAX: usize = 200;

/// Log lines kept in memory (as MongoDB); the oldest is dropped.
pub const LOG_LINES_MAX: usize = 1_024;

/// Bytes of one log line; a longer one loses its attributes.
pub const LOG_LINE_BYTES_MAX: usize = 10_240;

/// Bytes of a running command kept for display; a longer one shows its shorter fields.
pub const SHOWN_COMMAND_BYTES_MAX: usize = 4_096;

/// Bytes of an error message in a reply; a longer one is cut.
pub const ERROR_MESSAGE_BYTES_MAX: usize = 16_384;

/// Failed logins in a row that a listener answers without delay.
pub const LOGIN_FAILURES_FREE: u32 = 5;

/// Delay of the answer to the next failed login; doubled for each further one.
pub const LOGIN_PAUSE_MIN: std::time::Duration = std::time::Duration::from_millis(250);

/// Longest delay of the answer to a failed login.
pub const LOGIN_PAUSE_MAX: std::time::Duration = std::time::Duration::from_secs(8);

/// Bytes of one string that an expression makes; a longer one is refused.
pub const EXPRESSION_TEXT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Bytes of one value that an expression makes, and of all arguments of one operator; more are
/// refused (MongoDB: 64 MiB).
pub const EXPRESSION_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Levels of a value that an expression or a stage makes; a deeper one is refused (MongoDB: 200).
pub const MADE_LEVELS_MAX: usize = 200;

/// Elements of one `$range`, which makes large values from small ones; more are refused (MongoDB
/// counts 100 MiB of memory).
pub const RANGE_ELEMENTS_MAX: usize = 4_000_000;

/// Compiled patterns that one command keeps; then the oldest is dropped and compiled again when
/// needed.
pub const PATTERNS_KEPT_MAX: usize = 16;

/// Concurrent connections of a listener, if the process may have as many file descriptors. The next one gets
/// an error in its first reply. Each connection has a thread.
pub const WIRE_CONNECTIONS_MAX: usize = 10_000;

/// Connections that are being refused at once; one more is closed immediately.
pub const WIRE_REFUSALS_MAX: usize = 16;

/// Time for a refused connection to send the message that its error answers.
pub const WIRE_REFUSAL_WAIT: std::time::Duration = std::time::Duration::from_secs(1);

/// Bytes of one message before login.
pub const WIRE_LOGIN_BYTES_MAX: usize = 64 * 1024;

/// Bytes of all large messages that a listener receives. The message that exceeds it is dropped and answered with
/// an error.
pub const WIRE_IN_FLIGHT_BYTES_MAX: usize = 256 * 1024 * 1024;

/// Bytes of a connection's receive buffer, which grows only as data arrives.
pub const WIRE_BUFFER_BYTES: usize = 16 * 1024;

/// Bytes that a connection keeps after a large message, so that the next one needs no allocation.
pub const WIRE_KEPT_BYTES_MAX: usize = 64 * 1024;

/// Time without a byte after which a connection is closed.
pub const WIRE_IDLE_MAX: std::time::Duration = std::time::Duration::from_mins(10);

/// Time for the header of a message after its first byte.
pub const WIRE_HEADER_MAX: std::time::Duration = std::time::Duration::from_secs(5);

/// Time for the body of a message that is slower than the slowest rate.
pub const WIRE_BODY_MAX: std::time::Duration = std::time::Duration::from_secs(30);

/// The slowest rate of a body that takes longer than that, in bytes per second.
pub const WIRE_BODY_BYTES_PER_SEC_MIN: u64 = 1_000;

/// Time until a connection has logged in or sent a command that needs no login.
pub const WIRE_LOGIN_MAX: std::time::Duration = std::time::Duration::from_secs(10);

/// Time for a client to receive a part of a reply.
pub const WIRE_WRITE_MAX: std::time::Duration = std::time::Duration::from_secs(30);

/// Bytes of a database's `system.profile` (MongoDB's size); the oldest entries are removed.
pub const PROFILE_BYTES_MAX: i32 = 1_048_576;

/// Statements of one update or delete that have an entry in the profile each; later ones have none.
pub const PROFILED_STATEMENTS_MAX: usize = 1_000;

/// Milliseconds from which an operation counts as slow, unless configured (as MongoDB).
pub const SLOW_MS_DEFAULT: i64 = 100;
/// Bytes that one stage of a pipeline holds in memory (MongoDB's limit); more is an error.
pub const PIPELINE_BYTES_MAX: usize = 104_857_600;

/// Bytes that the stages, sorts and expressions of all running commands hold together.
pub const RUNNING_BYTES_MAX: usize = 512 * 1024 * 1024;

/// Bytes of a document between two stages of a pipeline; more is an error. The output of the last
/// stage has the limit of any document.
pub const PIPELINE_DOC_BYTES_MAX: usize = 2 * PIPELINE_BYTES_MAX;

/// Stages of one pipeline (MongoDB's limit); more are refused.
pub const PIPELINE_STAGES_MAX: usize = 1_000;

/// Values that one search of a `$graphLookup` looks for; more take another search. An index serves
/// each of them.
pub const GRAPH_VALUES_PER_SEARCH_MAX: usize = 10_000;

/// Nested pipelines, and views on views (MongoDB's limits); more are refused.
pub const PIPELINE_DEPTH_MAX: usize = 20;

/// Documents that a pipeline reads ahead of its first stage in one read transaction.
pub const PIPELINE_READ_DOCS_MAX: usize = 1_024;

/// Bytes of documents after which a pipeline stops reading ahead.
pub const PIPELINE_READ_BYTES_MAX: usize = 1_048_576;

/// Milliseconds that rows whose time in the trash is up wait for others, to share a segment of an
/// archive; a full segment doesn't wait.
pub const ARCHIVE_GATHER_MS: i64 = 10 * 60_000;

/// Segments of an archive that are compared with what the store knows of them; older ones are not.
pub const ARCHIVE_INVENTORY_MAX: usize = 1_024;

/// Segments of an archive that were begun and don't count, as the store remembers them.
pub const ARCHIVE_PENDING_MAX: usize = 64;

/// Bytes of documents in one segment of an archive; at least one document.
pub const ARCHIVE_BATCH_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// Bytes of text of one batch when it is read back; a larger one counts as damaged.
pub const ARCHIVE_FRAME_TEXT_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// Smallest size limit of an archive, in bytes.
pub const ARCHIVE_LIMIT_BYTES_MIN: u64 = 64 * 1024;

/// Shortest age limit of an archive, in seconds.
pub const ARCHIVE_LIMIT_SECS_MIN: u64 = 60;

/// How long removed documents stay in the trash after their archive failed; doubled for each further
/// failure.
pub const ARCHIVE_RETRY_MIN: std::time::Duration = std::time::Duration::from_secs(5);

/// Longest pause until a failed archive is tried again.
pub const ARCHIVE_RETRY_MAX: std::time::Duration = std::time::Duration::from_mins(5);

/// Milliseconds after which a server is asked again whether an archive is within its limits.
pub const ARCHIVE_POLL_MS: u64 = 60_000;

/// Time for the server of an archive to accept a connection.
pub const ARCHIVE_CONNECT_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(5);

/// Time for the server of an archive to accept one batch.
pub const ARCHIVE_REQUEST_TIMEOUT: std::time::Duration = std::time::Duration::from_mins(1);

/// Retries of one request to the server of an archive; the archive itself tries again later.
pub const ARCHIVE_RETRIES: usize = 1;

/// Copies of documents that one read of an archive remembers, to show each document once.
pub const ARCHIVE_SEEN_MAX: usize = 4_000_000;

/// Archives of one store; one more is refused.
pub const ARCHIVES_MAX: usize = 1_000;

/// Bytes of one block of a copy of the store; progress and stop requests are handled between two.
pub const COPY_BLOCK_BYTES: usize = 256 * 1024;

/// Backups kept under one name; the oldest is replaced.
pub const BACKUPS_KEPT: usize = 3;

/// Folders of earlier restores next to a data folder; with more, a restore is refused.
pub const REPLACED_FOLDERS_MAX: usize = 1_000;

/// Milliseconds between two scrubs: 30 days.
pub const SCRUB_EVERY_MS: i64 = 30 * 24 * 3_600_000;

/// How long one step of the scrub reads; the next one has a new transaction.
pub const SCRUB_STEP: std::time::Duration = std::time::Duration::from_millis(20);

/// How long the scrub pauses between two steps.
pub const SCRUB_PAUSE: std::time::Duration = std::time::Duration::from_millis(20);

/// How often the scrub saves its position; a restart resumes there.
pub const SCRUB_SAVE: std::time::Duration = std::time::Duration::from_secs(30);

/// How often a database is searched for documents with a `_ts` field before the cosmos dialect is
/// refused because others keep writing.
pub const DIALECT_SEARCHES_MAX: usize = 5;

/// How often an index is searched for duplicates before `collMod` fails to make it unique because
/// others keep changing it.
pub const UNIQUE_SEARCHES_MAX: usize = 5;

/// The pause before an index build that could not continue, as on a full disk, is tried again.
pub const BUILD_RETRY: std::time::Duration = std::time::Duration::from_mins(1);

/// How often the background checks whether a scrub is due.
pub const SCRUB_POLL: std::time::Duration = std::time::Duration::from_hours(1);

/// Documents of a copied collection. Older ones are left out.
pub const COPY_DOCS_MAX: usize = 100_000;

/// Bytes of documents of a copied collection, in memory at once. Older ones are left out.
pub const COPY_BYTES_MAX: usize = 64 * 1024 * 1024;
