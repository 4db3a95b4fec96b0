//! The way through the cards: back, the dots, next.

use egui::{Align, Layout, Role, Sense, Ui, WidgetInfo, vec2};

use super::actions::LessonActions;
use crate::action::LessonAction;
use crate::job::lesson::{LessonKind, LessonView};
use crate::state::State;
use crate::state::lesson::Playing;
use crate::theme::{colors, sizes};
use crate::widgets::Button;

/// The radius of a dot.
const DOT: f32 = 4.0;

pub(super) fn ui(ui: &mut Ui, state: &State, playing: &Playing, actions: &mut LessonActions<'_>) {
    let Some(view) = &playing.view else { return };
    let line = ui.max_rect();
    let hairline = egui::Stroke::new(sizes::LINE, colors(ui).hairline);
    ui.painter().hline(line.x_range(), line.top(), hairline);
    ui.horizontal_centered(|ui| {
        ui.add_space(sizes::GAP_LARGE);
        let back = Button::plain("Back").enabled(view.card > 0).tooltip("Last card (PageUp)");
        if ui.add(back).clicked() {
            actions.push(LessonAction::Back);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(sizes::GAP_LARGE);
            next_ui(ui, state, view, actions);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| dots_ui(ui, view));
        });
    });
}

fn next_ui(ui: &mut Ui, state: &State, view: &LessonView, actions: &mut LessonActions<'_>) {
    let is_last = view.card + 1 == view.cards.len();
    let is_done = view.cards.get(view.card).is_some_and(|card| card.is_done);
    let list = state.lessons.list.as_ref();
    let label = match (is_last, list.and_then(|list| list.after(&view.source))) {
        (false, _) => "Next",
        (true, Some(_)) => "Next lesson",
        (true, None) => "Finish",
    };
    let tooltip = match (is_done, is_last) {
        (true, false) => "Next card (PageDown)",
        (true, true) => "The lesson is done",
        (false, _) if view.lesson.kind == LessonKind::Challenge => "Reach the goal first",
        (false, _) => "Finish this card first",
    };
    let button = if is_done { Button::primary(label) } else { Button::plain(label) };
    let button = button.known_as("next").enabled(is_done).tooltip(tooltip);
    if ui.add(button).clicked() {
        actions.push(LessonAction::Next);
    }
}

/// One dot a card: done, open, to come.
fn dots_ui(ui: &mut Ui, view: &LessonView) {
    let (ink, count) = (colors(ui), view.cards.len());
    #[expect(clippy::cast_precision_loss, reason = "a few cards")]
    let size = vec2(count as f32 * 4.0 * DOT, 4.0 * DOT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let words = format!("Card {} of {count}", view.card + 1);
    response.widget_info(|| WidgetInfo::labeled(Role::ProgressIndicator, true, &words));
    for (at, card) in view.cards.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a few cards")]
        let center = rect.left_center() + vec2((at as f32 * 4.0 + 2.0) * DOT, 0.0);
        let stroke = egui::Stroke::new(sizes::LINE_STRONG, ink.accent);
        match (at == view.card, card.is_done) {
            (true, is_done) => {
                let fill = if is_done { ink.accent } else { ink.panel };
                ui.painter().circle(center, DOT + 1.0, fill, stroke);
            }
            (false, true) => {
                ui.painter().circle_filled(center, DOT, ink.accent);
            }
            (false, false) => {
                ui.painter().circle_filled(center, DOT, ink.hairline);
            }
        }
    }
}
