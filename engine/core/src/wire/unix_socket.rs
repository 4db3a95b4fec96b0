//! A socket file that only its owner can reach.
//!
//! The folder keeps others out: between the calls that make a socket and set its mode it has
//! whatever mode the umask leaves. So the folder is looked at first, and one that others can enter
//! is refused.

use std::{
    fs::{self, DirBuilder, File, Permissions},
    io,
    net::Shutdown,
    os::{
        fd::OwnedFd,
        unix::{
            ffi::OsStrExt as _,
            fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _},
            net::{SocketAddr, UnixDatagram, UnixListener, UnixStream},
        },
    },
    path::{Path as FsPath, PathBuf, absolute},
};

use super::{endpoint::ListenError, stream::Stream};

/// How a path must end: this is how drivers know that a host is a path.
const SUFFIX: &[u8] = b".sock";

/// A client's address, in MongoDB's words: a socket's other end has none.
const CLIENT: &str = "anonymous unix socket";

/// A socket that is listened on. Its file goes when it is dropped, if it is still this one's.
pub struct UnixSocket {
    listener: UnixListener,
    /// The same socket as [`UnixStream`], which can be shut down.
    waker: UnixStream,
    path: PathBuf,
    /// Device and inode. While the socket is open, no other file gets them.
    file: (u64, u64),
}

impl UnixSocket {
    /// Makes the file, and the folder if there is none.
    ///
    /// # Errors
    /// With a sentence: the path is none that drivers know or too long, others can enter the
    /// folder, something is there already, the system refuses.
    pub fn bind(path: &FsPath) -> Result<Self, ListenError> {
        let failed = |error: io::Error| {
            ListenError(format!("Can't listen on the socket {}: {error}", path.display()))
        };
        let path = &absolute(path).map_err(failed)?;
        check_path(path)?;
        let folder = path.parent().unwrap_or(path);
        prepare(folder)?;
        let listener = match UnixListener::bind(path) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                remove_dead(path, folder)?;
                UnixListener::bind(path)
            }
            bound => bound,
        };
        let listener = listener.map_err(failed)?;
        let waker = UnixStream::from(OwnedFd::from(listener.try_clone().map_err(failed)?));
        let file = fs::symlink_metadata(path).map(|found| id(&found)).map_err(failed)?;
        let socket = Self { listener, waker, path: path.clone(), file };
        fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
        Ok(socket)
    }

    /// The whole path.
    pub fn path(&self) -> &FsPath {
        &self.path
    }

    /// As the host of a connection string: the path with all but plain letters percent-encoded.
    pub fn host(&self) -> String {
        let mut host = String::new();
        for byte in self.path.as_os_str().as_bytes() {
            if byte.is_ascii_alphanumeric() || b"-._".contains(byte) {
                host.push(char::from(*byte));
            } else {
                host.extend(['%', hex(byte >> 4), hex(byte & 15)]);
            }
        }
        host
    }

    /// Waits for a client; its stream and its address, as it is shown.
    pub fn accept(&self) -> io::Result<(Stream, String)> {
        self.listener.accept().map(|(stream, _)| (Stream::Unix(stream), CLIENT.to_owned()))
    }

    /// Ends the wait for a client.
    pub fn wake(&self) {
        // Some systems can't shut down a listening socket; a connection wakes it there.
        if self.waker.shutdown(Shutdown::Both).is_err() {
            drop(UnixStream::connect(&self.path));
        }
    }
}

impl Drop for UnixSocket {
    fn drop(&mut self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|found| id(&found) == self.file) {
            // The next listener removes a file that is left.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn hex(digit: u8) -> char {
    char::from_digit(digit.into(), 16).unwrap_or_default().to_ascii_uppercase()
}

fn id(found: &fs::Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

fn check_path(path: &FsPath) -> Result<(), ListenError> {
    let bytes = path.as_os_str().as_bytes();
    let shown = path.display();
    if !bytes.ends_with(SUFFIX) || bytes.contains(&0) {
        return Err(ListenError(format!(
            "Drivers don't accept {shown} as a socket path; use a path that ends in .sock"
        )));
    }
    if SocketAddr::from_pathname(path).is_err() {
        let count = bytes.len();
        return Err(ListenError(format!(
            "The socket path {shown} is too long ({count} bytes; the limit is about 100); choose \
             a shorter path"
        )));
    }
    Ok(())
}

/// Makes the folder if it is missing, and refuses one into which others can come.
fn prepare(folder: &FsPath) -> Result<(), ListenError> {
    let shown = folder.display();
    let failed = |error| ListenError(format!("Can't use {shown} for a socket: {error}"));
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    let found = fs::metadata(folder).map_err(failed)?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(ListenError(format!(
            "{shown} belongs to another user; choose a socket in a folder of your own"
        )));
    }
    if found.mode() & 0o077 != 0 {
        return Err(ListenError(format!(
            "Other users can access {shown}; put the socket in a private folder (mode 0700)"
        )));
    }
    Ok(())
}

/// Removes a socket file without a listener, and nothing else.
fn remove_dead(path: &FsPath, folder: &FsPath) -> Result<(), ListenError> {
    let shown = path.display();
    let failed = |error| ListenError(format!("Can't replace {shown}: {error}"));
    // Of two programs that find the same dead one, the second must not remove what the first has
    // put in its place.
    let folder = File::open(folder).map_err(failed)?;
    if folder.try_lock().is_err() {
        return Err(ListenError(format!("Another program is replacing {shown}; try again")));
    }
    if !fs::symlink_metadata(path).map_err(failed)?.file_type().is_socket() {
        return Err(ListenError(format!(
            "{shown} exists and is not a socket; choose another path"
        )));
    }
    // Asks without waiting and without being taken for a client: a socket of the other kind is
    // refused as such while its owner lives.
    match UnixDatagram::unbound().and_then(|asking| asking.connect(path)) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(failed)
        }
        _ => Err(ListenError(format!(
            "{shown} is in use by another program; choose another path or close that program"
        ))),
    }
}
