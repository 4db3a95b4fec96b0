//! The non-standard forms of Extended JSON that are accepted.

use egui::Ui;
use mayfly_engine::transfer::Nonstandard;

use super::parts::ask;
use crate::action::{Actions, TransferAction};
use crate::state::transfer::ImportDraft;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::field::Field;
use crate::widgets::{Button, card};

/// The width of the field for a zone, in points.
const ZONE: f32 = 160.0;

/// Draws the button that shows the options, which says how many are chosen.
pub fn button_ui(ui: &mut Ui, draft: &mut ImportDraft) {
    draft.shows_options &= draft.may_be_json();
    if !draft.may_be_json() {
        return;
    }
    let chosen =
        Nonstandard::ALL.iter().filter(|nonstandard| draft.leniency.takes(**nonstandard)).count();
    let words = match chosen {
        0 => "JSON options".to_owned(),
        _ => format!("JSON options ({chosen} selected)"),
    };
    let icon = if draft.shows_options { Icon::Unfolded } else { Icon::Expand };
    let button = Button::ghost(&words).icon(icon).name("JSON options");
    if ui.add(button.tooltip("Options for non-standard JSON values")).clicked() {
        draft.shows_options = !draft.shows_options;
    }
}

/// Draws the options. The file is looked at again when one changes.
pub fn ui(ui: &mut Ui, draft: &mut ImportDraft, actions: &mut Actions) {
    let before = draft.leniency;
    let colors = colors(ui);
    card::ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        for nonstandard in Nonstandard::ALL {
            ui.horizontal(|ui| {
                let mut is_read = draft.leniency.takes(nonstandard);
                if ui.checkbox(&mut is_read, nonstandard.option()).changed() {
                    draft.set_read(nonstandard, is_read);
                }
                if nonstandard == Nonstandard::NoZone && is_read {
                    zone_ui(ui, "Time zone for dates without one", draft);
                }
            });
        }
        if let Some(error) = draft.zone_error() {
            ui.label(text::rich(error, text::small()).color(colors.error));
        }
        let words = "Documents with these values are rejected unless you select the option. \
                     Converted values are counted";
        ui.label(text::rich(words, text::small()).color(colors.dim));
    });
    if draft.leniency != before {
        ask(actions, TransferAction::Look);
    }
}

/// The zone of dates that name none.
pub(super) fn zone_ui(ui: &mut Ui, name: &str, draft: &mut ImportDraft) {
    let field = Field {
        name,
        hint: "UTC",
        mono: true,
        invalid: draft.zone_error().is_some(),
        width: Some(ZONE),
        ..Field::default()
    };
    if field.ui(ui, &mut draft.zone).changed() {
        draft.zone_typed();
    }
}
