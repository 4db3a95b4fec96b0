//! `fsync`: every acknowledged write is on disk already.

use bson::doc;

use crate::command::core::{
    Answer, Command, CommandError, Context, Request, ignored, optional, raw,
};

/// `{fsync: 1, lock: false}`
pub static COMMAND: Command = Command::admin(
    "fsync",
    &[
        optional("lock"),
        ignored("async"),
        ignored("forBackup"),
        ignored("fsyncLockAcquisitionTimeoutMillis"),
    ],
    run,
);

fn run(_: &Context, request: &Request<'_>) -> Answer {
    if request.flag("lock")? {
        return Err(CommandError::not_supported(
            "fsync with lock is not supported: a backup of the open store needs no lock",
        ));
    }
    raw(&doc! { "numFiles": 1 })
}
