//! A pass: sub-passes over the TTL rules in turn until no due document is left.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use super::{
    background,
    batch::{self, Allowance, Batch, Position},
    guard::{Permit, RuleId},
    handle::Reaper,
    target::{Target, targets_at_work},
};
use crate::{
    broken_rules::{BrokenRule, is_broken},
    clock::work_time,
    event::{Event, IndexReport, PassReport},
    limits::{BULK_DOCS_MAX, LAG_SAMPLES_MAX},
    store::{CollectionId, IndexId},
    ttl::Rule,
};

/// The next action after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Another step, after others had their turn at the store.
    Again,
    /// Nothing; the pass is over.
    Finished,
}

/// A pass in progress. Each [`Pass::step`] is at most one write transaction.
pub(super) struct Pass<'r> {
    reaper: &'r Reaper,
    now_ms: i64,
    permit: Permit,
    /// It was not requested: it ends when the monitor is turned off, and follows the delay of Cosmos
    /// DB's rules.
    is_scheduled: bool,
    began: Duration,
    report: PassReport,
    tallies: Vec<Tally>,
    current: Option<SubPass>,
}

/// A sub-pass: a fresh list of rules, visited in turn.
struct SubPass {
    began: Duration,
    queue: VecDeque<Visit>,
    /// Rules that had their turn and have more to do.
    again: VecDeque<Visit>,
}

/// One rule's turn.
struct Visit {
    target: Arc<Target>,
    position: Position,
    /// When the turn began, and the documents it removed. None before the first step.
    used: Option<(Duration, u64)>,
}

/// A rule's part of the report so far.
struct Tally {
    rule: (CollectionId, IndexId, bool),
    report: IndexReport,
    lags_ms: Vec<i64>,
    /// One sentence on the first unreadable document or entry.
    damage: Option<String>,
}

impl<'r> Pass<'r> {
    /// A pass with one "now": the moment that the guard has seen, or the present one.
    pub(super) fn begin(
        reaper: &'r Reaper,
        number: u64,
        permit: Permit,
        is_scheduled: bool,
    ) -> Self {
        let now_ms = permit.now_ms.unwrap_or_else(|| reaper.clock().now_ms());
        reaper.hub().send(&Event::PassStarted { number, at_ms: now_ms });
        let report = PassReport { number, started_ms: now_ms, ..PassReport::default() };
        let began = work_time();
        let (tallies, current) = (Vec::new(), None);
        Self { reaper, now_ms, permit, is_scheduled, began, report, tallies, current }
    }

    /// Counts its only sub-pass, which would find nothing.
    pub(super) fn skip(&mut self) -> Step {
        self.report.sub_passes += 1;
        self.reaper.counters().sub_passes.add(1);
        Step::Finished
    }

    /// Does the next piece of work.
    pub(super) fn step(&mut self) -> Step {
        let Some(sub_pass) = &mut self.current else {
            self.current = Some(self.new_sub_pass());
            return Step::Again;
        };
        if let Some(visit) = sub_pass.queue.pop_front() {
            self.visit(visit);
            return Step::Again;
        }
        // All rules had a turn. Those with more to do get another while the sub-pass has time.
        let has_time = self
            .reaper
            .parameters()
            .sub_pass_target()
            .is_some_and(|target| work_time().saturating_sub(sub_pass.began) < target);
        if has_time && !sub_pass.again.is_empty() {
            sub_pass.queue = std::mem::take(&mut sub_pass.again);
            return Step::Again;
        }
        // Rules may have changed by then, so the next sub-pass lists them again.
        let leftovers = !sub_pass.again.is_empty();
        self.current = None;
        let end = self.skip();
        if leftovers { Step::Again } else { end }
    }

    /// How many documents it has removed so far.
    pub(super) fn deleted(&self) -> u64 {
        self.report.deleted
    }

    /// The one "now" of the pass, but never later than the clock: after a set back, documents no
    /// longer due are kept.
    pub(super) fn now_ms(&self) -> i64 {
        let now_ms = self.reaper.clock().now_ms();
        if is_broken(BrokenRule::ClockPerDocument) { now_ms } else { self.now_ms.min(now_ms) }
    }

