//! Bytes that come in from one connection, with a bound on their number and on the time they take.

use std::{
    io::{self, ErrorKind, Read},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use super::{
    frame::{self, HEADER_BYTES, Header, LENGTH_BYTES},
    limits::WireLimits,
    stream::Stream,
};
use crate::{
    clock::work_time,
    limits::{WIRE_BUFFER_BYTES, WIRE_KEPT_BYTES_MAX},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionEnd {
    /// The client closed it, or the system did.
    Closed,
    /// It was too slow, too large, or spoke something else.
    Refused,
}

impl From<io::Error> for ConnectionEnd {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Self::Refused,
            _ => Self::Closed,
        }
    }
}

/// The bytes of one connection that came in and are not yet used up.
pub struct Incoming<'s> {
    stream: &'s Stream,
    buffer: Vec<u8>,
    filled: usize,
    timeout: Option<Duration>,
    in_flight: &'s AtomicUsize,
    counted: usize,
    /// The frame was too much next to those of the other connections: only its beginning was kept.
    is_dropped: bool,
}

/// Bytes kept of a frame that is dropped: its header and its flags.
const DROPPED_BYTES: usize = HEADER_BYTES + 4;

impl<'s> Incoming<'s> {
    /// A connection that has sent nothing yet.
    pub fn new(stream: &'s Stream, in_flight: &'s AtomicUsize) -> Self {
        let buffer = vec![0; WIRE_BUFFER_BYTES];
        Self { stream, buffer, filled: 0, timeout: None, in_flight, counted: 0, is_dropped: false }
    }

    /// Waits for a whole frame; `bytes_max` bounds it. `until` ends the wait whatever comes.
    ///
    /// # Errors
    /// [`ConnectionEnd`] when there is none.
    pub fn next(
        &mut self,
        limits: &WireLimits,
        bytes_max: usize,
        until: Option<Duration>,
    ) -> Result<Header, ConnectionEnd> {
        let idle_until = work_time().saturating_add(limits.idle);
        if self.filled == 0 {
            self.fill(1, until.unwrap_or(idle_until).min(idle_until))?;
        }
        let header_until = work_time().saturating_add(limits.header);
        let header_until = until.unwrap_or(header_until).min(header_until);
        self.fill(LENGTH_BYTES, header_until)?;
        let length = self.buffer.first_chunk::<LENGTH_BYTES>();
        if !length.is_some_and(|bytes| frame::is_length(*bytes, bytes_max)) {
            return Err(ConnectionEnd::Refused);
        }
        self.fill(HEADER_BYTES, header_until)?;
        let header = self.buffer.first_chunk::<HEADER_BYTES>();
        let header = header
            .and_then(|bytes| Header::read(bytes, bytes_max))
            .ok_or(ConnectionEnd::Refused)?;
        self.body(HEADER_BYTES.saturating_add(header.body_bytes), limits, until)?;
        Ok(header)
    }

    /// The frame that [`Incoming::next`] waited for.
    pub fn frame(&self, header: &Header) -> &[u8] {
        let bytes = HEADER_BYTES.saturating_add(header.body_bytes).min(self.filled);
        self.buffer.get(..bytes).unwrap_or_default()
    }

    /// Whether the frame is only a beginning: all connections' large messages together had no room for it.
    pub fn is_dropped(&self) -> bool {
        self.is_dropped
    }

    /// Gives the frame up. Bytes of the next one stay.
    pub fn consume(&mut self, header: &Header) {
        if std::mem::take(&mut self.is_dropped) {
            self.filled = 0;
            self.buffer.resize(WIRE_BUFFER_BYTES, 0);
        }
        let bytes = HEADER_BYTES.saturating_add(header.body_bytes).min(self.filled);
        self.buffer.copy_within(bytes..self.filled, 0);
        self.filled = self.filled.saturating_sub(bytes);
        if self.buffer.len() > WIRE_KEPT_BYTES_MAX && self.filled <= WIRE_BUFFER_BYTES {
            self.buffer.truncate(WIRE_BUFFER_BYTES);
            self.buffer.shrink_to_fit();
            self.release();
        }
    }

