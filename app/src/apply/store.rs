//! Databases and collections.

use std::path::PathBuf;

use bson::{Bson, Document, doc};

use super::{Effects, WindowEffect, clock, reaper, tabs, transfer};
use crate::action::StoreAction;
use crate::job::invisible::with_marks;
use crate::limits::{STRIP_BUCKETS, STRIP_SPAN_MS, WEATHER_UNSEEN_MAX};
use crate::source::{OpenFailure, OpenRequest, Opened};
use crate::state::dialogs::{
    Confirm, CreateCollection, CreateDatabase, Dialect, Dialog, DropTarget, OpenFolder, Sent, Tone,
    create_command, dialect_command, drop_command, rename_command,
};
use crate::state::maintenance::{folder, key};
use crate::state::offer::Offer;
use crate::state::purpose::StorePurpose;
use crate::state::store::{Forecast, Next, Order};
use crate::state::tabs::ViewKind;
use crate::state::toasts::Kind;
use crate::state::transfer::Purpose as FilePurpose;
use crate::state::{Namespace, Phase, Purpose, State, StoreTree};
use crate::worker::{Lane, Reply, TransferWork, Work};

/// Collections of one database that are listed; the rest is not shown.
const COLLECTIONS_LISTED_MAX: i32 = 10_000;

/// Carries out one action.
pub fn apply(action: StoreAction, state: &mut State, effects: &mut Effects) {
    match action {
        StoreAction::Refresh => {
            refresh(state, effects);
            tabs::data_changed(None, state, effects);
        }
        StoreAction::Open(request) => open(request, state, effects),
        StoreAction::ChooseFolder => {
            let path = state.store.folder.as_ref().map(|path| path.display().to_string());
            let path = path.unwrap_or_default();
            state.transfer.chooser_note = None;
            state.dialogs.show(Dialog::OpenFolder(OpenFolder { path, ..OpenFolder::default() }));
        }
        StoreAction::OpenFolder(folder) => look_into(folder, state, effects),
        StoreAction::CreateStore(folder) => open_folder(folder, state, effects),
        StoreAction::Fold(db) => {
            if !state.tree.folded.remove(&db) {
                state.tree.folded.insert(db);
            }
        }
        StoreAction::Sort(order) => sort(order, state, effects),
        StoreAction::Weather(namespace) => weather(&namespace, state, effects),
        StoreAction::CreateDatabase(draft) => create_database(&draft, state, effects),
        StoreAction::CreateCollection(draft) => create_collection(&draft, state, effects),
        StoreAction::Rename(draft) => rename(&draft.from, &draft.name, state, effects),
        StoreAction::Drop(target) => drop_target(&target, state, effects),
        StoreAction::SetDialect(db, dialect) => {
            let done = format!("The compatibility of {db} is now {}", dialect.label());
            let command = doc! {"mayflyDialect": dialect.name()};
            change(done, &db, command, state, effects);
        }
    }
}

/// Looks whether a folder holds a store, before the present one is closed for it.
fn look_into(folder: PathBuf, state: &mut State, effects: &mut Effects) {
    let look = TransferWork::LookInto(folder);
    let generation = transfer::work(FilePurpose::LookInto, Lane::Read, look, state, effects);
    if let Some(Dialog::OpenFolder(draft)) = state.dialogs.open_mut() {
        draft.looking = Some(generation);
    }
}

/// A folder was looked into: a store is opened, and a new one is asked about.
pub(super) fn looked_into(
    generation: u64,
    folder: PathBuf,
    has_store: bool,
    state: &mut State,
    effects: &mut Effects,
) {
    match state.dialogs.open_mut() {
        Some(Dialog::OpenFolder(draft)) if draft.looking == Some(generation) => {
            draft.looking = None;
        }
        // The dialog was closed, or something else was typed since.
        _ => return,
    }
    if has_store {
        return open_folder(folder, state, effects);
    }
    let shown = with_marks(&folder.display().to_string());
    state.dialogs.show_before(Dialog::Confirm(Confirm {
        title: "Create a new store here?".to_owned(),
        text: format!("{shown} doesn't contain a store."),
        command: None,
        button: "Create store".to_owned(),
        tone: Tone::Normal,
        offer: Offer::CreateStore(folder),
    }));
}

