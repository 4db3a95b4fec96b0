//! The Indexes view of a tab.

use bson::Document;

use super::index_tab::{asker, dialog, names, with};
use super::{Apply, TOO_MUCH, index_tab, recreate, rollout};
use crate::action::IndexesAction;
use crate::commands::{documents, expiry, indexes, store};
use crate::job::purpose::SlowRead;
use crate::limits::{AGES_DOCUMENTS_MAX, SAMPLE_DOCUMENTS};
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::indexes::{
    ChangeTtl, CreateIndex, Dialog, DropIndex, Purpose, ages, ages_command, ttl_words,
};
use crate::state::toasts::Kind;
use crate::state::{Namespace, Purpose as AnyPurpose, State, TabId};
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

fn read(tab: TabId, purpose: Purpose, command: Document, cx: &mut Apply<'_>) {
    if let Some((db, _)) = names(tab, cx.state) {
        cx.read(AnyPurpose::Indexes(tab, purpose), &db, command);
    }
}

/// Queries everything the view shows. Called when the view is first shown, when the user asks, and
/// when the data changed while the view is shown.
pub fn refresh(tab: TabId, cx: &mut Apply<'_>) {
    with(cx.state, tab, |view| view.asked = true);
    let Some((_, collection)) = names(tab, cx.state) else { return };
    read(tab, Purpose::List, indexes::list(&collection), cx);
    read(tab, Purpose::Stats, store::stats(&collection), cx);
    read(tab, Purpose::Uses, indexes::uses(&collection), cx);
}

/// Opens the dialog that creates an index, one with a TTL or any, with fields from a sample of the
/// documents.
pub fn open_create(tab: TabId, has_ttl: bool, field: String, cx: &mut Apply<'_>) {
    let Some((_, collection)) = names(tab, cx.state) else { return };
    let fields = vec![(field, false)];
    let opened_ms = cx.state.now_ms();
    let create = CreateIndex { fields, has_ttl, opened_ms, ..CreateIndex::default() };
    cx.state.dialogs.show(AnyDialog::Indexes(tab, Dialog::Create(create)));
    read(tab, Purpose::Sample, documents::sample(&collection, SAMPLE_DOCUMENTS), cx);
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
    let namespace = Namespace::new(db, &collection);
    let documents = cx.state.tree.documents_of(&namespace);
    if field == "_ts" || documents.is_none_or(|count| count > AGES_DOCUMENTS_MAX) {
        return;
    }
    let command = ages_command(&collection, &field, cx.state.now_ms());
    read(tab, Purpose::Ages, command, cx);
}

/// Opens that dialog now, or as soon as the indexes of the tab are known.
pub fn open_change_ttl_when_known(tab: TabId, name: &str, cx: &mut Apply<'_>) {
    with(cx.state, tab, |view| view.ttl_wanted = Some(name.to_owned()));
    if cx.state.tabs.get(tab).is_some_and(|open| open.indexes.rows.is_some()) {
        open_wanted(tab, cx);
    }
}

/// A clustered collection and a time series have a rule without an index.
fn open_wanted(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    let Some(name) = open.indexes.ttl_wanted.take() else { return };
    if open.indexes.row(&name).is_some() {
        return open_change_ttl(tab, &name, cx);
    }
    let words = format!("{name} isn't an index; change the TTL of its collection with collMod");
    cx.state.toasts.push(Kind::Warning, words, None, cx.state.uptime);
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
    cx.write(AnyPurpose::Indexes(tab, Purpose::Change(done)), &db, command);
}

