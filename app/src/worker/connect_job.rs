//! Jobs that attach to a server, and their answers.

use crate::job::{Cancel, ConnectFailure, Server, Step};
use crate::source::Opened;

/// A server to attach to.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectWork {
    /// The server.
    pub server: Server,
    /// Ends the attempt.
    pub cancel: Cancel,
}

/// How far an attempt is.
#[derive(Clone)]
pub enum ConnectReport {
    /// A step begins.
    Begun(Step),
    /// It failed.
    Failed(ConnectFailure),
    /// The server is attached.
    Attached(Box<Opened>),
}
