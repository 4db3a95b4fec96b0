//! Removed documents, in the trash and in archives.

mod changes;
mod list;

use std::path::PathBuf;

use bson::Document;

use self::changes::{ChangeTrash, RestoreFromTrash};
use self::list::{is_shown, list, refresh};
use super::documents::bulk;
use super::question::Question;
use super::{Apply, reaper};
use crate::action::TrashAction;
use crate::commands;
use crate::job::bulk::{BulkChange, BulkReport};
use crate::job::{End, TrashScope};
use crate::limits::TRASH_PAGE_ROWS;
use crate::state::documents::Origin;
use crate::state::documents::bulk::BulkRun;
use crate::state::toasts::Kind;
use crate::state::trash::{RestoreOutcome, Trash, TrashDraft, running};
use crate::state::{Dialog, Namespace};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: TrashAction, cx: &mut Apply<'_>) {
    match action {
        TrashAction::Open(of) => open(of, cx),
        TrashAction::List(of) => {
            cx.state.trash.scope.of = of;
            list_again(cx);
        }
        TrashAction::Filter(filter) => {
            cx.state.trash.scope.filter = filter;
            list_again(cx);
        }
        TrashAction::More => {
            if let Some(next) = cx.state.trash.next.take() {
                cx.state.trash.asked = Some(next.clone());
                list(Some(next), TRASH_PAGE_ROWS, cx);
            }
        }
        TrashAction::Keep(secs) => change(ChangeTrash, "admin", commands::trash::keep(secs), cx),
        TrashAction::Restore(restore) => {
            cx.state.trash.result = None;
            if let Some(scope) = restore.scope {
                return restore_many(scope, None, cx);
            }
            change(RestoreFromTrash, &restore.db, restore.command, cx);
        }
        TrashAction::SetArchive(of, command) => change(ChangeTrash, &of.db, command, cx),
        TrashAction::Discard(scope) => {
            change(ChangeTrash, &scope.home().0, commands::trash::discard(&scope), cx);
        }
    }
}

/// Opens the dialog. One that is open shows something else instead.
fn open(of: Option<Namespace>, cx: &mut Apply<'_>) {
    let scope = TrashScope { of, ..TrashScope::default() };
    cx.state.trash = Trash { scope, ..Trash::default() };
    let draft = TrashDraft::default();
    match cx.state.dialogs.trash_mut() {
        Some(open) => *open = draft,
        None => cx.state.dialogs.show(Dialog::Trash(draft)),
    }
    refresh(cx);
}

fn list_again(cx: &mut Apply<'_>) {
    cx.state.trash.clear_rows();
    list(None, TRASH_PAGE_ROWS, cx);
}

/// Restores documents in steps, or continues what has this journal.
pub(super) fn restore_many(scope: TrashScope, journal: Option<PathBuf>, cx: &mut Apply<'_>) {
    if running(&cx.state.bulk).is_some() {
        let words = "Removed documents are being restored; try again when that has ended";
        return cx.warn(words);
    }
    cx.state.trash.error = None;
    let namespace = scope.of.clone().unwrap_or_else(|| Namespace::new("admin", ""));
    bulk::begin(
        None,
        namespace,
        (BulkChange::Restore(scope), journal),
        Origin::Person,
        restored,
        cx,
    );
}

/// A restore in steps ended.
fn restored(run: &BulkRun, report: BulkReport, cx: &mut Apply<'_>) {
    let outcome = RestoreOutcome {
        restored: report.changed,
        existing: report.unchanged,
        refused: report.refused,
        not_found: 0,
        is_held: report.is_held,
        remaining: report.remaining,
    };
    let (is_done, mut words) = outcome.sentence();
    match &report.end {
        End::Complete => {}
        End::Cancelled => words = format!("Canceled. {words}"),
        End::Failed(message) if !is_done => words.clone_from(message),
        End::Failed(message) => words = format!("{words}. It failed then: {message}"),
    }
    if let Some(refusal) = report.refusal {
        words = format!("{words}. The first was rejected because: {refusal}");
    }
    if report.is_unfinished {
        words.push_str("; see Unfinished operations in the menu to continue it");
    }
    bulk::end(run.operation, &report.end, &words, cx.state);
    let is_whole = is_done && report.end == End::Complete;
    if is_shown(cx.state) {
        cx.state.trash.result = Some((is_whole, words));
    } else {
        let kind = match Kind::of(&report.end) {
            Kind::Done if !is_done => Kind::Error,
            kind => kind,
        };
        cx.toast(kind, words);
    }
    cx.state.changes.note_around(None);
    refresh(cx);
    reaper::ask(cx);
}

fn change<Q: Question<Answer = Reply>>(
    question: Q,
    db: &str,
    command: Document,
    cx: &mut Apply<'_>,
) {
    cx.state.trash.is_waiting = true;
    cx.state.trash.error = None;
    cx.change(question, db, command);
}

/// A pass has ended: the trash has new documents, and older ones may have left.
pub fn pass_ended(cx: &mut Apply<'_>) {
    if is_shown(cx.state) {
        refresh(cx);
    }
}
