//! Data shared by the threads and the state: stores, files and running jobs.

pub mod backups;
pub mod beginning;
pub mod bulk;
pub mod cancel;
pub mod connection_string;
pub mod console;
pub mod convert;
pub mod copying;
pub mod cut;
pub mod due;
pub mod duration;
pub mod field_task;
pub mod file_look;
pub mod gauge;
pub mod glossary;
pub mod ids;
pub mod index_file;
pub mod invisible;
pub mod kept;
pub mod lesson;
pub mod number;
pub mod number_draft;
pub mod percent;
pub mod read_pace;
pub mod reasons;
pub mod reply;
pub mod rollout;
pub mod server;
pub mod slow_read;
pub mod store;
mod trash_scope;
pub mod watch;
pub mod zone;

pub use backups::{Backup, BackupList, KeptBackup};
pub use beginning::Beginning;
pub use cancel::Cancel;
pub use connection_string::ConnectionString;
pub use console::{
    ConsoleCompletion, ConsoleOutput, ConsoleQuestion, ConsoleReport, ConsoleRun, SentCommand,
};
pub use copying::{
    CopyEnded, CopyLook, CopyPart, CopyPlan, CopyReport, CopyTarget, CopyUndo, InsertedIds,
};
pub use file_look::FileLook;
pub use gauge::{End, Gauge, JobGauge};
pub use ids::{OperationId, TabId};
pub use index_file::IndexFile;
pub use mayfly_engine::catalog::{Dialect, Namespace};
pub use mayfly_engine::engine::OpenError;
pub use mayfly_engine::event::{
    BuildProgress, Event, IndexReport, PassReport, RemovedDocument, RestoredDocument,
};
pub use read_pace::ReadPace;
pub use server::{
    Attached, ConnectFailure, Keeping, PassJob, Server, ServerColor, ServerMark, Step, Stored,
    Write,
};
pub use store::{
    Advice, Capabilities, CopiedStore, OpenRequest, SAMPLE_DATABASES, Sandbox, SandboxFolder,
    TRAFFIC_DATABASE, instant_ms,
};
pub use trash_scope::TrashScope;
pub use watch::{DeletedDocument, WatchEnd, WatchReport};
pub use zone::{DateStyle, Zone};
