//! The bounds of a listener in one value, so that tests can make them short.

use std::time::Duration;

use crate::limits::{
    COMMAND_BYTES_MAX, WIRE_BODY_BYTES_PER_SEC_MIN, WIRE_BODY_MAX, WIRE_CONNECTIONS_MAX,
    WIRE_HEADER_MAX, WIRE_IDLE_MAX, WIRE_IN_FLIGHT_BYTES_MAX, WIRE_LOGIN_BYTES_MAX, WIRE_LOGIN_MAX,
    WIRE_WRITE_MAX,
};

/// The bounds of a listener; the defaults are those of `crate::limits`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireLimits {
    /// Connections at once.
    pub connections_max: usize,
    /// Bytes of one message.
    pub message_bytes_max: usize,
    /// Bytes of one message before login.
    pub login_bytes_max: usize,
    /// Bytes of all large messages that are on their way.
    pub in_flight_bytes_max: usize,
    /// Time without a byte.
    pub idle: Duration,
    /// Time for a header once it has begun.
    pub header: Duration,
    /// Time for a body that is slower than the slowest rate.
    pub body: Duration,
    /// The slowest rate of a body, in bytes a second.
    pub body_bytes_per_sec_min: u64,
    /// Time until a connection has logged in or asked something that needs no login.
    pub login: Duration,
    /// Time for a client to take a reply.
    pub write: Duration,
}

impl WireLimits {
    /// Connections at once that have not logged in. Drivers watch a server over such connections as
    /// long as they run, and those must leave room for the others.
    pub fn strangers_max(&self) -> usize {
        (self.connections_max / 2).max(1)
    }
}

impl Default for WireLimits {
    fn default() -> Self {
        Self {
            connections_max: WIRE_CONNECTIONS_MAX,
            message_bytes_max: COMMAND_BYTES_MAX,
            login_bytes_max: WIRE_LOGIN_BYTES_MAX,
            in_flight_bytes_max: WIRE_IN_FLIGHT_BYTES_MAX,
            idle: WIRE_IDLE_MAX,
            header: WIRE_HEADER_MAX,
            body: WIRE_BODY_MAX,
            body_bytes_per_sec_min: WIRE_BODY_BYTES_PER_SEC_MIN,
            login: WIRE_LOGIN_MAX,
            write: WIRE_WRITE_MAX,
        }
    }
}
