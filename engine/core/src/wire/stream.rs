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
    Tcp(TcpStream),
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

    /// Whether the other end has closed or reset it. Doesn't wait.
    #[cfg(target_os = "linux")]
    pub fn is_closed(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        // An end after data that was not read yet is seen too.
        let mut socket = match self {
            Self::Tcp(stream) => [PollFd::new(stream, PollFlags::RDHUP)],
            Self::Unix(stream) => [PollFd::new(stream, PollFlags::RDHUP)],
        };
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let ends = PollFlags::RDHUP | PollFlags::HUP | PollFlags::ERR;
        poll(&mut socket, Some(&at_once)).is_ok() && socket[0].revents().intersects(ends)
    }

    /// Where the system can't tell without reading, a client counts as connected.
    #[cfg(not(target_os = "linux"))]
    pub fn is_closed(&self) -> bool {
        false
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
