//! Every bound of the engine, with its unit and what happens at the bound.

/// Documents that one write transaction touches at most. LMDB has one writer and a person may be
/// waiting, so longer work is cut into several transactions.
pub const BATCH_DOCS_MAX: usize = 1_000;

/// Documents of one write transaction that looks at the clock as it goes, so that [`BATCH_MS_MAX`] ends
/// it sooner: each flush to the disk then serves as many as the time allows.
pub const BULK_DOCS_MAX: usize = 10_000;

/// Entries that one step of an index build sorts and writes, unless its time is used up before: the more
/// there are, the less often each page of the index is written.
pub const BUILD_ENTRIES_MAX: usize = 50_000;

/// Buckets of a time-series collection that an insert looks at for room, newest first; behind that it
/// begins a new one.
pub const BUCKETS_LOOKED_AT_MAX: usize = 64;

/// Milliseconds after which a write transaction stops taking more documents.
pub const BATCH_MS_MAX: u64 = 50;

/// Writes that share one commit at most. The next one waits for the next commit.
pub const GROUP_WRITES_MAX: usize = 64;

/// Rows written after which a transaction takes no further write from the line: about as many as
/// [`BATCH_DOCS_MAX`] documents with their entries and counters.
pub const GROUP_OPERATIONS_MAX: usize = 4 * BATCH_DOCS_MAX;

/// Writes that wait in line for their turn. One more waits for room first.
pub const WRITES_WAITING_MAX: usize = 1_024;

/// Rows from which on a run at the end of a collection or an index is put while what is stored behind
/// it is out of the way, see `store::rows`. Putting that again costs about a hundred rows.
pub const RUN_ROWS_MIN: usize = 256;

/// Bytes of the rows that are taken out of the way: as many as can share a page with the run.
pub const SET_ASIDE_BYTES: usize = 4_096;

/// The highest number of a document in its collection: above every one that is made from an `_id`, see
/// `value::id_number`, and 15 bytes with its length.
pub const RECORD_MAX: u128 = u128::MAX >> 14;

/// Bytes of a value key in an index entry: LMDB's 511 less the index id (at most 5) and the
/// record number (at most 15). A longer key is refused; `value::key` cuts before that.
pub const VALUE_KEY_BYTES_MAX: usize = 491;

/// Read transactions alive at the same time. One more is answered with "busy".
pub const READERS_MAX: u32 = 512;

/// Bytes of address space asked for at opening; halved while the system refuses.
pub const MAP_SIZE_BYTES: u64 = 1 << 40;

/// Bytes of address space below which halving stops and opening fails.
pub const MAP_SIZE_BYTES_MIN: u64 = 1 << 30;

/// How often one write may double the map before it is given up.
pub const MAP_GROWTHS_MAX: usize = 32;

/// How long a growing map waits for readers to leave before the write is answered with "busy".
pub const MAP_GROWTH_WAIT: std::time::Duration = std::time::Duration::from_secs(10);

/// Bytes free on the disk below which opening warns and an input/output error counts as a full disk.
pub const DISK_FREE_BYTES_LOW: u64 = 64 << 20;

/// Bytes that must be free, on the disk or within the file, before a store on a full disk takes
/// inserts and updates again; on a small disk less.
pub const DISK_ROOM_BYTES_WANTED: u64 = 32 << 20;

/// The least of that on a small disk.
pub const DISK_ROOM_BYTES_MIN: u64 = 256 << 10;

/// The share of a small disk that must be free for that: one part in so many.
pub const DISK_ROOM_PART: u64 = 16;

/// Bytes of the file that keeps room for deletions on a full disk.
pub const BALLAST_BYTES: u64 = 16 << 20;

/// The share of the free room that the ballast takes at most: one part in so many. A full ballast
/// needs 1 GiB.
pub const BALLAST_PART: u64 = 64;

/// Bytes below which a ballast is not worth a file.
pub const BALLAST_BYTES_MIN: u64 = 64 << 10;

