//! A dialog that asks for a path and nothing else: typed, or chosen.

use std::path::PathBuf;

use egui::Context;

use super::frame::DialogFrame;
use super::transfer::ChoosePath;
use super::words::{close, quiet};
use crate::action::Actions;
use crate::state::State;
use crate::state::transfer::import::{WHOLE_PATH, whole_path};
use crate::widgets::Button;
use crate::widgets::field::labelled;

/// The words of such a dialog.
pub(super) struct WholePath {
    pub(super) title: &'static str,
    pub(super) subtitle: &'static str,
    pub(super) name: &'static str,
    pub(super) hint: &'static str,
    /// The note below the path, if any.
    pub(super) note: &'static str,
    pub(super) button: &'static str,
}

impl WholePath {
    /// Draws the dialog. Returns the path once it is sent; the dialog is closed then.
    pub(super) fn ui(
        &self,
        context: &Context,
        draft: &mut String,
        state: &State,
        actions: &mut Actions,
    ) -> Option<PathBuf> {
        let frame = DialogFrame::new(self.title)
            .subtitle(self.subtitle)
            .button(Button::primary(self.button).enabled(whole_path(draft).is_some()), ());
        let pressed = frame.ui(context, |ui| {
            let invalid = !draft.trim().is_empty() && whole_path(draft).is_none();
            labelled(ui, self.name, invalid.then_some(WHOLE_PATH), |ui| {
                let (name, hint, choose) = (self.name, self.hint, "Choose file…");
                let field = ChoosePath { name, hint, choose, take: None, invalid };
                field.ui(ui, draft, state, actions);
            });
            if !self.note.is_empty() {
                quiet(ui, self.note);
            }
        });
        let path = pressed.end(actions).and_then(|()| whole_path(draft));
        if path.is_some() {
            close(actions);
        }
        path
    }
}
