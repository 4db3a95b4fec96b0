//! What the threads and the state share: plain data about stores, files and running jobs.

pub mod backups;
pub mod cancel;
pub mod file_look;
pub mod gauge;
pub mod namespace;
pub mod store;

pub use backups::{Backup, BackupList, KeptBackup};
pub use cancel::Cancel;
pub use file_look::FileLook;
pub use gauge::Gauge;
pub use namespace::Namespace;
pub use store::{Advice, Capabilities, OpenFailure, OpenRequest};
