//! The choice of the list: the collection, and its trash or its archive.

use egui::{ScrollArea, Ui};

use crate::action::{Action, Actions, TrashAction};
use crate::state::State;
use crate::state::archive::ArchiveDraft;
use crate::state::trash::{TrashDraft, collections};
use crate::theme::sizes;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, menu, tabs};

/// Where the listed documents are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Trash,
    Archive,
}

/// Draws both choices. Returns the other place if that was chosen.
pub(super) fn place_ui(
    ui: &mut Ui,
    state: &State,
    shown: Place,
    actions: &mut Actions,
) -> Option<Place> {
    let mut chosen = None;
    ui.horizontal(|ui| {
        filter_ui(ui, state, actions);
        if state.trash.filter.is_some() {
            let words = ["In the trash", "In the archive"];
            let at = tabs::segmented(ui, "Listed", &words, usize::from(shown == Place::Archive));
            chosen = at.map(|at| if at == 1 { Place::Archive } else { Place::Trash });
        }
    });
    chosen
}

/// Lists the other place.
pub(super) fn show(draft: &mut TrashDraft, place: Place, state: &State) {
    draft.archive = match place {
        Place::Trash => None,
        Place::Archive => state.trash.filter.clone().map(ArchiveDraft::new),
    };
}

fn filter_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let net = &state.trash;
    let all = "All collections";
    let shown = net.filter.as_ref().map(|of| with_marks(&of.to_string()));
    let shown = shown.unwrap_or_else(|| all.to_owned());
    let button = Button::plain(&shown).menu().name("Collection").tooltip("Filter by collection");
    let response = ui.add(button);
    menu::below(&response, |ui| {
        ScrollArea::vertical().max_height(sizes::PALETTE_LIST).show(ui, |ui| {
            let mut listed = None;
            if menu::choice(ui, all, net.filter.is_none()).clicked() {
                listed = Some(None);
            }
            for of in collections(&state.tree, &state.trash) {
                let chosen = net.filter.as_ref() == Some(&of);
                let name = with_marks(&of.to_string());
                let choice = menu::choice(ui, &name, chosen);
                if choice.accessible_name(format!("List {name}")).clicked() {
                    listed = Some(Some(of));
                }
            }
            if let Some(filter) = listed {
                actions.push(Action::Trash(TrashAction::List(filter)));
            }
        });
    });
}
