//! A lesson in its series.

use egui::{
    Align2, Id, Label, Layout, Pos2, Rect, Role, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2,
    vec2,
};

use crate::action::{Action, Actions, LessonAction};
use crate::job::lesson::{LessonEntry, LessonKind, LessonList, LessonProgress, Problem};
use crate::panels::lesson::scenes;
use crate::state::State;
use crate::state::lesson::catalog;
use crate::state::number;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, paint};

/// The column of numbers.
const NUMBER: f32 = 32.0;

/// The room for the minutes.
const MINUTES: f32 = 64.0;

/// The radius of the progress.
const PROGRESS: f32 = 7.0;

pub(super) fn ui(
    ui: &mut Ui,
    state: &State,
    list: &LessonList,
    entry: &LessonEntry,
    actions: &mut Actions,
) {
    if !entry.problems.is_empty() {
        return broken_ui(ui, entry, actions);
    }
    let size = vec2(ui.available_width(), sizes::ROW);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let response = response.on_hover_cursor(egui::CursorIcon::PointingHand);
    let is_on_path = entry.file().is_none() && list.path.contains(&entry.slug);
    response.widget_info(|| {
        WidgetInfo::labeled(Role::Button, true, catalog::spoken(list, entry, is_on_path))
    });
    if response.hovered() {
        ui.painter().rect_filled(rect, sizes::RADIUS_BUTTON, colors(ui).raised);
    }
    if response.has_focus() {
        paint::focus_ring(ui, rect.shrink(2.0), sizes::RADIUS_BUTTON);
    }
    if ui.is_rect_visible(rect) {
        let opening = state.lessons.opening.as_ref();
        let is_opening = opening.is_some_and(|opening| opening.start.source == entry.source);
        Cells { list, entry, is_on_path, is_opening }.paint(ui, rect);
    }
    if response.clicked() {
        scenes::open(entry, actions);
    }
    let mut hints = Vec::new();
    if let LessonProgress::Card(_) = entry.progress {
        hints.push(catalog::progress(entry));
    }
    if !entry.after.is_empty() {
        let titles: Vec<_> = entry.after.iter().map(|slug| title(list, slug)).collect();
        hints.push(format!("Worth doing before: {}", titles.join(", ")));
    }
    if !hints.is_empty() {
        response.hint(hints.join("\n"));
    }
}

/// The title of a lesson by its slug, with or without its number.
fn title(list: &LessonList, slug: &str) -> String {
    let is_it = |entry: &&LessonEntry| {
        entry.slug == slug || entry.slug.split_once('-').is_some_and(|(_, name)| name == slug)
    };
    let found = list.lessons.iter().find(is_it);
    found.map_or_else(|| with_marks(slug), |entry| entry.title.clone())
}

struct Cells<'a> {
    list: &'a LessonList,
    entry: &'a LessonEntry,
    is_on_path: bool,
    is_opening: bool,
}

impl Cells<'_> {
    fn paint(&self, ui: &Ui, rect: Rect) {
        let colors = colors(ui);
        let inner = rect.shrink2(vec2(sizes::GAP_SMALL, 0.0));
        let at = |x: f32| pos2(x, rect.center().y);
        let left = Align2::LEFT_CENTER;
        let mut x = inner.left();
        self.progress(ui, at(x + PROGRESS));
        x += 2.0 * PROGRESS + sizes::GAP;
        let number = self.list.number(self.entry);
        paint::text_at(ui, at(x), left, &number, text::mono(), colors.dim, NUMBER);
        x += NUMBER;
        let title = with_marks(&self.entry.title);
        let room = inner.right() - x - MINUTES - text::ICON - 2.0 * sizes::GAP;
        let title = paint::text_at(ui, at(x), left, &title, text::body(), colors.text, room);
        x = title.right() + sizes::GAP;
        let minutes = catalog::minutes(self.entry);
        if !minutes.is_empty() {
            let small = text::small();
            let place = paint::text_at(ui, at(x), left, &minutes, small, colors.dim, MINUTES);
            x = place.right() + sizes::GAP;
        }
        if self.is_on_path {
            paint::icon_at(ui.painter(), at(x + 8.0), Icon::Star, text::ICON, colors.accent);
            x += 16.0 + sizes::GAP;
        }
        let before = catalog::missing_before(self.list, self.entry);
        let room = inner.right() - x;
        if !before.is_empty() && room > 0.0 {
            let words = format!("after {}", before.join(", "));
            let end = pos2(inner.right(), rect.center().y);
            paint::text_at(ui, end, Align2::RIGHT_CENTER, &words, text::small(), colors.dim, room);
        }
    }

    /// How far the user got: an empty ring, one filled by half, or a check. Scenes have none.
    fn progress(&self, ui: &Ui, center: Pos2) {
        let (colors, painter) = (colors(ui), ui.painter());
        let stroke = Stroke::new(1.5, colors.accent);
        match self.entry.progress {
            _ if self.is_opening => {
                paint::icon_at(painter, center, Icon::Wait, text::ICON, colors.text);
            }
            _ if self.entry.kind == LessonKind::Scene => {}
            LessonProgress::Done => {
                painter.circle_filled(center, PROGRESS + 1.0, colors.accent);
                let ink = colors.on_accent;
                paint::icon_at(painter, center, Icon::Check, 2.0 * PROGRESS, ink);
            }
            LessonProgress::Card(_) => {
                let half = |step: u8| {
                    let angle = std::f32::consts::PI * (0.5 + f32::from(step) / 12.0);
                    center + PROGRESS * Vec2::angled(angle)
                };
                let half = (0..=12).map(half).collect();
                painter.add(Shape::convex_polygon(half, colors.accent, Stroke::NONE));
                painter.circle_stroke(center, PROGRESS, stroke);
            }
            LessonProgress::NotStarted => {
                painter.circle_stroke(center, PROGRESS, Stroke::new(1.5, colors.dim));
            }
        }
    }
}

