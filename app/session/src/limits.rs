//! Every bound of the window, with its unit.

mod audit;
mod journals;
mod lessons;
mod scripts;
mod servers;

use std::time::Duration;

pub use self::audit::*;
pub use self::journals::*;
pub use self::lessons::*;
pub use self::scripts::*;
pub use self::servers::*;

/// Threads that read from the start on.
pub const READERS_MIN: usize = 3;

/// Threads that read at most: one for each tab with a slow query, and one that is free.
pub const READERS_MAX: usize = TABS_MAX + 1;

/// When every reader has been busy with one job for so long, a job that waits gets another reader.
pub const READER_PATIENCE: Duration = Duration::from_millis(250);

/// Jobs that may wait in one lane of the worker. A further one is handed back.
pub const QUEUE_JOBS_MAX: usize = 256;

/// Outcomes that may wait for the window. A thread that has one more waits.
pub const OUTCOMES_MAX: usize = 1_024;

/// Outcomes that are taken in one frame; the rest waits for the next.
pub const OUTCOMES_PER_FRAME_MAX: usize = 256;

/// How long a frame may take outcomes before it draws.
pub const OUTCOMES_PER_FRAME_TIME_MAX: Duration = Duration::from_millis(6);

/// Commands kept in the Activity drawer. The oldest is dropped first.
pub const COMMAND_LOG_MAX: usize = 1_000;

/// Characters kept of one command's text.
pub const COMMAND_TEXT_CHARS_MAX: usize = 4_000;

/// Lines kept in the reaper log.
pub const REAPER_LOG_MAX: usize = 2_000;

/// Passes kept for the timeline.
pub const PASSES_MAX: usize = 512;

/// Removed documents kept in the ledger.
pub const REMOVED_MAX: usize = 20_000;

/// Documents in the collections that the traffic of the demo store writes to; it adds no more.
pub const TRAFFIC_DOCUMENTS_MAX: usize = 5_000;

/// The longest time between two steps of the traffic, in milliseconds. After a longer one, such as
/// a computer that slept, it starts over.
pub const TRAFFIC_GAP_MAX_MS: i64 = 120_000;

/// How often the traffic of the demo store looks whether something is due.
pub const TRAFFIC_PERIOD: Duration = Duration::from_secs(1);

/// The store seconds of one real second up to which that is often enough.
pub const TRAFFIC_RATE_CALM: f64 = 60.0;

/// The shortest time between two steps of the traffic, on a fast clock.
pub const TRAFFIC_PERIOD_MIN: Duration = Duration::from_millis(100);

/// The real time that the Expiry timeline shows at least on a fast clock, in milliseconds.
pub const TIMELINE_REAL_MS_MIN: i64 = 12_000;

/// Messages on the screen at once: the latest, and an error that it must not hide.
pub const TOASTS_MAX: usize = 2;

/// Messages that are kept in the Messages drawer. The oldest is dropped first.
pub const MESSAGES_MAX: usize = 200;

/// Commands that the palette lists first because they were used before.
pub const RECENT_COMMANDS_MAX: usize = 5;

/// Data folders that the window remembers.
pub const RECENT_STORES_MAX: usize = 8;

/// Stores and servers that are open at once.
pub const OPEN_STORES_MAX: usize = 8;

/// Dialogs queued after the open one.
pub const DIALOGS_WAITING_MAX: usize = 8;

/// How old the state of the store gets before it is asked for again.
pub const STATUS_AGE_MAX: Duration = Duration::from_secs(5);

/// The same while its dialog is open, or while the store accepts no inserts or no writes.
pub const STATUS_AGE_SHOWN_MAX: Duration = Duration::from_secs(1);

/// How old the list of connected programs gets before it is asked for again.
pub const LISTENER_AGE_MAX: Duration = Duration::from_secs(1);

/// Documents on one page of what was removed.
pub const TRASH_PAGE_ROWS: i32 = 100;

/// The port that is offered for other programs: the one that MongoDB's tools try first.
pub const LISTENER_PORT: u16 = 27_017;

