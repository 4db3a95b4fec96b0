//! Databases and collections.

mod change;
mod summary;

use std::path::PathBuf;

use self::change::{create_collection, create_database, drop_target, rename};
pub(super) use self::summary::load_summary;
use self::summary::sort;
pub use super::catalog::refresh;
use super::changed::ChangeStore;
use super::transfer::resume;
use super::{
    Apply, WindowEffect, choose_store, clock, collection, console, demo, passwords, reaper, stores,
    tabs,
};
use crate::action::{ReaperAction, StoreAction};
use crate::commands;
use crate::source::{OpenError, Opened};
use crate::state::changes::Change;
use crate::state::clock::Mode;
use crate::state::connect::Connection;
use crate::state::dialogs::{Dialog, dialect_label};
use crate::state::maintenance::key;
use crate::state::reaper::Schedule;
use crate::state::recent_stores::RecentStore;
use crate::state::toasts::Kind;
use crate::state::{Phase, State, StoreTree};

/// Carries out one action.
pub fn apply(action: StoreAction, cx: &mut Apply<'_>) {
    match action {
        StoreAction::Refresh => {
            refresh(cx);
            tabs::data_changed(None, cx);
        }
        StoreAction::Open(request) => stores::open(request, cx),
        StoreAction::Show(slot) => stores::show(slot, cx),
        StoreAction::Close(slot) => stores::close(slot, cx),
        StoreAction::ChooseFolder => choose_store::ask(cx),
        StoreAction::OpenFolder(folder) => choose_store::look_into(folder, cx),
        StoreAction::CreateStore(folder) => choose_store::open_folder(folder, cx),
        StoreAction::OpenRecent(recent) => choose_store::open_recent(recent, cx),
        StoreAction::ForgetRecent(folder) => {
            passwords::change_list(|stores| stores.forget(&folder), cx);
        }
        StoreAction::Fold(db) => {
            if !cx.state.tree.folded.remove(&db) {
                cx.state.tree.folded.insert(db);
            }
        }
        StoreAction::Sort(order) => sort(order, cx),
        StoreAction::LoadSummary(namespace) => load_summary(&namespace, cx),
        StoreAction::CreateDatabase(draft) => create_database(&draft, cx),
        StoreAction::CreateCollection(draft) => create_collection(&draft, cx),
        StoreAction::Rename(draft) => rename(&draft.from, &draft.name, cx),
        StoreAction::OpenDuplicate(namespace) => collection::open_duplicate(namespace, cx),
        StoreAction::Duplicate(draft) => collection::duplicate(&draft, cx),
        StoreAction::OpenStatistics(namespace) => collection::open_statistics(namespace, cx),
        StoreAction::Drop(target) => drop_target(&target, cx),
        StoreAction::SetTraffic(on) => demo::set_traffic(on, cx),
        StoreAction::SetDialect(db, dialect) => {
            let done = format!("The compatibility of {db} is now {}", dialect_label(dialect));
            let command = commands::store::set_dialect(dialect.name());
            cx.change(ChangeStore { done, open: None }, &db, command);
        }
    }
}

