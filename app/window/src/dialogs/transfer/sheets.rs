//! The sheets of a workbook, of which one is imported.

use egui::{ScrollArea, Ui};

use super::parts::ask;
use crate::action::{Actions, TransferAction};
use crate::state::transfer::ImportDraft;
use crate::theme::text;
use crate::widgets::card;
use crate::widgets::value::cut;
use crate::widgets::value_text::with_marks;

/// The height of the list without scrolling, in points.
const LIST_HEIGHT: f32 = 90.0;
/// Characters of a name.
const NAME_CHARS_MAX: usize = 40;

/// Draws the sheets, if there are several. The file is read again when another one is chosen.
pub(super) fn ui(ui: &mut Ui, draft: &mut ImportDraft, actions: &mut Actions) {
    let Some(look) = draft.shown_look() else { return };
    let (sheets, first) = (look.preview.sheets.clone(), look.preview.sheet.clone());
    if sheets.len() < 2 {
        return;
    }
    let shown = draft.types.columns.sheet.clone().or(first);
    let mut chosen = None;
    card::ui(ui, |ui| {
        ui.label(text::rich("Sheet", text::strong()));
        let scroll = ScrollArea::vertical().id_salt("sheets").auto_shrink([false, true]);
        scroll.max_height(LIST_HEIGHT).show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                for sheet in &sheets {
                    let name = cut(&with_marks(sheet), NAME_CHARS_MAX);
                    let is_shown = shown.as_ref() == Some(sheet);
                    if ui.selectable_label(is_shown, name).clicked() && !is_shown {
                        chosen = Some(sheet.clone());
                    }
                }
            });
        });
    });
    if let Some(sheet) = chosen {
        draft.types.choose_sheet(sheet);
        ask(actions, TransferAction::Look);
    }
}
