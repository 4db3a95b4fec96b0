//! The oplog as a strip, newest at the right, with a marker for what each member has applied.

use egui::{Align, Layout, Pos2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::shown::{Members, Requests};
use super::words;
use crate::job::lesson::{LessonRequest, OplogEntryView};
use crate::state::number;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, menu, paint};

/// The width and the height of an entry.
const CELL: [f32; 2] = [36.0, 40.0];

/// The height of the markers below the entries.
const MARKERS: f32 = 20.0;

/// Delays that are offered, in seconds.
const DELAYS_SECS: [u32; 7] = [0, 1, 2, 5, 10, 20, 30];

/// The kinds of entries, with their glyphs.
const KINDS: [(&str, Icon); 5] = [
    ("insert", Icon::Add),
    ("update", Icon::Edit),
    ("delete", Icon::Drop),
    ("ttl delete", Icon::Timer),
    ("index", Icon::List),
];

/// The height of the whole strip.
pub(super) fn height(is_presented: bool) -> f32 {
    let head = if is_presented { 0.0 } else { sizes::CONTROL_SMALL + sizes::GAP_TINY };
    head + CELL[1] + MARKERS
}

/// Draws the strip.
pub(super) fn ui(ui: &mut Ui, shown: &Members<'_>, ask: &mut Requests<'_>) {
    ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
    if !shown.is_presented {
        head_ui(ui, shown, ask);
    }
    entries_ui(ui, shown);
}

fn head_ui(ui: &mut Ui, shown: &Members<'_>, ask: &mut Requests<'_>) {
    let size = vec2(ui.available_width(), sizes::CONTROL_SMALL);
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        delay_ui(ui, shown, ask);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
            ui.label(text::rich("Oplog", text::strong()).color(colors(ui).text));
            help_ui(ui);
            legend_ui(ui, &shown.view.oplog);
        });
    });
}

/// How long secondaries wait before they apply an entry.
fn delay_ui(ui: &mut Ui, shown: &Members<'_>, ask: &mut Requests<'_>) {
    let now_ms = shown.view.replication_delay_ms;
    let secs = |ms: u32| number::secs(i64::from(ms) / 1_000);
    let label = format!("Delay {}", secs(now_ms));
    let tooltip = "How long secondaries wait before they apply an operation";
    let button = Button::plain(&label).small().menu().name("Replication delay").tooltip(tooltip);
    let response = ui.add(button);
    menu::below(&response, |ui| {
        for offered in DELAYS_SECS {
            let offered_ms = offered * 1_000;
            if menu::choice(ui, &secs(offered_ms), offered_ms == now_ms).clicked() {
                ask(LessonRequest::ReplicationDelay(offered_ms));
            }
        }
    });
}

/// The limits of the model.
fn help_ui(ui: &mut Ui) {
    let name = "What this model leaves out";
    let response = ui.add(Button::icon_only(Icon::Help, name).small());
    menu::below(&response, |ui| {
        ui.set_max_width(sizes::TOOLTIP);
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        for sentence in words::LIMITS {
            ui.label(text::rich(sentence, text::body()).color(colors(ui).text));
        }
    });
}

/// The kinds that are on the strip, as far as there is room.
fn legend_ui(ui: &mut Ui, entries: &[OplogEntryView]) {
    let ink = colors(ui).dim;
    for (kind, icon) in KINDS {
        let words = paint::line(ui, kind, text::small(), ink, f32::INFINITY);
        let width = text::SMALL + sizes::GAP_TINY + words.size().x;
        let is_there = entries.iter().any(|entry| entry.kind == kind);
        if !is_there || width > ui.available_width() {
            continue;
        }
        let (rect, response) =
            ui.allocate_exact_size(vec2(width, sizes::CONTROL_SMALL), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, kind));
        let center = rect.left_center() + vec2(text::SMALL / 2.0, 0.0);
        paint::icon_at(ui.painter(), center, icon, text::SMALL + 2.0, ink);
        let at = pos2(rect.right() - words.size().x, rect.center().y - words.size().y / 2.0);
        ui.painter().galley(at, words, ink);
    }
}

