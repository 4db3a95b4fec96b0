//! The TTL monitor of a server, as far as the server describes it.

use std::time::Duration;

use bson::doc;
use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_engine::value::whole;

use super::asking::Asking;
use super::known::Monitor;
use crate::job::PassJob;

/// How long an answer is believed.
const BELIEVED: Duration = Duration::from_mins(5);

impl Monitor {
    /// Seconds between two passes. `None` if the server doesn't report them.
    pub fn sleep_secs(&self, asking: &Asking<'_>) -> Option<i64> {
        if self.job.is_some() {
            return Some(PassJob::EVERY_SECS);
        }
        let now = SystemClock.monotonic();
        // Not locked while the server is asked: it may take long, and others could not stop waiting.
        let known = *self.lock();
        if let Some((at, secs)) = known
            && now.saturating_sub(at) < BELIEVED
        {
            return secs;
        }
        let ask = doc! { "getParameter": 1, "ttlMonitorSleepSecs": 1, "ttlMonitorEnabled": 1 };
        let reply = asking.run_on("admin", ask);
        let is_on = reply.get_bool("ttlMonitorEnabled").unwrap_or(true);
        // The field counts, because a server may answer `ok: 1` to everything.
        let secs = reply.get("ttlMonitorSleepSecs").and_then(whole).filter(|_| is_on);
        // An answer without a value is believed as long, or each page would ask again.
        *self.lock() = Some((now, secs));
        secs
    }
}