    /// Ends the pass, whether or not it was finished.
    pub(super) fn end(mut self) -> PassReport {
        self.report.finished_ms = self.reaper.clock().now_ms();
        let took = work_time().saturating_sub(self.began).as_micros();
        self.report.duration_micros = u64::try_from(took).unwrap_or(u64::MAX);
        let mut lags_ms: Vec<i64> =
            self.tallies.iter().flat_map(|tally| tally.lags_ms.iter().copied()).collect();
        lags_ms.sort_unstable();
        let at = |place: usize| lags_ms.get(place).copied().unwrap_or(0);
        self.report.lag_p50_ms = at(lags_ms.len() / 2);
        self.report.lag_p99_ms = at(lags_ms.len() * 99 / 100);
        self.report.indexes = self.tallies.into_iter().map(Tally::into_report).collect();
        self.reaper.note_pass_end();
        let counters = self.reaper.counters();
        counters.passes.add(1);
        counters.duration_micros.add(self.report.duration_micros);
        self.reaper.hub().send(&Event::PassFinished(self.report.clone()));
        self.report
    }

    /// Whether the pass may continue: a scheduled one ends when the monitor is turned off, a
    /// requested one does not.
    pub(super) fn continues(&self) -> bool {
        !self.is_scheduled
            || self.reaper.parameters().enabled()
            || is_broken(BrokenRule::MonitorSwitch)
    }

    /// The rules to leave alone.
    fn held(&self) -> Vec<RuleId> {
        let mut held = self.permit.held.clone();
        // A command of the user is an answer to the hold; a scheduled pass is not.
        if self.permit.respects_holds {
            held.extend(self.reaper.held_indexes().iter().map(|held| held.rule));
        }
        held
    }

    fn new_sub_pass(&mut self) -> SubPass {
        let mut queue = VecDeque::new();
        // The holds first: one of a collection that another one replaces is there before its rules are.
        let held = self.held();
        for target in targets_at_work(&self.reaper.collections().catalog()) {
            if held.contains(&target.identity()) {
                self.report.held = Some("Removals by some indexes are on hold.".to_owned());
                continue;
            }
            let tally = self.tally(&target);
            if let Rule::Inert(reason) = &target.rule {
                // MongoDB skips such an index too. The report says why, because nothing else would.
                tally.report.error = Some(reason.sentence().to_owned());
                tally.report.inert = Some(*reason);
                self.reaper.counters().invalid_index_skips.add(1);
                continue;
            }
            let target = Arc::new(target);
            queue.push_back(Visit { target, position: Position::default(), used: None });
        }
        SubPass { began: work_time(), queue, again: VecDeque::new() }
    }

    /// One transaction of a rule's turn.
    fn visit(&mut self, mut visit: Visit) {
        let parameters = self.reaper.parameters();
        let limits = parameters.visit_limits();
        let (began, mut docs) = visit.used.unwrap_or((work_time(), 0));
        let mut transaction = parameters.batch_limits();
        transaction.docs = transaction.docs.min(limits.docs.saturating_sub(docs));
        // Configured small transactions remove in threshold order.
        let is_small = transaction.docs < BULK_DOCS_MAX as u64;
        let ahead = if is_small { 0 } else { limits.docs.saturating_sub(docs) };
        let now_ms = self.now_ms();
        let last_threshold_ms = if self.is_scheduled {
            background::last_threshold_ms(&visit.target, now_ms)
        } else {
            now_ms
        };
        let allowance = Allowance {
            now_ms,
            last_threshold_ms,
            pass: self.report.number,
            limits: transaction,
            ahead,
            bytes: parameters.batch_bytes(),
            state: self.permit.state.as_ref(),
        };
        let (reaper, rule) = (self.reaper, visit.target.identity());
        let respects_holds = self.permit.respects_holds;
        let may_remove =
            || self.continues() && !(respects_holds && reaper.is_held_for_restore(rule));
        let collections = self.reaper.collections();
        let namespace = visit.target.collection.namespace.clone();
        self.reaper.set_current_namespace(Some(namespace));
        let step_began = work_time();
        let outcome =
            batch::run(collections, &visit.target, &visit.position, allowance, &may_remove);
        let took = work_time().saturating_sub(step_began).as_micros();
        let took = u64::try_from(took).unwrap_or(u64::MAX);
        let micros = &mut self.tally(&visit.target).report.duration_micros;
        *micros = micros.saturating_add(took);
        match outcome {
            Err(failure) => self.tally(&visit.target).report.error = Some(failure.to_string()),
            Ok(batch) => {
                if !is_broken(BrokenRule::NoTurns) {
                    docs += batch.deleted;
                }
                let next = batch.next.clone();
                // The state is on disk with this removal, so further ones need not store it again.
                if batch.deleted > 0 {
                    self.permit.state = None;
                }
                self.account(&visit.target, batch);
                let is_full = docs >= limits.docs;
                // A visit that used up its documents can't know that the index is empty, as in MongoDB.
                let next = next.or_else(|| is_full.then(Position::default));
                let (Some(position), Some(sub_pass)) = (next, &mut self.current) else { return };
                visit.position = position;
                let used = work_time().saturating_sub(began);
                if is_full || used >= limits.time {
                    visit.used = None;
                    // To the end of the queue, so that one index with many due documents can't
                    // starve the others.
                    sub_pass.again.push_back(visit);
                } else {
                    visit.used = Some((began, docs));
                    // Its turn continues. A step is one transaction, and between two steps other
                    // writers get LMDB's writer.
                    sub_pass.queue.push_front(visit);
                }
            }
        }
    }