fn open_folder(folder: PathBuf, state: &mut State, effects: &mut Effects) {
    state.dialogs.forget(|dialog| matches!(dialog, Dialog::OpenFolder(_)));
    let request = OpenRequest { folder: Some(folder), ..OpenRequest::default() };
    open(request, state, effects);
}

/// Opens a store in place of the present one.
pub fn open(mut request: OpenRequest, state: &mut State, effects: &mut Effects) {
    // It is the same program, whichever store it opens.
    request.walker = request.walker.or_else(|| state.store.request.walker.clone());
    transfer::run::cancel_all(state);
    state.store.phase = Phase::Opening;
    state.store.request = request.clone();
    effects.job(state, Purpose::Store(StorePurpose::Open), Lane::Write, Work::Open(request));
}

/// A store was opened, or could not be.
pub fn opened(opened: Result<Opened, OpenFailure>, state: &mut State, effects: &mut Effects) {
    let opened = match opened {
        Ok(opened) => opened,
        Err(failure) => return not_opened(failure, state),
    };
    // Drafts stay when the same folder is opened again.
    let is_same = opened.folder.is_some() && opened.folder == state.store.shown;
    if state.tree.loaded && !is_same {
        // Another store: nothing of the old one stays.
        state.tree = StoreTree::default();
        state.tabs.clear();
        state.dialogs.forget(Dialog::is_about_contents);
        state.reaper = crate::state::Reaper::default();
        state.drafts.tabs.clear();
    }
    state.store.capabilities = opened.source.capabilities();
    effects.window(WindowEffect::Title(format!("{} – Mayfly", opened.name)));
    state.store.name = opened.name;
    state.store.shown.clone_from(&opened.folder);
    if let Some(folder) = opened.folder.as_ref().filter(|_| !state.store.request.demo) {
        state.settings.note_store(folder);
    }
    state.store.folder = opened.folder;
    let told = state.store.folder.as_deref().map(key);
    let is_told = told.is_some_and(|folder| state.settings.advised.contains(&folder));
    state.maintenance.advice = if is_told { Vec::new() } else { opened.advice };
    reopened(opened.warnings, state, effects);
}

/// A folder could not be opened. The store before it is closed, so that nothing that is known of it
/// may be offered for this one. Its tabs stay: it may be opened again.
fn not_opened(failure: OpenFailure, state: &mut State) {
    state.store.phase = Phase::Failed(failure);
    state.store.folder = folder(state);
    state.maintenance.forget();
    state.maintenance.advice.clear();
}

/// The store is open; if it was open before, tabs and what is typed in them stay.
pub fn reopened(warnings: Vec<String>, state: &mut State, effects: &mut Effects) {
    state.maintenance.forget();
    state.listener = crate::state::Listener::default();
    state.archive = crate::state::archive::Archive::default();
    state.reaper.reopened(state.clock.now_ms());
    state.store.phase = Phase::Open;
    warn(warnings, state);
    ask_all(state, effects);
    tabs::data_changed(None, state, effects);
}

fn warn(warnings: Vec<String>, state: &mut State) {
    for warning in warnings {
        state.reaper.note(state.clock.now_ms(), warning.clone());
        state.toasts.push(Kind::Warning, warning, None, state.uptime);
    }
}

fn ask_all(state: &mut State, effects: &mut Effects) {
    clock::ask(state, effects);
    reaper::ask(state, effects);
    refresh(state, effects);
    tabs::freshen(state, effects);
    state.transfer.unfinished.clear();
    transfer::resume::ask(true, state, effects);
}

