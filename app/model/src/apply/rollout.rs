//! TTLs that are rolled out in steps.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bson::Document;

use super::question::{Answer, Question, Report, Run};
use super::transfer::resume;
use super::{Apply, lock};
use crate::job::rollout::{RolloutEnded, RolloutPlan, RolloutWork};
use crate::job::{End, Gauge};
use crate::limits::METER_PAUSE;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::indexes::{CreateIndex, Dialog};
use crate::state::operations::{OperationId, Progress, Stage};
use crate::state::rollout::{LAG_MAX_SECS, PER_SECOND, RolloutDraft, RolloutRun};
use crate::state::toasts::Kind;
use crate::state::{Namespace, State, TabId, number};
use crate::worker::{Desk, Lane, rollout};

/// Opens the plan for the TTL of the open dialog, in its place.
pub(super) fn plan(tab: TabId, cx: &mut Apply<'_>) {
    let Some(namespace) = cx.state.tabs.get(tab).map(|open| open.namespace.clone()) else { return };
    let Some(AnyDialog::Indexes(of, dialog)) = cx.state.dialogs.open() else { return };
    let server = cx.state.store.connection.as_ref().map(|server| &server.attached);
    // Such a server refuses to add a TTL to an index in place.
    let has_job = server.is_some_and(|server| server.pass_job.is_some());
    let Some(mut draft) = draft(dialog, &namespace, has_job).filter(|_| *of == tab) else { return };
    draft.plan.pass_max = server.and_then(|server| Some(server.pass_job?.most));
    let is_replica_set = server.is_some_and(|server| server.is_replica_set);
    draft.lag_max = is_replica_set.then(|| LAG_MAX_SECS.to_string());
    let size = cx.state.tree.collection(&namespace);
    draft.bytes_each = size.and_then(|found| found.bytes?.checked_div(found.documents?));
    cx.state.dialogs.replace(AnyDialog::Indexes(tab, Dialog::Rollout(Box::new(draft))));
}

fn draft(dialog: &Dialog, namespace: &Namespace, has_job: bool) -> Option<RolloutDraft> {
    let (plan, known) = match dialog {
        Dialog::ChangeTtl(change) => {
            let replaces = change.index.secs.is_none() && (has_job || change.needs_new_index);
            let plan = RolloutPlan {
                namespace: namespace.clone(),
                create: replaces.then(|| without_secs(change.index.with_ttl(0))),
                name: change.index.name.clone(),
                key: change.index.key.clone(),
                partial: change.index.partial.clone(),
                is_hidden: change.index.hidden,
                from_secs: change.index.secs,
                to_secs: change.secs().ok()?,
                per_second: PER_SECOND,
                pass_max: None,
                replaces,
                lag_max_secs: None,
            };
            (plan, change.known()?)
        }
        Dialog::Create(create) => (new(create, namespace)?, create.known()?),
        Dialog::Drop(_) | Dialog::Rollout(_) => return None,
    };
    Some(RolloutDraft {
        plan,
        per_second: PER_SECOND.to_string(),
        lag_max: None,
        overdue: known.overdue_now,
        bytes_each: None,
    })
}

fn new(create: &CreateIndex, namespace: &Namespace) -> Option<RolloutPlan> {
    let command = create.command(&namespace.collection).ok()?;
    let made = command.get_array("indexes").ok()?.first()?.as_document()?.clone();
    let partial = made.get_document("partialFilterExpression").ok().cloned();
    Some(RolloutPlan {
        namespace: namespace.clone(),
        name: made.get_str("name").ok()?.to_owned(),
        key: made.get_document("key").ok()?.clone(),
        partial,
        is_hidden: create.hidden,
        from_secs: None,
        to_secs: create.secs().ok()?,
        per_second: PER_SECOND,
        pass_max: None,
        replaces: false,
        lag_max_secs: None,
        create: Some(without_secs(made)),
    })
}

fn without_secs(mut index: Document) -> Document {
    index.remove("expireAfterSeconds");
    index
}

/// Starts the rollout of the open dialog.
pub(super) fn start(cx: &mut Apply<'_>) {
    let Some(AnyDialog::Indexes(_, Dialog::Rollout(draft))) = cx.state.dialogs.open() else {
        return;
    };
    let Ok(plan) = draft.ready() else { return };
    if lock::refuses(cx.state) {
        return;
    }
    cx.state.dialogs.close();
    start_noted(plan, None, cx);
}

/// Starts a rollout, or continues the one with this journal.
pub(super) fn start_noted(plan: RolloutPlan, journal: Option<PathBuf>, cx: &mut Apply<'_>) {
    let gauge = Arc::new(Gauge::default());
    let field = plan.field().to_owned();
    let title = format!("Roll out a TTL on {field} of {}", plan.namespace);
    let cancel = Some(gauge.cancel.clone());
    let (now_ms, uptime) = (cx.state.now_ms(), cx.state.uptime);
    let operation = cx.state.operations.begin(title, now_ms, uptime, cancel);
    let (namespace, followed) = (plan.namespace.clone(), (0, 0));
    let slot = cx.state.store.slot;
    let run = RolloutRun { operation, slot, namespace, gauge: Arc::clone(&gauge), followed };
    cx.state.rollouts.push(run);
    let text = "The rollout runs; see Operations to pause or stop it";
    cx.toast(Kind::Info, text);
    cx.run(RollOut { operation, work: RolloutWork { plan, journal, gauge } });
}

