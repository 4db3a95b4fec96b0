//! Requests to the system's keyring, and its reports.

use crate::job::connection_string::Secret;
use crate::source::secrets::KeyringError;

/// A request to the keyring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretWork {
    /// Whether there is one.
    Look,
    /// Read the password of a key, for the question with this number.
    Read {
        /// The number.
        generation: u64,
        /// The key.
        key: String,
    },
    /// Keep a password.
    Keep {
        /// Its key.
        key: String,
        /// The password.
        password: Secret,
    },
    /// Remove the password of a key.
    Forget {
        /// The key.
        key: String,
    },
}

/// A report of the keyring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretReport {
    /// Whether there is one.
    Looked(Result<(), KeyringError>),
    /// The password of a key, if it has one.
    Read {
        /// The number of the question.
        generation: u64,
        /// The password.
        password: Result<Option<Secret>, KeyringError>,
    },
    /// A password is kept or not.
    Kept {
        /// Its key.
        key: String,
        /// Whether it is.
        result: Result<(), KeyringError>,
    },
    /// A password is removed or not.
    Forgotten {
        /// Its key.
        key: String,
        /// Whether it is.
        result: Result<(), KeyringError>,
    },
}