/// Reads the catalog again.
pub fn refresh(state: &mut State, effects: &mut Effects) {
    if !state.is_open() {
        return;
    }
    state.tree.stale = false;
    state.tree.asked_at = Some(state.uptime);
    let purpose = Purpose::Store(StorePurpose::Databases);
    effects.read(state, purpose, "admin", doc! {"listDatabases": 1});
}

fn sort(order: Order, state: &mut State, effects: &mut Effects) {
    state.settings.order = order;
    ask_unseen(WEATHER_UNSEEN_MAX, state, effects);
}

/// Asks when the first document of some more collections goes, if their order depends on it. Each
/// answer asks for one more, until all are known.
fn ask_unseen(max: usize, state: &mut State, effects: &mut Effects) {
    if state.settings.order == Order::Soonest {
        for namespace in state.tree.take_unseen(max) {
            next(&namespace, state, effects);
        }
    }
}

fn weather(namespace: &Namespace, state: &mut State, effects: &mut Effects) {
    let uptime = state.uptime;
    let Some(collection) = state.tree.collection_mut(namespace) else { return };
    collection.asked_at = Some(uptime);
    collection.stale = false;
    let is_view = collection.kind == "view";
    if is_view {
        collection.next = Next::Never;
        return;
    }
    let figures = Purpose::Store(StorePurpose::Stats(namespace.clone()));
    effects.read(state, figures, &namespace.db, doc! {"collStats": &namespace.collection});
    next(namespace, state, effects);
    let from_ms = state.now_ms();
    let to_ms = from_ms.saturating_add(STRIP_SPAN_MS);
    let buckets = i32::try_from(STRIP_BUCKETS).unwrap_or(i32::MAX);
    let command = doc! {
        "mayflyForecast": &namespace.collection,
        "from": bson::DateTime::from_millis(from_ms),
        "to": bson::DateTime::from_millis(to_ms),
        "buckets": buckets,
    };
    let forecast = Purpose::Store(StorePurpose::Forecast(namespace.clone()));
    effects.read(state, forecast, &namespace.db, command);
}

fn next(namespace: &Namespace, state: &mut State, effects: &mut Effects) {
    let purpose = Purpose::Store(StorePurpose::Next(namespace.clone()));
    let command = doc! {"mayflyExpiring": &namespace.collection, "limit": 1};
    effects.read(state, purpose, &namespace.db, command);
}

fn create_database(draft: &CreateDatabase, state: &mut State, effects: &mut Effects) {
    let namespace = Namespace::new(draft.name.trim(), draft.collection.trim());
    let db = namespace.db.clone();
    let (purpose, command) = match dialect_command(draft.dialect) {
        // The collection is made when the rules are known to be in force.
        Some(command) => (StorePurpose::Rules(namespace), command),
        None => creation(namespace),
    };
    send(purpose, &db, command, state, effects);
}

/// The first collection of a new database.
fn creation(namespace: Namespace) -> (StorePurpose, Document) {
    let command = doc! {"create": &namespace.collection};
    let done = format!("Created {namespace}");
    (StorePurpose::Change { done, open: Some(namespace) }, command)
}

/// Sends what the open dialog asks for; it stays until that is answered.
fn send(
    purpose: StorePurpose,
    db: &str,
    command: Document,
    state: &mut State,
    effects: &mut Effects,
) {
    if state.dialogs.sent_mut().is_some_and(|sent| sent.is_waiting()) {
        return;
    }
    let generation = effects.write(state, Purpose::Store(purpose), db, command);
    if let Some(sent) = state.dialogs.sent_mut() {
        *sent = Sent { generation: Some(generation), error: None };
    }
}

/// The dialog that sent this and waits for the answer.
fn asker(generation: u64, state: &mut State) -> Option<&mut Sent> {
    state.dialogs.sent_mut().filter(|sent| sent.generation == Some(generation))
}

fn create_collection(draft: &CreateCollection, state: &mut State, effects: &mut Effects) {
    let namespace = Namespace::new(&draft.db, draft.name.trim());
    let command = create_command(draft);
    let done = format!("Created {namespace}");
    let purpose = StorePurpose::Change { done, open: Some(namespace) };
    send(purpose, &draft.db, command, state, effects);
}

