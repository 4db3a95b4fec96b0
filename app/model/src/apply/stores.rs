//! The choice among the open stores: another one opened, shown again, closed.
//!
//! Up to eight stores and servers are open at once, each a root in the sidebar (`panels/roots.rs`) once there
//! are two. One is shown: `State::store` and its tree, tabs and clock. The others are in `State::beside`,
//! each with everything that the window knows of it. `apply/stores.rs` swaps them; `Order::Show` tells the
//! worker, which keeps every `Source` by its number (`worker/sources.rs`) and stamps each job with the one
//! that is shown. Events carry the number of their store: those of a store that is not on the screen change
//! nothing, but a hold, damage or a dead thread is said. A store with an import, an export or a change of
//! many documents under way can't be left. A sandbox stays open like any other store; closing it asks first.

use std::path::{Path, PathBuf};

use super::lesson::close::{close as close_lesson, title};
use super::transfer::run;
use super::{Apply, demo, documents, event, passwords, rollout, store};
use crate::job::{Event, OpenError, OpenRequest, Sandbox};
use crate::limits::OPEN_STORES_MAX;
use crate::source::Opened;
use crate::state::sandbox::{AfterSandbox, LeaveSandbox};
use crate::state::toasts::Kind;
use crate::state::{Dialog, Phase, State, StoreBeside};
use crate::worker::Order;

/// Opens a store, or shows it if it is open. The one that is shown stays open.
pub fn open(request: OpenRequest, cx: &mut Apply<'_>) {
    if cx.state.lessons.is_playing() {
        close_lesson(cx);
    }
    open_from(request, true, cx);
}

/// The same in the place of the sandbox that is shown, which is removed.
pub(super) fn open_instead(request: OpenRequest, cx: &mut Apply<'_>) {
    open_from(request, false, cx);
}

fn open_from(request: OpenRequest, keeps: bool, cx: &mut Apply<'_>) {
    if let Some(slot) = slot_of(place(&request).as_deref(), cx.state) {
        return show_now(slot, keeps, cx);
    }
    if make_room(request, keeps, cx) {
        let request = cx.state.store.request.clone();
        cx.order(Order::Open(request));
    }
}

/// Shows a server that was attached.
pub(super) fn adopt(mut request: OpenRequest, opened: Box<Opened>, cx: &mut Apply<'_>) {
    if cx.state.lessons.is_playing() {
        // It is attached again, to the store of the window.
        return open(request, cx);
    }
    if let Some(slot) = slot_of(place(&request).as_deref(), cx.state) {
        show(slot, cx);
        return passwords::settle(request.server.as_deref_mut(), cx);
    }
    if make_room(request, true, cx) {
        cx.order(Order::Adopt(opened));
    }
}

/// Where a store is: its folder, or the address of its server.
fn place(request: &OpenRequest) -> Option<PathBuf> {
    match &request.server {
        Some(server) => Some(PathBuf::from(server.string.shown())),
        None => request.data_folder().ok(),
    }
}

/// The number of the open store, not on the screen, that is there.
pub(super) fn slot_of(place: Option<&Path>, state: &State) -> Option<u32> {
    let is_it = |beside: &&StoreBeside| beside.parked.store.shown.as_deref() == place;
    place.and_then(|_| state.beside.iter().find(is_it).map(StoreBeside::slot))
}

/// Makes room for a store. The one that is shown stays open if it is kept and another one. False: it
/// can't be left now, or too many are open.
fn make_room(mut request: OpenRequest, keeps: bool, cx: &mut Apply<'_>) -> bool {
    // It is the same program, whichever store it opens.
    request.walker = request.walker.or_else(|| cx.state.store.request.walker.clone());
    let is_same = cx.state.store.shown.is_some() && cx.state.store.shown == place(&request);
    let left = cx.state.store.request.sandbox.is_none().then(|| cx.state.store.request.clone());
    let left = left.or_else(|| cx.state.store.left.clone());
    if cx.state.is_open() && keeps && !is_same {
        if cx.state.beside.len() + 1 >= OPEN_STORES_MAX {
            let text = format!("{OPEN_STORES_MAX} stores are open; close one first");
            cx.warn(text);
            return false;
        }
        if !can_leave(cx) {
            return false;
        }
        set_aside(cx);
        cx.state.store.slot = cx.state.next_slot();
        cx.order(Order::Show(cx.state.store.slot));
    } else {
        stop_work(cx);
        if request.sandbox.is_some() && cx.state.store.request.sandbox.is_none() {
            cx.state.note_tabs();
        }
    }
    cx.state.store.left = left.filter(|_| request.sandbox.is_some());
    cx.state.store.phase = Phase::Opening;
    cx.state.store.looking = None;
    cx.state.view.is_start_shown = false;
    cx.state.store.request = request;
    true
}

