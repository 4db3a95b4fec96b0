//! The expiry calendar: collections in rows, hours, days, weeks or months in columns.

use egui::{Align2, Rect, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::action::{Action, Actions, CalendarAction};
use crate::state::calendar::{Calendar, Column, Row, Unit};
use crate::state::{State, number};
use crate::theme::colors::faded;
use crate::theme::{colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::marks::visible;
use crate::widgets::{paint, tabs};

/// The width of the column of names, and the most of it as a share of the calendar.
const NAMES: f32 = 170.0;
const NAMES_SHARE: f32 = 0.25;

/// The width of the columns for overdue and for later documents.
const OUTSIDE: f32 = 62.0;

/// The height of the bars above the rows.
const BARS: f32 = 44.0;

/// The height of the headings.
const HEADINGS: f32 = 34.0;

pub(crate) const ABOUT: &str = "What expires when, over all collections of the store. Click a square \
                                to see its documents.";

/// Draws the calendar over the available width.
pub(crate) fn ui(ui: &mut Ui, calendar: &Calendar, state: &State, actions: &mut Actions) {
    ui.horizontal(|ui| {
        let words = Unit::ALL.map(Unit::label);
        let at = Unit::ALL.iter().position(|unit| *unit == calendar.unit).unwrap_or(0);
        let pressed = tabs::segmented(ui, "Columns", &words, at);
        if let Some(unit) = pressed.and_then(|at| Unit::ALL.get(at)) {
            actions.push(Action::Calendar(CalendarAction::Show(*unit)));
        }
        ui.label(text::rich(sentence(calendar), text::small()).color(colors(ui).dim));
    });
    ui.add_space(sizes::GAP_SMALL);
    table_ui(ui, calendar, state, actions);
}

/// Draws the calendar in the place of the timeline.
pub(super) fn scrolled_ui(ui: &mut Ui, calendar: &Calendar, state: &State, actions: &mut Actions) {
    ScrollArea::vertical().id_salt("calendar").auto_shrink(false).show(ui, |ui| {
        self::ui(ui, calendar, state, actions);
        ui.add_space(sizes::GAP_SMALL);
        ui.label(text::rich(ABOUT, text::small()).color(colors(ui).dim));
    });
}

/// The sum of the columns.
fn sentence(calendar: &Calendar) -> String {
    if !calendar.is_complete() {
        return "Loading…".to_owned();
    }
    let rows = calendar.rows();
    let expiring = rows.iter().map(|row| row.expiring()).sum();
    let documents = number::counted(expiring, "document", "documents");
    let collections = number::counted(rows.len() as u64, "collection", "collections");
    let words = format!("{documents} in {collections} will expire");
    match calendar.left_out {
        0 => words,
        left_out => format!("{words}; {left_out} more collections are not counted"),
    }
}

/// Where the columns are.
#[derive(Clone, Copy)]
struct Grid {
    /// The width of the names before it.
    names: f32,
    left: f32,
    step: f32,
}

impl Grid {
    fn column(self, at: usize, y: egui::Rangef) -> Rect {
        #[expect(clippy::cast_precision_loss, reason = "a few dozen columns")]
        let left = self.left + at as f32 * self.step;
        Rect::from_x_y_ranges(left..=left + self.step, y)
    }
}

fn table_ui(ui: &mut Ui, calendar: &Calendar, state: &State, actions: &mut Actions) {
    let rows = calendar.rows();
    if rows.is_empty() && calendar.is_complete() {
        let words = "No collection has documents that expire";
        ui.label(text::rich(words, text::body()).color(colors(ui).dim));
        return;
    }
    let names = NAMES.min(ui.available_width() * NAMES_SHARE);
    let room = (ui.available_width() - names - 2.0 * OUTSIDE).max(1.0);
    #[expect(clippy::cast_precision_loss, reason = "a few dozen columns")]
    let step = room / calendar.columns.len().max(1) as f32;
    ui.spacing_mut().item_spacing.y = 0.0;
    let size = vec2(ui.available_width(), BARS + HEADINGS);
    let (head, _) = ui.allocate_exact_size(size, Sense::hover());
    let grid = Grid { names, left: head.left() + names + OUTSIDE, step };
    head_ui(ui, head, grid, calendar);
    let most = rows.iter().flat_map(|row| row.counts.iter().copied()).max().unwrap_or(0);
    for row in rows {
        row_ui(ui, row, grid, most, calendar, state, actions);
    }
}

/// The bars of all collections together, and the headings.
fn head_ui(ui: &mut Ui, head: Rect, grid: Grid, calendar: &Calendar) {
    let ink = colors(ui);
    let bars = head.with_max_y(head.top() + BARS);
    let totals: Vec<(u64, u64)> =
        (0..calendar.columns.len()).map(|column| calendar.total(column)).collect();
    let most = totals.iter().map(|(documents, _)| *documents).max().unwrap_or(0);
    let heading = |ui: &Ui, rect: Rect, words: &str, y: f32, color| {
        let at = pos2(rect.center().x, y);
        // It has room, or it is left out.
        let width = paint::measured(ui, words, text::small()).x + 1.0;
        paint::text_at(ui, at, Align2::CENTER_CENTER, words, text::small(), color, width);
    };
    // Words and numbers are wider than narrow columns.
    let mut free_from = [f32::NEG_INFINITY; 2];
    let mut fits = |ui: &Ui, line: usize, place: Rect, words: &str| {
        let width = paint::measured(ui, words, text::small()).x;
        let left = place.center().x - width / 2.0;
        let fits = left >= free_from[line];
        if fits {
            free_from[line] = left + width + sizes::GAP_TINY;
        }
        fits
    };
    for (at, column) in calendar.columns.iter().enumerate() {
        let place = grid.column(at, bars.y_range());
        let (documents, bytes) = totals.get(at).copied().unwrap_or_default();
        if documents > 0 {
            let height = share(documents, most).sqrt().max(0.05) * BARS;
            let bar = place.with_min_y(bars.bottom() - height).shrink2(vec2(1.0, 0.0));
            ui.painter().rect_filled(bar, 2.0, faded(ink.accent, 0.85));
            let response = ui.interact(place, ui.scope_id().with(("total", at)), Sense::hover());
            response.hint(words(column, documents, Some(bytes).filter(|bytes| *bytes > 0)));
        }
        let [above, below] = &column.heading;
        let is_new =
            at == 0 || calendar.columns.get(at - 1).is_none_or(|last| last.heading[0] != *above);
        if (is_new || grid.step > 24.0) && fits(ui, 0, place, above) {
            heading(ui, place, above, bars.bottom() + 10.0, ink.dim);
        }
        if fits(ui, 1, place, below) {
            let color = if at == 0 { ink.text } else { ink.dim };
            heading(ui, place, below, bars.bottom() + 24.0, color);
        }
    }
    let y = bars.bottom() + 24.0;
    let before = Rect::from_x_y_ranges(grid.left - OUTSIDE..=grid.left, bars.y_range());
    heading(ui, before, "overdue", y, ink.dim);
    let after = Rect::from_x_y_ranges(head.right() - OUTSIDE..=head.right(), bars.y_range());
    heading(ui, after, "later", y, ink.dim);
}

fn row_ui(
    ui: &mut Ui,
    row: &Row,
    grid: Grid,
    most: u64,
    calendar: &Calendar,
    state: &State,
    actions: &mut Actions,
) {
    let size = vec2(ui.available_width(), sizes::ROW);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    if !ui.is_rect_visible(rect) {
        return;
    }
    let ink = colors(ui);
    ui.painter().hline(rect.x_range(), rect.top(), (sizes::LINE, faded(ink.hairline, 0.6)));
    let name = visible(&row.namespace.to_string());
    let at = rect.left_center();
    paint::text_at(ui, at, Align2::LEFT_CENTER, &name, text::body(), ink.text, grid.names - 8.0);
    let figure = |ui: &Ui, count: u64, right: f32, color| {
        if count > 0 {
            let (at, digits) = (pos2(right - 6.0, rect.center().y), number::short_count(count));
            paint::text_at(
                ui,
                at,
                Align2::RIGHT_CENTER,
                &digits,
                text::mono_small(),
                color,
                OUTSIDE,
            );
        }
    };
    figure(ui, row.overdue, grid.left, ink.overdue);
    figure(ui, row.later, rect.right(), ink.dim);
    for (at, column) in calendar.columns.iter().enumerate() {
        let count = row.counts.get(at).copied().unwrap_or(0);
        let place = grid.column(at, rect.y_range()).shrink(1.5);
        if count == 0 {
            ui.painter().rect_filled(place, 3.0, faded(ink.well, 0.5));
            continue;
        }
        let response = ui.interact(place, ui.scope_id().with((&name, at)), Sense::click());
        let words = words(column, count, row.bytes(count));
        response
            .widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("{name}, {words}")));
        let strength = 0.25 + 0.75 * share(count, most).sqrt();
        ui.painter().rect_filled(place, 3.0, faded(ink.accent, strength));
        if response.has_focus() || response.hovered() {
            paint::focus_ring(ui, place.shrink(1.0), 3.0);
        }
        let hint = format!(
            "{words}\nfrom {}\nClick to see them",
            state.clock.zone().date_time(column.from_ms)
        );
        if response.hint(hint).clicked() {
            let (from_ms, to_ms) = (column.from_ms, column.to_ms);
            let namespace = row.namespace.clone();
            let visit = CalendarAction::Visit { namespace, from_ms, to_ms };
            actions.push(Action::Calendar(visit));
        }
    }
}

/// A field in words: `Mon 14: 1,204 documents, about 300 kB`.
fn words(column: &Column, documents: u64, bytes: Option<u64>) -> String {
    let [above, below] = &column.heading;
    let documents = number::counted(documents, "document", "documents");
    let bytes = bytes.map(|bytes| format!(", about {}", number::bytes(bytes)));
    format!("{above} {below}: {documents}{}", bytes.unwrap_or_default())
}

fn share(count: u64, most: u64) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "a height or a strength on screen")]
    let share = count as f32 / most.max(1) as f32;
    share
}
