//! Damaged documents: lists skip them, and a dialog lists and removes them.
//!
//! When the store refuses a page with `DataCorruptionDetected`, the window asks again with
//! `allowPartialResults`, and so does the count if there is a filter (`DocumentsView::partial`,
//! `apply/documents/damaged.rs`); a line above the list says so. `dialogs/documents/damaged.rs` lists what
//! `mayflyDamaged` knows and sends its removal. Once the list is empty, the next questions are ordinary ones
//! again.

use super::reading;
use super::tab::with;
use crate::apply::Apply;
use crate::apply::question::Question;
use crate::commands;
use crate::state::documents::Dialog;
use crate::state::documents::damaged::{Damaged, Removed};
use crate::state::number::counted;
use crate::state::toasts::Kind;
use crate::state::{Dialog as AnyDialog, State, TabId};
use crate::worker::{Reply, code};

/// Repeats a read of this tab without the damaged documents that it met. Returns whether that was
/// left to try.
pub fn leave_out(tab: TabId, reply: &Reply, cx: &mut Apply<'_>) -> bool {
    let is_left = cx.state.tabs.get(tab).is_some_and(|open| !open.documents.partial);
    if !is_left || !reply.failed_with(code::DATA_CORRUPTION_DETECTED) {
        return false;
    }
    with(cx.state, tab, |view| view.partial = true);
    reading::refresh(tab, cx);
    true
}

/// Opens the dialog about them.
pub fn show(tab: TabId, cx: &mut Apply<'_>) {
    cx.state.dialogs.show(AnyDialog::Documents(tab, Dialog::Damaged(Damaged::default())));
    ask(tab, cx);
}

fn ask(tab: TabId, cx: &mut Apply<'_>) {
    let Some(namespace) = cx.state.tabs.get(tab).map(|open| open.namespace.clone()) else { return };
    let command = commands::documents::damaged(&namespace.collection);
    cx.ask(Listing(tab), &namespace.db, command);
}

/// Removes what is listed.
pub fn remove(tab: TabId, cx: &mut Apply<'_>) {
    let Some(namespace) = cx.state.tabs.get(tab).map(|open| open.namespace.clone()) else { return };
    let Some(dialog) = dialog(tab, cx.state).filter(|dialog| !dialog.sent.is_waiting()) else {
        return;
    };
    let command = dialog.removal(&namespace.collection);
    let generation = cx.change(Removal(tab), &namespace.db, command);
    if let Some(dialog) = self::dialog(tab, cx.state) {
        dialog.sent.generation = Some(generation);
        dialog.sent.error = None;
    }
}

fn dialog(tab: TabId, state: &mut State) -> Option<&mut Damaged> {
    match state.dialogs.open_mut() {
        Some(AnyDialog::Documents(of, Dialog::Damaged(damaged))) if *of == tab => Some(damaged),
        _ => None,
    }
}

/// The damaged documents.
#[derive(Debug, PartialEq)]
struct Listing(TabId);

impl Question for Listing {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let is_none = reply.ok().is_some_and(|found| {
            found.get_array("batch").is_ok_and(Vec::is_empty) && found.get_str("next").is_err()
        });
        if let Some(dialog) = dialog(self.0, cx.state) {
            match &reply.result {
                Ok(found) => dialog.take(found),
                Err(error) => dialog.sent.error = Some(error.clone()),
            }
        }
        let is_partial = cx.state.tabs.get(self.0).is_some_and(|open| open.documents.partial);
        if is_none && is_partial {
            with(cx.state, self.0, |view| view.partial = false);
            reading::refresh(self.0, cx);
        }
    }
}

/// The removal of damaged documents.
#[derive(Debug, PartialEq)]
struct Removal(TabId);

impl Question for Removal {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let removed = reply.result.as_ref().map(Removed::read);
        if let Some(dialog) = dialog(self.0, cx.state) {
            dialog.sent.generation = None;
            dialog.sent.error = reply.error().map(ToOwned::to_owned);
            dialog.removed = removed.ok();
        } else {
            let (kind, words) = match removed {
                Ok(Removed { count, .. }) => {
                    let what = counted(count, "damaged document", "damaged documents");
                    (Kind::Done, format!("Removed {what}"))
                }
                Err(error) => (Kind::Error, error.clone()),
            };
            cx.toast(kind, words);
        }
        // Also after a refusal: what is listed may be another one by now.
        ask(self.0, cx);
        reading::refresh(self.0, cx);
    }
}
