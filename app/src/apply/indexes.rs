//! The Indexes view of a tab.

mod reads;

use self::reads::{DocumentAges, IndexStats, IndexUses, ListIndexes, SampleFields, TtlWhatIf};
use super::index_tab::{asker, changed, dialog, names, with};
use super::question::Question;
use super::{Apply, index_tab, recreate, rollout};
use crate::action::IndexesAction;
use crate::commands::{documents, expiry, indexes, store};
use crate::job::slow_read::SlowRead;
use crate::limits::{AGES_DOCUMENTS_MAX, SAMPLE_DOCUMENTS};
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::indexes::{ChangeTtl, CreateIndex, Dialog, DropIndex, ages_command, ttl_words};
use crate::state::toasts::Kind;
use crate::state::{Namespace, State, TabId};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(tab: TabId, action: IndexesAction, cx: &mut Apply<'_>) {
    match action {
        IndexesAction::Refresh => refresh(tab, cx),
        IndexesAction::Select(name) => with(cx.state, tab, |view| view.selected = name),
        IndexesAction::OpenCreate => open_create(tab, false, String::new(), cx),
        IndexesAction::OpenCreateTtl(field) => open_create(tab, true, field, cx),
        IndexesAction::OpenChangeTtl(name) => open_change_ttl(tab, &name, cx),
        IndexesAction::OpenDrop(name) => open_drop(tab, &name, cx.state),
        IndexesAction::Hide { name, hidden } => hide(tab, &name, hidden, cx),
        IndexesAction::AskWhatIf => ask_what_if(tab, cx),
        IndexesAction::Send => send(tab, cx),
        IndexesAction::AskRecreate => recreate::ask(tab, cx.state),
        IndexesAction::Recreate(index) => recreate::start(tab, &index, cx),
        IndexesAction::PlanRollout => rollout::plan(tab, cx),
        IndexesAction::StartRollout => rollout::start(cx),
    }
}

/// Queries everything the view shows. Called when the view is first shown, when the user asks, and
/// when the data changed while the view is shown.
pub fn refresh(tab: TabId, cx: &mut Apply<'_>) {
    with(cx.state, tab, |view| view.asked = true);
    let Some((db, collection)) = names(tab, cx.state) else { return };
    cx.ask(ListIndexes(tab), &db, indexes::list(&collection));
    cx.ask(IndexStats(tab), &db, store::stats(&collection));
    cx.ask(IndexUses(tab), &db, indexes::uses(&collection));
}

/// Opens the dialog that creates an index, one with a TTL or any, with fields from a sample of the
/// documents.
pub fn open_create(tab: TabId, has_ttl: bool, field: String, cx: &mut Apply<'_>) {
    let Some((db, collection)) = names(tab, cx.state) else { return };
    let fields = vec![(field, false)];
    let opened_ms = cx.state.now_ms();
    let create = CreateIndex { fields, has_ttl, opened_ms, ..CreateIndex::default() };
    cx.state.dialogs.show(AnyDialog::Indexes(tab, Dialog::Create(create)));
    cx.ask(SampleFields(tab), &db, documents::sample(&collection, SAMPLE_DOCUMENTS));
}

/// Opens the dialog that changes the TTL of an index, or gives it one.
pub fn open_change_ttl(tab: TabId, name: &str, cx: &mut Apply<'_>) {
    let Some(index) = cx.state.tabs.get(tab).and_then(|open| open.indexes.row(name)).cloned()
    else {
        return;
    };
    let Some((db, collection)) = names(tab, cx.state) else { return };
    let field = index.field().unwrap_or_default().to_owned();
    let change = Dialog::ChangeTtl(Box::new(ChangeTtl::new(index)));
    cx.state.dialogs.show(AnyDialog::Indexes(tab, change));
    ask_what_if(tab, cx);
    let namespace = Namespace::new(&db, &collection);
    let documents = cx.state.tree.documents_of(&namespace);
    if field == "_ts" || documents.is_none_or(|count| count > AGES_DOCUMENTS_MAX) {
        return;
    }
    let command = ages_command(&collection, &field, cx.state.now_ms());
    cx.ask(DocumentAges(tab), &db, command);
}

/// Opens that dialog now, or as soon as the indexes of the tab are known.
pub fn open_change_ttl_when_known(tab: TabId, name: &str, cx: &mut Apply<'_>) {
    with(cx.state, tab, |view| view.ttl_wanted = Some(name.to_owned()));
    if cx.state.tabs.get(tab).is_some_and(|open| open.indexes.rows.is_some()) {
        open_wanted(tab, cx);
    }
}

