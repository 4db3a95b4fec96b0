//! The verdict on a question: the reason for the guess, and the one for the answer.

use egui::{Color32, CornerRadius, Frame, Margin, Stroke, Ui};

use super::actions;
use super::actions::LessonActions;
use crate::action::LessonAction;
use crate::job::lesson::{LessonRequest, Verdict};
use crate::theme::{colors, sizes};
use crate::widgets::{Button, markdown};

/// Shown in place of an answer that the user's own changes led to.
const CHANGED: &str = "**You changed the data**, so the answer is not that of the lesson.";

pub(super) fn ui(ui: &mut Ui, verdict: &Verdict, actions: &mut LessonActions<'_>) {
    let ink = colors(ui);
    if verdict.is_changed {
        return frame_ui(ui, ink.overdue_background, ink.overdue, |ui| {
            line_ui(ui, CHANGED);
            if ui.add(Button::amber("Restart card").known_as("changed data")).clicked() {
                actions.push(LessonAction::Request(LessonRequest::RestartCard));
            }
        });
    }
    if let Some(yours) = &verdict.yours {
        let words = format!("**Your guess.** {yours}");
        frame_ui(ui, ink.raised, ink.hairline, |ui| line_ui(ui, &words));
    }
    if !verdict.truth.is_empty() {
        let words = format!("**The answer.** {}", verdict.truth);
        frame_ui(ui, ink.accent_background, ink.accent, |ui| line_ui(ui, &words));
    }
}

fn frame_ui(ui: &mut Ui, fill: Color32, border: Color32, content: impl FnOnce(&mut Ui)) {
    Frame::new()
        .fill(fill)
        .stroke(Stroke::new(sizes::LINE, border))
        .corner_radius(CornerRadius::same(9))
        .inner_margin(Margin::same(12))
        .show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            content(ui);
        });
}

fn line_ui(ui: &mut Ui, words: &str) {
    let tint = colors(ui).text;
    let label = markdown::line_ui(ui, words, tint);
    actions::announce(ui, label.id);
}
