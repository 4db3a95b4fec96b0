//! Passwords in the system's keyring, each on a detached thread: a keyring may take its time, and
//! the window must close all the same.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;

use super::guarded::guarded;
use super::outcome::Outcome;
use super::secret_job::{SecretReport, SecretWork};
use super::secrets::Secrets;
use super::wake::Wake;
use crate::source::secrets::KeyringError;

/// Asks the keyring and tells the window. Never waits.
pub(super) fn start<A: Send + 'static>(
    work: SecretWork,
    secrets: &Secrets,
    outcomes: Sender<Outcome<A>>,
    wake: Wake,
) {
    let changes = matches!(work, SecretWork::Keep { .. } | SecretWork::Forget { .. });
    let begun = changes.then(|| secrets.begin_change());
    let (failed, waker, asked) = (outcomes.clone(), Arc::clone(&wake), work.clone());
    let secrets = secrets.clone();
    let ask = move || {
        let report = guarded(|| ask(&work, &secrets));
        drop(begun);
        let report = report.unwrap_or_else(|why| refused(work, &KeyringError::Refused(why)));
        if outcomes.send(Outcome::Secret(report)).is_ok() {
            wake(Duration::ZERO);
        }
    };
    let thread = thread::Builder::new().name("mayfly-secret".to_owned()).spawn(ask);
    if let Err(error) = thread {
        let error = KeyringError::Refused(format!("Can't start a thread: {error}"));
        // A full channel drops it: the window's thread must not wait for itself.
        if failed.try_send(Outcome::Secret(refused(asked, &error))).is_ok() {
            waker(Duration::ZERO);
        }
    }
}

fn ask(work: &SecretWork, secrets: &Secrets) -> SecretReport {
    match work {
        SecretWork::Look => SecretReport::Looked(secrets.look()),
        SecretWork::Read { generation, key } => {
            SecretReport::Read { generation: *generation, password: secrets.read(key) }
        }
        SecretWork::Keep { key, password } => {
            SecretReport::Kept { key: key.clone(), result: secrets.write(key, password) }
        }
        SecretWork::Forget { key } => {
            SecretReport::Forgotten { key: key.clone(), result: secrets.remove(key) }
        }
    }
}

fn refused(work: SecretWork, error: &KeyringError) -> SecretReport {
    let error = error.clone();
    match work {
        SecretWork::Look => SecretReport::Looked(Err(error)),
        SecretWork::Read { generation, .. } => {
            SecretReport::Read { generation, password: Err(error) }
        }
        SecretWork::Keep { key, .. } => SecretReport::Kept { key, result: Err(error) },
        SecretWork::Forget { key } => SecretReport::Forgotten { key, result: Err(error) },
    }
}