/// The list of indexes came.
fn listed(tab: TabId, cx: &mut Apply<'_>) {
    open_wanted(tab, cx);
    super::expiry::indexes_known(tab, cx);
}

/// A clustered collection and a time series have a rule without an index.
fn open_wanted(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    let Some(name) = open.indexes.ttl_wanted.take() else { return };
    if open.indexes.row(&name).is_some() {
        return open_change_ttl(tab, &name, cx);
    }
    let words = format!("{name} isn't an index; change the TTL of its collection with collMod");
    cx.warn(words);
}

fn open_drop(tab: TabId, name: &str, state: &mut State) {
    if let Some(index) = state.tabs.get(tab).and_then(|open| open.indexes.row(name)).cloned() {
        let dropping = Box::new(DropIndex { index, sent: None, error: None });
        state.dialogs.show(AnyDialog::Indexes(tab, Dialog::Drop(dropping)));
    }
}

fn hide(tab: TabId, name: &str, hidden: bool, cx: &mut Apply<'_>) {
    let Some((db, collection)) = names(tab, cx.state) else { return };
    let command = indexes::set_hidden(&collection, name, hidden);
    let done =
        format!("Index {name} is now {}", if hidden { "hidden from queries" } else { "visible" });
    cx.change(ChangeIndex { tab, done }, &db, command);
}

/// Queries what the TTL in the open dialog would remove, if it is valid.
fn ask_what_if(tab: TabId, cx: &mut Apply<'_>) {
    let Some((db, collection)) = names(tab, cx.state) else { return };
    let Some(AnyDialog::Indexes(_, dialog)) = cx.state.dialogs.open() else { return };
    let index = dialog.asked();
    // The answer about what was typed before is of no use.
    cx.abandon(tab, &[SlowRead::WhatIf]);
    if let Some(index) = index {
        cx.ask(TtlWhatIf(tab), &db, expiry::what_if(&collection, index));
    }
}

/// Sends the command of the open dialog; the dialog closes when it was done.
fn send(tab: TabId, cx: &mut Apply<'_>) {
    let Some((db, collection)) = names(tab, cx.state) else { return };
    let Some(dialog) = dialog(tab, cx.state).filter(|dialog| dialog.sent().is_none()) else {
        return;
    };
    let (command, done) = match dialog {
        Dialog::Create(create) if create.has_ttl && !create.is_ready() => return,
        Dialog::Create(create) => match create.command(&collection) {
            Ok(command) => {
                (command, format!("Created index {} on {collection}", create.final_name()))
            }
            Err(error) => {
                create.error = Some(error);
                return;
            }
        },
        Dialog::ChangeTtl(change) => match (change.secs(), change.command(&collection)) {
            (Ok(secs), Some(command)) => {
                let text = match secs {
                    ..0 => ttl_words(secs),
                    _ => crate::state::duration::span(secs.saturating_mul(1_000)),
                };
                (command, format!("The TTL of {} is now {text}", change.index.name))
            }
            (Err(error), _) => {
                change.error = Some(error);
                return;
            }
            (Ok(_), None) => return,
        },
        Dialog::Rollout(_) => return,
        Dialog::Drop(dropping) => {
            let name = &dropping.index.name;
            let command = indexes::drop(&collection, name);
            (command, format!("Dropped index {name}"))
        }
    };
    let generation = cx.change(ChangeIndex { tab, done }, &db, command);
    if let Some(sender) = index_tab::dialog(tab, cx.state) {
        sender.set_sent(Some(generation), None);
    }
}

#[derive(Debug, PartialEq)]
struct ChangeIndex {
    tab: TabId,
    /// The message once it is done.
    done: String,
}

impl Question for ChangeIndex {
    type Answer = Reply;

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        match reply.error() {
            None => changed(self.tab, generation, &self.done, cx),
            Some(_) if recreate::is_needed(self.tab, generation, &reply, cx.state) => {}
            // A failure is shown where the request came from: in its dialog, else in a message.
            Some(error) => match asker(self.tab, generation, cx.state) {
                Some(dialog) => dialog.set_sent(None, Some(error.to_owned())),
                None => cx.toast(Kind::Error, error),
            },
        }
    }
}

#[cfg(test)]
#[path = "indexes_tests.rs"]
mod tests;