/// Ends what runs in the store that is shown, because it is closed.
fn stop_work(cx: &mut Apply<'_>) {
    run::cancel_all(cx.state);
    documents::bulk::cancel_all(cx.state);
    rollout::stop_all(cx.state.store.slot, cx.state);
}

/// Whether the store that is shown can be left. Says why not.
fn can_leave(cx: &mut Apply<'_>) -> bool {
    let state = &mut *cx.state;
    let Some(why) = state.why_store_stays() else { return true };
    let text = format!("{} {why}", state.store.name);
    state.toast(Kind::Warning, text.trim_start());
    false
}

/// Takes the store that is shown off the screen and keeps it open.
fn set_aside(cx: &mut Apply<'_>) {
    let state = &mut *cx.state;
    state.note_tabs();
    state.dialogs.forget(Dialog::is_about_contents);
    let beside = StoreBeside::set_aside(state);
    let at = state.beside.partition_point(|other| other.slot() < beside.slot());
    state.beside.insert(at, beside);
}

/// Shows an open store. The one on the screen stays open.
pub(super) fn show(slot: u32, cx: &mut Apply<'_>) {
    if cx.state.lessons.is_playing() {
        close_lesson(cx);
    }
    if cx.state.beside.iter().any(|beside| beside.slot() == slot) {
        show_now(slot, true, cx);
    }
}

/// Shows an open store in the place of the sandbox that is shown, which is removed.
pub(super) fn show_instead(slot: u32, cx: &mut Apply<'_>) {
    show_now(slot, false, cx);
}

/// Shows an open store. The one on the screen stays open if it is kept and can be shown again.
fn show_now(slot: u32, keeps: bool, cx: &mut Apply<'_>) {
    let left = cx.state.store.slot;
    let is_failed = matches!(cx.state.store.phase, Phase::Failed(_));
    let stays = keeps && !is_failed;
    let is_discarded = !keeps && cx.state.is_in_sandbox();
    if !is_failed && !is_discarded && !can_leave(cx) {
        return;
    }
    if stays {
        set_aside(cx);
    } else {
        stop_work(cx);
        cx.state.note_tabs();
    }
    let Some(at) = cx.state.beside.iter().position(|beside| beside.slot() == slot) else { return };
    cx.state.dialogs.forget(Dialog::is_about_contents);
    cx.state.view.is_start_shown = false;
    cx.state.beside.remove(at).show(cx.state);
    cx.order(Order::Show(slot));
    if !stays {
        cx.order(Order::Close(left));
    }
    cx.state.console.restart("Another store was shown; variables are gone");
    title(cx);
    if cx.state.is_open() {
        store::note_recent(cx);
        store::back(cx);
        demo::start_traffic(cx);
    }
}

/// Closes an open store. The last one stays. A sandbox is shown and asked about.
pub(super) fn close(slot: u32, cx: &mut Apply<'_>) {
    let front = cx.state.store.slot;
    let Some(last) = cx.state.beside.last().map(StoreBeside::slot) else { return };
    let is_it = |beside: &StoreBeside| beside.slot() == slot;
    if cx.state.beside.iter().any(|beside| is_it(beside) && beside.is_sandbox()) {
        show(slot, cx);
    }
    if slot == cx.state.store.slot && cx.state.is_in_sandbox() {
        let next = if slot == front { last } else { front };
        let draft = LeaveSandbox::before(AfterSandbox::Show(next));
        cx.state.dialogs.show_before(Dialog::LeaveSandbox(draft));
    } else if slot == front {
        show_now(last, false, cx);
    } else if cx.state.beside.iter().any(|beside| is_it(beside) && !beside.is_sandbox()) {
        cx.state.beside.retain(|beside| !is_it(beside));
        rollout::stop_all(slot, cx.state);
        cx.order(Order::Close(slot));
    }
}

/// Opens a sandbox in the place of a store that can't be opened, if there is something to show in it.
/// False: there is not.
pub(super) fn in_sandbox(failure: &OpenError, cx: &mut Apply<'_>) -> bool {
    let request = &cx.state.store.request;
    let beginning = cx.state.beginning.as_ref().filter(|beginning| beginning.writes());
    let Some(beginning) = beginning.filter(|_| !request.is_temporary()) else { return false };
    let opens = beginning.opens();
    let why = if failure.is_in_use {
        format!("{} is in use by another program", name_of(request))
    } else {
        failure.message.trim_end_matches('.').to_owned()
    };
    let sentence = format!("{why}, so {opens} in a sandbox, a temporary store");
    cx.warn(sentence);
    let sandbox = OpenRequest { sandbox: Some(Sandbox::Empty), ..OpenRequest::default() };
    open(sandbox, cx);
    true
}

fn name_of(request: &OpenRequest) -> String {
    let folder = request.folder.as_ref().and_then(|folder| folder.file_name());
    match folder {
        Some(folder) => folder.to_string_lossy().into_owned(),
        None if request.demo => "The demo store".to_owned(),
        None => "Your store".to_owned(),
    }
}