/// Queries what the TTL in the open dialog would remove, if it is valid.
fn ask_what_if(tab: TabId, cx: &mut Apply<'_>) {
    let Some((_, collection)) = names(tab, cx.state) else { return };
    let Some(AnyDialog::Indexes(_, dialog)) = cx.state.dialogs.open() else { return };
    let index = dialog.asked();
    // The answer about what was typed before is of no use.
    cx.abandon(tab, &[SlowRead::WhatIf]);
    if let Some(index) = index {
        read(tab, Purpose::WhatIf, expiry::what_if(&collection, index), cx);
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
    let purpose = AnyPurpose::Indexes(tab, Purpose::Change(done));
    let generation = cx.write(purpose, &db, command);
    if let Some(sender) = index_tab::dialog(tab, cx.state) {
        sender.set_sent(Some(generation), None);
    }
}

/// Handles a reply.
pub fn answer(tab: TabId, purpose: &Purpose, generation: u64, reply: &Reply, cx: &mut Apply<'_>) {
    let command = &reply.command;
    let reply = match &reply.result {
        Ok(reply) => reply,
        Err(_) if reply.is_stopped() => return,
        Err(_) if recreate::refused(tab, purpose, generation, reply, cx.state) => return,
        Err(error) => return failed(tab, purpose, generation, command, error, cx.state),
    };
    match purpose {
        Purpose::List => {
            with(cx.state, tab, |view| view.take_list(reply));
            open_wanted(tab, cx);
            super::expiry::indexes_known(tab, cx);
        }
        Purpose::Stats => with(cx.state, tab, |view| view.take_stats(reply)),
        Purpose::Uses => with(cx.state, tab, |view| view.take_uses(reply)),
        Purpose::Sample => with(cx.state, tab, |view| view.take_sample(reply)),
        Purpose::WhatIf => take_what_if(tab, command, Ok(reply), cx.state),
        Purpose::Ages => {
            // An older question may have been about another field.
            if let Some(Dialog::ChangeTtl(change)) = dialog(tab, cx.state)
                && let Some(field) = change.index.field()
                && let Some(ages) = ages(command, reply, field)
            {
                change.ages = Some(ages);
            }
        }
        Purpose::DropAgain(_) => {}
        Purpose::CreateAgain(name) => {
            changed(tab, generation, &format!("Index {name} was created again"), cx);
        }
        Purpose::Change(done) => changed(tab, generation, done, cx),
    }
}

/// Closes the dialog that waits for a change, and says that it was made.
fn changed(tab: TabId, generation: u64, done: &str, cx: &mut Apply<'_>) {
    if asker(tab, generation, cx.state).is_some() {
        cx.state.dialogs.close();
    }
    cx.state.toasts.push(Kind::Done, done, None, cx.state.uptime);
    // The store's own event notes the same: both are followed by one refresh.
    let namespace = cx.state.tabs.get(tab).map(|open| open.namespace.clone());
    if let Some(namespace) = namespace {
        cx.state.changes.note(Some(&namespace));
    }
}

fn take_what_if(tab: TabId, command: &Document, found: Result<&Document, &str>, state: &mut State) {
    let Ok(index) = command.get_document("index") else { return };
    if let Some(dialog) = dialog(tab, state) {
        dialog.learn(index, found);
    }
}

/// A failure is shown where the request came from: in its dialog, else in a message.
fn failed(
    tab: TabId,
    purpose: &Purpose,
    generation: u64,
    command: &Document,
    error: &str,
    state: &mut State,
) {
    match purpose {
        Purpose::WhatIf => take_what_if(tab, command, Err(error), state),
        Purpose::Change(_) => refused(tab, generation, error, state),
        _ => {}
    }
}

fn refused(tab: TabId, generation: u64, error: &str, state: &mut State) {
    match asker(tab, generation, state) {
        Some(dialog) => dialog.set_sent(None, Some(error.to_owned())),
        None => state.toasts.push(Kind::Error, error.to_owned(), None, state.uptime),
    }
}

/// A command came back without having been done, because too much was asked at once.
pub fn dropped(tab: TabId, purpose: &Purpose, generation: u64, state: &mut State) {
    if matches!(purpose, Purpose::Change(_)) {
        refused(tab, generation, TOO_MUCH, state);
    }
}

/// Whether the window asks this by itself, to keep what it shows fresh.
#[must_use]
pub fn is_background(purpose: &Purpose) -> bool {
    !matches!(purpose, Purpose::Change(_) | Purpose::DropAgain(_) | Purpose::CreateAgain(_))
}

#[cfg(test)]
#[path = "indexes_tests.rs"]
mod tests;