fn rename(from: &Namespace, name: &str, state: &mut State, effects: &mut Effects) {
    let to = Namespace::new(&from.db, name.trim());
    let command = rename_command(from, name);
    let done = format!("Renamed {from} to {to}");
    let purpose = StorePurpose::Change { done, open: Some(to) };
    send(purpose, "admin", command, state, effects);
}

fn drop_target(target: &DropTarget, state: &mut State, effects: &mut Effects) {
    let (db, command) = drop_command(target);
    let done = match target {
        DropTarget::Database(db) => format!("Dropped database {db}"),
        DropTarget::Collection(namespace) => format!("Dropped {namespace}"),
    };
    send(StorePurpose::Change { done, open: None }, &db, command, state, effects);
}

fn change(done: String, db: &str, command: Document, state: &mut State, effects: &mut Effects) {
    let purpose = Purpose::Store(StorePurpose::Change { done, open: None });
    effects.write(state, purpose, db, command);
}

/// Takes over an answer.
pub fn answer(
    purpose: &StorePurpose,
    generation: u64,
    reply: &Reply,
    state: &mut State,
    effects: &mut Effects,
) {
    match (purpose, &reply.result) {
        (StorePurpose::Open, _) => {}
        (StorePurpose::Databases, Ok(found)) => databases(found, state, effects),
        (StorePurpose::Databases, Err(error)) => state.tree.error = Some(error.clone()),
        (StorePurpose::Collections(db), Ok(found)) => collections(db, found, state),
        (StorePurpose::Collections(db), Err(_)) => {
            state.tree.learn_collections(db, Vec::new());
        }
        (StorePurpose::Dialect(db), result) => {
            let name = result.as_ref().ok().and_then(|found| found.get_str("dialect").ok());
            if let Some(database) = state.tree.database_mut(db) {
                database.dialect = name.and_then(Dialect::from_name);
                database.dialect_error = result.as_ref().err().cloned();
            }
        }
        (StorePurpose::Stats(namespace), result) => {
            let figures = result.as_ref().ok();
            if let Some(collection) = state.tree.collection_mut(namespace) {
                collection.documents = figures.and_then(|figures| number(figures, "count"));
                collection.bytes = figures.and_then(|figures| number(figures, "size"));
            }
        }
        (StorePurpose::Next(namespace), result) => {
            let next = result.as_ref().ok().and_then(first_threshold).map_or(Next::Never, Next::At);
            if let Some(collection) = state.tree.collection_mut(namespace) {
                collection.next = next;
            }
            ask_unseen(1, state, effects);
        }
        (StorePurpose::Forecast(namespace), result) => {
            let forecast = result.as_ref().ok().map(|found| forecast(&reply.command, found));
            if let Some(collection) = state.tree.collection_mut(namespace) {
                collection.forecast = forecast;
            }
        }
        (StorePurpose::Rules(namespace), Ok(_)) => {
            let db = namespace.db.clone();
            let (purpose, command) = creation(namespace.clone());
            let next = effects.write(state, Purpose::Store(purpose), &db, command);
            if let Some(sent) = asker(generation, state) {
                sent.generation = Some(next);
            }
        }
        (StorePurpose::Change { done, open }, Ok(_)) => {
            if asker(generation, state).is_some() {
                state.dialogs.close();
            }
            changed(done, open.clone(), reply, state, effects);
        }
        (StorePurpose::Rules(_) | StorePurpose::Change { .. }, Err(error)) => {
            refused(generation, error, state);
            refresh(state, effects);
        }
    }
}

/// A refusal is shown where the request came from: in its dialog, else in a message.
pub fn refused(generation: u64, error: &str, state: &mut State) {
    match asker(generation, state) {
        Some(sent) => *sent = Sent { generation: None, error: Some(error.to_owned()) },
        None => state.toasts.push(Kind::Error, error, None, state.uptime),
    }
}

