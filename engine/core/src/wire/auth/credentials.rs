//! Who may log in to a listener, and how often that was tried in vain.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use super::scram::{ITERATIONS, Keys, SALT_BYTES};
use crate::limits::{LOGIN_FAILURES_FREE, LOGIN_PAUSE_MAX, LOGIN_PAUSE_MIN};

/// The one user of a listener.
pub const USER: &str = "mayfly";

/// Bytes of a generated password: 128 bits can't be guessed.
const PASSWORD_BYTES: usize = 16;

/// Bytes of the secret that makes the keys of unknown users.
const SECRET_BYTES: usize = 32;

/// Random bytes in a server's part of a nonce.
const NONCE_BYTES: usize = 24;

/// The user of a listener. Holds what a password is checked with, never the password.
pub struct Credentials {
    keys: Keys,
    secret: [u8; SECRET_BYTES],
    failures: AtomicU32,
}

impl Credentials {
    /// A new random password, in letters that a URI takes as they are, and what it is checked with.
    /// The password is given out here and nowhere else.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn generate() -> Result<(Self, String), getrandom::Error> {
        let password = URL_SAFE_NO_PAD.encode(random::<PASSWORD_BYTES>()?);
        Ok((Self::of_password(&password)?, password))
    }

    /// The credentials for a chosen password, which must be ASCII.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn of_password(password: &str) -> Result<Self, getrandom::Error> {
        let keys = Keys::of_password(password, random::<SALT_BYTES>()?, ITERATIONS);
        Ok(Self { keys, secret: random()?, failures: AtomicU32::new(0) })
    }

    /// The keys of a user; those that no password has for all but [`USER`]. Both are made, so that
    /// the time tells nothing either.
    pub fn keys_of(&self, user: &str) -> Keys {
        let nobody = Keys::of_nobody(user, &self.secret);
        if user == USER { self.keys.clone() } else { nobody }
    }

    /// Counts a failure and says how long its answer is held back. Only failures wait: guesses
    /// never delay a login with the right password.
    pub fn note_failure(&self) -> Duration {
        let before = self.failures.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |failures| {
            Some(failures.saturating_add(1))
        });
        pause(before.unwrap_or_default().saturating_add(1))
    }

    /// Forgets the failures.
    pub fn note_success(&self) {
        self.failures.store(0, Ordering::Relaxed);
    }
}

/// The server's part of a nonce, fresh each time.
///
/// # Errors
/// When the system has no random numbers.
pub fn nonce() -> Result<String, getrandom::Error> {
    Ok(URL_SAFE_NO_PAD.encode(random::<NONCE_BYTES>()?))
}

fn random<const BYTES: usize>() -> Result<[u8; BYTES], getrandom::Error> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

/// The pause after this many failures: none at first, then twice as long each time.
fn pause(failures: u32) -> Duration {
    let Some(doublings) = failures.checked_sub(LOGIN_FAILURES_FREE + 1) else {
        return Duration::ZERO;
    };
    let factor = 1_u32.checked_shl(doublings).unwrap_or(u32::MAX);
    LOGIN_PAUSE_MIN.saturating_mul(factor).min(LOGIN_PAUSE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_random_and_fit_into_a_uri() {
        let (_, password) = Credentials::generate().expect("random numbers");
        let (_, other) = Credentials::generate().expect("random numbers");
        assert_ne!(password, other);
        assert_eq!(password.len(), 22);
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        assert!(password.chars().all(is_plain), "{password}");
        assert_ne!(nonce().expect("random numbers"), nonce().expect("random numbers"));
    }

    #[test]
    fn pauses_grow_after_five_failures_to_an_end() {
        let credentials = Credentials::of_password("pencil").expect("random numbers");
        for _ in 0..5 {
            assert_eq!(credentials.note_failure(), Duration::ZERO);
        }
        assert_eq!(credentials.note_failure(), LOGIN_PAUSE_MIN);
        assert_eq!(credentials.note_failure(), LOGIN_PAUSE_MIN * 2);
        assert_eq!(credentials.note_failure(), LOGIN_PAUSE_MIN * 4);
        credentials.note_success();
        assert_eq!(credentials.note_failure(), Duration::ZERO);
        for failures in [20, 37, 38, 39, 1_000, u32::MAX] {
            assert_eq!(pause(failures), LOGIN_PAUSE_MAX, "{failures}");
        }
    }
}