/// A store was opened, or could not be.
pub fn opened(opened: Result<Opened, OpenError>, cx: &mut Apply<'_>) {
    let opened = match opened {
        Ok(opened) => opened,
        Err(failure) if stores::in_sandbox(&failure, cx) => return,
        Err(failure) => return not_opened(failure, cx.state),
    };
    // Drafts stay when the same folder is opened again.
    let place = opened.folder.clone();
    let place =
        place.or_else(|| opened.attached.as_ref().map(|server| PathBuf::from(&server.address)));
    let is_same = place.is_some() && place == cx.state.store.shown;
    let has_contents = cx.state.tree.loaded || !cx.state.tabs.open().is_empty();
    if has_contents && !is_same {
        // Another store: nothing of the old one stays.
        cx.state.note_tabs();
        cx.state.tree = StoreTree::default();
        cx.state.tabs.clear();
        cx.state.first_tab = None;
        cx.state.dialogs.forget(Dialog::is_about_contents);
        cx.state.reaper = crate::state::Reaper::default();
        cx.state.drafts.tabs.clear();
    }
    if is_same {
        cx.state.console.restart("The store was opened again; variables are gone");
    } else {
        console::opened(place.as_deref(), cx);
        let queries = place.as_deref().map(|folder| cx.state.settings.queries.of(folder));
        cx.state.queries = queries.unwrap_or_default();
    }
    let is_demo = cx.state.store.request.demo || opened.source.sample_data().is_some();
    cx.state.store.demo = is_demo;
    cx.state.store.capabilities = opened.source.capabilities();
    let status = opened.clock;
    cx.state.clock.learn(Mode::of(&status), status.now_ms, cx.state.uptime);
    let simulated = if cx.state.clock.is_simulated() { "SIMULATED – " } else { "" };
    cx.window(WindowEffect::Title(format!("{simulated}{} – Mayfly", opened.name)));
    cx.state.store.number = cx.state.commands.begin_store(&opened.name);
    cx.state.store.name = opened.name;
    cx.state.store.shown.clone_from(&place);
    cx.state.store.folder = opened.folder;
    cx.state.store.connection = opened.attached.map(Connection::new);
    note_recent(cx);
    passwords::opened(cx);
    let told = cx.state.store.folder.as_deref().map(key);
    let is_told = told.is_some_and(|folder| cx.state.settings.advised.contains(&folder));
    cx.state.maintenance.advice = if is_told { Vec::new() } else { opened.advice };
    if cx.state.store.request.sandbox.is_none() {
        cx.state.store.left = None;
    }
    reopened(opened.warnings, cx);
    if !is_same {
        restore_tabs(cx);
    }
    demo::start_traffic(cx);
    let schedule = cx.state.settings.schedule;
    let can = cx.state.store.capabilities.reaper && !cx.state.is_simulated();
    if schedule != Schedule::default() && can {
        reaper::apply(&ReaperAction::SetSchedule(schedule), cx);
    }
}

/// Puts the store that is shown first among the recent ones.
pub(super) fn note_recent(cx: &mut Apply<'_>) {
    let (store, wall_ms) = (&cx.state.store, cx.state.wall_ms);
    let Some(folder) = store.shown.as_ref().filter(|_| !store.request.is_temporary()) else {
        return;
    };
    let recent = match &store.connection {
        Some(connection) => RecentStore::attached(&connection.attached, wall_ms),
        None => RecentStore::new(&store.request, &store.name, folder, wall_ms),
    };
    passwords::change_list(|stores| stores.note(recent), cx);
}

/// Opens the tabs that this store had.
fn restore_tabs(cx: &mut Apply<'_>) {
    let Some(folder) = cx.state.store.shown.as_ref() else { return };
    if !cx.state.tabs.open().is_empty() {
        return;
    }
    let known = cx.state.settings.store_tabs.of(folder);
    cx.state.tabs.set_closed(known.closed);
    cx.state.tree.folded = known.folded;
    for tab in known.tabs {
        cx.state.tabs.add(tab);
    }
    if let Some(tab) = known.active.and_then(|at| cx.state.tabs.open().get(at)) {
        let id = tab.id;
        cx.state.tabs.activate(id);
    }
    tabs::freshen(cx);
}

/// A folder could not be opened. The store before it is closed, so that nothing that is known of it
/// may be offered for this one. Its tabs stay: it may be opened again.
fn not_opened(failure: OpenError, state: &mut State) {
    state.store.phase = Phase::Failed(failure);
    state.store.folder = state.data_folder();
    state.maintenance.forget();
    state.maintenance.advice.clear();
}

/// The store is open; if it was open before, tabs and what is typed in them stay.
pub fn reopened(warnings: Vec<String>, cx: &mut Apply<'_>) {
    shown_again(warnings, Change::Documents, cx);
}

/// The store was open all the time and is shown again. The changes that were made until then wait.
pub fn back(cx: &mut Apply<'_>) {
    shown_again(Vec::new(), Change::Around, cx);
}

fn shown_again(warnings: Vec<String>, change: Change, cx: &mut Apply<'_>) {
    cx.state.maintenance.forget();
    cx.state.listener = crate::state::Listener::default();
    cx.state.reaper.reopened(cx.state.clock.now_ms());
    cx.state.store.phase = Phase::Open;
    warn(warnings, cx.state);
    ask_all(cx);
    tabs::changed(None, change, cx);
}

fn warn(warnings: Vec<String>, state: &mut State) {
    for warning in warnings {
        state.reaper.note(state.clock.now_ms(), warning.clone());
        state.toast(Kind::Warning, warning);
    }
}

fn ask_all(cx: &mut Apply<'_>) {
    clock::ask(cx);
    reaper::ask(cx);
    refresh(cx);
    tabs::freshen(cx);
    cx.state.transfer.unfinished.clear();
    cx.state.transfer.cut.clear();
    resume::ask(true, cx);
}

#[cfg(test)]
mod tests;
