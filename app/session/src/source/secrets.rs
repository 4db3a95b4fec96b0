//! The passwords of servers in the system's keyring: Secret Service on Linux, the keychain of macOS, the
//! credentials of Windows. Only this file names the crate `keyring`.
//!
//! A password is a `Secret`, which no debug output prints. `ConnectDraft::remember` asks the system's keyring
//! to keep it; `source/secrets.rs` alone names the crate `keyring`, and `worker/secrets.rs` gives each call
//! its own thread and a time limit. The key is made of the hosts, the user and the login database
//! (`ConnectionString::secret_key`). Settings hold only `SavedServer::remembered`. `apply/passwords.rs` sends
//! the questions; `passwords::change_list` also removes a secret when no server of the list needs it any
//! more, so change `Settings::stores` through it. `MayflyApp` hands the questions to
//! `worker/secret_thread.rs` outside of the lanes, because a store or a server that is slow must not delay
//! them, nor they it.

use crate::job::connection_string::Secret;

/// The name under which the keyring lists the passwords.
const SERVICE: &str = "Mayfly";

/// Why a keyring did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyringError {
    /// There is none.
    Missing,
    /// It did not answer in time.
    Silent,
    /// It refused, with its reason as one sentence.
    Refused(String),
}

impl KeyringError {
    pub fn sentence(&self) -> String {
        match self {
            Self::Missing => "This computer has no keyring that Mayfly can reach".to_owned(),
            Self::Silent => "The system's keyring does not answer".to_owned(),
            Self::Refused(why) => why.clone(),
        }
    }

    /// Whether no password can be kept or read at all. A refusal may be about one password alone.
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::Missing | Self::Silent)
    }
}

/// Where passwords are kept from one start to the next. Every call may wait for long.
pub trait Keyring: Send + Sync + 'static {
    /// Whether there is one. Never asks the user for anything.
    ///
    /// # Errors
    /// There is none.
    fn look(&self) -> Result<(), KeyringError>;

    /// The password of this key, if it has one.
    ///
    /// # Errors
    /// It can't be read.
    fn read(&self, key: &str) -> Result<Option<Secret>, KeyringError>;

    /// Keeps a password, in place of the one that the key has.
    ///
    /// # Errors
    /// It can't be kept.
    fn write(&self, key: &str, password: &Secret) -> Result<(), KeyringError>;

    /// Removes the password of a key, if there is one.
    ///
    /// # Errors
    /// It can't be removed.
    fn remove(&self, key: &str) -> Result<(), KeyringError>;
}

/// No keyring, as on a computer that has none: passwords stay in memory.
pub struct NoKeyring;

impl Keyring for NoKeyring {
    fn look(&self) -> Result<(), KeyringError> {
        Err(KeyringError::Missing)
    }

    fn read(&self, _: &str) -> Result<Option<Secret>, KeyringError> {
        Err(KeyringError::Missing)
    }

    fn write(&self, _: &str, _: &Secret) -> Result<(), KeyringError> {
        Err(KeyringError::Missing)
    }

    fn remove(&self, _: &str) -> Result<(), KeyringError> {
        Err(KeyringError::Missing)
    }
}

pub struct SystemKeyring;

impl SystemKeyring {
    fn entry(key: &str) -> Result<keyring::Entry, KeyringError> {
        keyring::Entry::new(SERVICE, key).map_err(|error| refusal(&error))
    }
}

impl Keyring for SystemKeyring {
    fn look(&self) -> Result<(), KeyringError> {
        keyring::Entry::store_status().as_ref().copied().map_err(|_| KeyringError::Missing)
    }

    fn read(&self, key: &str) -> Result<Option<Secret>, KeyringError> {
        match Self::entry(key)?.get_password() {
            Ok(password) => Ok(Some(Secret::new(password))),
            Err(keyring::Error::NoEntry) => Ok(None),
            Err(error) => Err(refusal(&error)),
        }
    }

    fn write(&self, key: &str, password: &Secret) -> Result<(), KeyringError> {
        Self::entry(key)?.set_password(password.reveal()).map_err(|error| refusal(&error))
    }

    fn remove(&self, key: &str) -> Result<(), KeyringError> {
        match Self::entry(key)?.delete_credential() {
            Ok(()) | Err(keyring::Error::NoEntry) => Ok(()),
            Err(error) => Err(refusal(&error)),
        }
    }
}

/// One sentence of our own where the kind says enough. An error never has its data printed: that
/// may be a password.
fn refusal(error: &keyring::Error) -> KeyringError {
    let sentence = match error {
        keyring::Error::NoDefaultStore => return KeyringError::Missing,
        keyring::Error::NoStorageAccess(_) => {
            "The system's keyring is locked, or refuses access".to_owned()
        }
        // Where a password is written: the collection that would have it.
        keyring::Error::NoEntry => "The system has no default keyring; create one first".to_owned(),
        keyring::Error::BadEncoding(_) | keyring::Error::BadDataFormat(..) => {
            "The system's keyring has something other than a password for this server".to_owned()
        }
        keyring::Error::TooLong(_, bound) => {
            format!("The system's keyring takes at most {bound} characters")
        }
        keyring::Error::Ambiguous(_) => {
            "The system's keyring has several passwords for this server; remove all but one"
                .to_owned()
        }
        keyring::Error::PlatformFailure(why) => {
            let why = why.to_string();
            let why = why.lines().next().unwrap_or_default();
            format!("The system's keyring failed: {why}")
        }
        _ => "The system's keyring failed".to_owned(),
    };
    KeyringError::Refused(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_error_has_the_password() {
        let why = || Box::<dyn std::error::Error + Send + Sync>::from("bad\nsecond line");
        let bytes = || b"s3cret".to_vec();
        for (error, part) in [
            (keyring::Error::BadEncoding(bytes()), "other than a password"),
            (keyring::Error::BadDataFormat(bytes(), why()), "other than a password"),
            (keyring::Error::NoStorageAccess(why()), "locked"),
            (keyring::Error::NoEntry, "no default keyring"),
            (keyring::Error::TooLong("password".to_owned(), 2560), "2560"),
            (keyring::Error::Ambiguous(Vec::new()), "several passwords"),
            (keyring::Error::PlatformFailure(why()), "failed: bad"),
            (keyring::Error::NoDefaultStore, "no keyring"),
        ] {
            let sentence = refusal(&error).sentence();
            assert!(sentence.contains(part), "{sentence}");
            assert!(!sentence.contains("s3cret") && !sentence.contains('\n'), "{sentence}");
        }
    }
}
