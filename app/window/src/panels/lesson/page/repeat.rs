//! Questions to repeat: those whose first guess was wrong, after 1, 3 and 7 days.

use egui::{Align, Label, Layout, Ui};

use crate::action::{Action, Actions, LessonAction};
use crate::job::lesson::LessonList;
use crate::state::lesson::catalog;
use crate::state::{State, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::{Button, card};

pub(super) fn ui(ui: &mut Ui, state: &State, list: &LessonList, actions: &mut Actions) {
    let Some(tour) = catalog::repeats(list, state.wall_ms) else { return };
    let due = u64::try_from(catalog::due(list, state.wall_ms)).unwrap_or(u64::MAX);
    ui.add_space(sizes::GAP_SMALL);
    card::ui(ui, |ui| {
        let size = egui::vec2(ui.available_width(), sizes::CONTROL);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            let tooltip = "Answer questions again that you missed, with other numbers where a \
                           lesson has them";
            if ui.add(Button::plain("Repeat five").tooltip(tooltip)).clicked() {
                actions.push(Action::Lesson(LessonAction::Begin(tour)));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.label(Icon::Refresh.text().color(colors(ui).accent));
                let title = text::rich("Worth a second guess", text::title());
                ui.label(title.color(colors(ui).text));
                let questions = number::counted(due, "question", "questions");
                let words = format!("{questions} that you missed at first");
                let words = text::rich(words, text::body()).color(colors(ui).dim);
                ui.add(Label::new(words).truncate());
            });
        });
    });
}
