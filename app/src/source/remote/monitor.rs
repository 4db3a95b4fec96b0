//! The TTL monitor of a server, as far as the server describes it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bson::doc;
use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_engine::value::whole;

use super::asking::Asking;

/// How long an answer is believed.
const BELIEVED: Duration = Duration::from_mins(5);

/// How long the monitor sleeps, and when the server said so.
#[derive(Default)]
pub(super) struct Monitor(Mutex<Option<(Duration, Option<i64>)>>);

impl Monitor {
    /// Seconds between two passes; `None`: the server doesn't tell. What counts is whether the field
    /// came back: a server may answer `ok: 1` to everything.
    pub fn sleep_secs(&self, asking: &Asking<'_>) -> Option<i64> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = SystemClock.monotonic();
        if let Some((at, secs)) = *known
            && now.saturating_sub(at) < BELIEVED
        {
            return secs;
        }
        let ask = doc! { "getParameter": 1, "ttlMonitorSleepSecs": 1, "ttlMonitorEnabled": 1 };
        let reply = asking.run_on("admin", ask);
        let is_on = reply.get_bool("ttlMonitorEnabled").unwrap_or(true);
        let secs = reply.get("ttlMonitorSleepSecs").and_then(whole).filter(|_| is_on);
        *known = Some((now, secs));
        secs
    }
}