/// Operations that are remembered after they ended.
pub const OPERATIONS_MAX: usize = 100;

/// Operations that ended and are listed again after a restart.
pub const OPERATIONS_KEPT_MAX: usize = 50;

/// Imports, exports and the like that run at the same time; others wait.
pub const TRANSFERS_MAX: usize = 4;

/// Closed tabs that can be reopened.
pub const CLOSED_TABS_MAX: usize = 20;

/// Tabs open at once.
pub const TABS_MAX: usize = 64;

/// Actions that one frame may queue.
pub const ACTIONS_PER_FRAME_MAX: usize = 512;

/// Bars in the density strip of a sidebar row.
pub const STRIP_BUCKETS: usize = 20;

/// The span of the density strip, in milliseconds: one hour.
pub const STRIP_SPAN_MS: i64 = 3_600_000;

/// The age at which a sidebar row loads its summary again, in milliseconds of the window.
pub const SUMMARY_AGE_MAX: Duration = Duration::from_secs(30);

/// The shortest time between two loads of one collection's summary.
pub const SUMMARY_AGE_MIN: Duration = Duration::from_millis(750);

/// Collections about which a question waits at one time although their rows are not on the screen.
/// Much less than [`QUEUE_JOBS_MAX`].
pub const SUMMARY_UNSEEN_MAX: usize = 32;

/// The shortest time between two readings of the catalog.
pub const CATALOG_AGE_MIN: Duration = Duration::from_millis(200);

/// Zoom steps: the smallest and the largest factor.
pub const ZOOM_RANGE: std::ops::RangeInclusive<f32> = 0.6..=2.5;

/// Zoom steps of a presentation. The smallest text has 12 points, so it is 24 pixels high at least.
pub const PRESENTED_ZOOM_RANGE: std::ops::RangeInclusive<f32> = 2.0..=4.0;

/// Documents listed in the Expiry view, the soonest first.
pub const LANES_MAX: usize = 200;

/// Removed documents that an Expiry view lists. The oldest is dropped first.
pub const LEDGER_MAX: usize = 5_000;

/// Removed documents that stay among the lanes.
pub const TOMBSTONE_LANES_MAX: usize = 5;

/// How long rows keep their places after a pass has removed some of them, in real time.
pub const REMOVED_ROWS_REST: Duration = Duration::from_millis(2_400);

/// Documents that a pass started by hand removes without asking, on the system clock.
pub const RUN_UNASKED_MAX: u64 = 100;

/// Bars of the density over the Expiry view's axis.
pub const DENSITY_BUCKETS: usize = 96;

/// Documents of a collection up to which the Expiry view counts by itself why some never expire.
pub const REASONS_DOCUMENTS_MAX: u64 = 50_000;

/// Documents read for the fields that the dialog of a new index offers.
pub const SAMPLE_DOCUMENTS: i64 = 200;

/// Fields of one collection that are known from its documents.
pub const KNOWN_FIELDS_MAX: usize = 500;

/// Values that are known of one field.
pub const KNOWN_VALUES_MAX: usize = 60;

/// Characters of a text up to which it is a known value.
pub const KNOWN_VALUE_CHARS_MAX: usize = 60;

/// While nothing is due within this time, in milliseconds, digits and lanes move in larger steps.
pub const CALM_MS: i64 = 60_000;

/// While something is due soon, lanes move at least this often and at most so often, in
/// milliseconds of the store's time.
pub const MOVE_MS_RANGE: (i64, i64) = (100, 1_000);

/// Frames whose median cost decides how often lanes move.
pub const FRAME_COSTS_MAX: usize = 9;

/// Where the processor draws, frames of lanes that move are this many times their cost apart.
pub const FRAME_REST: u32 = 6;

/// How long after the last input the window is drawn as soon as there is something new, also where
/// the processor draws.
pub const INPUT_REST: Duration = Duration::from_millis(700);

