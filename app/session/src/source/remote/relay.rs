//! The relay: every connection of the driver goes through it, so that each message of a server is looked
//! at as bytes before the driver decodes it.
//!
//! The driver decodes by recursion, copies a reply for each of its levels, and has no hook before it does.
//! But it can use a SOCKS5 proxy. The relay is one, in this process: it listens on 127.0.0.1 for who knows
//! its random login, resolves the host, connects, and does TLS itself. Commands pass as they are. Of the
//! replies each is read whole; one that is too deep is replaced by an error, and one that can't be read
//! by a header that the driver refuses. Nothing is held but the message that is read.
//!
//! Texts of a server are escaped and cut where they arrive (`source/remote/said.rs`), and the command line
//! escapes again whatever it prints (`cli/terminal.rs`). Every connection of the driver goes through a proxy
//! in this process (`source/remote/relay.rs`), which does TLS and looks at each message before the driver
//! decodes it. A reply nested more than 200 levels deep becomes an error there, without recursion.

mod depth;
mod fault;
mod message;
mod socks;
mod tls;

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mongodb::options::{ClientOptions, ServerAddress, Socks5Proxy, Tls};
use rustls::pki_types::ServerName;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadHalf};
use tokio::net::tcp::{ReadHalf as DriverRead, WriteHalf as DriverWrite};
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;

pub use fault::{Faults, of_name as unresolved};
use message::Verdict;

use crate::job::Step;
use crate::limits::{
    RELAY_LOGIN, RELAY_LOGINS_MAX, SERVER_ADDRESS_APART, SERVER_CONNECT, SERVER_KEEPALIVE,
};

/// How long the listener rests when the system gives it no connection.
const REST: Duration = Duration::from_millis(50);

/// Bytes of commands that are passed at once.
const COMMAND_PART: usize = 64 << 10;

/// A connection to a server.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// The state that all connections of a relay share.
struct Relay {
    login: socks::Login,
    tls: Option<TlsConnector>,
    /// Sockets of this machine, by the names that the driver has for them.
    sockets: HashMap<String, PathBuf>,
    faults: Arc<Faults>,
}

/// Starts a relay on the runtime that runs this, and leads the connections of a client with these options
/// through it.
pub async fn start(mut options: ClientOptions) -> Result<(ClientOptions, Arc<Faults>), String> {
    let none = |error: io::Error| format!("The relay to servers can't be started: {error}");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(none)?;
    let port = listener.local_addr().map_err(none)?.port();
    let login = socks::Login::random().map_err(none)?;
    let tls = match options.tls.take() {
        Some(Tls::Enabled(tls)) => Some(tls::connector(&tls)?),
        _ => None,
    };
    let host = Ipv4Addr::LOCALHOST.to_string();
    let proxy = Socks5Proxy::builder().host(host).port(port);
    let proxy = proxy.authentication((login.user.clone(), login.password.clone()));
    options.socks5_proxy = Some(proxy.build());
    let sockets = name_sockets(&mut options);
    let faults = Arc::<Faults>::default();
    let relay = Arc::new(Relay { login, tls, sockets, faults: Arc::clone(&faults) });
    drop(tokio::spawn(relay.listen(listener)));
    Ok((options, faults))
}

/// Gives the sockets of this machine names.
fn name_sockets(options: &mut ClientOptions) -> HashMap<String, PathBuf> {
    let mut sockets = HashMap::new();
    for (index, address) in options.hosts.iter_mut().enumerate() {
        #[cfg(unix)]
        if let ServerAddress::Unix { path } = address {
            // The driver takes no other hosts with a proxy.
            let name = format!("{index}.socket.invalid");
            sockets.insert(name.clone(), path.clone());
            *address = ServerAddress::Tcp { host: name, port: None };
        }
    }
    sockets
}

impl Relay {
    async fn listen(self: Arc<Self>, listener: TcpListener) {
        let logins = Arc::new(Semaphore::new(RELAY_LOGINS_MAX));
        while let Ok(permit) = Arc::clone(&logins).acquire_owned().await {
            let Ok((mut driver, _)) = listener.accept().await else {
                sleep(REST).await;
                continue;
            };
            let relay = Arc::clone(&self);
            drop(tokio::spawn(async move {
                let asked = timeout(RELAY_LOGIN, socks::accept(&mut driver, &relay.login)).await;
                drop(permit);
                // The driver sees that its connection ends, and the window reads the faults.
                if let Ok(Ok((host, port))) = asked {
                    drop(relay.serve(driver, &host, port).await);
                }
            }));
        }
    }

