//! The listener as commands see it. The listener itself is in `wire`, the layer above.

use std::path::PathBuf;

/// Where a listener listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenAt {
    /// A port on loopback; 0: any free one.
    Port(u16),
    /// The path of a Unix socket, which keeps the computer's other users out.
    Socket(PathBuf),
}

impl Default for ListenAt {
    fn default() -> Self {
        Self::Port(0)
    }
}

impl ListenAt {
    /// The port; a socket has none.
    pub fn port(&self) -> Option<u16> {
        match self {
            Self::Port(port) => Some(*port),
            Self::Socket(_) => None,
        }
    }
}

/// A program that is connected.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConnectedClient {
    /// The number of its connection.
    pub id: i32,
    /// Its address, as `host:port`; over a socket words that say so.
    pub address: String,
    /// The application name; empty when the client sends none.
    pub application: String,
    /// Its driver and the driver's version; empty when it does not say.
    pub driver: String,
    /// Who has logged in; empty before that, and without authentication.
    pub user: String,
    /// When it came, in milliseconds since 1970.
    pub since_ms: i64,
    /// Commands that it has sent.
    pub commands: u64,
}

/// The status of a running listener.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListeningStatus {
    /// Where.
    pub at: ListenAt,
    /// `mongodb://…` with the credentials.
    pub uri: String,
    /// Who is connected.
    pub clients: Vec<ConnectedClient>,
    /// Commands of all clients so far.
    pub commands: u64,
    /// Connections that were refused because there were too many.
    pub refused: u64,
}

/// Switches the listener on and off.
pub trait ListenerSwitch: Send + Sync {
    /// Lets other programs in. It has no effect when they already may.
    ///
    /// # Errors
    /// One sentence: the port or the path is taken, the system refuses.
    fn switch_on(&self, at: ListenAt, with_password: bool) -> Result<(), String>;

    /// Ends every connection and stops listening.
    fn switch_off(&self);

    /// The status of the listener; `None` while it is off.
    fn status(&self) -> Option<ListeningStatus>;
}
