//! The next pass, and the fate of overdue documents until then.

use mayfly_engine::limits::{BACKGROUND_DELETE_SECS_MAX, BACKGROUND_DELETE_SECS_MIN};

use crate::state::expiry::{Lane, Phase};
use crate::state::maintenance::Takes;
use crate::state::monitor::NextPass;
use crate::state::{State, Tab, Zone, duration};

pub(super) fn pass_times(state: &State, tab: &Tab) -> PassTimes {
    let reaper = &state.reaper;
    let micros = reaper.last_pass().map_or(0, |pass| pass.duration_micros);
    let server = next_pass(state);
    let sleep_secs = i64::try_from(reaper.sleep_secs).unwrap_or(i64::MAX / 1_000);
    let next_pass_ms = match server {
        Some(NextPass::Known { at_ms, .. } | NextPass::Minutely { at_ms, .. }) => Some(at_ms),
        Some(_) => None,
        None => reaper.next_pass_ms,
    };
    PassTimes {
        removals: removals(state, tab),
        zone: state.clock.zone(),
        at_threshold: reaper.at_threshold,
        next_pass_ms,
        sleep_ms: server.and_then(NextPass::sleep_ms).unwrap_or(sleep_secs.saturating_mul(1_000)),
        server,
        hides: state.tree.hides_expired(&tab.namespace.db),
        in_background: state.tree.removes_in_background(&tab.namespace.db),
        known_ms: known_ms(state),
        pass_ms: i64::try_from(micros.div_ceil(1_000_000) * 1_000).unwrap_or(0),
    }
}

/// The next pass of the server that is shown. `None` if the store isn't a server.
pub(in crate::panels) fn next_pass(state: &State) -> Option<NextPass> {
    let connection = state.store.connection.as_ref()?;
    Some(connection.monitor.next_pass(state.now_ms()))
}

/// When the server that is shown answered last, in milliseconds since 1970, if it does not answer now.
pub(super) fn silent_since_ms(state: &State) -> Option<i64> {
    state.store.connection.as_ref()?.silent_since_ms()
}

/// Up to when it is known what is there, in milliseconds since 1970.
pub(super) fn known_ms(state: &State) -> i64 {
    let shown_ms = state.clock.shown_ms();
    // Overdue documents of a server that does not answer may be gone by now.
    silent_since_ms(state).map_or(shown_ms, |since_ms| since_ms.min(shown_ms))
}

/// The fate of overdue documents of this tab's collection.
pub(in crate::panels) fn removals(state: &State, tab: &Tab) -> Removals {
    let takes = state.maintenance.status.as_ref().map(|status| status.takes);
    let held = state.reaper.held.as_ref();
    match takes {
        _ if next_pass(state) == Some(NextPass::Off) => Removals::ServerOff,
        _ if silent_since_ms(state).is_some() => Removals::Silent,
        _ if state.store.connection.is_some() => Removals::Server,
        Some(Takes::Reads | Takes::ReadsUntilChecked | Takes::ReadsDetached) => Removals::ReadOnly,
        _ if !state.reaper.enabled => Removals::Off,
        _ if held.is_some_and(|held| held.holds(&tab.namespace)) => Removals::Held,
        _ => Removals::Go,
    }
}

/// How late a removal was, in short: `9.3 s lag`.
pub(super) fn lateness(late_ms: i64) -> String {
    format!("{} lag", duration::span(late_ms.max(0)))
}

/// The fate of overdue documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removals {
    /// A pass removes it.
    Go,
    /// It is on hold until the user releases it.
    Held,
    /// The reaper is off.
    Off,
    /// The store takes no changes.
    ReadOnly,
    /// The monitor of a server removes it.
    Server,
    /// The monitor of a server removes it; the server does not answer now.
    Silent,
    /// The monitor of a server is off.
    ServerOff,
}

/// When passes come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PassTimes {
    pub removals: Removals,
    pub zone: Zone,
    pub at_threshold: bool,
    pub next_pass_ms: Option<i64>,
    pub sleep_ms: i64,
    /// How long the last pass took, rounded up to a second.
    pub pass_ms: i64,
    /// The next pass of a server. `None` if the store isn't a server.
    pub server: Option<NextPass>,
    /// Whether reads hide what is past a threshold that is counted from the last modification.
    pub hides: bool,
    /// Whether removals come later than the first pass, as the engine chose for Cosmos DB's rules.
    pub in_background: bool,
    /// Up to when it is known which documents are there, in milliseconds since 1970.
    pub known_ms: i64,
}

impl PassTimes {
    /// Whether the document is still stored and no read returns it.
    pub(super) fn is_hidden(&self, lane: &Lane, now_ms: i64) -> bool {
        self.hides && lane.is_on_modification() && lane.phase(now_ms) == Phase::Overdue
    }

    /// How late a removal was, and up to what that is normal.
    pub(super) fn lateness(&self, late_ms: i64, after: &str) -> String {
        let late = duration::span(late_ms.max(0));
        if self.at_threshold {
            return format!("{late} after {after}");
        }
        if self.in_background && !self.is_late(late_ms) {
            let normal = duration::span(self.allowed_ms());
            return format!("{late} after {after} (normal: up to {normal})");
        }
        let period = duration::span(self.sleep_ms);
        if self.is_late(late_ms) {
            return format!("{late} after {after}, longer than the {period} between passes");
        }
        let pass = if late_ms > self.sleep_ms { " and the pass itself" } else { "" };
        format!("{late} after {after} (normal: up to {period}{pass})")
    }

    /// Whether a removal was later than one period and the pass itself explain.
    pub(super) fn is_late(&self, late_ms: i64) -> bool {
        late_ms > self.allowed_ms()
    }

    /// The longest lag that the time between passes explains, in milliseconds.
    pub(super) fn allowed_ms(&self) -> i64 {
        self.sleep_ms.saturating_add(self.pass_ms).saturating_add(self.delays_ms().1)
    }

    /// How long after a threshold passes leave its document alone, at least and at most, in milliseconds.
    pub(super) fn delays_ms(&self) -> (i64, i64) {
        if self.in_background {
            (BACKGROUND_DELETE_SECS_MIN * 1_000, BACKGROUND_DELETE_SECS_MAX * 1_000)
        } else {
            (0, 0)
        }
    }
}