/// Documents of the first transactions that delete on a full disk: each changed page needs a new one.
/// Doubled when one succeeds, halved when one fails.
pub const FULL_DISK_BATCH_DOCS: usize = 16;

/// Places in LMDB's table of readers that ordinary reads leave free, so that a backup finds one.
pub const READERS_KEPT: u32 = 4;

/// How long a read transaction may live before the log tells of it: the file grows meanwhile.
pub const READ_WARNING: std::time::Duration = std::time::Duration::from_secs(5);

/// Time between two looks for readers whose process is gone.
pub const STALE_READERS_PAUSE: std::time::Duration = std::time::Duration::from_mins(1);

/// Milliseconds after which opening walks the whole file again although all looks well.
pub const WALK_PAUSE_MS: i64 = 7 * 24 * 3_600_000;

/// Bytes of memory that the walk of a picked file may take in a process of its own, whatever the file.
pub const WALK_MEMORY_BYTES: u64 = 1 << 30;

/// The share of the file's bytes that it may take besides, for the numbers of its pages: one part in so many.
pub const WALK_MEMORY_PART: u64 = 64;

/// Bytes of one line that this process says: more than [`FINDINGS_MAX`] of the longest names.
pub const WALK_WORD_BYTES_MAX: usize = 8 << 20;

/// How long its words are waited for between two looks whether somebody wants to stop.
pub const WALK_WORD_WAIT: std::time::Duration = std::time::Duration::from_millis(100);

/// Time between two looks whether it has ended, when it has said its last word.
pub const WALK_END_LOOK: std::time::Duration = std::time::Duration::from_millis(2);

/// How often a store in one session re-opens itself after a write failed at the disk.
pub const REOPENINGS_MAX: u32 = 1;

/// Bytes of LMDB's longest key. Another number would be another file format.
pub const LMDB_KEY_BYTES_MAX: usize = 511;

/// Bytes of one value in the tables: several times what the largest command can bring. A longer one was
/// never written.
pub const ROW_BYTES_MAX: u64 = 256 << 20;

/// Pages of documents whose checksums are looked at when a store is opened, evenly spread.
pub const OPEN_SAMPLE_PAGES: usize = 256;

/// How long that look takes at most, on a disk where each page is a wait.
pub const OPEN_SAMPLE: std::time::Duration = std::time::Duration::from_millis(100);

/// Levels of an LMDB tree. LMDB's own cursors hold no more; a deeper tree is damage.
pub const TREE_DEPTH_MAX: u16 = 32;
/// Events that wait for one subscriber. A full queue loses its oldest event, and the loss is
/// counted.
pub const EVENT_QUEUE_MAX: usize = 1_024;

/// Removed documents that one event lists. The event says how many more went.
pub const REMOVED_EVENT_DOCS_MAX: usize = 256;

/// Milliseconds by which wall time may run ahead of time since boot before the clock counts as stepped.
pub const GUARD_STEP_FORWARD_MS: i64 = 120_000;

/// Milliseconds by which wall time may fall behind time since boot before the clock counts as stepped.
pub const GUARD_STEP_BACK_MS: i64 = 5_000;

/// Milliseconds by which wall time may run ahead of time since boot before removals are held.
pub const GUARD_FORWARD_MS_MAX: i64 = 3_600_000;

/// Milliseconds by which wall time may lie before the last pass before removals are held.
pub const GUARD_BACK_MS_MAX: i64 = 300_000;

/// Milliseconds since the last pass after which removals wait for a word from somebody: 30 days.
pub const GUARD_ABSENCE_MS: i64 = 30 * 86_400_000;

/// The earliest wall time that can be right: the day of the compiler that this source asks for,
/// 2026-04-14 (Rust 1.95). A constant and not the moment of the build, so that the same source makes
/// the same program on every day.
pub const GUARD_EARLIEST_MS: i64 = 1_776_124_800_000;

/// The latest wall time that is believed without a word from somebody: 20 years later.
pub const GUARD_LATEST_MS: i64 = GUARD_EARLIEST_MS + 7_305 * 86_400_000;

