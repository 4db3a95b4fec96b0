//! Databases and collections.

use std::path::PathBuf;

use bson::{Bson, Document};
use mayfly_engine::reply::Forecast;

use super::number::number;
use super::{
    Apply, WindowEffect, choose_store, clock, collection, connect, console, demo, dialog,
    passwords, reaper, recount, stores, tabs, transfer,
};
use crate::action::{ReaperAction, StoreAction};
use crate::commands;
use crate::job::Dialect;
use crate::job::bulk::BulkChange;
use crate::limits::{STRIP_BUCKETS, STRIP_SPAN_MS, SUMMARY_UNSEEN_MAX};
use crate::source::{OpenError, Opened};
use crate::state::clock::Mode;
use crate::state::connect::Connection;
use crate::state::dialogs::{
    CreateCollection, CreateDatabase, Dialog, DropTarget, Sent, create_command, dialect_command,
    dialect_label, drop_command,
};
use crate::state::maintenance::{folder, key};
use crate::state::purpose::StorePurpose;
use crate::state::reaper::Schedule;
use crate::state::recent_stores::RecentStore;
use crate::state::store::{Next, Order};
use crate::state::tabs::ViewKind;
use crate::state::toasts::Kind;
use crate::state::{Namespace, Phase, Purpose, State, StoreTree};
use crate::worker::Reply;

/// Collections of one database that are listed; the rest is not shown.
const COLLECTIONS_LISTED_MAX: i32 = 10_000;

