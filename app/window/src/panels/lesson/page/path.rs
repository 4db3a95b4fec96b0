//! The half-hour path: how much of it is done, and where it continues.

use egui::{Align, Label, Layout, Ui};

use crate::action::{Action, Actions, LessonAction};
use crate::job::lesson::{LessonEntry, LessonList, LessonProgress};
use crate::state::lesson::catalog::{self, SeriesKey};
use crate::state::lesson::{LessonStart, Way};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::{Button, bar, card};

pub(super) fn ui(ui: &mut Ui, list: &LessonList, actions: &mut Actions) {
    let path = catalog::path(list);
    if path.is_empty() {
        return;
    }
    let done = path.iter().filter(|entry| entry.progress == LessonProgress::Done).count();
    let minutes: u32 = path.iter().map(|entry| entry.minutes).sum();
    card::ui(ui, |ui| {
        let size = egui::vec2(ui.available_width(), sizes::CONTROL);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            match catalog::next_on_path(list) {
                Some(next) => {
                    let verb = if catalog::is_path_begun(list) { "Continue" } else { "Start" };
                    let label = format!("{verb}: {}", next.title);
                    if ui.add(Button::primary(&label)).clicked() {
                        actions.push(Action::Lesson(LessonAction::OpenAt(start(next))));
                    }
                }
                None => {
                    if ui.add(Button::primary("Show what you can predict")).clicked() {
                        let show = LessonAction::ShowSummary(SeriesKey::Path);
                        actions.push(Action::Lesson(show));
                    }
                }
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.label(Icon::Star.text().color(colors(ui).accent));
                let title = text::rich(SeriesKey::Path.title(), text::title());
                ui.label(title.color(colors(ui).text));
                let words = format!("{done} of {} done, {minutes} minutes in all", path.len());
                let words = text::rich(words, text::body()).color(colors(ui).dim);
                ui.add(Label::new(words).truncate());
            });
        });
        ui.add_space(sizes::GAP_TINY);
        #[expect(clippy::cast_precision_loss, reason = "ten lessons")]
        let share = done as f32 / path.len() as f32;
        bar::ui(ui, share, colors(ui).accent, "Progress on the half-hour path");
    });
}

/// A lesson of the path, at the card that was open last.
pub(super) fn start(entry: &LessonEntry) -> LessonStart {
    let card = match entry.progress {
        LessonProgress::Card(card) => Some(card),
        LessonProgress::NotStarted | LessonProgress::Done => None,
    };
    LessonStart { card, way: Way::Path, ..LessonStart::new(entry.source.clone()) }
}
