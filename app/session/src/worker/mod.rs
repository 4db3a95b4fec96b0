//! The threads that talk to the store, so that the window never waits.
//!
//! Jobs go into bounded queues, one for each kind of work; a newer question replaces an equal
//! one that still waits. Answers come back over one bounded channel, and a wake-up closure
//! wakes the window. Nothing here knows a window.
//!
//! Threads: `mayfly-read-1` and further, `mayfly-write`, `mayfly-transfer-1` to 4, `mayfly-bulk`, `mayfly-schema`,
//! `mayfly-events`, `mayfly-traffic`, `mayfly-console` and `mayfly-lesson`, which supervise `mayfly-console-script` and
//! `mayfly-lesson-stage`, the threads of scripts (see [`crate::shell::watch`]), `mayfly-file-dialog` while the system's
//! file dialog is open, `mayfly-connect` while a server is being reached, `mayfly-secret` and `mayfly-keyring` while the system's
//! keyring is asked, `mayfly-settings`, `mayfly-rollout` while a TTL is rolled out, and `mayfly-watch` while the deletions of a server's
//! collection are followed.

mod at_close;
pub mod audit;
pub mod bulk;
mod by_id;
pub mod code;
pub mod connect;
mod console;
pub mod copying;
mod desk;
pub mod dump;
pub mod file_dialog;
mod guarded;
pub mod index_file;
pub mod journal;
pub mod lesson;
pub mod lesson_files;
mod lesson_job;
pub mod lesson_shelf;
pub mod maintenance;
mod order;
mod outcome;
mod outcome_sender;
pub mod pool;
pub mod queue;
mod replication_lag;
mod reply;
pub mod result_file;
pub mod rollout;
pub mod schema;
mod secret_job;
mod secret_thread;
mod secrets;
mod settings_keeper;
mod sources;
mod task;
mod traffic;
pub mod transfer;
mod wake;
pub mod watch;

pub use at_close::AtClose;
pub use connect::ConnectReport;
pub use desk::{Desk, Threads};
pub use guarded::guarded;

pub use lesson::LessonShelf;
pub use lesson_job::{LessonOrder, LessonOutcome};
pub use order::Order;
pub use outcome::Outcome;
pub use outcome_sender::OutcomeSender;
pub use pool::Worker;
pub use reply::{ErrorCode, Reply};
pub use schema::{SchemaReport, SchemaStage, SchemaWork};
pub use secret_job::{SecretReport, SecretWork};
pub use secrets::Secrets;
pub use settings_keeper::{KeptSettings, SettingsKeeper, SettingsReport};
pub use task::{Job, Key, Lane, Manners, Task};
pub use wake::Wake;