    /// Connects to a host, and passes messages until one side leaves.
    async fn serve(&self, mut driver: TcpStream, host: &str, port: u16) -> io::Result<()> {
        let place = format!("{host}:{port}");
        let mut nothing = [0];
        let server = tokio::select! {
            server = timeout(SERVER_CONNECT, self.open(host, port, &place)) => server??,
            // Until it is answered, the driver only leaves.
            _ = driver.peek(&mut nothing) => return Ok(()),
        };
        driver.set_nodelay(true)?;
        socks::confirm(&mut driver).await?;
        let (from_server, to_server) = tokio::io::split(server);
        let (from_driver, to_driver) = driver.split();
        tokio::select! {
            end = self.pass_replies(from_server, to_driver, host, &place) => end,
            end = pass_commands(from_driver, to_server) => end,
        }
    }

    async fn open(&self, host: &str, port: u16, place: &str) -> io::Result<Box<dyn Stream>> {
        let note = |step, sentence: String| self.faults.note(place, step, &sentence);
        #[cfg(unix)]
        if let Some(path) = self.sockets.get(host) {
            let stream = tokio::net::UnixStream::connect(path).await.inspect_err(|error| {
                note(
                    Step::Port,
                    format!("{} does not accept connections: {error}", path.display()),
                );
            })?;
            return Ok(Box::new(stream));
        }
        let host = host.trim_matches(['[', ']']);
        let resolved = lookup_host((host, port)).await.inspect_err(|_| {
            note(Step::Name, fault::of_name(host));
        })?;
        let stream = connect(resolved).await.inspect_err(|error| {
            note(Step::Port, format!("{host} does not accept connections on port {port}: {error}"));
        })?;
        stream.set_nodelay(true)?;
        SockRef::from(&stream)
            .set_tcp_keepalive(&TcpKeepalive::new().with_time(SERVER_KEEPALIVE))?;
        let Some(connector) = &self.tls else { return Ok(Box::new(stream)) };
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        self.faults.note_first(place, Step::Hello, &fault::of_no_answer(host));
        let stream = connector.connect(name, stream).await.inspect_err(|error| {
            note(Step::Hello, fault::of_tls(host, error));
        })?;
        Ok(Box::new(stream))
    }

    /// Passes what the driver may decode.
    async fn pass_replies(
        &self,
        mut server: ReadHalf<Box<dyn Stream>>,
        mut driver: DriverWrite<'_>,
        host: &str,
        place: &str,
    ) -> io::Result<()> {
        let (mut message, mut is_first) = (Vec::new(), true);
        loop {
            let read = message::read(&mut server, &mut message).await;
            if !matches!(read, Ok(Some(()))) {
                if is_first && self.tls.is_some() {
                    let sentence = fault::of_silence(host, read.as_ref().err());
                    self.faults.note(place, Step::Hello, &sentence);
                }
                return read.map(|_| ());
            }
            if is_first {
                self.faults.clear(place);
                is_first = false;
            }
            match message::verdict(&message) {
                Verdict::Whole => driver.write_all(&message).await?,
                Verdict::Deep => driver.write_all(&message::too_deep(&message)?).await?,
                Verdict::Unreadable => {
                    return driver.write_all(&message::unreadable(&message)).await;
                }
            }
        }
    }
}

async fn pass_commands(
    mut driver: DriverRead<'_>,
    mut server: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut part = vec![0; COMMAND_PART];
    loop {
        let count = driver.read(&mut part).await?;
        let Some(part) = part.get(..count).filter(|part| !part.is_empty()) else { return Ok(()) };
        // The driver's socket waits for it before it sends the end of a command.
        #[cfg(target_os = "linux")]
        SockRef::from(driver.as_ref()).set_tcp_quickack(true)?;
        server.write_all(part).await?;
        server.flush().await?;
    }
}

/// Connects to the first address that accepts. The next one is tried when one fails or is slow.
async fn connect(addresses: impl Iterator<Item = SocketAddr>) -> io::Result<TcpStream> {
    let (mut attempts, mut first) = (JoinSet::new(), None);
    for address in addresses {
        attempts.spawn(TcpStream::connect(address));
        while let Ok(Some(done)) = timeout(SERVER_ADDRESS_APART, attempts.join_next()).await {
            match done? {
                Ok(stream) => return Ok(stream),
                Err(error) => _ = first.get_or_insert(error),
            }
        }
    }
    while let Some(done) = attempts.join_next().await {
        match done? {
            Ok(stream) => return Ok(stream),
            Err(error) => _ = first.get_or_insert(error),
        }
    }
    Err(first.unwrap_or_else(|| io::ErrorKind::AddrNotAvailable.into()))
}
