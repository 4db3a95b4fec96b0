//! Several files: a collection for each, or one for all.

use egui::{Id, Ui};

use super::parts::ask;
use crate::action::{Actions, TransferAction};
use crate::state::transfer::ImportDraft;
use crate::theme::{colors, sizes, text};
use crate::widgets::field::Field;
use crate::widgets::tabs;

/// Draws the choice, with what it means for these files.
pub(super) fn choice_ui(ui: &mut Ui, draft: &mut ImportDraft, actions: &mut Actions) {
    if draft.files.len() < 2 {
        return;
    }
    ui.horizontal(|ui| {
        ui.label(text::rich(draft.apart_words(), text::strong()));
        let words = ["One for each file", "One for all files"];
        let chosen = usize::from(!draft.splits());
        if let Some(at) = tabs::segmented(ui, "Collections", &words, chosen) {
            draft.set_apart(at == 0);
            ask(actions, TransferAction::Look);
        }
        if draft.next_to_look().is_some() {
            let reading = text::rich("Reading the files…", text::small());
            ui.label(reading.color(colors(ui).dim));
        }
    });
}

/// The collection of a file; `shown` is its name as text.
pub(super) fn name_ui(ui: &mut Ui, at: usize, shown: &str, draft: &mut ImportDraft) {
    if !draft.splits() {
        return;
    }
    let Some(target) = draft.targets.get_mut(at) else { return };
    let name = format!("Collection for {shown}");
    let field = Field {
        name: &name,
        mono: true,
        invalid: target.collection.trim().is_empty(),
        width: Some(sizes::COLUMN_DATE),
        id: Some(Id::unique(("collection for", at))),
        ..Field::default()
    };
    if field.ui(ui, &mut target.collection).changed() {
        target.is_named = true;
        draft.target_changed();
    }
}