/// Documents that a small step of the clock may make due in one index without a word from somebody.
pub const GUARD_REMOVALS_MAX: u64 = 1_000;

/// Percent of a collection's documents, if that is more than [`GUARD_REMOVALS_MAX`].
pub const GUARD_REMOVALS_PERCENT: u64 = 25;

/// Index entries that are counted at most to tell how many documents are due; more are "at least".
pub const DUE_COUNT_MAX: u64 = 1_000_000;

/// Milliseconds between two writes of the guard's state while nothing about it changes.
pub const GUARD_SAVE_MS: i64 = 60_000;

/// Time without a finished pass after which the monitor counts as late, unless it is to come rarely:
/// then [`WATCHDOG_SLEEPS`] of its sleeps.
pub const WATCHDOG_MIN: std::time::Duration = std::time::Duration::from_mins(5);

/// Sleeps of the monitor without a finished pass after which it counts as late.
pub const WATCHDOG_SLEEPS: u32 = 5;

/// How long a pass must be found late before it is said.
pub const WATCHDOG_GRACE: std::time::Duration = std::time::Duration::from_mins(1);

/// How long a pass rests after each transaction while a backup is being written.
pub const COPY_PAUSE: std::time::Duration = std::time::Duration::from_millis(200);

/// How often it then looks whether the backup is done.
pub const COPY_LOOK: std::time::Duration = std::time::Duration::from_millis(10);

/// How long a background thread rests after a panic before it takes its work up again.
pub const THREAD_RETRY: std::time::Duration = std::time::Duration::from_secs(10);

/// Longest time that removed documents can be kept in the trash, in seconds: a day.
pub const TRASH_SECS_MAX: i64 = 86_400;

/// Seconds that they are kept where the number that somebody has chosen was lost.
pub const TRASH_SECS_DEFAULT: i64 = 600;

/// Bytes that the trash holds after each step of a pass; the oldest leave first.
pub const TRASH_BYTES_MAX: u64 = 64 << 20;

/// Removed documents on one page of the trash.
pub const TRASH_PAGE_DOCS_MAX: usize = 1_000;

/// Documents that one command puts back from the trash; more are left for the next one.
pub const TRASH_RESTORE_DOCS_MAX: usize = 10_000;

/// How often a part of a put-back looks for rules that have to be held before.
pub const TRASH_RESTORE_LOOKS_MAX: usize = 16;

/// Index entries that a pass reads ahead of its write transactions.
pub const REAPER_SCAN_ENTRIES_MAX: usize = 5 * BULK_DOCS_MAX;

/// Lags from threshold to removal that a pass keeps for each rule to find their median. Later ones
/// count for the maximum only.
pub const LAG_SAMPLES_MAX: usize = 4_096;

/// Index entries that a count takes between two looks at whether it should stop.
pub const COUNT_ENTRIES_PER_CHECK: u32 = 1_024;

/// Documents whose earliest threshold a forecast keeps apart when a document may have several. Past
/// it the forecast counts such documents several times and says that it is not exact.
pub const FORECAST_DISTINCT_DOCS_MAX: usize = 1_000_000;

/// Entries of an index from which on a forecast counts them with two threads.
pub const FORECAST_SHARED_ENTRIES_MIN: u64 = 25_000;

/// Entries that one of the two threads of a forecast counts before it looks where the other one is.
pub const FORECAST_ENTRIES_PER_LOOK: usize = 4_096;

/// Buckets of one forecast; more are refused.
pub const FORECAST_BUCKETS_MAX: usize = 10_000;

/// Documents on one page of the list of expiring documents; a higher limit is lowered to it.
pub const EXPIRING_DOCS_MAX: usize = 1_000;

/// Index entries that one page of expiring documents looks at. The page is short then.
pub const EXPIRING_ENTRIES_MAX: usize = 20_000;

/// Documents that one `mayflyVerdict` tells about; more are refused.
pub const VERDICT_IDS_MAX: usize = 1_000;

/// Documents that one read transaction of a long scan reads. The scan goes on in a new one.
pub const READ_DOCS_MAX: usize = 5_000;