/// A file that can't be read: its first problem, the others on request.
fn broken_ui(ui: &mut Ui, entry: &LessonEntry, actions: &mut Actions) {
    let id = Id::unique(("lesson problems", &entry.slug, entry.file()));
    let is_open = ui.data(|data| data.get_temp(id)).unwrap_or(false);
    let size = vec2(ui.available_width(), sizes::ROW);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(egui::Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
        ui.add_space(sizes::GAP_SMALL);
        open_file_ui(ui, entry, actions);
        if more_ui(ui, entry, is_open) {
            ui.data_mut(|data| data.insert_temp(id, !is_open));
        }
        ui.with_layout(Layout::left_to_right(egui::Align::Center), |ui| {
            let ink = colors(ui);
            ui.add_space(sizes::GAP_SMALL);
            ui.label(Icon::Warning.text().color(ink.error));
            ui.label(text::rich(with_marks(&entry.slug), text::body()).color(ink.text));
            let first = entry.problems.first().map(place).unwrap_or_default();
            let words = text::rich(&first, text::body()).color(ink.dim);
            ui.add(Label::new(words).truncate()).hint(first);
        });
    });
    if is_open {
        for problem in entry.problems.iter().skip(1).take(PROBLEMS_MAX) {
            ui.horizontal_top(|ui| {
                ui.add_space(NUMBER);
                let words = text::rich(place(problem), text::body()).color(colors(ui).dim);
                ui.add(Label::new(words).wrap());
            });
        }
        ui.add_space(sizes::GAP_SMALL);
    }
}

fn open_file_ui(ui: &mut Ui, entry: &LessonEntry, actions: &mut Actions) {
    let Some(file) = entry.file() else { return };
    let name = format!("Open file: {}", entry.slug);
    let tooltip = file.display().to_string();
    let button = Button::plain("Open file").small().name(&name).tooltip(&tooltip);
    if ui.add(button).clicked() {
        actions.push(Action::Lesson(LessonAction::OpenFile(file.clone())));
    }
}

/// Draws the button that shows the other problems or hides them. Returns whether it was pressed.
fn more_ui(ui: &mut Ui, entry: &LessonEntry, is_open: bool) -> bool {
    let more = entry.problems.len().saturating_sub(1);
    if more == 0 {
        return false;
    }
    let words = number::counted(more as u64, "more problem", "more problems");
    let label = if is_open { "Hide problems".to_owned() } else { words };
    let name = format!("{label}: {}", entry.slug);
    let button = Button::ghost(&label).small().menu().name(&name);
    ui.add(button.known_as(&entry.slug)).clicked()
}

/// Problems of a file that are listed at once.
pub(in crate::panels::lesson) const PROBLEMS_MAX: usize = 100;

/// A problem with its place in the file.
pub(in crate::panels::lesson) fn place(problem: &Problem) -> String {
    let Problem { line, column, sentence } = problem;
    format!("{line}:{column}: {}", with_marks(sentence))
}