/// Pauses a rollout, or lets it continue.
pub(super) fn pause(operation: OperationId, state: &State) {
    if let Some(run) = state.rollouts.iter().find(|run| run.operation == operation) {
        run.gauge.pause(!run.gauge.is_paused());
    }
}

/// Stops every rollout of an open store after its present step, because the store closes.
pub(super) fn stop_all(slot: u32, state: &State) {
    for run in state.rollouts.iter().filter(|run| run.slot == slot) {
        run.gauge.leave();
    }
}

/// Shows how far the rollouts are. Returns when to look again.
pub fn follow(state: &mut State) -> Option<Duration> {
    for run in &mut state.rollouts {
        let (done, total) = run.gauge.now();
        let step = run.gauge.step();
        let reached = (done, step.changes);
        if run.followed != reached {
            // A server tells nothing by itself.
            run.followed = reached;
            if run.slot != state.store.slot {
                continue;
            }
            if let Some(connection) = &mut state.store.connection {
                connection.use_now(state.uptime);
            }
            state.changes.note(Some(&run.namespace));
        }
        let (gone, all) = (number::count(done), number::count(total));
        let text = format!("{gone} of {all} removed; {}", step.words);
        if let Some(operation) = state.operations.get_mut(run.operation) {
            operation.progress = Progress { done, total, text };
        }
    }
    (!state.rollouts.is_empty()).then_some(METER_PAUSE)
}

/// A TTL in steps, in parallel to everything else.
#[derive(Debug)]
struct RollOut {
    operation: OperationId,
    work: RolloutWork,
}

impl PartialEq for RollOut {
    fn eq(&self, other: &Self) -> bool {
        self.operation == other.operation
    }
}

impl Question for RollOut {
    type Answer = RolloutEnded;

    fn answered(&self, _: u64, ended: RolloutEnded, cx: &mut Apply<'_>) {
        let RolloutEnded { end, words } = ended;
        if end != End::Complete {
            resume::ask(false, cx);
        }
        cx.state.rollouts.retain(|run| run.operation != self.operation);
        cx.state.operations.end(self.operation, Stage::of(&end, words.clone()));
        cx.toast(Kind::of(&end), words);
        cx.state.changes.note(None);
    }
}

impl Run for RollOut {
    const LANE: Lane = Lane::Write;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let started = desk.open_source().and_then(|source| {
            let (source, ends, wake) = (Arc::clone(source), desk.ends.clone(), desk.sender.wake());
            let report = report.clone();
            rollout::start(self.work.clone(), source, ends, wake, move |end| report.send(end))
        });
        match (started, desk.threads) {
            (Ok(thread), Some(threads)) => threads.join_at_close(thread),
            (Ok(_), None) => {}
            (Err(why), _) => report.send(RolloutEnded::failed(why)),
        }
    }

    fn failed(&self, message: String) -> RolloutEnded {
        RolloutEnded::failed(message)
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;
    use crate::apply::{Worker, question};
    use crate::job::{OpenRequest, Sandbox};
    use crate::source::embedded::opener;
    use crate::worker::{Job, Order, Secrets, lesson_shelf};

    #[test]
    fn a_closing_window_takes_its_rollouts_along() {
        let wake = Arc::new(|_| ());
        let worker = Worker::start(opener(), lesson_shelf::shelf(None), Secrets::none(), wake);
        let worker = worker.expect("threads");
        let request = OpenRequest { sandbox: Some(Sandbox::Empty), ..OpenRequest::default() };
        worker.submit(Job::of_order(Order::Open(request), 1));
        let gauge = Arc::new(Gauge::default());
        let plan = RolloutPlan {
            namespace: Namespace::new("test", "c"),
            create: Some(doc! { "key": { "at": 1 }, "name": "at_1" }),
            name: "at_1".to_owned(),
            key: doc! { "at": 1 },
            partial: None,
            is_hidden: false,
            from_secs: None,
            to_secs: 60,
            per_second: 1,
            pass_max: None,
            replaces: false,
            lag_max_secs: None,
        };
        let work = RolloutWork { plan, journal: None, gauge: Arc::clone(&gauge) };
        worker.submit(question::run(RollOut { operation: OperationId(1), work }, 2));
        while gauge.step().words.is_empty() {
            std::thread::park_timeout(Duration::from_millis(5));
        }
        drop(worker);
        // The thread held the gauge, and the store with it.
        assert_eq!(Arc::strong_count(&gauge), 1);
    }
}