/// Milliseconds after which a read transaction of a long scan ends. The scan goes on in a new one.
pub const READ_MS_MAX: u64 = 50;
/// Indexes of one collection, `_id_` counted. One more is refused (MongoDB's limit).
pub const INDEXES_PER_COLLECTION_MAX: usize = 64;

/// Bytes of documents that one step of an index build reads at most.
pub const BATCH_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Damaged documents that one reply lists, and that one command removes.
pub const DAMAGED_DOCS_MAX: usize = 1_000;

/// Findings that a full check lists; further ones are only counted.
pub const FINDINGS_MAX: usize = 1_000;

/// Intervals of keys that several fields of an index may make together, such as two `$in`; of more, the
/// fields behind the first are left to the filter.
pub const INTERVALS_MAX: usize = 1_000;

/// Intervals of keys that one field of an index may make; a longer `$in` is left to the filter.
pub const POINTS_MAX: usize = 100_000;

/// Bytes of sort keys that one query holds in memory (MongoDB's own limit); beyond it is an error.
pub const SORT_BYTES_MAX: usize = 104_857_600;

/// Groups of documents with a value in common that a refused conversion to a unique index lists, and
/// documents of one group.
pub const VIOLATIONS_MAX: usize = 100;

/// Records that one query on an index with arrays remembers in order to give each out once; beyond it
/// is an error.
pub const SEEN_RECORDS_MAX: usize = 8_000_000;

/// Cursors that are open at once; at the bound the one that was idle longest is closed.
pub const CURSORS_MAX: usize = 1_000;

/// Milliseconds after which an idle cursor is closed (MongoDB: 10 minutes).
pub const CURSOR_IDLE_MS: u64 = 600_000;

/// Documents in the first batch when the client names no size (MongoDB: 101).
pub const FIRST_BATCH_DOCS: usize = 101;

/// Milliseconds that `getMore` waits for new documents of a capped collection when the client names
/// no time (MongoDB: 1 second).
pub const AWAIT_DATA_MS: u64 = 1_000;

/// Most milliseconds of such a wait; then the client gets an empty batch and asks again.
pub const AWAIT_DATA_MS_MAX: u64 = 10_000;

/// Milliseconds between two looks whether a waiting operation was asked to stop.
pub const AWAIT_SLICE_MS: u64 = 200;

/// Bytes of documents in one batch of a cursor; at least one document is always given.
pub const CURSOR_BATCH_BYTES_MAX: usize = 16_777_216;

/// Elements that the `$[]` and `$[identifier]` of one update may stand for in one document, all its paths
/// together; more are refused. No array of a document has more.
pub const UPDATE_PLACES_MAX: usize = 2_000_000;

/// Statements in one insert, update or delete (MongoDB's `maxWriteBatchSize`); more are refused.
pub const WRITE_STATEMENTS_MAX: usize = 100_000;

/// Records that one update or delete remembers before it begins to write; beyond it is an error.
pub const WRITE_RECORDS_MAX: usize = 50_000_000;

/// Bytes of one command, its documents included (MongoDB's `maxMessageSizeBytes`); more is refused.
pub const COMMAND_BYTES_MAX: usize = 48_000_000;

/// Levels of documents and arrays in one command; more is refused. A document in it may have 100.
pub const COMMAND_DEPTH_MAX: usize = 200;

/// Lines of the log that are kept in memory (as MongoDB); the oldest goes.
pub const LOG_LINES_MAX: usize = 1_024;

/// Bytes of one line of the log; a longer one loses its attributes.
pub const LOG_LINE_BYTES_MAX: usize = 10_240;

/// Bytes of a command that are kept while it runs, to be shown; a longer one shows its shorter fields.
pub const SHOWN_COMMAND_BYTES_MAX: usize = 4_096;

/// Bytes of an error's sentence in a reply. One that quotes a larger value is cut there.
pub const ERROR_MESSAGE_BYTES_MAX: usize = 16_384;

/// Failed logins in a row that a listener answers at once.
pub const LOGIN_FAILURES_FREE: u32 = 5;