/// The newest entries that fit, and the markers.
fn entries_ui(ui: &mut Ui, shown: &Members<'_>) {
    let size = vec2(ui.available_width(), CELL[1] + MARKERS);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let colors = colors(ui);
    let strip = rect.with_max_y(rect.top() + CELL[1]);
    ui.painter().rect_filled(strip, sizes::RADIUS_BUTTON, colors.background);
    if shown.view.oplog.is_empty() {
        let (at, align) = (strip.left_center() + vec2(10.0, 0.0), egui::Align2::LEFT_CENTER);
        let words = "Nothing was written yet";
        paint::text_at(ui, at, align, words, text::small(), colors.dim, strip.width());
        return;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a width in cells")]
    #[expect(clippy::cast_sign_loss, reason = "a width is not negative")]
    let fit = (strip.width() / CELL[0]) as usize;
    let skipped = shown.view.oplog.len().saturating_sub(fit.max(1));
    let entries = shown.view.oplog.get(skipped..).unwrap_or_default();
    let mut left = strip.right() - cells(entries.len());
    let first = left;
    for entry in entries {
        let cell = Rect::from_min_size(pos2(left, strip.top()), CELL.into());
        cell_ui(ui, shown, entry, cell);
        left += CELL[0];
    }
    markers_ui(ui, shown, entries, pos2(first, strip.bottom()), rect.left());
}

#[expect(clippy::cast_precision_loss, reason = "a few dozen cells")]
fn cells(count: usize) -> f32 {
    count as f32 * CELL[0]
}

fn cell_ui(ui: &Ui, shown: &Members<'_>, entry: &OplogEntryView, cell: Rect) {
    let colors = colors(ui);
    let id = ui.scope_id().with(("entry", entry.position));
    let response = ui.interact(cell, id, Sense::hover());
    let name = words::entry(entry, shown.clock.zone());
    response.widget_info(|| WidgetInfo::labeled(Role::ListItem, true, &name));
    let box_ = cell.shrink2(vec2(1.5, 2.0));
    let (fill, ink) = if entry.kind == "ttl delete" {
        (colors.well, colors.removed)
    } else {
        (colors.raised, colors.text)
    };
    let stroke = Stroke::new(sizes::LINE, colors.hairline);
    let kind = egui::StrokeKind::Inside;
    ui.painter().rect(box_, sizes::RADIUS_BUTTON, fill, stroke, kind);
    let icon = KINDS.iter().find(|(kind, _)| *kind == entry.kind).map(|(_, icon)| *icon);
    let center = pos2(cell.center().x, cell.top() + 12.0);
    paint::icon_at(ui.painter(), center, icon.unwrap_or(Icon::More), text::ICON - 1.0, ink);
    let at = pos2(cell.center().x, cell.bottom() - 3.0);
    let (align, font) = (egui::Align2::CENTER_BOTTOM, text::mono_small());
    let position = entry.position.to_string();
    paint::text_at(ui, at, align, &position, font, colors.dim, CELL[0]);
    response.hint(name);
}

/// Below each entry the members that applied it last.
fn markers_ui(
    ui: &Ui,
    shown: &Members<'_>,
    entries: &[OplogEntryView],
    first: Pos2,
    leftmost: f32,
) {
    let colors = colors(ui);
    let mut marks: Vec<(Option<usize>, Vec<&str>)> = Vec::new();
    for member in &shown.view.members {
        let at = entries.iter().rposition(|entry| entry.position <= member.applied);
        match marks.iter_mut().find(|(place, _)| *place == at) {
            Some((_, names)) => names.push(&member.name),
            None => marks.push((at, vec![&member.name])),
        }
    }
    for (at, names) in marks {
        let names = names.join(" ");
        let (x, words, about) = match at {
            Some(at) => {
                let position = entries.get(at).map_or(0, |entry| entry.position);
                let about = format!("Applied up to {position}: {names}");
                (first.x + cells(at) + CELL[0] / 2.0, format!("▲ {names}"), about)
            }
            None => (leftmost, format!("← {names}"), format!("Applied none of these: {names}")),
        };
        let galley = paint::line(ui, &words, text::small(), colors.accent, f32::INFINITY);
        let right = first.x + cells(entries.len());
        let left = (x - galley.size().x / 2.0).min(right - galley.size().x).max(leftmost);
        let place = Rect::from_min_size(pos2(left, first.y + 2.0), galley.size());
        let response = ui.interact(place, ui.scope_id().with(("marker", &names)), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &about));
        ui.painter().galley(place.min, galley, colors.accent);
        response.hint(about);
    }
}