    /// A body may take its time as long as it keeps the slowest rate. One that finds no room is
    /// dropped.
    fn body(
        &mut self,
        needed: usize,
        limits: &WireLimits,
        until: Option<Duration>,
    ) -> Result<(), ConnectionEnd> {
        let began = work_time();
        let mut dropped = 0_usize;
        while self.filled.saturating_add(dropped) < needed {
            let received = u64::try_from(self.filled.saturating_add(dropped)).unwrap_or(u64::MAX);
            let earned = received.checked_div(limits.body_bytes_per_sec_min.max(1)).unwrap_or(0);
            let allowed = limits.body.max(Duration::from_secs(earned));
            let end = began.saturating_add(allowed);
            // The buffer follows what has come, never what was announced.
            let step = self.filled.saturating_mul(2).max(WIRE_BUFFER_BYTES).min(needed);
            self.is_dropped = self.is_dropped || !self.grow(step, limits);
            // Read to its end, because a client that is still sending does not read why its
            // connection was closed.
            if self.is_dropped {
                dropped =
                    dropped.saturating_add(self.drop_received(needed.saturating_sub(dropped)));
            }
            self.read_some(until.unwrap_or(end).min(end))?;
        }
        Ok(())
    }

    /// Keeps only the beginning of a frame of which `needed` bytes are expected, and makes room for a part of the
    /// rest. Returns how many bytes it dropped.
    fn drop_received(&mut self, needed: usize) -> usize {
        let dropped = self.filled.saturating_sub(DROPPED_BYTES);
        self.filled = self.filled.min(DROPPED_BYTES);
        self.release();
        self.buffer.resize(needed.saturating_sub(dropped).min(WIRE_BUFFER_BYTES), 0);
        self.buffer.shrink_to_fit();
        dropped
    }

    fn fill(&mut self, needed: usize, until: Duration) -> Result<(), ConnectionEnd> {
        while self.filled < needed {
            self.read_some(until)?;
        }
        Ok(())
    }

    /// False when the large messages of all connections leave no room for that.
    fn grow(&mut self, bytes: usize, limits: &WireLimits) -> bool {
        let more = bytes.saturating_sub(self.buffer.len());
        if more == 0 {
            return true;
        }
        let total = self.in_flight.fetch_add(more, Ordering::Relaxed).saturating_add(more);
        self.counted = self.counted.saturating_add(more);
        let has_room = total <= limits.in_flight_bytes_max;
        if has_room {
            self.buffer.resize(bytes, 0);
        }
        has_room
    }

    fn read_some(&mut self, until: Duration) -> Result<(), ConnectionEnd> {
        let left = until.saturating_sub(work_time());
        if left.is_zero() {
            return Err(ConnectionEnd::Refused);
        }
        // Setting the limit costs a system call, so one that is about as long stays.
        let longest = left.saturating_add(left / 8);
        if self.timeout.is_none_or(|timeout| timeout > longest || timeout < left / 2) {
            self.stream.set_read_timeout(left)?;
            self.timeout = Some(left);
        }
        let room = self.buffer.get_mut(self.filled..).unwrap_or_default();
        match (&mut &*self.stream).read(room) {
            Ok(0) => Err(ConnectionEnd::Closed),
            Ok(bytes) => {
                self.filled = self.filled.saturating_add(bytes);
                Ok(())
            }
            // The caller asks again, and finds out whether the time is over.
            Err(error) if is_early(&error) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn release(&mut self) {
        self.in_flight.fetch_sub(self.counted, Ordering::Relaxed);
        self.counted = 0;
    }
}

fn is_early(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

impl Drop for Incoming<'_> {
    fn drop(&mut self) {
        self.release();
    }
}
