//! The socket of a listener: a port on loopback, or a Unix socket.

use std::{
    io,
    net::{IpAddr, SocketAddr, TcpListener, TcpStream},
    path::{Path as FsPath, PathBuf, absolute},
    time::Duration,
};

use super::stream::Stream;
#[cfg(unix)]
use super::unix_socket::UnixSocket;
use crate::command::ListenAt;

/// Time limit for the connection that wakes the accepting thread.
const WAKE_PATIENCE: Duration = Duration::from_secs(1);

/// Why the listener did not start: one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ListenError(pub(super) String);

pub enum ListenSocket {
    Tcp(TcpListener, SocketAddr),
    #[cfg(unix)]
    Unix(UnixSocket),
}

impl ListenSocket {
    /// Opens it; `address` is for a port only.
    ///
    /// # Errors
    /// With a sentence: the address is not of this machine alone, the place is taken, others could
    /// reach the socket, the system refuses.
    pub fn open(address: IpAddr, at: &ListenAt) -> Result<Self, ListenError> {
        match at {
            ListenAt::Port(port) => Self::tcp(address, *port),
            #[cfg(unix)]
            ListenAt::Socket(path) => Ok(Self::Unix(UnixSocket::bind(path)?)),
            #[cfg(not(unix))]
            ListenAt::Socket(_) => Err(ListenError(
                "Unix sockets are not supported on this system; listen on a port".to_owned(),
            )),
        }
    }

    fn tcp(address: IpAddr, port: u16) -> Result<Self, ListenError> {
        if !address.is_loopback() {
            return Err(ListenError(format!(
                "{address} can be reached from other machines; Mayfly listens on 127.0.0.1 or ::1 \
                 only"
            )));
        }
        let socket =
            TcpListener::bind((address, port)).map_err(|error| port_error(port, &error))?;
        let address = socket.local_addr().map_err(|error| port_error(port, &error))?;
        Ok(Self::Tcp(socket, address))
    }

    /// Where it is, with the port that was found.
    pub fn at(&self) -> ListenAt {
        match self {
            Self::Tcp(_, address) => ListenAt::Port(address.port()),
            #[cfg(unix)]
            Self::Unix(socket) => ListenAt::Socket(socket.path().to_owned()),
        }
    }

    /// As the host of a connection string.
    pub fn host(&self) -> String {
        match self {
            Self::Tcp(_, address) => address.to_string(),
            #[cfg(unix)]
            Self::Unix(socket) => socket.host(),
        }
    }

    /// Waits for a client: its stream, and its address as shown.
    pub fn accept(&self) -> io::Result<(Stream, String)> {
        match self {
            Self::Tcp(socket, _) => {
                socket.accept().map(|(stream, from)| (Stream::Tcp(stream), from.to_string()))
            }
            #[cfg(unix)]
            Self::Unix(socket) => socket.accept(),
        }
    }

    /// Wakes the thread in [`ListenSocket::accept`].
    pub fn wake(&self) {
        match self {
            // The connection only wakes the thread, so its result does not matter.
            Self::Tcp(_, address) => drop(TcpStream::connect_timeout(address, WAKE_PATIENCE)),
            #[cfg(unix)]
            Self::Unix(socket) => socket.wake(),
        }
    }
}

/// The default socket of a store. It is in a folder with mode 0700, so other users are kept out
/// whatever the mode of the data folder.
pub fn default_socket(data_folder: &FsPath) -> PathBuf {
    let folder = absolute(data_folder).unwrap_or_else(|_| data_folder.to_owned());
    folder.join("socket").join("mayfly.sock")
}

fn port_error(port: u16, error: &io::Error) -> ListenError {
    ListenError(match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!("Port {port} is in use; choose another port, or 0 for any free port")
        }
        io::ErrorKind::PermissionDenied => {
            format!("Permission denied for port {port}; choose a port above 1023")
        }
        _ => format!("Can't listen on port {port}: {error}"),
    })
}