/// Something happened in an open store. One that is not on the screen is read again when it is shown;
/// what must not wait is said.
pub(super) fn event(number: u32, event: Event, cx: &mut Apply<'_>) {
    let lesson = cx.state.lessons.playing.as_ref().map(|playing| playing.number);
    if number == lesson.unwrap_or(cx.state.store.slot) {
        return event::event(event, cx);
    }
    if let Some(parked) = cx.state.parked_mut(number) {
        event::note_documents(&event, parked.changes_mut());
    }
    let Some(beside) = cx.state.beside.iter().find(|beside| beside.slot() == number) else {
        return;
    };
    if let Event::IndexBuild(build) = event {
        // Operations are those of all stores.
        return event::index_build(build, cx.state);
    }
    let name = &beside.parked.store.name;
    let text = match event {
        Event::HeldChanged { reason: Some(reason) } => format!("{name}: {reason}"),
        Event::DamageFound(found) => format!("{name}, {}: {}", found.namespace, found.sentence),
        Event::ThreadDied { thread, message } => format!("{name}: {thread} stopped: {message}"),
        _ => return,
    };
    cx.warn(text);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::apply::Effects;
    use crate::job::bulk::{BulkChange, BulkWork};
    use crate::job::{Namespace, TabId};
    use crate::state::documents::bulk::BulkRun;
    use crate::state::documents::change::Origin;

    fn opened(state: &mut State, folder: &str) {
        state.store.phase = Phase::Open;
        state.store.name = folder.to_owned();
        state.store.shown = Some(PathBuf::from(folder));
        state.store.folder = Some(PathBuf::from(folder));
    }

    fn in_folder(folder: &str) -> OpenRequest {
        OpenRequest { folder: Some(PathBuf::from(folder)), ..OpenRequest::default() }
    }

    /// A window on the store `/b`, with `/a` open too.
    fn two() -> (State, Effects) {
        let (mut state, mut effects) = (State::default(), Effects::default());
        opened(&mut state, "/a");
        state.tabs.show(&Namespace::new("test", "notes"));
        open(in_folder("/b"), &mut Apply::new(&mut state, &mut effects));
        opened(&mut state, "/b");
        (state, effects)
    }

    fn works(effects: &Effects) -> Vec<String> {
        let name = |job: &crate::apply::Job| match job.order()? {
            Order::Show(slot) => Some(format!("show {slot}")),
            Order::Close(slot) => Some(format!("close {slot}")),
            Order::Open(_) => Some("open".to_owned()),
            _ => None,
        };
        effects.jobs.iter().filter_map(name).collect()
    }

    #[test]
    fn each_store_keeps_its_tabs_and_its_number() {
        let (mut state, mut effects) = two();
        assert_eq!(works(&effects), ["show 1", "open"]);
        assert!(state.tabs.open().is_empty());
        let mut cx = Apply::new(&mut state, &mut effects);
        open(in_folder("/a"), &mut cx);
        assert_eq!((cx.state.store.slot, cx.state.tabs.open().len()), (0, 1));
        show(1, &mut cx);
        assert_eq!((cx.state.store.name.as_str(), cx.state.tabs.open().len()), ("/b", 0));
        close(0, &mut cx);
        assert!(cx.state.beside.is_empty());
        assert_eq!(works(&effects), ["show 1", "open", "show 0", "show 1", "close 0"]);
    }

    #[test]
    fn a_store_with_an_operation_under_way_is_not_left() {
        let (mut state, mut effects) = two();
        let operation = state.operations.begin("Import".to_owned(), 0, Duration::ZERO, None);
        state.bulk.push(BulkRun {
            operation,
            tab: Some(TabId(0)),
            work: BulkWork {
                namespace: Namespace::new("test", "notes"),
                change: BulkChange::Empty,
                journal: None,
                gauge: std::sync::Arc::default(),
            },
            origin: Origin::Person,
            started: Duration::ZERO,
        });
        let mut cx = Apply::new(&mut state, &mut effects);
        show(0, &mut cx);
        open(in_folder("/c"), &mut cx);
        close(1, &mut cx);
        assert_eq!((cx.state.store.slot, cx.state.beside.len()), (1, 1));
        assert_eq!(cx.state.toasts.list().len(), 1, "the same sentence is said once");
        cx.state.bulk.clear();
        close(1, &mut cx);
        assert_eq!((cx.state.store.slot, cx.state.beside.len()), (0, 0));
        assert_eq!(works(&effects), ["show 1", "open", "show 0", "close 1"]);
    }

    #[test]
    fn one_that_could_not_be_opened_goes_when_another_is_shown() {
        let (mut state, mut effects) = two();
        state.store.phase = Phase::Failed(OpenError::new("damaged".to_owned()));
        show(0, &mut Apply::new(&mut state, &mut effects));
        assert_eq!((state.store.slot, state.beside.len()), (0, 0));
    }
}
