//! Looks at the backlog of a server again and again: overdue documents, the earliest threshold, and the counters of
//! the monitor. The window does it once a minute while a server is attached, an audit at its beginning and end.

use bson::{Bson, DateTime, Document, doc};
use mayfly_engine::reply::{ExpiringPage, Passes};

use super::asker::{Asker, Stop};
use super::listed::Listed;
use super::{Gathering, ahead, monitor};
use crate::commands::{expiry, reaper};
use crate::inspect::audit::facts::{MonitorState, RuleKind};
use crate::inspect::audit::pace::{Pace, WhyUnknown};
use crate::inspect::audit::samples::{CollectionBacklog, Sample};
use crate::job::Namespace;
use crate::limits::AUDIT_SAMPLED_COLLECTIONS;

const DAY_MS: i64 = 86_400_000;

/// Minutes of a day.
const PASS_SPANS: i32 = 1_440;

/// A sample of these collections, and the reply with the counters. What can't be read is not in it.
pub(super) fn sample(
    asker: &Asker<'_>,
    namespaces: &[Namespace],
    has_counters: bool,
    before: Option<&Sample>,
) -> (Sample, Document) {
    let status =
        if has_counters { asker.ask("admin", &reaper::server_passes()).ok() } else { None };
    let status = status.unwrap_or_default();
    let (passes, removed) = monitor::counters(&status);
    let at_ms = asker.now_ms();
    let span_ms = (before.map(|before| before.at_ms), at_ms);
    let of = |namespace: &Namespace| backlog(asker, namespace, span_ms).ok();
    let collections = namespaces.iter().filter_map(of).collect();
    (Sample { at_ms, passes, removed, collections }, status)
}

fn backlog(
    asker: &Asker<'_>,
    namespace: &Namespace,
    (before_ms, at_ms): (Option<i64>, i64),
) -> Result<CollectionBacklog, Stop> {
    let overdue = ahead::overdue(asker, namespace, at_ms)?;
    let mut found =
        CollectionBacklog { namespace: namespace.clone(), overdue, since_ms: None, arrived: None };
    if overdue.is_zero() {
        return Ok(found);
    }
    let first = expiry::expiring(&namespace.collection, 1.into(), None);
    let page = ExpiringPage::from_document(&asker.ask(&namespace.db, &first)?);
    let row = page.and_then(|page| page.batch.into_iter().next());
    let row = row.filter(|row| row.threshold_ms <= at_ms);
    found.since_ms = row.map(|row| row.threshold_ms.max(row.removable_ms.unwrap_or(i64::MIN)));
    if let Some(before_ms) = before_ms.filter(|_| !overdue.is_exact()) {
        let arrived = ahead::between(asker, namespace, (before_ms, at_ms))?;
        found.arrived = arrived.is_exact().then(|| arrived.likely());
    }
    Ok(found)
}

/// Collections with a rule whose thresholds a server tells, the first ones if there are too many.
pub(super) fn sampled(ruled: &[Listed]) -> Vec<Namespace> {
    let is_known = |listed: &&Listed| {
        let mut rules = listed.rules.iter();
        listed.problem.is_none()
            && listed.series.is_none()
            && rules.all(|rule| rule.kind != RuleKind::LastModified)
    };
    let known = ruled.iter().filter(is_known).map(|listed| listed.namespace.clone());
    known.take(AUDIT_SAMPLED_COLLECTIONS).collect()
}

impl Gathering<'_> {
    /// Takes a sample of a server's backlog.
    pub(super) fn sample(&mut self, namespaces: &[Namespace]) {
        let is_idle = self.facts.monitor.is_idle() || namespaces.is_empty();
        if !self.asker.is_server || is_idle || self.asker.is_over() {
            return;
        }
        let (has_counters, before) =
            (self.work.subject.job_secs.is_none(), self.facts.samples.last());
        let (sample, _) = sample(&self.asker, namespaces, has_counters, before);
        let monitor = &mut self.facts.monitor;
        monitor.passes = sample.passes.or(monitor.passes);
        monitor.removed = sample.removed.or(monitor.removed);
        self.facts.samples.push(sample);
    }

    /// Takes samples until they say whether the monitor keeps up, as far as there is time.
    pub(super) fn sample_until_known(&mut self, namespaces: &[Namespace]) {
        for _ in 0..self.work.samples_max {
            self.sample(namespaces);
            let needs_more = self.facts.pace() == Some(Pace::NotKnown(WhyUnknown::TooFew));
            if !needs_more || !self.asker.waits(self.work.samples_apart) {
                return;
            }
        }
    }

    /// Reads the passes of the last day, of a store that is open.
    pub(super) fn read_history(&mut self) {
        if self.asker.is_server || self.facts.monitor.state != MonitorState::Works {
            return;
        }
        let from = DateTime::from_millis(self.facts.now_ms.saturating_sub(DAY_MS));
        let command = doc! { "mayflyPasses": 1, "from": Bson::DateTime(from), "spans": PASS_SPANS };
        let reply = self.asker.try_ask("The passes of the last day", "admin", &command);
        let passes = reply.ok().flatten().and_then(|reply| Passes::from_document(&reply));
        self.facts.history = passes.map(|passes| passes.spans).unwrap_or_default();
    }
}
