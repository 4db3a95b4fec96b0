//! Every bound of lessons, with its unit.

use std::time::Duration;

pub const LESSON_FILE_BYTES_MAX: usize = 64 * 1_024;

/// Documents of one collection that are read for a lesson file; more of them never fit.
pub const LESSON_SAVED_DOCUMENTS_MAX: i32 = 5_000;

/// Problems that are reported of one lesson file.
pub const LESSON_PROBLEMS_MAX: usize = 100;

/// Bytes of address space for the store of one member of a lesson's replica set.
pub const LESSON_MEMBER_MAP_BYTES: u64 = 1 << 28;

/// Removed documents that are remembered of each member.
pub const LESSON_MEMBER_REMOVALS_MAX: usize = 10_000;

/// Documents that are shown of each member.
pub const LESSON_MEMBER_LANES_MAX: usize = 50;

/// Entries of the oplog that are shown.
pub const LESSON_OPLOG_SHOWN_MAX: usize = 100;

/// Simulated milliseconds that secondaries wait before they apply an entry, at first.
pub const LESSON_DELAY_MS: i64 = 1_000;

/// The longest such wait.
pub const LESSON_DELAY_MS_MAX: i64 = 30_000;

pub const LESSON_CARDS_MAX: usize = 5;

/// Lesson files in one course.
pub const COURSE_LESSONS_MAX: usize = 200;

/// Run sheets of a course.
pub const COURSE_SHEETS_MAX: usize = 20;

/// Lessons whose progress is kept; the one that was not opened for longest goes first.
pub const LESSONS_KEPT_MAX: usize = 1_000;

/// How long one block, expression or input of a lesson may run. The time that the user watches does
/// not count.
pub const LESSON_TIME_MAX: Duration = Duration::from_secs(5);

/// Bytes that JavaScript may hold in a lesson.
pub const LESSON_MEMORY_MAX: usize = 64 * 1024 * 1024;

/// Bytes that one input of a lesson may print.
pub const LESSON_OUTPUT_MAX: usize = 1024 * 1024;

/// Documents in the store of a lesson.
pub const LESSON_DOCUMENTS_MAX: u64 = 100_000;

/// Bytes of the documents in the store of a lesson.
pub const LESSON_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Bytes of address space of a lesson's store, and so of its file.
pub const LESSON_MAP_BYTES: u64 = 1 << 30;

/// Removed documents that a lesson remembers. The oldest are dropped first.
pub const LESSON_LEDGER_MAX: usize = 200_000;

/// Instants that a lesson remembers for a step back. The oldest are dropped first.
pub const LESSON_EVENTS_MAX: usize = 10_000;

/// Documents that a lesson's pass removes in one transaction; fewer than an event lists.
pub const LESSON_BATCH_DOCUMENTS: i64 = 250;

/// The same where removing takes simulated time, so that it passes in small steps.
pub const LESSON_LOAD_BATCH_DOCUMENTS: i64 = 10;

/// The least time that a play of a lesson takes on the screen.
pub const LESSON_PLAY_MIN: Duration = Duration::from_secs(2);

pub const LESSON_PLAY_MAX: Duration = Duration::from_secs(8);

/// How often the rate of a play that takes too long may double.
pub const LESSON_HASTE_MAX: f64 = 20.0;

/// The end of a play that is shown slowly, in simulated milliseconds.
pub const LESSON_END_MS: i64 = 2_000;

/// The rate of a lesson's clock there at most.
pub const LESSON_END_RATE_MAX: f64 = 60.0;

/// The time between two steps of a lesson's clock.
pub const LESSON_STEP: Duration = Duration::from_millis(8);

/// How often the file of a lesson is looked at, in case an editor saved it.
pub const LESSON_FILE_LOOK: Duration = Duration::from_secs(1);

/// The time between two snapshots while a lesson's time passes.
pub const LESSON_SHOW: Duration = Duration::from_millis(33);

/// Passes of one run after which the goal of a challenge is watched. Later ones are watched at the
/// end, or when they remove something.
pub const LESSON_WATCHED_PASSES_MAX: u32 = 500;

/// Bytes of a file with the progress of one learner.
pub const CLASS_FILE_BYTES_MAX: usize = 4 * 1_024 * 1_024;

/// Files of one table of a class.
pub const CLASS_FILES_MAX: usize = 1_000;

/// Documents that a question shows on paper, each with a lane of its timeline.
pub const LESSON_PAPER_LANES_MAX: usize = 12;

/// Lessons that a check plays at a time.
pub const LESSON_CHECK_THREADS: usize = 2;

/// The longest that a check may take for one play of a lesson.
pub const LESSON_CHECK_PLAY_MAX: Duration = Duration::from_secs(2);

/// Seeds with which a check plays a lesson that draws its numbers.
pub const LESSON_CHECK_DRAWS: u64 = 8;
