//! A dialog that asks for a path and nothing else: typed, or chosen.

use std::path::PathBuf;

use egui::Context;

use super::close;
use super::transfer::ChoosePath;
use crate::action::Actions;
use crate::state::State;
use crate::state::transfer::import::{WHOLE_PATH, whole_path};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::labelled;
use crate::widgets::{Button, modal};

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
        let path = whole_path(draft);
        let mut is_sent = false;
        let closing = modal::ui(
            context,
            self.title,
            self.subtitle,
            sizes::DIALOG,
            &mut (&mut *draft, &mut *actions, &mut is_sent),
            |ui, (draft, actions, is_sent)| {
                let invalid = !draft.trim().is_empty() && whole_path(draft).is_none();
                labelled(ui, self.name, invalid.then_some(WHOLE_PATH), |ui| {
                    let (name, hint, choose) = (self.name, self.hint, "Choose file…");
                    let field = ChoosePath { name, hint, choose, take: None, invalid };
                    **is_sent |= field.ui(ui, draft, state, actions).taken;
                });
                if !self.note.is_empty() {
                    ui.label(text::rich(self.note, text::small()).color(colors(ui).dim));
                }
            },
            |ui, (_, actions, is_sent)| {
                let button = Button::primary(self.button).enabled(path.is_some());
                **is_sent |= modal::answer_ui(ui, button);
                if ui.add(Button::plain("Cancel")).clicked() {
                    close(actions);
                }
            },
        );
        let path = path.filter(|_| is_sent);
        if path.is_some() || closing.closes() {
            close(actions);
        }
        path
    }
}
