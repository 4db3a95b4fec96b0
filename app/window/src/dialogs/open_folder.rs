//! Opens another data folder: typed, chosen, or one of the recent ones.

use egui::Context;

use super::frame::DialogFrame;
use super::transfer::ChoosePath;
use super::words::WAITING;
use crate::action::{Action, Actions, StoreAction};
use crate::panels::recent;
use crate::state::State;
use crate::state::dialogs::OpenFolder;
use crate::state::transfer::import::{WHOLE_PATH, whole_path};
use crate::widgets::Button;
use crate::widgets::field::labelled;

/// The name of the path.
const PATH: &str = "Folder path";

pub fn ui(context: &Context, draft: &mut OpenFolder, state: &State, actions: &mut Actions) {
    let is_ready = whole_path(&draft.path).is_some();
    let frame = DialogFrame::new("Open data folder")
        .subtitle("A data folder holds one store")
        .waiting(draft.looking.is_some())
        .button(Button::primary("Open").enabled(is_ready).room_for(WAITING), ());
    let pressed = frame.ui(context, |ui| {
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
        recent::ui(ui, state, actions);
    });
    if let (Some(()), Some(folder)) = (pressed.end(actions), whole_path(&draft.path)) {
        draft.path = folder.to_string_lossy().into_owned();
        actions.push(Action::Store(StoreAction::OpenFolder(folder)));
    }
}
