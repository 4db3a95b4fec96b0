//! One connection: request after request until it ends.

use std::{
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bson::{RawDocumentBuf, raw::RawDocument};

use super::{
    auth::Login,
    client_limit::ClientLimit,
    exhaust::open_cursor,
    frame::{Header, OP_MSG, ReplyIds},
    incoming::{ConnectionEnd, Incoming},
    listener::ListenerState,
    message::{self, Message, MessageRefusal},
    stream::Stream,
};
use crate::{
    clock::work_time,
    command::{self, Client, CommandError, core::Code},
    interrupt::run_within,
    limits::{WIRE_KEPT_BYTES_MAX, WIRE_REFUSAL_WAIT},
};

/// One connection as the listener knows it.
pub struct Connection {
    pub client: Client,
    /// When it came, in milliseconds since 1970.
    pub since_ms: i64,
    pub commands: AtomicU64,
    /// When it came or last sent a whole message, in microseconds of [`work_time`].
    active_us: AtomicU64,
    stream: Stream,
}

impl Connection {
    /// A connection that was just taken.
    pub fn new(client: Client, since_ms: i64, stream: Stream) -> Self {
        let active_us = AtomicU64::new(now_us());
        Self { client, since_ms, commands: AtomicU64::new(0), active_us, stream }
    }

    /// When it came or last sent a whole message; only good for comparing.
    pub fn last_active(&self) -> u64 {
        self.active_us.load(Ordering::Relaxed)
    }

    /// Whether the client has closed it. Doesn't wait and reads nothing.
    pub fn is_client_gone(&self) -> bool {
        self.stream.is_closed()
    }

    /// Ends it, whatever it waits for.
    pub fn close(&self) {
        // It may be closed already.
        let _ = self.stream.shutdown();
    }

    /// Serves it until it ends.
    pub fn serve(self: &Arc<Self>, shared: &Arc<ListenerState>) {
        let mut session = Session::new(shared, self);
        // The end is what was waited for; how it came does not matter to anybody.
        let _ = session.run();
        self.close();
    }

    /// Answers the first message with an error and ends. A client that finds its socket closed would only know
    /// that something went wrong.
    pub fn refuse(self: &Arc<Self>, shared: &Arc<ListenerState>) {
        let _ = Session::new(shared, self).refuse();
        self.close();
    }
}

struct Session<'c> {
    shared: &'c Arc<ListenerState>,
    connection: &'c Arc<Connection>,
    login: Login,
    login_until: Duration,
    out: Vec<u8>,
    /// The number of the last reply.
    last_id: i32,
}

impl<'c> Session<'c> {
    fn new(shared: &'c Arc<ListenerState>, connection: &'c Arc<Connection>) -> Self {
        Self {
            shared,
            connection,
            login: Login::new(shared.credentials.clone()),
            login_until: work_time().saturating_add(shared.limits.login),
            out: Vec::new(),
            last_id: 0,
        }
    }

    fn refuse(&mut self) -> Result<(), ConnectionEnd> {
        let (stream, limits) = (&self.connection.stream, &self.shared.limits);
        // The client sends first, and understands an error only as the answer to a request.
        stream.prepare(WIRE_REFUSAL_WAIT)?;
        let mut incoming = Incoming::new(stream, &self.shared.in_flight);
        let until = work_time().saturating_add(WIRE_REFUSAL_WAIT);
        let header = incoming.next(limits, limits.login_bytes_max, Some(until))?;
        let error = CommandError::new(
            Code::OPERATION_FAILED,
            format!(
                "too many connections: {} are open, which is the limit; close some, or start Mayfly \
                 with a higher limit of open files (ulimit -n)",
                limits.connections_max
            ),
        );
        self.send(&header, &error_reply(&error))
    }

    fn run(&mut self) -> Result<(), ConnectionEnd> {
        let stream = &self.connection.stream;
        stream.prepare(self.shared.limits.write)?;
        let mut incoming = Incoming::new(stream, &self.shared.in_flight);
        while !self.shared.is_stopping() {
            let limits = &self.shared.limits;
            // Before the login a client gets little memory and little time, since it may be anyone.
            let (bytes_max, until) = if self.login.is_open() {
                (limits.message_bytes_max, None)
            } else {
                (limits.login_bytes_max, Some(self.login_until))
            };
            let header = incoming.next(limits, bytes_max, until)?;
            self.connection.active_us.store(now_us(), Ordering::Relaxed);
            // The message was read to its end and dropped, so the next one begins at the right
            // place.
            if incoming.is_dropped() {
                self.refuse_large(&header, incoming.frame(&header))?;
            } else {
                self.answer(&header, incoming.frame(&header))?;
            }
            incoming.consume(&header);
        }
        Ok(())
    }

    /// Answers a message for which there was no room next to those of other connections.
    fn refuse_large(&mut self, header: &Header, begin: &[u8]) -> Result<(), ConnectionEnd> {
        if header.opcode == OP_MSG && message::expects_no_reply(begin) {
            return Ok(());
        }
        let error = CommandError::new(
            Code::EXCEEDED_MEMORY_LIMIT,
            format!(
                "this message of {} bytes wasn't run: all clients together may be sending at most {} \
                 bytes; send it again, or in smaller batches",
                header.body_bytes, self.shared.limits.in_flight_bytes_max
            ),
        );
        self.send(header, &error_reply(&error))
    }