    fn account(&mut self, target: &Target, batch: Batch) {
        let deleted = batch.deleted;
        let counters = self.reaper.counters();
        counters.deleted_documents.add(deleted);
        counters.deleted_keys.add(batch.removed_keys);
        counters.examined_keys.add(batch.examined_keys);
        counters.examined_documents.add(batch.examined_docs);
        counters.trashed.add(batch.trashed);
        counters.not_trashed.add(batch.not_trashed);
        if deleted > 0 && self.reaper.parameters().batch_deletes() {
            counters.batches.add(1);
            counters.batched_docs.add(deleted);
        }
        self.report.deleted += deleted;
        let tally = self.tally(target);
        tally.damage = tally.damage.take().or(batch.damage);
        tally.report.deleted += deleted;
        tally.report.examined += batch.examined_keys;
        for lag_ms in &batch.lags_ms {
            tally.add_lag(*lag_ms);
        }
        if deleted > 0 {
            let documents = batch.removed;
            let more = deleted.saturating_sub(documents.len() as u64);
            self.reaper.hub().send(&Event::Removed { documents, more });
        }
    }

    fn tally(&mut self, target: &Target) -> &mut Tally {
        let rule = target.identity();
        let place = self.tallies.iter().position(|tally| tally.rule == rule);
        let place = place.unwrap_or_else(|| {
            self.tallies.push(Tally::new(rule, target));
            self.tallies.len() - 1
        });
        &mut self.tallies[place]
    }
}

impl Tally {
    fn new(rule: (CollectionId, IndexId, bool), target: &Target) -> Self {
        let report = IndexReport {
            namespace: target.collection.namespace.clone(),
            index: target.name().to_owned(),
            deleted: 0,
            examined: 0,
            error: None,
            inert: None,
            duration_micros: 0,
            lag_p50_ms: 0,
            lag_max_ms: 0,
        };
        Self { rule, report, lags_ms: Vec::new(), damage: None }
    }

    fn add_lag(&mut self, lag_ms: i64) {
        self.report.lag_max_ms = self.report.lag_max_ms.max(lag_ms);
        // Bounded, because a pass may remove millions. The maximum counts every document.
        if self.lags_ms.len() < LAG_SAMPLES_MAX {
            self.lags_ms.push(lag_ms);
        }
    }

    fn into_report(mut self) -> IndexReport {
        let damage = self.damage.as_ref();
        let stays =
            |what| format!("Skipped at least one unreadable document or index entry: {what}");
        self.report.error = self.report.error.or_else(|| damage.map(stays));
        self.lags_ms.sort_unstable();
        self.report.lag_p50_ms = self.lags_ms.get(self.lags_ms.len() / 2).copied().unwrap_or(0);
        self.report
    }
}