/// How long the answer to the next failed login is held back; twice as long for each further one.
pub const LOGIN_PAUSE_MIN: std::time::Duration = std::time::Duration::from_millis(250);

/// How long the answer to a failed login is held back at most.
pub const LOGIN_PAUSE_MAX: std::time::Duration = std::time::Duration::from_secs(8);

/// Bytes of one string that an expression makes; a longer one is refused.
pub const EXPRESSION_TEXT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Bytes of one value that an expression makes, and of the arguments of one operator together; more
/// are refused (MongoDB: 64 MiB).
pub const EXPRESSION_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Levels of a value that an expression or a stage makes; a deeper one is refused (MongoDB: 200).
pub const MADE_LEVELS_MAX: usize = 200;

/// Elements of one `$range`, which makes much out of little; more are refused (MongoDB counts 100
/// MiB of memory).
pub const RANGE_ELEMENTS_MAX: usize = 4_000_000;

/// Compiled patterns that one command keeps; beyond it the oldest goes and is compiled anew.
pub const PATTERNS_KEPT_MAX: usize = 16;

/// Connections of a listener at once; one more is closed at once.
pub const WIRE_CONNECTIONS_MAX: usize = 64;

/// Bytes of one message before login.
pub const WIRE_LOGIN_BYTES_MAX: usize = 64 * 1024;

/// Bytes of all large messages that are on their way to a listener; the connection that goes beyond
/// is closed.
pub const WIRE_IN_FLIGHT_BYTES_MAX: usize = 256 * 1024 * 1024;

/// Bytes that a connection keeps for what comes in; it grows only as more has come.
pub const WIRE_BUFFER_BYTES: usize = 16 * 1024;

/// Bytes that a connection keeps after a large message, so that the next one needs no new room.
pub const WIRE_KEPT_BYTES_MAX: usize = 1024 * 1024;

/// Time without a byte after which a connection is closed.
pub const WIRE_IDLE_MAX: std::time::Duration = std::time::Duration::from_mins(10);

/// Time for the header of a message once its first byte has come.
pub const WIRE_HEADER_MAX: std::time::Duration = std::time::Duration::from_secs(5);

/// Time for the body of a message that is slower than the slowest rate.
pub const WIRE_BODY_MAX: std::time::Duration = std::time::Duration::from_secs(30);

/// The slowest rate of a body that takes longer than that, in bytes a second.
pub const WIRE_BODY_BYTES_PER_SEC_MIN: u64 = 1_000;

/// Time until a connection has logged in or asked something that needs no login.
pub const WIRE_LOGIN_MAX: std::time::Duration = std::time::Duration::from_secs(10);

/// Time for a client to take a part of a reply.
pub const WIRE_WRITE_MAX: std::time::Duration = std::time::Duration::from_secs(30);

/// Bytes of a database's `system.profile` (MongoDB's size); the oldest entries go.
pub const PROFILE_BYTES_MAX: i32 = 1_048_576;

/// Milliseconds from which an operation counts as slow until somebody says otherwise (as MongoDB).
pub const SLOW_MS_DEFAULT: i64 = 100;
/// Bytes that one stage of a pipeline holds in memory (MongoDB's own limit); beyond it is an error.
pub const PIPELINE_BYTES_MAX: usize = 104_857_600;

/// Bytes of a document between two stages of a pipeline; beyond it is an error. What the last stage gives
/// is bounded as every document is.
pub const PIPELINE_DOC_BYTES_MAX: usize = 2 * PIPELINE_BYTES_MAX;

/// Stages of one pipeline (MongoDB's own limit); more are refused.
pub const PIPELINE_STAGES_MAX: usize = 1_000;

/// Pipelines within each other, and views on views (MongoDB's own limits); more are refused.
pub const PIPELINE_DEPTH_MAX: usize = 20;

/// Documents that a pipeline reads ahead of its first stage in one read transaction.
pub const PIPELINE_READ_DOCS_MAX: usize = 1_024;

/// Bytes of documents after which a pipeline stops reading ahead.
pub const PIPELINE_READ_BYTES_MAX: usize = 1_048_576;