    /// Runs the command of a frame and sends the reply, if one is wanted.
    fn answer(&mut self, header: &Header, frame: &[u8]) -> Result<(), ConnectionEnd> {
        self.shared.metrics().requests.add(1);
        self.shared.metrics().bytes_in.add(frame.len() as u64);
        let is_msg = header.opcode == OP_MSG;
        let message = if is_msg { message::read_msg(frame) } else { message::read_query(frame) };
        match message {
            Ok(message) if message.allows_exhaust => self.stream(header, &message),
            Ok(message) => {
                let reply = self.reply(&message);
                if message.wants_reply { self.send(header, &reply) } else { Ok(()) }
            }
            // Who expects no reply would take the error for the answer to the next request.
            Err(MessageRefusal::Error(_)) if is_msg && message::expects_no_reply(frame) => Ok(()),
            Err(MessageRefusal::Error(error)) => self.send(header, &error_reply(&error)),
            Err(MessageRefusal::Close) => Err(ConnectionEnd::Refused),
        }
    }

    fn send(&mut self, header: &Header, reply: &RawDocument) -> Result<(), ConnectionEnd> {
        let ids = self.next_ids(header.request_id);
        if header.opcode == OP_MSG {
            message::write_msg(&mut self.out, ids, reply, false);
        } else {
            message::write_reply(&mut self.out, ids, reply);
        }
        self.write()
    }

    /// Answers a request whose client allows several replies. A `getMore` runs again after each
    /// batch while its cursor is open, and each reply answers the one before it (MongoDB's
    /// `makeExhaustMessage`). All else is answered once, as the protocol permits.
    fn stream(&mut self, header: &Header, message: &Message<'_>) -> Result<(), ConnectionEnd> {
        let mut response_to = header.request_id;
        loop {
            let reply = self.reply(message);
            // Stopping ends a stream after the batch that is being sent.
            let open = if self.shared.is_stopping() {
                None
            } else {
                open_cursor(message.command.as_ref(), &reply)
            };
            let ids = self.next_ids(response_to);
            message::write_msg(&mut self.out, ids, &reply, open.is_some());
            let sent = self.write();
            let Some(cursor) = open else { return sent };
            if sent.is_err() {
                // Like MongoDB: the client is gone, and only it knew the cursor.
                self.shared.context.cursors.kill(cursor);
                return sent;
            }
            self.connection.active_us.store(now_us(), Ordering::Relaxed);
            response_to = ids.own;
        }
    }

    fn next_ids(&mut self, response_to: i32) -> ReplyIds {
        self.last_id = self.last_id.checked_add(1).unwrap_or(1);
        ReplyIds { own: self.last_id, response_to }
    }

    fn write(&mut self) -> Result<(), ConnectionEnd> {
        let pause = self.login.take_pause();
        // The pause comes after the answer is known, so failed logins are slowed without holding
        // any lock.
        self.shared.pause_of(self.connection.client.connection_id, pause);
        (&mut &self.connection.stream).write_all(&self.out)?;
        self.shared.metrics().bytes_out.add(self.out.len() as u64);
        give_back(&mut self.out);
        Ok(())
    }

    fn reply(&mut self, message: &Message<'_>) -> RawDocumentBuf {
        let (db, command, met) = (message.db.as_ref(), message.command.as_ref(), message.met);
        let name = match command.iter().next() {
            Some(Ok((name, _))) => name.as_str(),
            _ => "",
        };
        if !self.login.allows(name) {
            return Login::refusal(name);
        }
        self.connection.commands.fetch_add(1, Ordering::Relaxed);
        self.shared.commands.fetch_add(1, Ordering::Relaxed);
        let client = &self.connection.client;
        let was_open = self.login.is_open();
        if let Some(reply) = self.login.handle(db, command, client) {
            if was_open && !self.login.is_open() {
                // Who has logged out has as long as a newcomer.
                self.login_until = work_time().saturating_add(self.shared.limits.login);
            }
            return reply;
        }
        // A driver watches the server over a connection that never logs in. A login does not come
        // here, so it can't be tried for longer by trying it again.
        self.login_until = work_time().saturating_add(self.shared.limits.idle);
        let _active = self.shared.context.metrics.connections.active.raised();
        let limit = ClientLimit::of(name, self.connection);
        let run = || command::run_scanned(&self.shared.context, client, db, command, met);
        let mut reply = run_within(limit, run);
        if name == "hello" || name.eq_ignore_ascii_case("ismaster") {
            self.login.extend_hello(command, &mut reply);
        }
        reply
    }
}

/// Shrinks the buffer after a large reply: connections live long, and there are many.
fn give_back(out: &mut Vec<u8>) {
    if out.capacity() > WIRE_KEPT_BYTES_MAX {
        *out = Vec::new();
    }
}

fn now_us() -> u64 {
    u64::try_from(work_time().as_micros()).unwrap_or(u64::MAX)
}

fn error_reply(error: &CommandError) -> RawDocumentBuf {
    command::raw(&error.to_document()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_room_of_small_replies_is_kept() {
        let mut out = Vec::with_capacity(WIRE_KEPT_BYTES_MAX);
        give_back(&mut out);
        assert!(out.capacity() >= WIRE_KEPT_BYTES_MAX);
        out.reserve_exact(WIRE_KEPT_BYTES_MAX + 1);
        give_back(&mut out);
        assert_eq!(out.capacity(), 0);
    }
}
