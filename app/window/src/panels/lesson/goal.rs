//! A goal: the task, whether it is reached, hints one at a time.

use egui::Ui;

use super::actions;
use super::actions::LessonActions;
use crate::action::LessonAction;
use crate::job::lesson::{BlockState, BlockView, Goal, LessonKind, LessonRequest, LessonView};
use crate::state::duration;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::marks::visible;
use crate::widgets::{Button, card, markdown};

pub(super) fn ui(
    ui: &mut Ui,
    (view, part, goal, known): (&LessonView, usize, &Goal, &BlockView),
    actions: &mut LessonActions<'_>,
) {
    let ink = colors(ui);
    let is_lost = known.lost.is_some();
    let border = match (known.is_reached, is_lost) {
        (true, _) => ink.accent,
        (false, true) => ink.text,
        (false, false) => ink.hairline,
    };
    card::bordered(ui, border, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
        state_ui(ui, view.lesson.kind, known);
        markdown::line_ui(ui, &goal.task, ink.text);
        rules_ui(ui, view, goal);
        if let Some(lost) = &known.lost {
            ui.label(text::rich(visible(lost), text::body()).color(ink.text));
            if ui.add(Button::primary("Restart card")).clicked() {
                actions.push(LessonAction::Request(LessonRequest::RestartCard));
            }
        }
        if let Some(near) = &known.near {
            markdown::line_ui(ui, &format!("**Not yet.** {near}"), ink.text);
        }
        for (at, hint) in goal.hints.iter().take(known.hints).enumerate() {
            let hint = format!("**Hint {}.** {hint}", at + 1);
            markdown::line_ui(ui, &hint, ink.text);
        }
        let rest = goal.hints.len().saturating_sub(known.hints);
        if rest > 0 && !known.is_reached && known.state != BlockState::Waiting {
            let label = format!("Show a hint ({rest} left)");
            if ui.add(Button::plain(&label).small().known_as("hint")).clicked() {
                actions.push(LessonAction::Request(LessonRequest::Hint { part }));
            }
        }
    });
}

fn state_ui(ui: &mut Ui, kind: LessonKind, known: &BlockView) {
    let ink = colors(ui);
    let (icon, words, tint) = match (known.is_reached, &known.lost) {
        (true, _) => (Icon::Check, "Goal reached", ink.accent),
        (false, Some(_)) => (Icon::Warning, "Out of reach", ink.text),
        (false, None) if kind == LessonKind::Challenge => (Icon::Star, "Goal", ink.dim),
        (false, None) => (Icon::Star, "Try it, or continue", ink.dim),
    };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
        ui.label(icon.text().color(tint)).accessible_name("State of the goal");
        let label = ui.label(text::rich(words, text::strong()).color(tint));
        actions::announce(ui, label.id);
    });
}

/// The allowed commands, and the time limit.
fn rules_ui(ui: &mut Ui, view: &LessonView, goal: &Goal) {
    let mut lines = Vec::new();
    if !goal.allow.is_empty() {
        lines.push(format!("Besides reads you may use: {}", goal.allow.join(", ")));
    }
    if !goal.deny.is_empty() {
        lines.push(format!("Not allowed: {}", goal.deny.join(", ")));
    }
    if let Some(deadline) = goal.deadline {
        let ms = i64::try_from(deadline.as_millis()).unwrap_or(i64::MAX);
        let end = view.time.start_ms.saturating_add(ms);
        let _ = end;
        lines.push(format!("Time for it: {} on this clock", duration::span(ms)));
    }
    for line in lines {
        ui.label(text::rich(visible(&line), text::small()).color(colors(ui).dim));
    }
}
