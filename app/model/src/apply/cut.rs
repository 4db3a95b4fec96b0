//! Operations that were cut short: continued, taken back, forgotten.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bson::Document;

use super::question::{Answer, Question, Report, Run};
use super::transfer::resume;
use super::{Apply, documents, lock, rollout, tabs, trash};
use crate::action::CutAction;
use crate::commands;
use crate::job::bulk::BulkChange;
use crate::job::cut::{CutKind, RolledIndex};
use crate::job::rollout::{RolloutPlan, SECS_MAX};
use crate::source::Source;
use crate::state::Namespace;
use crate::state::documents::Origin;
use crate::state::tabs::ViewKind;
use crate::worker::{Desk, Lane, transfer as worker};

/// Carries out one action.
pub(super) fn apply(action: CutAction, cx: &mut Apply<'_>) {
    match action {
        CutAction::Continue(journal) => continue_it(&journal, cx),
        CutAction::TakeBack(journal) => take_back(&journal, cx),
        CutAction::Forget(journal) => forget(journal, None, cx),
    }
}

fn found(journal: &Path, cx: &mut Apply<'_>) -> Option<CutKind> {
    let known = cx.state.transfer.cut.iter().find(|known| known.file == journal)?;
    let what = known.what.clone();
    (!lock::refuses(cx.state)).then_some(what)
}

/// Continues an operation.
fn continue_it(journal: &Path, cx: &mut Apply<'_>) {
    match found(journal, cx) {
        Some(CutKind::Bulk { forward: BulkChange::Restore(scope), .. }) => {
            take(journal, cx);
            trash::restore_many(scope, Some(journal.to_owned()), cx);
        }
        Some(CutKind::Bulk { namespace, forward, .. }) => {
            let origin = match &forward {
                BulkChange::Back(_) => Origin::Undo,
                BulkChange::Again(_) => Origin::Redo,
                _ => Origin::Person,
            };
            change(&namespace, forward, (journal, origin), cx);
        }
        Some(CutKind::Rollout { plan, index }) => {
            let Some(plan) = continued(&plan, &index) else { return };
            take(journal, cx);
            rollout::start_noted(plan, Some(journal.to_owned()), cx);
        }
        Some(CutKind::Damaged(_)) | None => {}
    }
}

/// The rollout from the present TTL on.
fn continued(plan: &RolloutPlan, index: &RolledIndex) -> Option<RolloutPlan> {
    let plan = plan.clone();
    match index {
        RolledIndex::Missing if plan.create.is_some() => Some(plan),
        // It was not dropped yet.
        RolledIndex::Has(None) if plan.replaces => Some(plan),
        RolledIndex::Has(secs) => Some(RolloutPlan { create: None, from_secs: *secs, ..plan }),
        RolledIndex::Missing | RolledIndex::Unknown(_) => None,
    }
}

/// Takes an operation back. Of a rollout, the index becomes what it was; its documents stay gone.
fn take_back(journal: &Path, cx: &mut Apply<'_>) {
    match found(journal, cx) {
        Some(CutKind::Bulk { namespace, back: Some(back), .. }) => {
            change(&namespace, back, (journal, Origin::Undo), cx);
        }
        Some(CutKind::Rollout { plan, .. }) => {
            let Namespace { db, collection } = &plan.namespace;
            let made = plan.create.as_ref().filter(|_| !plan.replaces);
            let name = made.and_then(|index| index.get_str("name").ok());
            let command = match name {
                Some(name) => commands::indexes::drop(collection, name),
                None => commands::rollout::lower(&plan, plan.from_secs.unwrap_or(SECS_MAX)),
            };
            cx.state.changes.note(Some(&plan.namespace));
            forget(journal.to_owned(), Some((db.clone(), command)), cx);
        }
        _ => {}
    }
}

/// Forgets an operation, after a command if there is one.
fn forget(journal: PathBuf, first: Option<(String, Document)>, cx: &mut Apply<'_>) {
    cx.run(Forget { journal, first });
}

#[derive(Debug, PartialEq)]
struct Forget {
    journal: PathBuf,
    /// A database and a command that comes before.
    first: Option<(String, Document)>,
}

impl Question for Forget {
    type Answer = Result<(), String>;

    fn answered(&self, _: u64, result: Self::Answer, cx: &mut Apply<'_>) {
        resume::forgotten(result, cx);
    }
}

impl Run for Forget {
    const LANE: Lane = Lane::Transfer;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let Self { journal, first } = self;
        let forget =
            |source: &Arc<dyn Source>| worker::forget(source.as_ref(), journal, first.as_ref());
        report.send(desk.open_source().and_then(forget));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}

/// Starts a change in the tab of its collection, which shows how far it is.
fn change(
    namespace: &Namespace,
    change: BulkChange,
    (journal, origin): (&Path, Origin),
    cx: &mut Apply<'_>,
) {
    let Some(tab) = cx.state.tabs.show(namespace) else {
        let words = "Too many tabs are open; close one first";
        return cx.warn(words);
    };
    tabs::set_view(ViewKind::Documents, cx.state);
    tabs::freshen(cx);
    take(journal, cx);
    documents::bulk::start_noted(tab, change, Some(journal.to_owned()), origin, cx);
}

/// It runs again, so it is no longer offered.
fn take(journal: &Path, cx: &mut Apply<'_>) {
    cx.state.transfer.cut.retain(|known| known.file != journal);
    cx.state.dialogs.close();
}
