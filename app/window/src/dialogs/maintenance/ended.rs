//! How work on the whole store ended.

use egui::{Context, Label, Ui};

use super::parts::{SHOW_HOME, back, heading};
use crate::action::{Action, Actions, ViewAction};
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::transfer::notice_ui;
use crate::state::maintenance::{Ended, Tone};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card, key_value};

/// Draws the result.
pub fn ui(context: &Context, ended: &Ended, actions: &mut Actions) {
    let label = ended.path.as_ref().map_or("", |(label, _)| label);
    let path = ended.path.as_ref().map(|(_, path)| path.clone());
    let frame = DialogFrame::new(ended.title.as_str())
        .done("Done")
        .button(back(), Action::Maintenance(SHOW_HOME))
        .button_if(
            path.is_some(),
            Button::plain(label),
            Action::View(ViewAction::Copy(path.unwrap_or_default())),
        );
    let outcome = frame.ui(context, |ui| {
        let ink = colors(ui);
        let (icon, spoken, tone) = match ended.tone {
            Tone::Good => (Icon::Check, "Done", ink.accent),
            Tone::Bad => (Icon::Error, "Error", ink.error),
        };
        notice_ui(ui, icon, spoken, tone, &ended.sentence);
        if let Some(note) = &ended.note {
            notice_ui(ui, Icon::Info, "Note", ink.dim, note);
        }
        figures_ui(ui, &ended.figures);
        findings_ui(ui, &ended.findings);
    });
    if let Some(action) = outcome.end(actions) {
        actions.push(action);
    }
}

fn figures_ui(ui: &mut Ui, figures: &[(String, String)]) {
    if figures.is_empty() {
        return;
    }
    card::ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        for (what, how_much) in figures {
            key_value::ui(ui, what, how_much).hint(how_much);
        }
    });
}

fn findings_ui(ui: &mut Ui, findings: &[String]) {
    if findings.is_empty() {
        return;
    }
    heading(ui, "Problems found");
    card::bordered(ui, colors(ui).error, |ui| {
        for finding in findings {
            ui.add(Label::new(text::rich(with_marks(finding), text::small())).wrap());
        }
    });
}
