//! Logging in: SCRAM-SHA-256 with one user and a random password made by the program.
//!
//! Loopback is open to every user of the computer, so the listener asks for a password.
//! [`Credentials`] belong to a listener and keep no password; a [`Login`] belongs to one connection
//! and answers `saslStart`, `saslContinue` and `logout` itself. Everything here is text and bytes:
//! the connection sends what comes back, after [`Login::take_pause`].

mod credentials;
mod login;
pub(crate) mod scram;
#[cfg(test)]
mod tests;

pub use credentials::{Credentials, USER};
pub use login::Login;
