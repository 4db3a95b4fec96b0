//! How work on the whole store ended.

use egui::{Context, Label, Ui};

use super::parts::{back_ui, heading};
use crate::action::{Action, Actions, ViewAction};
use crate::dialogs::close;
use crate::dialogs::transfer::{beside_scroll_bar, notice_ui};
use crate::state::maintenance::{Ended, Tone};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card, key_value, modal};

/// Draws the result.
pub fn ui(context: &Context, ended: &Ended, actions: &mut Actions) {
    let closing = modal::ui(
        context,
        &ended.title,
        "",
        sizes::DIALOG,
        actions,
        |ui, _| {
            beside_scroll_bar(ui);
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
        },
        |ui, actions| {
            if modal::answer_ui(ui, Button::primary("Done")) {
                close(actions);
            }
            back_ui(ui, actions);
            if let Some((label, path)) = &ended.path
                && ui.add(Button::plain(label)).clicked()
            {
                actions.push(Action::View(ViewAction::Copy(path.clone())));
            }
        },
    );
    if closing.closes() {
        close(actions);
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