fn changed(
    done: &str,
    open: Option<Namespace>,
    reply: &Reply,
    state: &mut State,
    effects: &mut Effects,
) {
    state.toasts.push(Kind::Done, done, None, state.uptime);
    if let Ok(collection) = reply.command.get_str("drop") {
        let dropped = Namespace::new(&reply.db, collection);
        state.tabs.forget(|namespace| *namespace == dropped);
    } else if let Ok(from) = reply.command.get_str("renameCollection") {
        state.tabs.forget(|namespace| namespace.to_string() == from);
    } else if reply.command.contains_key("dropDatabase") {
        state.tabs.forget(|namespace| namespace.db == reply.db);
    }
    if let Some(namespace) = open {
        let is_new = reply.command.contains_key("create");
        if state.tabs.show(&namespace).is_some() && is_new {
            // Nothing in it can expire yet; documents are what comes first.
            tabs::set_view(ViewKind::Documents, state);
        }
    }
    refresh(state, effects);
    tabs::freshen(state, effects);
}

fn databases(found: &Document, state: &mut State, effects: &mut Effects) {
    let found = found.get_array("databases").map(Vec::as_slice).unwrap_or_default();
    let pairs = found.iter().filter_map(Bson::as_document).filter_map(|database| {
        let name = database.get_str("name").ok()?;
        Some((name.to_owned(), number(database, "sizeOnDisk").unwrap_or(0)))
    });
    state.tree.learn_databases(pairs.collect());
    let names: Vec<String> =
        state.tree.databases.iter().map(|database| database.name.clone()).collect();
    for name in names {
        let command = doc! {
            "listCollections": 1,
            "nameOnly": true,
            "cursor": {"batchSize": COLLECTIONS_LISTED_MAX},
        };
        let purpose = Purpose::Store(StorePurpose::Collections(name.clone()));
        effects.read(state, purpose, &name, command);
        let purpose = Purpose::Store(StorePurpose::Dialect(name.clone()));
        effects.read(state, purpose, &name, doc! {"mayflyDialect": 1});
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
    open_first(state);
}

/// A window without a tab opens the first collection.
fn open_first(state: &mut State) {
    let all_known = state.tree.databases.iter().all(|database| database.loaded);
    if !all_known || !state.tabs.open().is_empty() || state.tabs.can_reopen() {
        return;
    }
    state.first_tab = state.tree.databases.iter().find_map(|database| {
        let collection = database.collections.first()?;
        Some(Namespace::new(&database.name, &collection.name))
    });
}

fn first_threshold(found: &Document) -> Option<i64> {
    let first = found.get_array("batch").ok()?.first()?.as_document()?;
    Some(first.get_datetime("threshold").ok()?.timestamp_millis())
}

fn forecast(command: &Document, found: &Document) -> Forecast {
    let instant = |name| command.get_datetime(name).map_or(0, |at| at.timestamp_millis());
    let counts = found.get_array("counts").map(Vec::as_slice).unwrap_or_default();
    Forecast {
        from_ms: instant("from"),
        to_ms: instant("to"),
        counts: counts.iter().filter_map(as_count).collect(),
        overdue: number(found, "overdue").unwrap_or(0),
        beyond: number(found, "beyond").unwrap_or(0),
        never: number(found, "never").unwrap_or(0),
    }
}

/// A count in a reply, whichever number type it has.
pub fn number(document: &Document, name: &str) -> Option<u64> {
    document.get(name).and_then(as_count)
}

fn as_count(value: &Bson) -> Option<u64> {
    match value {
        Bson::Int32(count) => u64::try_from(*count).ok(),
        Bson::Int64(count) => u64::try_from(*count).ok(),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be a whole number that is not negative; beyond 2^64 it saturates"
        )]
        Bson::Double(count) if *count >= 0.0 && count.fract() == 0.0 => Some(*count as u64),
        _ => None,
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