/// Bytes of one segment of an archive; the next batch begins a new one.
pub const ARCHIVE_SEGMENT_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Milliseconds from the first batch of a segment after which the next one begins a new one: a day.
pub const ARCHIVE_SEGMENT_MS_MAX: i64 = 24 * 3_600_000;

/// Bytes of documents that one batch of an archive holds; at least one document.
pub const ARCHIVE_BATCH_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// Bytes of text of one batch when it is read back; a larger one is not believed.
pub const ARCHIVE_FRAME_TEXT_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// Smallest size that an archive can be limited to, in bytes.
pub const ARCHIVE_LIMIT_BYTES_MIN: u64 = 64 * 1024;

/// Shortest age that an archive can be limited to, in seconds.
pub const ARCHIVE_LIMIT_SECS_MIN: u64 = 60;

/// How long a collection's removals wait after its archive failed; twice as long after each further
/// failure.
pub const ARCHIVE_RETRY_MIN: std::time::Duration = std::time::Duration::from_secs(5);

/// How long a collection's removals wait at most until its archive is tried again.
pub const ARCHIVE_RETRY_MAX: std::time::Duration = std::time::Duration::from_mins(5);

/// Milliseconds after which a server is asked again whether an archive keeps its limits.
pub const ARCHIVE_LOOK_MS: u64 = 60_000;

/// How long the server of an archive has to take a connection.
pub const ARCHIVE_CONNECT_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(5);

/// How long the server of an archive has for one batch.
pub const ARCHIVE_REQUEST_TIMEOUT: std::time::Duration = std::time::Duration::from_mins(1);

/// How often one question to the server of an archive is repeated; the archive itself tries again later.
pub const ARCHIVE_RETRIES: usize = 1;

/// Copies of documents that a look into an archive remembers, so as to show each once.
pub const ARCHIVE_SEEN_MAX: usize = 4_000_000;

/// Documents on one page of an archive.
pub const ARCHIVE_PAGE_DOCS_MAX: usize = 1_000;

/// Documents that one command puts back from an archive; more are left for the next one.
pub const ARCHIVE_RESTORE_DOCS_MAX: usize = 10_000;

/// Archives of one store; a further one is refused.
pub const ARCHIVES_MAX: usize = 1_000;

/// Bytes of one block of a copy of the store; progress is told and a wish to stop is seen between two.
pub const COPY_BLOCK_BYTES: usize = 256 * 1024;

/// Backups that are kept under one name; the oldest makes room for a new one.
pub const BACKUPS_KEPT: usize = 3;

/// Folders that earlier restores may leave beside a data folder; with more a restore is refused.
pub const REPLACED_FOLDERS_MAX: usize = 1_000;

/// Milliseconds after which everything stored is read once more: 30 days.
pub const SCRUB_EVERY_MS: i64 = 30 * 24 * 3_600_000;

/// How long one step of the scrub reads; the next one has a new transaction.
pub const SCRUB_STEP: std::time::Duration = std::time::Duration::from_millis(20);

/// How long the scrub rests between two steps.
pub const SCRUB_PAUSE: std::time::Duration = std::time::Duration::from_millis(20);

/// How often the scrub notes where it stands; a restart takes it up from there.
pub const SCRUB_SAVE: std::time::Duration = std::time::Duration::from_secs(30);

/// How often a database is looked through for documents with a field `_ts` before a dialect that keeps
/// the field for itself is refused, when some may have come meanwhile.
pub const DIALECT_LOOKS_MAX: usize = 5;

/// How often an index is looked through for values that it has twice before `collMod` gives up making it
/// unique, because others change it meanwhile.
pub const UNIQUE_LOOKS_MAX: usize = 5;

/// The pause before an index build that could not go on, as on a full disk, is tried again.
pub const BUILD_RETRY: std::time::Duration = std::time::Duration::from_mins(1);

/// How often the background looks whether a scrub is due.
pub const SCRUB_LOOK: std::time::Duration = std::time::Duration::from_hours(1);
