//! Opens another data folder: typed, chosen, or one of the recent ones.

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{Context, Ui};

use super::transfer::{ChoosePath, field_id};
use super::{WAITING, close};
use crate::action::{Action, Actions, StoreAction};
use crate::panels::recent;
use crate::state::State;
use crate::state::dialogs::OpenFolder;
use crate::state::transfer::import::{WHOLE_PATH, whole_path};
use crate::theme::sizes;
use crate::widgets::field::labelled;
use crate::widgets::{Button, modal};

/// The name of the path.
const PATH: &str = "Folder path";

pub fn ui(context: &Context, draft: &mut OpenFolder, state: &State, actions: &mut Actions) {
    let folder = whole_path(&draft.path);
    let is_waiting = draft.looking.is_some();
    let mut open = None;
    let closing = modal::ui(
        context,
        "Open data folder",
        "A data folder holds one store",
        sizes::DIALOG,
        &mut (&mut *draft, &mut *actions, &mut open),
        |ui, (draft, actions, _)| {
            path_ui(ui, draft, state, actions);
            recent::ui(ui, state, actions);
        },
        |ui, (_, actions, open)| {
            let label = if is_waiting { WAITING } else { "Open" };
            let is_ready = folder.is_some() && !is_waiting;
            if modal::answer_ui(ui, Button::primary(label).enabled(is_ready)) {
                open.clone_from(&folder);
            }
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    if let Some(folder) = open {
        draft.path = folder.to_string_lossy().into_owned();
        actions.push(Action::Store(StoreAction::OpenFolder(folder)));
    } else if closing.closes() {
        close(actions);
    }
}

fn path_ui(ui: &mut Ui, draft: &mut OpenFolder, state: &State, actions: &mut Actions) {
    let is_wrong = !draft.path.trim().is_empty() && whole_path(&draft.path).is_none();
    labelled(ui, PATH, is_wrong.then_some(WHOLE_PATH), |ui| {
        let path = ChoosePath {
            name: PATH,
            hint: "/home/you/data",
            choose: "Choose folder…",
            take: None,
            invalid: is_wrong,
        };
        if path.ui(ui, &mut draft.path, state, actions).changed {
            draft.looking = None;
        }
    });
    if !draft.has_focus {
        draft.has_focus = true;
        select_all(ui, &draft.path);
    }
}

/// Sends the keyboard to the path; what is typed replaces it.
fn select_all(ui: &Ui, path: &str) {
    let mut edit = TextEditState::default();
    let end = CCursor::new(path.chars().count());
    edit.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(0), end)));
    edit.store(ui.ctx(), field_id(PATH));
    ui.memory_mut(|memory| memory.request_focus(field_id(PATH)));
}
