//! Requests to the system's keyring, and its reports.

use crate::job::connection_string::Secret;
use crate::source::secrets::KeyringError;

/// A request to the keyring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretWork {
    Look,
    /// Read the password of a key, for the question with this number.
    Read {
        /// The number.
        generation: u64,
        key: String,
    },
    /// Keep a password.
    Keep {
        key: String,
        password: Secret,
    },
    /// Remove the password of a key.
    Forget {
        key: String,
    },
}

/// A report of the keyring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretReport {
    Looked(Result<(), KeyringError>),
    /// The password of a key, if it has one.
    Read {
        /// The number of the question.
        generation: u64,
        password: Result<Option<Secret>, KeyringError>,
    },
    /// A password is kept or not.
    Kept {
        key: String,
        result: Result<(), KeyringError>,
    },
    /// A password is removed or not.
    Forgotten {
        key: String,
        result: Result<(), KeyringError>,
    },
}
