//! The documents in the trash, the latest first, counting down until they are deleted.

use egui::text::TextFormat;
use egui::{Align2, Rect, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::action::{Action, Actions, TrashAction};
use crate::state::trash::{Row, Trash, TrashDraft};
use crate::state::{Clock, State, Zone, duration, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, cell, figure, paint, value};

/// The fewest and the most rows that the list shows at once.
const ROWS: (f32, f32) = (4.0, 12.0);

/// The height of the dialog's other parts and of the space around it, in points.
const AROUND: f32 = 500.0;

/// The same for optional parts: the trash command and the last result.
const AROUND_MORE: (f32, f32) = (100.0, 60.0);

/// The widths of the columns after the `_id`: collection, removed, pass, kept for.
const WIDTHS: [f32; 4] = [sizes::COLUMN, 164.0, 64.0, 104.0];

/// Draws the list.
pub(super) fn ui(ui: &mut Ui, draft: &mut TrashDraft, state: &State, actions: &mut Actions) {
    let net = &state.trash;
    if net.documents == 0 && net.filter.is_none() && net.rows.is_empty() {
        empty_ui(ui, &why_empty(net));
        return;
    }
    if net.rows.is_empty() {
        empty_ui(ui, &why_empty(net));
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    header_ui(ui, state.clock.zone());
    let more = net.next.is_some() || net.asked.is_some();
    let list = ScrollArea::vertical().id_salt("removed documents").auto_shrink([false, true]);
    list.max_height(height(ui, draft, net)).show_rows(
        ui,
        sizes::ROW,
        net.rows.len() + usize::from(more),
        |ui, range| {
            for at in range {
                match net.rows.get(at) {
                    Some(row) => row_ui(ui, row, draft, &state.clock, actions),
                    None => more_ui(ui, net, actions),
                }
            }
        },
    );
    ui.spacing_mut().item_spacing.y = sizes::GAP;
    ui.add_space(sizes::GAP_SMALL);
}

/// As many rows as there is room for, so that nothing else has to be scrolled to.
fn height(ui: &Ui, draft: &TrashDraft, net: &Trash) -> f32 {
    let changes = draft.secs() != Ok(net.secs);
    let more = [(changes, AROUND_MORE.0), (net.result.is_some(), AROUND_MORE.1)];
    let more: f32 = more.iter().filter(|(is_there, _)| *is_there).map(|(_, height)| height).sum();
    let rows = (ui.ctx().content_rect().height() - AROUND - more) / sizes::ROW;
    sizes::ROW * rows.floor().clamp(ROWS.0, ROWS.1)
}

fn empty_ui(ui: &mut Ui, sentence: &str) {
    let size = vec2(ui.available_width(), sizes::ROW * 7.0);
    ui.allocate_ui(size, |ui| {
        ui.set_min_size(size);
        ui.set_max_size(size);
        empty_state::ui(ui, Picture::Time, sentence, None);
    });
}

/// The text of an empty list.
fn why_empty(net: &Trash) -> String {
    match (&net.filter, net.secs) {
        (Some(of), _) => {
            format!("No removed documents from {} in the trash", with_marks(&of.to_string()))
        }
        (None, 0) => {
            "The trash is empty. Turn it on to undo removals, for example after setting a TTL too \
             short"
                .to_owned()
        }
        (None, secs) => format!(
            "Nothing removed yet. Removed documents appear here and can be restored for {}",
            duration::span(secs.saturating_mul(1_000))
        ),
    }
}

fn header_ui(ui: &mut Ui, zone: Zone) {
    let (rect, _) =
        ui.allocate_exact_size(vec2(ui.available_width(), sizes::CONTROL_SMALL), Sense::hover());
    let ink = colors(ui);
    let removed = zone.heading("Removed");
    let words = ["_id", "Collection", &removed, "Pass", "Kept for"];
    for (cell, word) in cells(rect).into_iter().zip(words) {
        let at = cell.left_center();
        let width = cell.width();
        paint::text_at(ui, at, Align2::LEFT_CENTER, word, text::small(), ink.dim, width);
    }
    ui.painter().hline(rect.x_range(), rect.bottom(), (sizes::LINE, ink.hairline));
}

/// The places of the columns in a row.
fn cells(row: Rect) -> [Rect; 5] {
    let behind: f32 = WIDTHS.iter().sum();
    let mut left = row.left() + sizes::GAP_SMALL;
    let first = (row.width() - sizes::GAP_SMALL - behind).max(sizes::COLUMN_MIN);
    [first, WIDTHS[0], WIDTHS[1], WIDTHS[2], WIDTHS[3]].map(|width| {
        let right = left + width;
        let cell =
            Rect::from_min_max(pos2(left, row.top()), pos2(right - sizes::GAP_SMALL, row.bottom()));
        left = right;
        cell
    })
}

fn row_ui(ui: &mut Ui, row: &Row, draft: &mut TrashDraft, clock: &Clock, actions: &mut Actions) {
    let size = vec2(ui.available_width(), sizes::ROW);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let is_chosen = draft.chosen == Some(row.number);
    let id = with_marks(&value::cut(&value::id(&row.id), 120));
    let namespace = with_marks(&row.namespace.to_string());
    response.widget_info(|| {
        let name = format!("Select {id} of {namespace}");
        WidgetInfo::selected(Role::Button, ui.is_enabled(), is_chosen, name)
    });
    background_ui(ui, rect, is_chosen, &response);
    let rest_ms = actions.count_down(clock, row.until_ms);
    let gone = match (rest_ms > 0, row.is_moved) {
        (true, _) => duration::countdown(rest_ms),
        (false, true) => "archive next".to_owned(),
        (false, false) => "next pass".to_owned(),
    };
    let pass = row.pass.map_or_else(|| "–".to_owned(), |pass| pass.to_string());
    let ink = colors(ui);
    let removed = clock.zone().date_time(row.removed_ms);
    let main = if row.is_newest { ink.text } else { ink.dim };
    let words = [
        (id.as_str(), text::mono(), main, cell::is_right(&row.id)),
        (namespace.as_str(), text::body(), main, false),
        (removed.as_str(), text::mono(), ink.date, false),
        (pass.as_str(), text::mono(), ink.dim, true),
        (gone.as_str(), text::mono(), ink.text, rest_ms > 0),
    ];
    for (cell, (words, font, ink, is_figure)) in cells(rect).into_iter().zip(words) {
        let (at, align) = (cell.left_center(), Align2::LEFT_CENTER);
        if is_figure {
            figure::paint(ui, cell, align, words, TextFormat::simple(font, ink));
        } else {
            paint::text_at(ui, at, align, words, font, ink, cell.width());
        }
    }
    if response.clicked() {
        draft.chosen = Some(row.number);
    }
    if response.gained_focus() {
        response.scroll_to_me(None);
    }
    response.hint(details(row, clock.zone()));
}

/// Details without a column.
fn details(row: &Row, zone: Zone) -> String {
    let index = with_marks(&row.index);
    let (size, until) = (number::bytes(row.bytes), zone.date_time(row.until_ms));
    let name = zone.name(row.until_ms);
    if row.is_moved {
        return format!(
            "{size}, removed by index {index}; moved to the archive after {until} {name}"
        );
    }
    format!(
        "{size}, removed by index {index}; deleted permanently by the first pass after {until} {name}"
    )
}

fn background_ui(ui: &Ui, rect: Rect, is_chosen: bool, response: &egui::Response) {
    let ink = colors(ui);
    if is_chosen {
        paint::selection(ui, rect, 0.0);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, ink.raised);
    }
    if response.has_focus() {
        paint::focus_ring(ui, rect.shrink(2.0), 4.0);
    }
}

fn more_ui(ui: &mut Ui, net: &Trash, actions: &mut Actions) {
    if ui.add(Button::plain("Show more").enabled(net.next.is_some())).clicked() {
        actions.push(Action::Trash(TrashAction::More));
    }
}
