//! A proxy to a server that can be cut. Clients then see the server fail, while it is unharmed.

use std::{
    io,
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
};

/// A port that forwards to a server on this machine until it is cut.
pub struct Gateway {
    port: u16,
    state: Arc<Mutex<State>>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    is_cut: bool,
    has_ended: bool,
    /// Both ends of every connection so far.
    streams: Vec<TcpStream>,
}

impl Gateway {
    /// A proxy to the server at this port.
    ///
    /// # Errors
    /// When the system gives no port or no thread.
    pub fn to(server: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let state = Arc::<Mutex<State>>::default();
        let of_thread = Arc::clone(&state);
        let accept = move || {
            for stream in listener.incoming() {
                if lock(&of_thread).has_ended {
                    return;
                }
                // A connection that can't be forwarded ends at once.
                let _ = stream.and_then(|stream| connect(&of_thread, stream, server));
            }
        };
        let accepting = Some(thread::Builder::new().name("gateway".to_owned()).spawn(accept)?);
        Ok(Self { port, state, accepting })
    }

    /// The port to connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends all connections, and each new one at once.
    pub fn cut(&self) {
        lock(&self.state).cut();
    }

    /// Forwards new connections again.
    pub fn mend(&self) {
        lock(&self.state).is_cut = false;
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        state.has_ended = true;
        state.cut();
        drop(state);
        // Wakes the accepting thread.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

impl State {
    fn cut(&mut self) {
        self.is_cut = true;
        for stream in self.streams.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Forwards bytes in both directions until one end closes.
fn connect(state: &Mutex<State>, client: TcpStream, port: u16) -> io::Result<()> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    let mut state = lock(state);
    if state.is_cut {
        return Ok(());
    }
    state.streams.extend([client.try_clone()?, server.try_clone()?]);
    drop(state);
    pump(client.try_clone()?, server.try_clone()?)?;
    pump(server, client)
}

fn pump(mut from: TcpStream, mut to: TcpStream) -> io::Result<()> {
    let work = move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    };
    thread::Builder::new().name("gateway pump".to_owned()).spawn(work).map(drop)
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