/// Carries out one action.
pub fn apply(action: StoreAction, cx: &mut Apply<'_>) {
    match action {
        StoreAction::Refresh => {
            refresh(cx);
            tabs::data_changed(None, cx);
        }
        StoreAction::Open(request) => stores::open_or_ask(request, cx),
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
            change(done, &db, commands::store::set_dialect(dialect.name()), cx);
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
    state.store.folder = folder(state);
    state.maintenance.forget();
    state.maintenance.advice.clear();
}

/// The store is open; if it was open before, tabs and what is typed in them stay.
pub fn reopened(warnings: Vec<String>, cx: &mut Apply<'_>) {
    cx.state.maintenance.forget();
    cx.state.listener = crate::state::Listener::default();
    cx.state.archive = crate::state::archive::Archive::default();
    cx.state.reaper.reopened(cx.state.clock.now_ms());
    cx.state.store.phase = Phase::Open;
    warn(warnings, cx.state);
    ask_all(cx);
    tabs::data_changed(None, cx);
}

fn warn(warnings: Vec<String>, state: &mut State) {
    for warning in warnings {
        state.reaper.note(state.clock.now_ms(), warning.clone());
        state.toasts.push(Kind::Warning, warning, None, state.uptime);
    }
}

fn ask_all(cx: &mut Apply<'_>) {
    clock::ask(cx);
    reaper::ask(cx);
    refresh(cx);
    tabs::freshen(cx);
    cx.state.transfer.unfinished.clear();
    cx.state.transfer.cut.clear();
    transfer::resume::ask(true, cx);
}

/// Reads the catalog again.
pub fn refresh(cx: &mut Apply<'_>) {
    if !cx.state.is_open() {
        return;
    }
    cx.state.tree.stale = false;
    cx.state.tree.asked_at = Some(cx.state.uptime);
    let purpose = Purpose::Store(StorePurpose::Databases);
    cx.read(purpose, "admin", commands::store::databases());
}

fn sort(order: Order, cx: &mut Apply<'_>) {
    cx.state.settings.order = order;
    ask_unseen(SUMMARY_UNSEEN_MAX, cx);
}

/// Queries when the first document of some more collections expires, if their order depends on it.
/// Each reply queries one more, until all are known.
fn ask_unseen(max: usize, cx: &mut Apply<'_>) {
    if cx.state.settings.order == Order::Soonest {
        for namespace in cx.state.tree.take_unseen(max) {
            tabs::next(&namespace, cx);
        }
    }
}

fn load_summary(namespace: &Namespace, cx: &mut Apply<'_>) {
    let uptime = cx.state.uptime;
    let Some(collection) = cx.state.tree.collection_mut(namespace) else { return };
    collection.asked_at = Some(uptime);
    collection.stale = false;
    let is_view = collection.kind == "view";
    if is_view {
        collection.next = Next::NoTtl;
        tabs::choose_view(namespace, cx);
        return tabs::freshen(cx);
    }
    recount::ask_figures(namespace, cx);
    tabs::next(namespace, cx);
    if cx.state.store.connection.is_some() {
        // The strip would cost a server a look at every document of each collection on the screen.
        return;
    }
    let from_ms = cx.state.now_ms();
    let to_ms = from_ms.saturating_add(STRIP_SPAN_MS);
    let buckets = i32::try_from(STRIP_BUCKETS).unwrap_or(i32::MAX);
    let command = commands::expiry::forecast(&namespace.collection, from_ms, to_ms, buckets, None);
    let forecast = Purpose::Store(StorePurpose::Forecast(namespace.clone()));
    cx.read(forecast, &namespace.db, command);
}

fn create_database(draft: &CreateDatabase, cx: &mut Apply<'_>) {
    let namespace = Namespace::new(draft.name.trim(), draft.collection.trim());
    let db = namespace.db.clone();
    let (purpose, command) = match dialect_command(draft.dialect) {
        // The collection is made when the rules are known to be in force.
        Some(command) => (StorePurpose::Rules(namespace), command),
        None => creation(namespace),
    };
    dialog::send(purpose, &db, command, cx);
}

/// The first collection of a new database.
fn creation(namespace: Namespace) -> (StorePurpose, Document) {
    let command = commands::store::create(&namespace.collection);
    let done = format!("Created {namespace}");
    (StorePurpose::Change { done, open: Some(namespace) }, command)
}

fn create_collection(draft: &CreateCollection, cx: &mut Apply<'_>) {
    let namespace = Namespace::new(&draft.db, draft.name.trim());
    let command = create_command(draft);
    let done = format!("Created {namespace}");
    let purpose = StorePurpose::Change { done, open: Some(namespace) };
    dialog::send(purpose, &draft.db, command, cx);
}

fn rename(from: &Namespace, name: &str, cx: &mut Apply<'_>) {
    let to = Namespace::new(&from.db, name.trim());
    let command = commands::store::rename(from, &to);
    let done = format!("Renamed {from} to {to}");
    let purpose = StorePurpose::Change { done, open: Some(to) };
    dialog::send(purpose, "admin", command, cx);
}

fn drop_target(target: &DropTarget, cx: &mut Apply<'_>) {
    if let DropTarget::Documents(namespace) = target {
        return collection::change_whole(namespace, BulkChange::Empty, cx);
    }
    let (db, command) = drop_command(target);
    let done = match target {
        DropTarget::Database(db) => format!("Dropped database {db}"),
        DropTarget::Collection(namespace) | DropTarget::Documents(namespace) => {
            format!("Dropped {namespace}")
        }
    };
    dialog::send(StorePurpose::Change { done, open: None }, &db, command, cx);
}

fn change(done: String, db: &str, command: Document, cx: &mut Apply<'_>) {
    let purpose = Purpose::Store(StorePurpose::Change { done, open: None });
    cx.write(purpose, db, command);
}

/// Takes the count and the size of a collection. What is known stays while a server does not answer.
fn take_figures(namespace: &Namespace, figures: Option<&Document>, state: &mut State) {
    if let (Some(figures), Some(collection)) = (figures, state.tree.collection_mut(namespace)) {
        collection.documents = number(figures, "count");
        collection.bytes = number(figures, "size");
        collection.is_capped = figures.get_bool("capped").unwrap_or(false);
    }
}

/// Handles a reply.
pub fn answer(purpose: &StorePurpose, generation: u64, reply: &Reply, cx: &mut Apply<'_>) {
    match (purpose, &reply.result) {
        (StorePurpose::Open, _) => {}
        (StorePurpose::Databases, Ok(found)) => databases(found, cx),
        (StorePurpose::Databases, Err(error)) => cx.state.tree.error = Some(error.clone()),
        (StorePurpose::Collections(db), Ok(found)) => collections(db, found, cx.state),
        (StorePurpose::Collections(db), Err(_)) => {
            cx.state.tree.learn_collections(db, Vec::new());
        }
        (StorePurpose::Dialect(db), result) => {
            let name = result.as_ref().ok().and_then(|found| found.get_str("dialect").ok());
            if let Some(database) = cx.state.tree.database_mut(db) {
                database.dialect = name.and_then(Dialect::from_name);
                database.dialect_error = result.as_ref().err().cloned();
            }
        }
        (StorePurpose::Stats(namespace), result) => {
            take_figures(namespace, result.as_ref().ok(), cx.state);
        }
        (StorePurpose::Count(namespace), result) => {
            recount::counted(namespace, result.as_ref().ok(), cx);
        }
        (StorePurpose::Next(namespace), result) => {
            let next = result.as_ref().map_or(Next::Unknown, Next::of);
            if let Some(collection) = cx.state.tree.collection_mut(namespace) {
                collection.next = next;
            }
            if next != Next::Unknown {
                tabs::choose_view(namespace, cx);
                tabs::freshen(cx);
            }
            ask_unseen(1, cx);
        }
        (StorePurpose::Forecast(namespace), result) => {
            let forecast = result.as_ref().ok().and_then(Forecast::from_document);
            if let Some(collection) = cx.state.tree.collection_mut(namespace) {
                collection.forecast = forecast;
            }
        }
        (StorePurpose::Hello | StorePurpose::Members, found) => {
            connect::learn_facts(purpose, found, cx.state);
        }
        (StorePurpose::Rules(namespace), Ok(_)) => {
            let db = namespace.db.clone();
            let (purpose, command) = creation(namespace.clone());
            let next = cx.write(Purpose::Store(purpose), &db, command);
            if let Some(sent) = dialog::asker(generation, cx.state) {
                sent.generation = Some(next);
            }
        }
        (StorePurpose::Change { done, open }, Ok(_)) => {
            if dialog::asker(generation, cx.state).is_some() {
                cx.state.dialogs.close();
            }
            changed(done, open.clone(), reply, cx);
        }
        (StorePurpose::Statistics(_) | StorePurpose::DuplicatedIndexes(_), _) => {
            collection::figures(purpose, &reply.result, cx.state);
        }
        (StorePurpose::Rules(_) | StorePurpose::Change { .. }, Err(error)) => {
            refused(generation, error, cx.state);
            refresh(cx);
        }
    }
}

/// A refusal is shown where the request came from: in its dialog, else in a message.
pub fn refused(generation: u64, error: &str, state: &mut State) {
    match dialog::asker(generation, state) {
        Some(sent) => *sent = Sent { generation: None, error: Some(error.to_owned()) },
        None => state.toasts.push(Kind::Error, error, None, state.uptime),
    }
}

fn changed(done: &str, open: Option<Namespace>, reply: &Reply, cx: &mut Apply<'_>) {
    cx.state.toasts.push(Kind::Done, done, None, cx.state.uptime);
    if let Ok(collection) = reply.command.get_str("drop") {
        let dropped = Namespace::new(&reply.db, collection);
        cx.state.tabs.forget(|namespace| *namespace == dropped);
    } else if let Ok(from) = reply.command.get_str("renameCollection") {
        cx.state.tabs.forget(|namespace| namespace.to_string() == from);
    } else if reply.command.contains_key("dropDatabase") {
        cx.state.tabs.forget(|namespace| namespace.db == reply.db);
    }
    if let Some(namespace) = open
        && cx.state.tabs.show(&namespace).is_some()
        && reply.command.contains_key("create")
    {
        // Nothing in it can expire yet; documents are what comes first.
        tabs::set_view(ViewKind::Documents, cx.state);
    }
    refresh(cx);
    tabs::freshen(cx);
}

fn databases(found: &Document, cx: &mut Apply<'_>) {
    let found = found.get_array("databases").map(Vec::as_slice).unwrap_or_default();
    let pairs = found.iter().filter_map(Bson::as_document).filter_map(|database| {
        let name = database.get_str("name").ok()?;
        Some((name.to_owned(), number(database, "sizeOnDisk").unwrap_or(0)))
    });
    cx.state.tree.learn_databases(pairs.collect());
    let names: Vec<String> =
        cx.state.tree.databases.iter().map(|database| database.name.clone()).collect();
    for name in names {
        let command = commands::store::collections(COLLECTIONS_LISTED_MAX);
        let purpose = Purpose::Store(StorePurpose::Collections(name.clone()));
        cx.read(purpose, &name, command);
        let purpose = Purpose::Store(StorePurpose::Dialect(name.clone()));
        cx.read(purpose, &name, commands::store::dialect());
    }
}

fn collections(db: &str, found: &Document, state: &mut State) {
    let batch = found.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let batch = batch.map(Vec::as_slice).unwrap_or_default();
    let pairs = batch.iter().filter_map(Bson::as_document).filter_map(|collection| {
        let name = collection.get_str("name").ok()?;
        let kind = collection.get_str("type").unwrap_or("collection");
        Some((name.to_owned(), kind.to_owned()))
    });
    state.tree.learn_collections(db, pairs.collect());
    demo::open_first(state);
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
