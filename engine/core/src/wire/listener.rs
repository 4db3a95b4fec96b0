//! The listener: takes connections, bounds them, and ends them all.

use std::{
    collections::BTreeMap,
    fmt,
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use bson::Document;

use super::{
    auth::{Credentials, USER},
    connection::Connection,
    descriptors::connections_allowed,
    endpoint::{ListenError, ListenSocket},
    limits::WireLimits,
    stream::Stream,
};
use crate::{
    clock::work_time,
    command::{
        Client, ConnectedClient, Context, ListenAt, ListeningStatus,
        core::monitor::metrics::NetworkCounts,
    },
    limits::WIRE_REFUSALS_MAX,
    supervised::supervised,
};

/// How long stopping waits for connections that are in the middle of a command.
const STOP_PATIENCE: Duration = Duration::from_secs(10);

/// Between two looks whether the last thread has let go.
const LAST_LOOK: Duration = Duration::from_micros(200);

/// How long no connection is taken after a panic.
const FAILURE_PAUSE: Duration = Duration::from_millis(100);

/// The name of the thread that takes connections.
const ACCEPTING: &str = "wire accept";

/// The thread name in events about a failed connection.
const LISTENER: &str = "wire";

/// How and where to listen.
#[derive(Debug, Clone)]
pub struct ListenOptions {
    /// A loopback address, for a port.
    pub address: IpAddr,
    /// The port, or the socket in its place.
    pub at: ListenAt,
    /// Whether clients must log in, with a new random password.
    pub with_password: bool,
    /// The bounds.
    pub limits: WireLimits,
}

impl Default for ListenOptions {
    fn default() -> Self {
        Self {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            at: ListenAt::Port(0),
            with_password: true,
            limits: WireLimits::default(),
        }
    }
}

/// A listener that is on. Dropping it ends every connection.
pub struct Listener {
    shared: Arc<ListenerState>,
    at: ListenAt,
    uri: String,
    accepting: Option<(JoinHandle<()>, Arc<ListenSocket>)>,
}

/// The connections of a listener by their numbers.
type Connections = BTreeMap<i32, Arc<Connection>>;

/// The state that the connections of one listener share.
pub struct ListenerState {
    pub context: Arc<Context>,
    /// The users who may log in. Without a list everyone may do everything.
    pub credentials: Option<Arc<Credentials>>,
    pub limits: WireLimits,
    /// Bytes of all large messages that are on their way.
    pub in_flight: AtomicUsize,
    pub commands: AtomicU64,
    refused: AtomicU64,
    /// Connections that wait for the error that refuses them.
    refusing: AtomicUsize,
    last_id: AtomicI32,
    stopping: AtomicBool,
    connections: Mutex<Connections>,
    /// Signals that a connection ended, or that the listener is stopping.
    changed: Condvar,
}

impl Listener {
    /// Begins to listen.
    ///
    /// # Errors
    /// With a sentence: the address is not of this machine alone, the port or the path is taken,
    /// others could reach the socket, the system refuses.
    pub fn start(context: Arc<Context>, options: ListenOptions) -> Result<Self, ListenError> {
        // Drivers expect elections and write concerns of a member, which the model lacks.
        if context.member.is_some() {
            let message = "A member of the teaching replica set accepts no connections";
            return Err(ListenError(message.to_owned()));
        }
        let ListenOptions { address, at, with_password, mut limits } = options;
        // Each connection takes a file descriptor, and the store must keep some for its own files.
        limits.connections_max = connections_allowed(limits.connections_max);
        context.metrics.connections.max.set(limits.connections_max as u64);
        let socket = Arc::new(ListenSocket::open(address, &at)?);
        let host = socket.host();
        let (credentials, uri) = if with_password {
            let (credentials, password) = Credentials::generate().map_err(|_| {
                ListenError("The system has no random numbers for a password".to_owned())
            })?;
            let uri = format!("mongodb://{USER}:{password}@{host}/?authSource=admin");
            (Some(Arc::new(credentials)), uri)
        } else {
            (None, format!("mongodb://{host}/"))
        };
        let shared = Arc::new(ListenerState {
            context,
            credentials,
            limits,
            in_flight: AtomicUsize::new(0),
            commands: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            refusing: AtomicUsize::new(0),
            last_id: AtomicI32::new(0),
            stopping: AtomicBool::new(false),
            connections: Mutex::default(),
            changed: Condvar::new(),
        });
        let accepting = {
            let (shared, socket) = (Arc::clone(&shared), Arc::clone(&socket));
            thread::Builder::new()
                .name(ACCEPTING.to_owned())
                .spawn(move || accept(&shared, &socket))
                .map_err(|error| ListenError(format!("The system refused a thread: {error}")))?
        };
        Ok(Self { shared, at: socket.at(), uri, accepting: Some((accepting, socket)) })
    }

    /// Where it listens.
    pub fn at(&self) -> &ListenAt {
        &self.at
    }

    /// How clients reach it, with the credentials.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Who is connected and what was done.
    pub fn status(&self) -> ListeningStatus {
        let connections = self.shared.lock();
        ListeningStatus {
            at: self.at.clone(),
            uri: self.uri.clone(),
            clients: connections.values().map(|connection| connected(connection)).collect(),
            commands: self.shared.commands.load(Ordering::Relaxed),
            refused: self.shared.refused.load(Ordering::Relaxed),
        }
    }

    /// Threads of connections that have not ended yet.
    #[cfg(test)]
    pub(super) fn threads(&self) -> usize {
        // The listener itself and the thread that takes connections know it too.
        Arc::strong_count(&self.shared).saturating_sub(2)
    }

    /// Bytes of large messages, of all clients together.
    #[cfg(test)]
    pub(super) fn in_flight(&self) -> usize {
        self.shared.in_flight.load(Ordering::Relaxed)
    }

    /// Ends every connection and frees the port, or removes the socket. A command that is running
    /// ends first; a `find` and a `getMore` are asked to end now.
    pub fn stop(&mut self) {
        let Some((accepting, socket)) = self.accepting.take() else { return };
        let until = work_time().saturating_add(STOP_PATIENCE);
        // Set before the wake-up, because the accepting thread looks at it as soon as it returns.
        self.shared.stopping.store(true, Ordering::SeqCst);
        // `accept` blocks, and closing a socket doesn't wake it on every system.
        socket.wake();
        let _ = accepting.join();
        drop(socket);
        let connections = self.shared.lock();
        for connection in connections.values() {
            connection.close();
        }
        // Another listener may have connections with the same numbers.
        let is_ours = |client: &Client| {
            let ours = connections.get(&client.connection_id).map(|ours| &ours.client);
            ours.is_some_and(|ours| ours.is(client))
        };
        self.shared.context.operations.kill_reads(is_ours);
        self.shared.changed.notify_all();
        let left = || until.saturating_sub(work_time());
        let all_gone =
            self.shared.changed.wait_timeout_while(connections, left(), |them| !them.is_empty());
        drop(all_gone);
        // A thread that has left the list releases the store a moment later. Until then it could
        // not be reopened.
        while Arc::strong_count(&self.shared) > 1 && !left().is_zero() {
            thread::sleep(LAST_LOOK);
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the URI: it holds the password.
        write!(f, "Listener({:?})", self.at)
    }
}

impl ListenerState {
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Bytes and messages, for `serverStatus`.
    pub fn metrics(&self) -> &NetworkCounts {
        &self.context.metrics.network
    }

    /// Holds a connection back for a while; its end and stopping end that early.
    pub fn pause_of(&self, connection: i32, time: Duration) {
        self.pause_while(time, |them| them.contains_key(&connection));
    }

    /// Waits for a while; stopping ends it early.
    fn pause(&self, time: Duration) {
        self.pause_while(time, |_| true);
    }

    fn pause_while(&self, time: Duration, continues: impl Fn(&Connections) -> bool) {
        if !time.is_zero() {
            let continues = |them: &mut Connections| !self.is_stopping() && continues(them);
            drop(self.changed.wait_timeout_while(self.lock(), time, continues));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn accept(shared: &Arc<ListenerState>, socket: &ListenSocket) {
    while !shared.is_stopping() {
        match socket.accept() {
            Ok((stream, address)) if !shared.is_stopping() => {
                let tell = |message| shared.context.reaper.hub().thread_failed(ACCEPTING, message);
                // The pause keeps a panic at each connection from using all of a core.
                if supervised(tell, || take(shared, stream, address)).is_none() {
                    shared.pause(FAILURE_PAUSE);
                }
            }
            // A connection that fails before `accept` must not stop the listener.
            Ok(_) => {}
            // An error such as too many open files stays for a while, and so retrying at once would
            // use a core.
            Err(_) => shared.pause(Duration::from_millis(10)),
        }
    }
}

/// Starts a thread for the connection, if there is room.
fn take(shared: &Arc<ListenerState>, stream: Stream, address: String) {
    // After two billion connections the numbers would turn negative, and 0 means no connection.
    let id = shared.last_id.fetch_add(1, Ordering::Relaxed).wrapping_add(1).max(1);
    let client = Client::of_connection(id, address);
    let connection = Arc::new(Connection::new(client, shared.context.now_ms(), stream));
    let counts = &shared.context.metrics.connections;
    {
        let mut connections = shared.lock();
        if shared.credentials.is_some() {
            // Without this, clients that never log in could take all connections.
            end_stranger(shared, &mut connections);
        }
        if connections.len() >= shared.limits.connections_max {
            drop(connections);
            shared.refused.fetch_add(1, Ordering::Relaxed);
            counts.rejected.add(1);
            refuse(shared, connection);
            return;
        }
        connections.insert(id, Arc::clone(&connection));
    }
    counts.total_created.add(1);
    counts.current.add(1);
    let spawned = {
        let shared = Arc::clone(shared);
        thread::Builder::new().name(format!("wire conn{id}")).spawn(move || {
            // Commands catch their own panics; one that is left ends this connection alone.
            let tell = |message| shared.context.reaper.hub().thread_failed(LISTENER, message);
            let _ = supervised(tell, || connection.serve(&shared));
            forget(&shared, id);
        })
    };
    // The system refused the thread, so the connection must not stay in the list.
    if spawned.is_err() {
        forget(shared, id);
    }
}

/// Answers the first message of a connection with an error.
fn refuse(shared: &Arc<ListenerState>, connection: Arc<Connection>) {
    // Refusals are bounded as well, because each takes a thread that waits for a first message.
    if shared.refusing.fetch_add(1, Ordering::Relaxed) >= WIRE_REFUSALS_MAX {
        shared.refusing.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    let answering = Arc::clone(shared);
    // On a thread, because the first message may never come.
    let spawned = thread::Builder::new().name("wire refusal".to_owned()).spawn(move || {
        let tell = |message| answering.context.reaper.hub().thread_failed(LISTENER, message);
        let _ = supervised(tell, || connection.refuse(&answering));
        answering.refusing.fetch_sub(1, Ordering::Relaxed);
    });
    if spawned.is_err() {
        shared.refusing.fetch_sub(1, Ordering::Relaxed);
    }
}

/// If as many connections as may have not logged in, ends the one that has been silent for longest.
fn end_stranger(shared: &ListenerState, connections: &mut Connections) {
    // Only clients without a login count, so that no one who is logged in is ended for a stranger.
    let strangers = || connections.iter().filter(|(_, other)| other.client.user().is_none());
    if strangers().count() < shared.limits.strangers_max() {
        return;
    }
    let silent = strangers().min_by_key(|(_, other)| other.last_active()).map(|(id, _)| *id);
    // The newcomer has not logged in either, but may be about to.
    if let Some(connection) = silent.and_then(|id| connections.remove(&id)) {
        connection.close();
        shared.context.metrics.connections.current.subtract_one();
        // It may be held back because of a failed login.
        shared.changed.notify_all();
    }
}

fn forget(shared: &ListenerState, id: i32) {
    if let Some(connection) = shared.lock().remove(&id) {
        connection.close();
        shared.context.metrics.connections.current.subtract_one();
    }
    shared.changed.notify_all();
}

fn connected(connection: &Connection) -> ConnectedClient {
    let client = &connection.client;
    let metadata = client.metadata().unwrap_or_default();
    let text = |section: &str, field: &str| {
        let section: Option<&Document> = metadata.get_document(section).ok();
        section.and_then(|section| section.get_str(field).ok()).unwrap_or_default().to_owned()
    };
    let driver = format!("{} {}", text("driver", "name"), text("driver", "version"));
    ConnectedClient {
        id: client.connection_id,
        address: client.address.clone(),
        application: text("application", "name"),
        driver: driver.trim().to_owned(),
        user: client.user().unwrap_or_default(),
        since_ms: connection.since_ms,
        commands: connection.commands.load(Ordering::Relaxed),
    }
}
