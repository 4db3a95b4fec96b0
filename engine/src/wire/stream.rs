//! The bytes of one connection, over TCP or over a Unix socket.

#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpStream},
    time::Duration,
};

/// A connection's stream. It is read and written through a shared reference, as those of std are.
#[derive(Debug)]
pub enum Stream {
    /// Over loopback.
    Tcp(TcpStream),
    /// Over a socket file.
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Stream {
    /// Sends what is written at once, and gives a client so long to take it.
    pub fn prepare(&self, write_max: Duration) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => {
                stream.set_nodelay(true)?;
                stream.set_write_timeout(Some(write_max))
            }
            #[cfg(unix)]
            Self::Unix(stream) => stream.set_write_timeout(Some(write_max)),
        }
    }

    /// How long one read waits.
    pub fn set_read_timeout(&self, time: Duration) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.set_read_timeout(Some(time)),
            #[cfg(unix)]
            Self::Unix(stream) => stream.set_read_timeout(Some(time)),
        }
    }

    /// Shuts it down in both directions, which wakes a waiting read.
    pub fn shutdown(&self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
            #[cfg(unix)]
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
        }
    }
}

impl Read for &Stream {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => (&mut &*stream).read(room),
            #[cfg(unix)]
            Stream::Unix(stream) => (&mut &*stream).read(room),
        }
    }
}

impl Write for &Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => (&mut &*stream).write(bytes),
            #[cfg(unix)]
            Stream::Unix(stream) => (&mut &*stream).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Tcp(stream) => (&mut &*stream).flush(),
            #[cfg(unix)]
            Stream::Unix(stream) => (&mut &*stream).flush(),
        }
    }
}
