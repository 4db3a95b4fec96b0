//! Cursors that end without use.

use std::collections::HashMap;

/// How long a cursor lives without use, in milliseconds of the server's clock.
const IDLE_MS: i64 = 75_000;

/// When each open cursor was last used.
#[derive(Default)]
pub struct Cursors(HashMap<i64, i64>);

impl Cursors {
    /// Notes that a cursor was used.
    pub fn used(&mut self, id: i64, now_ms: i64) {
        self.0.insert(id, now_ms);
    }

    /// Whether a cursor was idle for too long.
    pub fn is_gone(&self, id: i64, now_ms: i64) -> bool {
        self.0.get(&id).is_some_and(|used_ms| now_ms.saturating_sub(*used_ms) >= IDLE_MS)
    }
}
