//! Which store is opened next: a folder that was typed, or a store that was open before.

use std::path::{Path, PathBuf};

use super::question::{Answer, Question, Report, Run};
use super::{Apply, connect, stores};
use crate::job::OpenRequest;
use crate::job::invisible::with_marks;
use crate::source::embedded::DATA_FILE;
use crate::state::dialogs::{Confirm, Dialog, OpenFolder, Tone};
use crate::state::offer::Offer;
use crate::state::recent_stores::RecentStore;
use crate::state::toasts::Kind;
use crate::worker::{Desk, Lane};

/// Opens the dialog that asks for a folder.
pub(super) fn ask(cx: &mut Apply<'_>) {
    let path = cx.state.store.folder.as_ref().map(|path| path.display().to_string());
    let path = path.unwrap_or_default();
    cx.state.transfer.chooser_note = None;
    cx.state.dialogs.show(Dialog::OpenFolder(OpenFolder { path, ..OpenFolder::default() }));
}

/// Looks whether a folder holds a store, before the present one is closed for it.
pub(super) fn look_into(folder: PathBuf, cx: &mut Apply<'_>) {
    let generation = cx.run(LookInto(folder));
    if let Some(Dialog::OpenFolder(draft)) = cx.state.dialogs.open_mut() {
        draft.looking = Some(generation);
    }
}

/// Whether a folder holds a store.
#[derive(Debug, PartialEq)]
struct LookInto(PathBuf);

impl Question for LookInto {
    type Answer = bool;

    fn answered(&self, generation: u64, has_store: bool, cx: &mut Apply<'_>) {
        looked_into(generation, self.0.clone(), has_store, cx);
    }
}

impl Run for LookInto {
    const LANE: Lane = Lane::Read;

    fn run(&self, _: &Desk<'_, Answer>, report: Report<Self>) {
        report.send(self.0.join(DATA_FILE).exists());
    }

    /// Opening it shows what is wrong.
    fn failed(&self, _: String) -> bool {
        true
    }

    /// Nothing is known of the folder, which may hold no store.
    fn full(&self, _: u64, _: &mut Apply<'_>) {}
}

/// Opens a store that was open before. Its folder may be gone by now, so it is looked into first.
pub(super) fn open_recent(recent: RecentStore, cx: &mut Apply<'_>) {
    if let Some(slot) = stores::slot_of(Some(Path::new(&recent.folder)), cx.state) {
        cx.state.dialogs.forget(|dialog| matches!(dialog, Dialog::OpenFolder(_)));
        return stores::show(slot, cx);
    }
    if let Some(server) = &recent.server {
        return connect::open_saved(server, cx);
    }
    if !recent.is_named {
        cx.state.dialogs.forget(|dialog| matches!(dialog, Dialog::OpenFolder(_)));
        return stores::open(recent.request(), cx);
    }
    let generation = cx.run(LookInto(PathBuf::from(&recent.folder)));
    cx.state.store.looking = Some((generation, recent));
}

/// A folder was looked into: a store is opened, and a new one is asked about.
fn looked_into(generation: u64, folder: PathBuf, has_store: bool, cx: &mut Apply<'_>) {
    let is_it = |(asked, _): &mut (u64, RecentStore)| *asked == generation;
    if let Some((_, recent)) = cx.state.store.looking.take_if(is_it) {
        return if has_store { open(&recent, cx) } else { missing(&recent, cx) };
    }
    match cx.state.dialogs.open_mut() {
        Some(Dialog::OpenFolder(draft)) if draft.looking == Some(generation) => {
            draft.looking = None;
        }
        // The dialog was closed, or something else was typed since.
        _ => return,
    }
    if has_store {
        return open_folder(folder, cx);
    }
    let shown = with_marks(&folder.display().to_string());
    cx.state.dialogs.show_before(Dialog::Confirm(Confirm {
        title: "Create a new store here?".to_owned(),
        text: format!("{shown} doesn't contain a store."),
        command: None,
        button: "Create store".to_owned(),
        tone: Tone::Normal,
        offer: Offer::CreateStore(folder),
        name: None,
    }));
}

fn open(recent: &RecentStore, cx: &mut Apply<'_>) {
    cx.state.dialogs.forget(|dialog| matches!(dialog, Dialog::OpenFolder(_)));
    stores::open(recent.request(), cx);
}

fn missing(recent: &RecentStore, cx: &mut Apply<'_>) {
    let folder = with_marks(&Path::new(&recent.folder).display().to_string());
    let text = format!("{folder} doesn't contain a store any more");
    let forget = ("Remove from the list".to_owned(), Offer::ForgetStore(recent.folder.clone()));
    cx.state.toasts.push(Kind::Warning, text, Some(forget), cx.state.uptime);
}

/// Opens the store in a folder, and makes one if there is none.
pub(super) fn open_folder(folder: PathBuf, cx: &mut Apply<'_>) {
    cx.state.dialogs.forget(|dialog| matches!(dialog, Dialog::OpenFolder(_)));
    let request = OpenRequest { folder: Some(folder), ..OpenRequest::default() };
    stores::open(request, cx);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{Action, StoreAction};
    use crate::apply::{Effects, apply};
    use crate::state::State;
    use crate::worker::Order;

    fn opens(effects: &Effects) -> Vec<OpenRequest> {
        let requests = effects.jobs.iter().filter_map(|job| match job.order() {
            Some(Order::Open(request)) => Some(request.clone()),
            _ => None,
        });
        requests.collect()
    }

    #[test]
    fn a_recent_store_is_opened_only_where_it_still_is() {
        let (mut state, mut effects) = (State::default(), Effects::default());
        let recent = RecentStore::in_folder(Path::new("/data/shop"), 0);
        state.settings.stores.note(recent.clone());
        for has_store in [false, true] {
            let mut cx = Apply::new(&mut state, &mut effects);
            apply(Action::Store(StoreAction::OpenRecent(recent.clone())), &mut cx);
            let generation = cx.state.generation;
            looked_into(generation, "/data/shop".into(), has_store, &mut cx);
            let expected = if has_store { vec![recent.request()] } else { Vec::new() };
            assert_eq!(opens(&effects), expected);
        }
        let offer = state.toasts.list()[0].button.clone().map(|(_, offer)| offer);
        assert_eq!(offer, Some(Offer::ForgetStore("/data/shop".to_owned())));
        let forget = Action::from(offer.expect("a button"));
        apply(forget, &mut Apply::new(&mut state, &mut effects));
        assert!(state.settings.stores.list().is_empty());
    }
}
