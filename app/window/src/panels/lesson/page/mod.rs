//! The Lessons page: every lesson by place and series, how far the user got, the half-hour path, the
//! end of a series, the exam, questions to repeat, and the run sheets of lecturers.

mod exam;
mod path;
mod repeat;
mod row;
mod sheets;
mod summary;

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{Align, Event, Id, Label, Layout, Margin, RichText, ScrollArea, Ui, UiBuilder};

pub(super) use self::row::{PROBLEMS_MAX, place};
use super::scenes;
use crate::action::{Action, Actions, LessonAction, lesson};
use crate::job::lesson::{LessonList, LessonSource};
use crate::state::lesson::Sheet;
use crate::state::lesson::catalog::{self, Series, SeriesKey};
use crate::state::{State, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::field::Field;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card};

pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    // A file that was mended in an editor is read again when the window comes back to the front.
    let came_back = ui.input(|input| {
        input.events.iter().any(|event| matches!(event, Event::WindowFocused(true)))
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
        let sheet = &state.lessons.sheet;
        ScrollArea::vertical().id_salt(("lessons", sheet == &Sheet::List)).auto_shrink(false).show(
            ui,
            |ui| {
                column_ui(ui, |ui| match sheet {
                    Sheet::List => list_ui(ui, state, list, actions),
                    Sheet::Summary(key) => summary::ui(ui, list, key, actions),
                    Sheet::Exam => exam::ui(ui, state, list, actions),
                });
                ui.add_space(sizes::GAP_LARGE);
            },
        );
    });
}

fn list_ui(ui: &mut Ui, state: &State, list: &LessonList, actions: &mut Actions) {
    failed_ui(ui, state);
    for error in &list.errors {
        warning_ui(ui, error);
    }
    if list.lessons.is_empty() && list.errors.is_empty() {
        empty_state::hint(ui, "No lessons were found");
    }
    search_ui(ui, state, actions);
    let typed = state.lessons.search.trim();
    if typed.is_empty() {
        path::ui(ui, list, actions);
        ui.add_space(sizes::GAP_SMALL);
        exam::offer_ui(ui, state, actions);
        repeat::ui(ui, state, list, actions);
        sheets::ui(ui, list, actions);
    }
    let found = catalog::search(list, typed);
    if found.is_empty() && !list.lessons.is_empty() {
        empty_state::hint(ui, "No lesson has these words in its title");
    }
    for series in &found {
        series_ui(ui, state, list, series, actions);
    }
}

fn search_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let mut typed = state.lessons.search.clone();
    let id = Id::unique("search lessons");
    let began = typed_on_page(ui, state);
    typed.push_str(&began);
    let field = Field {
        name: "Search lessons",
        hint: "Search by title or number",
        icon: Some(Icon::Search),
        clearable: true,
        id: Some(id),
        ..Field::default()
    };
    let field = field.ui(ui, &mut typed);
    if !began.is_empty() {
        let mut cursor = TextEditState::default();
        let end = CCursor::new(typed.chars().count());
        cursor.cursor.set_char_range(Some(CCursorRange::one(end)));
        cursor.store(ui.ctx(), id);
        field.request_focus();
    }
    if typed != state.lessons.search {
        actions.push(Action::Lesson(LessonAction::Search(typed)));
    }
    ui.add_space(sizes::GAP_SMALL);
}

/// Letters and digits that were typed while no field had the keyboard: a search begins with them.
fn typed_on_page(ui: &Ui, state: &State) -> String {
    let is_elsewhere = state.is_covered() || state.view.palette || ui.ctx().text_edit_focused();
    if is_elsewhere || scenes::takes_digits(state) {
        return String::new();
    }
    ui.input_mut(|input| {
        let mut typed = String::new();
        input.events.retain(|event| match event {
            Event::Text(text) if text.chars().all(char::is_alphanumeric) => {
                typed.push_str(text);
                false
            }
            _ => true,
        });
        typed
    })
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

/// Draws into a column below the title, narrow enough to be read line by line.
fn column_ui(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    let room = ui.available_rect_before_wrap();
    // The bar at the right covers nothing.
    let width = (room.width() - sizes::GAP).min(sizes::LESSONS_COLUMN);
    let column = room.with_max_x(room.left() + width);
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
        let title = RichText::new(with_marks(series.key.title())).font(text::strong());
        ui.label(title.color(colors(ui).text));
        let is_done = series.done() == series.lessons.len();
        let words = match series.key {
            SeriesKey::Scenes if scenes::takes_digits(state) => "keys 1 to 9 and 0".to_owned(),
            SeriesKey::Scenes => number::counted(series.lessons.len() as u64, "scene", "scenes"),
            _ => format!("{} of {} done", series.done(), series.lessons.len()),
        };
        ui.label(text::rich(words, text::small()).color(colors(ui).dim));
        if is_done && !matches!(series.key, SeriesKey::Scenes | SeriesKey::Files) {
            let name = format!("Summary: {}", series.key.title());
            if ui.add(Button::ghost("Summary").small().name(&name)).clicked() {
                actions.push(Action::Lesson(LessonAction::ShowSummary(series.key.clone())));
            }
        }
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