/// How often lanes move where the processor draws and its time can't be read.
pub const SOFTWARE_FRAME: Duration = Duration::from_millis(200);

/// Documents in one page of what is kept of the ledger: the most that a page may have.
pub const KEPT_PAGE_ROWS: i32 = 1_000;

/// Passes in the chart of the removal lag.
pub const LAG_PASSES_MAX: usize = 60;

/// Documents that go in one pass from which on the window warns in any collection.
pub const CLIFF_DOCUMENTS: u64 = 10_000;

/// Documents that go in one pass from which on the window warns if they are a large share.
pub const CLIFF_DOCUMENTS_MIN: u64 = 1_000;

/// A large share of a collection: one in this many documents.
pub const CLIFF_SHARE: u64 = 5;

/// Collections in the calendar. The others are counted and said.
pub const CALENDAR_COLLECTIONS_MAX: usize = 500;

/// Collections that the calendar asks about at one time. Much less than [`QUEUE_JOBS_MAX`].
pub const CALENDAR_ASKED_MAX: usize = 8;

/// Documents in one page of the Documents view.
pub const PAGE_DOCUMENTS: u64 = 50;

/// Pages of documents kept for one tab; the ones farthest from the screen are dropped first.
pub const PAGES_MAX: usize = 40;

/// Bytes of documents kept for one tab, as far as they can be estimated.
pub const PAGES_BYTES_MAX: usize = 48 * 1024 * 1024;

/// Pages of one tab that may be asked for at once. Scrolling on replaces what waits.
pub const PAGES_ASKED_MAX: usize = 2;

/// Places of the guide that *Back* leads to. The oldest is dropped first.
pub const GUIDE_BACK_MAX: usize = 50;

/// Sections of the guide that a search lists.
pub const GUIDE_HITS_MAX: usize = 40;

/// Queries of one store that are remembered. The oldest is dropped first.
pub const QUERIES_KEPT_MAX: usize = 300;

/// Queries with a name in one store.
pub const FAVORITES_MAX: usize = 200;

/// Characters in the name of a query.
pub const FAVORITE_NAME_CHARS_MAX: usize = 80;

/// Bytes of a query that is remembered.
pub const QUERY_KEPT_BYTES_MAX: usize = 8_192;

/// Documents from the end of a collection from which a tab learns fields when it opens.
pub const KNOWN_SAMPLE_DOCUMENTS: i64 = 100;

/// Documents of one tab from which fields and values are learned.
pub const KNOWN_DOCUMENTS_MAX: u64 = 5_000;

/// Words that the filter offers at once.
pub const FILTER_OFFERS_MAX: usize = 60;

/// The longest time limit of a query, in seconds: a day.
pub const QUERY_SECS_MAX: f64 = 86_400.0;

/// Queries of one collection that are remembered. The oldest is dropped first.
pub const FILTER_HISTORY_MAX: usize = 30;

/// Documents that can be selected one by one or as a range of rows. All that match a filter can be
/// more.
pub const SELECTED_MAX: usize = 10_000;

/// Documents that are copied to the clipboard at once.
pub const COPIED_DOCUMENTS_MAX: u64 = 10_000;

/// Bytes of their text, after which no further document is added.
pub const COPIED_TEXT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Edits and deletes of one tab that can be undone. The oldest is dropped first.
pub const UNDO_STEPS_MAX: usize = 100;

/// Documents in one step of a change of many: other writes come between two steps.
pub const BULK_STEP_DOCUMENTS: usize = 1_000;

/// Bytes of documents in one step that takes such a change back.
pub const BULK_STEP_BYTES: usize = 8 * 1024 * 1024;

/// Bytes of the `_id`s of all documents of such a change. With more, nothing is changed.
pub const BULK_ID_BYTES_MAX: usize = 256 * 1024 * 1024;

/// Documents that the dialog of an update shows before and after it.
pub const PREVIEWED_DOCUMENTS: i64 = 10;

