//! The way through the cards: back, the dots, next.

use egui::{Align, Layout, Role, Sense, Ui, WidgetInfo, vec2};

use super::actions::LessonActions;
use super::focus::Main;
use crate::action::LessonAction;
use crate::job::lesson::LessonView;
use crate::state::State;
use crate::state::lesson::Playing;
use crate::state::lesson::catalog::{self, After};
use crate::theme::{colors, sizes};
use crate::widgets::Button;
use crate::widgets::value_text::with_marks;

/// The radius of a dot.
const DOT: f32 = 4.0;

pub(super) fn ui(ui: &mut Ui, state: &State, playing: &Playing, actions: &mut LessonActions<'_>) {
    let Some(view) = &playing.view else { return };
    let line = ui.max_rect();
    let hairline = egui::Stroke::new(sizes::LINE, colors(ui).hairline);
    ui.painter().hline(line.x_range(), line.top(), hairline);
    ui.horizontal_centered(|ui| {
        ui.add_space(sizes::GAP_LARGE);
        let back = Button::plain("Back").enabled(view.card > 0).tooltip("Previous card (PageUp)");
        if ui.add(back).clicked() {
            actions.push(LessonAction::Back);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(sizes::GAP_LARGE);
            next_ui(ui, state, playing, view, actions);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| dots_ui(ui, view));
        });
    });
}

fn next_ui(
    ui: &mut Ui,
    state: &State,
    playing: &Playing,
    view: &LessonView,
    actions: &mut LessonActions<'_>,
) {
    let is_done = view.cards.get(view.card).is_some_and(|card| card.is_done);
    let is_last = playing.is_at_last_card();
    let list = state.lessons.list.as_ref().filter(|_| is_last);
    let after = list.map(|list| (list, catalog::after(list, &view.source, &playing.way)));
    let (label, tooltip) = match after {
        None if is_last => ("Finish", "Show the lessons (PageDown)".to_owned()),
        None => ("Next", "Next card (PageDown)".to_owned()),
        Some((_, After::Lesson(next))) => {
            ("Next lesson", format!("{} (PageDown)", with_marks(&next.title)))
        }
        Some((list, After::Stop(start))) => {
            let label = if start.card.is_some() { "Next question" } else { "Next lesson" };
            let title = catalog::title(list, &start.source);
            (label, format!("{} (PageDown)", with_marks(&title)))
        }
        Some((_, After::Summary(key))) => {
            ("Finish", format!("The end of: {} (PageDown)", with_marks(key.title())))
        }
        Some((_, After::TourEnd | After::Page)) => {
            ("Finish", "Show the lessons (PageDown)".to_owned())
        }
    };
    let (label, tooltip) = match (is_done, view.is_at_goal()) {
        (true, _) => (label, tooltip),
        (false, true) => ("Continue", format!("Leave the goal open. {label}: {tooltip}")),
        (false, false) => (label, "Finish this card first".to_owned()),
    };
    let button = if is_done { Button::primary(label) } else { Button::plain(label) };
    let button = button.known_as("next").enabled(view.can_leave_card()).tooltip(&tooltip);
    let button = ui.add(button);
    Main::Next.follow(&button, state, playing);
    if button.clicked() {
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
