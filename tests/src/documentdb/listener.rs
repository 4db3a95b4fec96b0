//! The port of a server: one thread for each connection.

use std::{
    io::{Read, Result, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
};

use bson::{RawDocument, RawDocumentBuf};
use mayfly_engine::wire::{
    frame::{HEADER_BYTES, Header, OP_MSG, ReplyIds},
    message,
};

/// Bytes of the largest message that is taken.
const MESSAGE_BYTES_MAX: usize = 48_000_000;

/// The reply to a command on a database.
type Answer = dyn Fn(&str, &RawDocument) -> RawDocumentBuf + Send + Sync;

/// A port, and whether it is served.
pub struct Listener {
    port: u16,
    shared: Arc<Shared>,
    accepting: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    answer: Box<Answer>,
    state: Mutex<State>,
    resumed: Condvar,
}

#[derive(Default)]
struct State {
    is_silent: bool,
    is_stopped: bool,
    streams: Vec<TcpStream>,
    /// Connections whose thread has not ended.
    served: usize,
}

impl Listener {
    /// Serves a free port.
    pub fn start(
        answer: impl Fn(&str, &RawDocument) -> RawDocumentBuf + Send + Sync + 'static,
    ) -> Self {
        let shared =
            Shared { answer: Box::new(answer), state: Mutex::default(), resumed: Condvar::new() };
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = socket.local_addr().expect("an address").port();
        let listener = Self { port, shared: Arc::new(shared), accepting: Mutex::default() };
        listener.accept(socket);
        listener
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn silence(&self) {
        self.shared.lock().is_silent = true;
    }

    pub fn resume(&self) {
        self.shared.lock().is_silent = false;
        self.shared.resumed.notify_all();
    }

    pub fn stop(&self) {
        let mut state = self.shared.lock();
        state.is_stopped = true;
        for stream in state.streams.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
        drop(state);
        self.shared.resumed.notify_all();
        // The thread that accepts looks again, and ends with its socket.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        let accepting = self.accepting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(accepting) = accepting {
            let _ = accepting.join();
        }
        // A command that was under way must not reach the server after its restart.
        drop(self.shared.resumed.wait_while(self.shared.lock(), |state| state.served > 0));
    }

    pub fn restart(&self) {
        self.stop();
        *self.shared.lock() = State::default();
        self.accept(TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).expect("the same port"));
    }

    fn accept(&self, socket: TcpListener) {
        let shared = Arc::clone(&self.shared);
        let accept = move || {
            for stream in socket.incoming().flatten() {
                if shared.lock().is_stopped {
                    return;
                }
                let served = Served::of(&shared);
                let serve = move || {
                    let _ = served.0.serve(&stream);
                    // A copy of it waits for the end of the server.
                    let _ = stream.shutdown(Shutdown::Both);
                };
                // A connection without a thread ends at once.
                let _ = thread::Builder::new().name("documentdb".to_owned()).spawn(serve);
            }
        };
        let thread = thread::Builder::new().name("documentdb".to_owned());
        let accepting = thread.spawn(accept).expect("a thread");
        *self.accepting.lock().unwrap_or_else(PoisonError::into_inner) = Some(accepting);
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A connection, counted until its thread ends.
struct Served(Arc<Shared>);

impl Served {
    fn of(shared: &Arc<Shared>) -> Self {
        shared.lock().served += 1;
        Self(Arc::clone(shared))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.0.lock().served -= 1;
        self.0.resumed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers the commands of a connection until it ends.
    fn serve(&self, mut stream: &TcpStream) -> Result<()> {
        let mut state = self.lock();
        if state.is_stopped {
            return Ok(());
        }
        state.streams.push(stream.try_clone()?);
        drop(state);
        loop {
            let mut head = [0; HEADER_BYTES];
            stream.read_exact(&mut head)?;
            let Some(header) = Header::read(&head, MESSAGE_BYTES_MAX) else { return Ok(()) };
            let mut frame = head.to_vec();
            frame.resize(HEADER_BYTES + header.body_bytes, 0);
            stream.read_exact(&mut frame[HEADER_BYTES..])?;
            let is_msg = header.opcode == OP_MSG;
            let read = if is_msg { message::read_msg(&frame) } else { message::read_query(&frame) };
            let Ok(read) = read else { return Ok(()) };
            let state =
                self.resumed.wait_while(self.lock(), |state| state.is_silent && !state.is_stopped);
            if state.unwrap_or_else(PoisonError::into_inner).is_stopped {
                return Ok(());
            }
            let reply = (self.answer)(&read.db, &read.command);
            if !read.wants_reply {
                continue;
            }
            let ids = ReplyIds { own: 1, response_to: header.request_id };
            let mut out = Vec::new();
            if is_msg {
                message::write_msg(&mut out, ids, &reply, false);
            } else {
                message::write_reply(&mut out, ids, &reply);
            }
            stream.write_all(&out)?;
        }
    }
}