/// Bytes of these documents, as far as they can be estimated: all of it is computed at every key.
pub const PREVIEWED_BYTES_MAX: usize = 1024 * 1024;

/// Steps of the computation of that preview: an update may loop over long arrays.
pub const PREVIEW_STEPS_MAX: u64 = 200_000;

/// Bytes of documents kept for undoing, as far as they can be estimated.
pub const UNDO_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Lines of one document in the list of JSON.
pub const JSON_LINES_MAX: usize = 60;

/// Values of one document in the list of JSON, before the rest is left out.
pub const JSON_VALUES_MAX: usize = 400;

/// Values of one tab that are remembered as folded or opened in the list of JSON.
pub const FOLDS_MAX: usize = 4_000;

/// Lines of two documents that are compared.
pub const COMPARED_LINES_MAX: usize = 5_000;

/// Bytes of a text that is shown in a pane.
pub const PANE_TEXT_BYTES_MAX: usize = 200_000;

/// The longest side of an image in binary data that is shown, in pixels.
pub const IMAGE_SIDE_MAX: u32 = 8_192;

/// Pixels of an image in binary data that is shown.
pub const IMAGE_PIXELS_MAX: u32 = 16_000_000;

/// Collections of a database that are asked for the document that a value refers to.
pub const REFERENCE_COLLECTIONS_MAX: usize = 100;

/// Bytes of a document or a value as text that is edited. Longer text takes seconds and gigabytes
/// to be laid out.
pub const EDITED_TEXT_BYTES_MAX: usize = 2_000_000;

/// Bytes of a file with index definitions.
pub const INDEX_FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Documents of a file that are read to say what the TTL indexes next to it would remove.
pub const INDEX_FILE_DOCS_MAX: u64 = 20_000;

/// Columns of the table of documents.
pub const COLUMNS_MAX: usize = 60;

/// Documents that a TTL rehearsal looks at before an import.
pub const REHEARSED_DOCS_MAX: u64 = 200_000;

/// Files that one import takes.
pub const IMPORT_FILES_MAX: usize = 100;

/// Ended imports whose result can be shown again.
pub const IMPORT_RESULTS_MAX: usize = 20;

/// Stores from before a restore that the window lists.
pub const REPLACED_STORES_SHOWN_MAX: usize = 5;

/// How long the window waits for the system's file dialog; some systems never answer.
pub const FILE_DIALOG_MAX: Duration = Duration::from_mins(3);

/// An empty answer within this time came from no person: the system has no file dialog.
pub const FILE_DIALOG_ANSWER_MIN: Duration = Duration::from_millis(700);

/// The time between two looks at a running import or export.
pub const METER_PAUSE: Duration = Duration::from_millis(100);

/// The span that the rate of a running import or export is averaged over.
pub const METER_SPAN: Duration = Duration::from_secs(5);

/// Looks at a running import or export that are kept for its rate.
pub const METER_SAMPLES_MAX: usize = 64;

/// How long an event of the store may wait until it is drawn: many writes a second must not become
/// as many frames.
pub const EVENT_WAKE: Duration = Duration::from_millis(50);

/// Signals this close together are one request: a closing terminal, `timeout` and a logout send
/// two.
pub const SAME_SIGNAL_MAX: Duration = Duration::from_secs(1);

/// The shortest time between two frames that a countdown asks for.
pub const COUNTDOWN_STEP_MIN: Duration = Duration::from_millis(33);

/// Lines that the console's transcript keeps. The oldest are dropped first.
pub const CONSOLE_LINES_MAX: usize = 10_000;

/// Bytes that the console's transcript keeps.
pub const CONSOLE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Bytes kept of one output of the console.
pub const CONSOLE_TEXT_BYTES_MAX: usize = 1024 * 1024;

/// Characters drawn of one line of the transcript. The rest can be copied.
pub const CONSOLE_LINE_CHARS_MAX: usize = 4_000;

/// An output of the console with more lines is folded.
pub const CONSOLE_FOLD_LINES: usize = 200;

