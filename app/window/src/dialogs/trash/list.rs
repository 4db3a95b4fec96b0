//! The removed documents, the latest first, and where each of them is.

use egui::text::TextFormat;
use egui::{
    Align2, Label, Layout, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use crate::action::{Action, Actions, TrashAction};
use crate::state::archive::target_words;
use crate::state::trash::{Place, Row, Trash, TrashDraft};
use crate::state::{State, Zone, duration, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, cell, figure, paint, value};

/// The fewest and the most rows that the list shows at once.
const ROWS: (f32, f32) = (3.0, 12.0);

/// The height of the dialog's other parts and of the space around it, in points.
const AROUND: f32 = 530.0;

/// The same for optional parts: a document, the last result, and the line about archives.
const AROUND_MORE: (f32, f32, f32) =
    (DOCUMENT_HEIGHT + sizes::GAP, 60.0, sizes::CONTROL + sizes::GAP);

/// The most height of a shown document, in points.
pub(super) const DOCUMENT_HEIGHT: f32 = 130.0;

/// The widths of the columns after the `_id`: collection, removed, where.
const WIDTHS: [f32; 3] = [sizes::COLUMN, 164.0, 210.0];

/// Draws the list.
pub(super) fn ui(ui: &mut Ui, draft: &mut TrashDraft, state: &State, actions: &mut Actions) {
    let net = &state.trash;
    if net.rows.is_empty() {
        empty_ui(ui, &why_empty(net));
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    header_ui(ui, state.clock.zone());
    let more = net.next.is_some() || net.asked.is_some();
    // Another list begins at its top.
    let filter = net.scope.filter.as_ref().map(ToString::to_string);
    let salt = ("removed documents", &net.scope.of, filter);
    let list = ScrollArea::vertical().id_salt(salt).auto_shrink([false, true]);
    list.max_height(height(ui, draft, net)).show_rows(
        ui,
        sizes::ROW,
        net.rows.len() + usize::from(more),
        |ui, range| {
            for at in range {
                match net.rows.get(at) {
                    Some(row) => row_ui(ui, row, draft, state, actions),
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
    let more = [
        (draft.shows_document, AROUND_MORE.0),
        (net.result.is_some(), AROUND_MORE.1),
        (net.scope.of.is_some() || net.listed_archives().next().is_some(), AROUND_MORE.2),
    ];
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
    match (&net.scope.filter, &net.scope.of, net.secs) {
        (Some(_), ..) => "No removed documents match the filter".to_owned(),
        (None, Some(of), _) => {
            format!("No removed documents of {} are kept", with_marks(&of.to_string()))
        }
        (None, None, 0) => {
            "The trash is empty. Turn it on to undo removals, for example after setting a TTL too \
             short"
                .to_owned()
        }
        (None, None, secs) => format!(
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
    let words = ["_id", "Collection", &removed, "Where"];
    for (cell, word) in cells(rect).into_iter().zip(words) {
        let at = cell.left_center();
        let width = cell.width();
        paint::text_at(ui, at, Align2::LEFT_CENTER, word, text::small(), ink.dim, width);
    }
    ui.painter().hline(rect.x_range(), rect.bottom(), (sizes::LINE, ink.hairline));
}

/// The places of the columns in a row.
fn cells(row: Rect) -> [Rect; 4] {
    let behind: f32 = WIDTHS.iter().sum();
    let mut left = row.left() + sizes::GAP_SMALL;
    let first = (row.width() - sizes::GAP_SMALL - behind).max(sizes::COLUMN_MIN);
    [first, WIDTHS[0], WIDTHS[1], WIDTHS[2]].map(|width| {
        let right = left + width;
        let cell =
            Rect::from_min_max(pos2(left, row.top()), pos2(right - sizes::GAP_SMALL, row.bottom()));
        left = right;
        cell
    })
}

fn row_ui(ui: &mut Ui, row: &Row, draft: &mut TrashDraft, state: &State, actions: &mut Actions) {
    let (net, clock) = (&state.trash, &state.clock);
    let size = vec2(ui.available_width(), sizes::ROW);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let is_chosen = draft.has_chosen(row);
    let id = with_marks(&value::cut(&value::id(&row.id), 120));
    let namespace = with_marks(&row.namespace.to_string());
    response.widget_info(|| {
        let name = format!("Select {id} of {namespace}");
        WidgetInfo::selected(Role::Button, ui.is_enabled(), is_chosen, name)
    });
    background_ui(ui, rect, is_chosen, &response);
    if let Place::Trash { until_ms, .. } = row.place {
        actions.redraw_at(clock, until_ms);
    }
    let ink = colors(ui);
    let removed = clock.zone().date_time(row.removed_ms);
    let main = if row.is_newest { ink.text } else { ink.dim };
    let [id_cell, of_cell, removed_cell, place_cell] = cells(rect);
    let left = Align2::LEFT_CENTER;
    if cell::is_right(&row.id) {
        figure::paint(ui, id_cell, left, &id, TextFormat::simple(text::mono(), main));
    } else {
        let (at, width) = (id_cell.left_center(), id_cell.width());
        paint::text_at(ui, at, left, &id, text::mono(), main, width);
    }
    for (cell, words, font, ink) in [
        (of_cell, &namespace, text::body(), main),
        (removed_cell, &removed, text::mono(), ink.date),
    ] {
        paint::text_at(ui, cell.left_center(), left, words, font, ink, cell.width());
    }
    let place = with_marks(&row.place.label(clock.zone(), clock.now_ms()));
    let place = Label::new(text::rich(place, text::body()).color(ink.dim));
    let layout = Layout::left_to_right(egui::Align::Center);
    ui.scope_builder(UiBuilder::new().max_rect(place_cell).layout(layout), |ui| {
        ui.add(place.truncate().selectable(false));
    });
    if response.clicked() {
        let keys = ui.input(|input| input.modifiers);
        draft.choose(net, row, (keys.command, keys.shift));
    }
    if response.gained_focus() {
        response.scroll_to_me(None);
    }
    response.hint(details(row, clock.zone()));
}

/// Details without a column.
fn details(row: &Row, zone: Zone) -> String {
    let (size, index) = (number::bytes(row.bytes), with_marks(&row.index));
    let pass = row.pass.map(|pass| format!(" in pass {pass}")).unwrap_or_default();
    let place = match &row.place {
        Place::Trash { until_ms, is_moved } => {
            let (until, name) = (zone.date_time(*until_ms), zone.name(*until_ms));
            let then = if *is_moved {
                "moved to the archive"
            } else {
                "deleted permanently by the first pass"
            };
            format!("{then} after {until} {name}")
        }
        Place::Archive { target } => {
            format!("moved to {}, which keeps it after a restore", with_marks(target_words(target)))
        }
    };
    format!("{size}, removed by index {index}{pass}; {place}")
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
