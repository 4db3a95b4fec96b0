//! The workspace while no collection is open.

use egui::Ui;

use crate::action::{
    Action, Actions, DialogAction, Entry, StoreAction, TabsAction, lesson, sandbox, store, view,
};
use crate::job::OpenError;
use crate::state::dialogs::CreateDatabase;
use crate::state::view::Focus;
use crate::state::{Dialog, Phase, State};
use crate::theme::sizes;
use crate::widgets::Button;
use crate::widgets::empty_state::{self, Picture};

/// Draws it.
pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let (picture, sentence, button, action) = match &state.store.phase {
        Phase::Opening => {
            empty_state::ui(ui, Picture::Waiting, "Opening the store…", None);
            return;
        }
        Phase::Away(why) => {
            empty_state::ui(ui, Picture::Waiting, why, None);
            return;
        }
        Phase::Failed(OpenError { message, is_in_use, .. }) => {
            let again = StoreAction::Open(state.store.request.clone());
            let picture = if *is_in_use { Picture::Waiting } else { Picture::Failure };
            (picture, message.as_str(), "Try again", Action::Store(again))
        }
        Phase::Open if state.tree.loaded && state.tree.collections() == 0 => {
            let dialog = Dialog::CreateDatabase(CreateDatabase::default());
            let action = Action::Dialog(DialogAction::Show(dialog));
            (Picture::Mayfly, "This store is empty", "Create database…", action)
        }
        Phase::Open => {
            let sentence = "Select a collection to watch its documents expire";
            let action = Action::Tabs(TabsAction::Focus(Focus::Search));
            (Picture::Mayfly, sentence, "Search collections", action)
        }
    };
    let pressed = empty_state::with_more_ui(ui, picture, sentence, Some(button), |ui| {
        for entry in other_stores(state) {
            ui.add_space(sizes::GAP_SMALL);
            if ui.add(Button::ghost(entry.label).tooltip(entry.tooltip)).clicked()
                && let Some(action) = (entry.action)(state)
            {
                actions.push(action);
            }
        }
    });
    if pressed.is_some_and(|button| button.clicked()) {
        actions.push(action);
    }
}

/// The other stores that can be opened: from the demo store the user's own, from an empty one the
/// demo. A store that could not be opened also offers a folder and the way out.
fn other_stores(state: &State) -> impl Iterator<Item = &'static Entry> {
    let is_empty = state.tree.loaded && state.tree.collections() == 0;
    let other = match (state.store.demo, is_empty) {
        _ if !state.is_open() => None,
        (true, _) => Some(&store::OPEN_OWN),
        (false, true) => Some(&store::OPEN_DEMO),
        (false, false) => None,
    };
    let lessons = state.is_open().then_some(&lesson::PAGE);
    let sandbox = (!state.is_in_sandbox()).then_some(&sandbox::OPEN);
    let failed: &[&Entry] = match state.store.phase {
        Phase::Failed(_) => &[&store::OPEN_FOLDER, &view::QUIT],
        _ => &[],
    };
    lessons.into_iter().chain(other).chain(sandbox).chain(failed.iter().copied())
}