/// Lines shown of the beginning of a folded output.
pub const CONSOLE_FOLDED_HEAD: usize = 90;

/// Lines shown of its end.
pub const CONSOLE_FOLDED_TAIL: usize = 10;

/// Lines of `print` that are one output; the next begins another one.
pub const CONSOLE_PRINTED_LINES_MAX: usize = 1_000;

/// Commands of the console that wait for the Activity drawer. Further ones are not listed.
pub const CONSOLE_SENT_MAX: usize = 200;

/// Inputs that the console remembers for one store. The oldest is dropped first.
pub const CONSOLE_HISTORY_MAX: usize = 200;

/// Bytes of an input up to which it is edited and remembered. A longer one that is pasted runs as
/// it is.
pub const CONSOLE_EDITED_BYTES_MAX: usize = 100_000;

/// Bytes up to which an input is remembered after the window closes.
pub const CONSOLE_HISTORY_BYTES_MAX: usize = 4_096;

/// Bytes that JavaScript may hold in the console.
pub const CONSOLE_MEMORY_MAX: usize = 256 * 1024 * 1024;

/// Bytes of the stack of JavaScript in the console.
pub const CONSOLE_STACK_MAX: usize = 1024 * 1024;

/// Bytes of the stack of the console's thread: JavaScript's, and what commands and conversions need
/// on top of it.
pub const CONSOLE_THREAD_STACK: usize = 16 * 1024 * 1024;

/// Bytes that one input of the console may print.
pub const CONSOLE_OUTPUT_MAX: usize = 16 * 1024 * 1024;

/// Bytes that the demo store or a sandbox reserves for deletions on a full disk. An ordinary store
/// reserves more.
pub const DEMO_BALLAST_BYTES: u64 = 1 << 20;

/// The longest time in which completion looks for what a word may become: a distant server needs
/// some hundred milliseconds to list its collections. The next input waits for it.
pub const CONSOLE_COMPLETION_MAX: Duration = Duration::from_secs(1);

/// Inputs that `mayfly shell` keeps for the next time.
pub const SHELL_HISTORY_MAX: usize = 1_000;

/// How long one input of the window's console may run.
pub const CONSOLE_TIME_MAX: Duration = Duration::from_mins(10);

/// Documents of a collection from which the Schema view answers before it has read all of them.
pub const SCHEMA_SAMPLE_DOCUMENTS: i64 = 1_000;

/// Documents that one reply of an analysis holds.
pub const SCHEMA_BATCH_DOCUMENTS: i64 = 4_000;

/// Documents that an analysis has read before what it knows takes the place of the sample.
pub const SCHEMA_FIRST_DOCUMENTS: u64 = 20_000;

/// The time between two reports of an analysis.
pub const SCHEMA_REPORT_PAUSE: Duration = Duration::from_millis(400);

/// Paths that an analysis tells apart. What is in further ones is not counted.
pub const SCHEMA_PATHS_MAX: usize = 2_000;

/// Levels of documents and arrays that an analysis enters.
pub const SCHEMA_DEPTH_MAX: usize = 32;

/// Different values of a path up to which each is counted exactly. The distinct count and the most
/// frequent values of a path with more are estimates.
pub const SCHEMA_VALUES_MAX: usize = 512;

/// Bytes of a value up to which it is one of the frequent values or examples of a path.
pub const SCHEMA_VALUE_BYTES_MAX: usize = 96;

/// Values of a path after which an analysis gives up frequent values if nearly all are different.
pub const SCHEMA_UNIQUE_AFTER: u64 = 8_192;

/// Frequent values that are shown of a path.
pub const SCHEMA_TOP_MAX: usize = 12;

/// Examples that are kept of a path.
pub const SCHEMA_EXAMPLES_MAX: usize = 4;

/// Intervals of a histogram that are kept; the closest are joined at the bound.
pub const SCHEMA_INTERVALS_MAX: usize = 256;

/// Bars of a histogram that are shown.
pub const SCHEMA_BARS_MAX: usize = 32;

