//! The Lessons page: every lesson by series, how far the user got, and the half-hour path.

mod row;

use egui::{Align, Label, Layout, Margin, RichText, ScrollArea, Ui, UiBuilder};

use self::row::{PROBLEMS_MAX, place};
use super::scenes;
use crate::action::{Action, Actions, LessonAction, lesson};
use crate::job::lesson::{LessonList, LessonProgress, LessonSource};
use crate::state::State;
use crate::state::lesson::catalog::{self, Series};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, bar, card};

pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    // A file that was mended in an editor is read again when the window comes back to the front.
    let came_back = ui.input(|input| {
        input.events.iter().any(|event| matches!(event, egui::Event::WindowFocused(true)))
    });
    if !state.lessons.is_asked || came_back {
        actions.push(Action::Lesson(LessonAction::Reload));
    }
    let margin = Margin::symmetric(16, if state.view.is_presented() { 4 } else { 12 });
    egui::Frame::new().inner_margin(margin).show(ui, |ui| {
        head_ui(ui, state, actions);
        ui.add_space(sizes::GAP_SMALL);
        let Some(list) = &state.lessons.list else {
            empty_state::ui(ui, Picture::Waiting, "Reading the lessons…", None);
            return;
        };
        ScrollArea::vertical().id_salt("lessons").auto_shrink(false).show(ui, |ui| {
            column_ui(ui, |ui| {
                failed_ui(ui, state);
                path_ui(ui, list, actions);
                for error in &list.errors {
                    warning_ui(ui, error);
                }
                if list.lessons.is_empty() && list.errors.is_empty() {
                    empty_state::hint(ui, "No lessons were found");
                }
                for series in &catalog::series(list) {
                    series_ui(ui, state, list, series, actions);
                }
            });
            ui.add_space(sizes::GAP_LARGE);
        });
    });
}

fn head_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let size = egui::vec2(ui.available_width(), sizes::CONTROL);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
        if ui.add(Button::icon_only(Icon::Close, "Close the Lessons page")).clicked() {
            actions.push(Action::Lesson(LessonAction::ShowPage(false)));
        }
        let open = lesson::OPEN_FILE;
        if ui.add(Button::plain(open.label).tooltip(open.tooltip)).clicked()
            && let Some(action) = open.now(state)
        {
            actions.push(action);
        }
        scenes::button_ui(ui, state, actions);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.label(text::rich("Lessons", text::heading()).color(colors(ui).text));
            let words = "Learn by doing, on a clock that you control. \
                         Nothing here touches your data.";
            let words = text::rich(words, text::body()).color(colors(ui).dim);
            ui.add(Label::new(words).truncate());
        });
    });
}

/// Why the last lesson was not opened.
fn failed_ui(ui: &mut Ui, state: &State) {
    let Some((source, problems)) = &state.lessons.failed else { return };
    let name = match source {
        LessonSource::Shipped(slug) => slug.clone(),
        LessonSource::File(file) => file.display().to_string(),
    };
    card::bordered(ui, colors(ui).error, |ui| {
        let title = format!("{} can’t be started", with_marks(&name));
        ui.label(text::rich(title, text::title()).color(colors(ui).text));
        for problem in problems.iter().take(PROBLEMS_MAX) {
            ui.add(Label::new(text::rich(place(problem), text::body())).wrap());
        }
    });
    ui.add_space(sizes::GAP_SMALL);
}

fn warning_ui(ui: &mut Ui, words: &str) {
    ui.horizontal_wrapped(|ui| {
        ui.label(Icon::Warning.text().color(colors(ui).error));
        ui.label(text::rich(with_marks(words), text::body()).color(colors(ui).text));
    });
}

/// The half-hour path: how much of it is done, and where it continues.
fn path_ui(ui: &mut Ui, list: &LessonList, actions: &mut Actions) {
    let path = catalog::path(list);
    if path.is_empty() {
        return;
    }
    let done = path.iter().filter(|entry| entry.progress == LessonProgress::Done).count();
    let next = catalog::next_on_path(list);
    card::ui(ui, |ui| {
        let size = egui::vec2(ui.available_width(), sizes::CONTROL);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            if let Some(next) = next {
                let verb = if done == 0 { "Start" } else { "Continue" };
                let label = format!("{verb}: {}", next.title);
                if ui.add(Button::primary(&label)).clicked() {
                    scenes::open(next, actions);
                }
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.label(Icon::Star.text().color(colors(ui).accent));
                let title = text::rich("The half-hour path", text::title());
                ui.label(title.color(colors(ui).text));
                let words = format!("{done} of {} done", path.len());
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

/// Draws into a column in the middle, narrow enough to be read line by line.
fn column_ui(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    let room = ui.available_rect_before_wrap();
    // The bar at the right covers nothing.
    let width = (room.width() - sizes::GAP).min(sizes::LESSONS_COLUMN);
    let left = room.left() + (room.width() - width) / 2.0;
    let column = room.with_min_x(left).with_max_x(left + width);
    ui.scope_builder(UiBuilder::new().max_rect(column), content);
}

fn series_ui(
    ui: &mut Ui,
    state: &State,
    list: &LessonList,
    series: &Series<'_>,
    actions: &mut Actions,
) {
    ui.add_space(sizes::GAP);
    ui.horizontal(|ui| {
        let title = RichText::new(with_marks(&series.title)).font(text::strong());
        ui.label(title.color(colors(ui).text));
        let words = if series.is_scenes() {
            "keys 1 to 9 and 0".to_owned()
        } else {
            format!("{} of {} done", series.done(), series.lessons.len())
        };
        ui.label(text::rich(words, text::small()).color(colors(ui).dim));
    });
    let line = ui.available_rect_before_wrap();
    let stroke = egui::Stroke::new(sizes::LINE, colors(ui).hairline);
    ui.painter().hline(line.x_range(), line.top() + 1.0, stroke);
    ui.add_space(sizes::GAP_TINY);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for entry in &series.lessons {
            row::ui(ui, state, list, entry, actions);
        }
    });
}
