//! The hands of a room: counted for each choice, shown as bars, counted again after a discussion.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, vec2};

use super::actions::LessonActions;
use crate::action::LessonAction;
use crate::job::lesson::{BlockState, BlockView, LessonRequest, Question, QuestionView};
use crate::state::lesson::Playing;
use crate::theme::{colors, sizes, text};
use crate::widgets::Button;

/// Hands that one choice can have.
const HANDS_MAX: u32 = 999;

/// Draws the count while it is open, and the bars of those before.
pub(super) fn ui(
    ui: &mut Ui,
    playing: &Playing,
    (part, question, known): (usize, &Question, &BlockView),
    answered: &QuestionView,
    actions: &mut LessonActions<'_>,
) {
    for (round, hands) in answered.votes.iter().enumerate() {
        bars_ui(ui, round, hands);
    }
    let open = playing.answers.hands.as_ref().filter(|(of, _)| *of == part);
    let Some((_, hands)) = open else {
        let label = if answered.votes.is_empty() { "Count hands" } else { "Vote again" };
        if known.state != BlockState::Waiting
            && answered.answer.is_none()
            && ui.add(Button::ghost(label).small().known_as("vote")).clicked()
        {
            actions.push(LessonAction::CountHands(Some(part)));
        }
        return;
    };
    ui.horizontal_wrapped(|ui| {
        for (choice, count) in hands.iter().enumerate().take(question.choices.len()) {
            let mut hands = *count;
            let number = egui::DragValue::new(&mut hands).range(0..=HANDS_MAX).speed(0.2);
            ui.label(text::rich(format!("{}", choice + 1), text::strong()));
            let name = format!("Hands for choice {}", choice + 1);
            if ui.add(number).accessible_name(&name).changed() {
                actions.push(LessonAction::SetHands { choice, hands });
            }
        }
    });
    ui.horizontal(|ui| {
        if ui.add(Button::plain("Show the vote")).clicked() {
            let hands = hands.clone();
            actions.push(LessonAction::Request(LessonRequest::Vote { part, hands }));
            actions.push(LessonAction::CountHands(None));
        }
        if ui.add(Button::ghost("Cancel")).clicked() {
            actions.push(LessonAction::CountHands(None));
        }
    });
}

/// A bar for each choice.
fn bars_ui(ui: &mut Ui, round: usize, hands: &[u32]) {
    let ink = colors(ui);
    let all: u32 = hands.iter().sum();
    let words = format!("Vote {}", round + 1);
    ui.label(text::rich(words, text::small()).color(ink.dim));
    for (choice, count) in hands.iter().enumerate() {
        let size = vec2(ui.available_width(), sizes::ROW_DENSE);
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        let spoken = format!("Choice {}: {count} of {all} hands", choice + 1);
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
        let bar = Rect::from_min_max(
            rect.left_top() + vec2(sizes::GAP_HUGE, 4.0),
            rect.right_bottom() - vec2(sizes::GAP_HUGE * 2.0, 4.0),
        );
        #[expect(clippy::cast_precision_loss, reason = "hands in a room")]
        let share = *count as f32 / all.max(1) as f32;
        ui.painter().rect_filled(bar, 3.0, ink.well);
        let filled = bar.with_max_x(bar.left() + bar.width() * share);
        ui.painter().rect_filled(filled, 3.0, ink.accent);
        let at = |x, align, words: String| {
            let y = rect.center().y;
            ui.painter().text(egui::pos2(x, y), align, words, text::mono(), ink.text);
        };
        at(rect.left() + 4.0, egui::Align2::LEFT_CENTER, (choice + 1).to_string());
        at(rect.right() - 4.0, egui::Align2::RIGHT_CENTER, count.to_string());
    }
}