/// Stages of a pipeline that are cards.
pub const PIPELINE_CARDS_MAX: usize = 100;

/// Characters of a stage or of a pipeline that is typed as text.
pub const PIPELINE_CHARS_MAX: usize = 200_000;

/// Documents after a stage that are counted; of more than these it is said that there are more.
pub const STAGE_COUNT_MAX: i64 = 100_000;

/// How long the documents after one stage are counted or read.
pub const STAGE_TIME: Duration = Duration::from_secs(2);

/// Documents after a stage that are shown.
pub const STAGE_DOCUMENTS_MAX: i64 = 20;

/// Results of a pipeline that are read at a time.
pub const RESULTS_PAGE: i32 = 500;

/// Results of a pipeline that are kept for the view.
pub const RESULTS_MAX: usize = 10_000;

/// Bytes of results that are kept for the view.
pub const RESULTS_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Bytes of a document that a text file of results can have.
pub const RESULT_DOC_BYTES_MAX: usize = 256 * 1024 * 1024;

pub const CHART_POINTS_MAX: usize = 500;

/// Pipelines that are kept by name.
pub const KEPT_PIPELINES_MAX: usize = 200;

/// Characters of such a name.
pub const NAME_CHARS_MAX: usize = 80;

/// Documents that are sampled to see how the dates of a field are written.
pub const CONVERT_SAMPLE_DOCUMENTS: i64 = 2_000;

/// Bytes of such documents of a server with which one reply may not have had room for all.
pub const CONVERT_READ_BYTES: usize = 8 << 20;

/// Milliseconds that a server may count the documents with a value to convert.
pub const CONVERT_COUNT_MS: i32 = 5_000;

/// Fields of which a sample tells whether they look like dates.
pub const CONVERT_FIELDS_MAX: usize = 200;

/// Values that are shown before and after their conversion.
pub const CONVERT_PREVIEW_DOCUMENTS: i64 = 20;

/// Bytes of a file that the program keeps for itself. A longer one counts as damaged.
pub const KEPT_FILE_BYTES_MAX: usize = 64 * 1_024 * 1_024;

/// Damaged files that are kept under another name. The oldest is deleted first.
pub const DAMAGED_FILES_MAX: usize = 5;

/// How often a writer asks for the lock of such a file before it reports a failure: 2 seconds in all.
pub const KEPT_FILE_LOCK_TRIES_MAX: usize = 100;

/// The pause between two of these attempts.
pub const KEPT_FILE_LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Bytes that are read again in search of the parts of one setting that can't be read. The whole setting is left out
/// after that.
pub const REPAIR_BYTES_MAX: usize = 64 * 1_024 * 1_024;

/// Attempts that such a search makes at least.
pub const REPAIR_TRIES_MIN: usize = 100;

/// The shortest time between two writes of the settings.
pub const SETTINGS_PERIOD_MIN: Duration = Duration::from_secs(1);

/// How long a failed write of the settings waits for the next attempt.
pub const SETTINGS_RETRY_PAUSE: Duration = Duration::from_secs(10);

/// How long a closing window waits for the settings to reach the disk.
pub const SETTINGS_FLUSH_TIME_MAX: Duration = Duration::from_secs(5);

/// Stores whose favorites are kept.
pub const FAVORITE_STORES_MAX: usize = 200;

/// The seconds of a schedule of the TTL monitor.
pub const SCHEDULE_SECS_RANGE: std::ops::RangeInclusive<u64> = 1..=86_400;

/// The width and the height of a window that opens again, in points.
pub const WINDOW_POINTS_RANGE: std::ops::RangeInclusive<f32> = 200.0..=16_000.0;

/// The width or the height of a panel, in points.
pub const PANEL_POINTS_RANGE: std::ops::RangeInclusive<f32> = 20.0..=8_000.0;

/// The latest date that a `Date` of JavaScript can hold, in milliseconds since 1970.
pub const DATE_MS_MAX: i64 = 8_640_000_000_000_000;
