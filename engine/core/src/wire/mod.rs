//! The listener on the loopback interface or a Unix socket that speaks MongoDB's wire protocol.
//!
//! A [`Listener`] has one thread that takes connections and one for each connection. Bytes become a
//! [`frame`], whose header is checked before its body is kept; the frame becomes a [`message`] with
//! a command; the command runs as any other. Whatever is wrong with the bytes ends the connection
//! or is answered before a command sees it. A `getMore` that allows it is answered by one batch
//! after the other (`exhaust`).

pub(crate) mod auth;
mod client_limit;
mod connection;
mod descriptors;
mod endpoint;
mod exhaust;
pub mod frame;
mod incoming;
mod limits;
mod listener;
pub mod message;
mod stream;
#[cfg(unix)]
mod unix_socket;

#[cfg(test)]
mod tests;

pub use endpoint::{ListenError, default_socket};
pub use limits::WireLimits;
pub use listener::{ListenOptions, Listener};
