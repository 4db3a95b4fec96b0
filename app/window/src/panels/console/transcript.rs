//! The inputs and outputs, a row for each line.

use egui::text::LayoutJob;
use egui::{Color32, Label, Rect, Sense, Ui, UiBuilder, vec2};

use crate::action::{Action, Actions, ConsoleAction, ViewAction};
use crate::limits::CONSOLE_LINE_CHARS_MAX;
use crate::state::console::{ConsoleDraft, Entry, EntryKind, Row, Transcript};
use crate::state::number;
use crate::theme::{Colors, Icon, colors, sizes, text};
use crate::widgets::row_scroll::RowScroll;
use crate::widgets::{Button, code_box, menu, value_text};

/// The height of a row of one line, as it is guessed before it was drawn.
const LINE: f32 = 18.0;

/// Draws the transcript. It follows what comes while its end is in sight.
pub fn ui(ui: &mut Ui, transcript: &Transcript, draft: &mut ConsoleDraft, actions: &mut Actions) {
    let rows = transcript.rows();
    let end = (rows, ui.available_height());
    if draft.end.is_some_and(|known| known != end) {
        (draft.row, draft.offset) = (rows, 0.0);
    }
    let name = "Console transcript";
    let list = RowScroll { name, rows, estimate: LINE, version: transcript.version() };
    let (mut row, mut offset) = (draft.row, draft.offset);
    let (was_pointed, mut pointed) = (draft.pointed, None);
    // Rows are asked for one after the other.
    let (mut ahead, mut above) = (None, None);
    let shown = list.ui(ui, &mut row, &mut offset, |ui, at| {
        let (_, rows) = ahead
            .take_if(|(next, _)| *next == at)
            .unwrap_or_else(|| (at, transcript.rows_from(at)));
        let mut rows = rows;
        if let Some(row) = rows.next() {
            pointed = pointed.or(row_ui(ui, row, actions));
            if let Row::Line { entry, .. } = row {
                // Its first line may be above the top.
                if above.replace(entry.id) != Some(entry.id) {
                    copy_ui(ui, entry, was_pointed == Some(entry.id), actions);
                }
            }
        }
        ahead = Some((at + 1, rows));
    });
    (draft.row, draft.offset, draft.pointed) = (row, offset, pointed);
    draft.end = (shown.end >= rows).then_some(end);
    if was_pointed != pointed {
        ui.ctx().request_repaint();
    }
}

/// Draws a row. Returns the entry if the pointer is on it.
fn row_ui(ui: &mut Ui, row: Row<'_>, actions: &mut Actions) -> Option<u64> {
    let (entry, at) = match row {
        Row::Dropped(lines) => {
            let lines = number::counted(lines, "earlier line", "earlier lines");
            let words = format!("… {lines} dropped");
            ui.label(text::rich(words, text::mono()).color(colors(ui).dim));
            return None;
        }
        Row::Folded { entry, lines } => {
            let lines = number::counted(lines as u64, "more line", "more lines");
            let words = text::rich(format!("… {lines}"), text::mono()).color(colors(ui).accent);
            let label = ui.add(Label::new(words).selectable(false).sense(Sense::click()));
            if label.on_hover_cursor(egui::CursorIcon::PointingHand).clicked() {
                actions.push(Action::Console(ConsoleAction::Unfold(entry.id)));
            }
            return None;
        }
        Row::Line { entry, at } => (entry, at),
    };
    let job = line(ui, entry, at, ui.available_width());
    let response = ui.add(Label::new(job).selectable(true));
    menu::context(&response, |ui| menu_ui(ui, entry, actions));
    let across = Rect::from_x_y_ranges(ui.max_rect().x_range(), response.rect.y_range());
    ui.rect_contains_pointer(across).then_some(entry.id)
}

/// One line in its colors.
fn line(ui: &Ui, entry: &Entry, at: usize, width: f32) -> LayoutJob {
    let (colors, mono) = (colors(ui), text::mono());
    let words = shortened(entry.line(at));
    let mut job = LayoutJob::default();
    let mut plain = |words: &str, ink: Color32, colors: &Colors| {
        value_text::append(&mut job, words, &mono, ink, colors);
    };
    match &entry.kind {
        EntryKind::Value { .. } if !words.is_empty() => {
            return code_box::highlighted(ui, words, width);
        }
        EntryKind::Input { database } => {
            if at == 0 {
                plain(&format!("{database}> "), colors.accent, colors);
            } else {
                plain("... ", colors.dim, colors);
            }
            plain(words, colors.dim, colors);
        }
        EntryKind::Failed => plain(words, colors.error, colors),
        EntryKind::Note => plain(words, colors.dim, colors),
        EntryKind::Printed | EntryKind::Value { .. } => plain(words, colors.text, colors),
    }
    if job.text.is_empty() {
        // An empty line is as high as any other.
        value_text::append(&mut job, " ", &mono, colors.text, colors);
    }
    value_text::wrap(ui, &mut job, width);
    job
}

fn shortened(line: &str) -> &str {
    match line.char_indices().nth(CONSOLE_LINE_CHARS_MAX) {
        Some((end, _)) => &line[..end],
        None => line,
    }
}

/// The buttons that copy a value, seen while the pointer is on it.
fn copy_ui(ui: &mut Ui, entry: &Entry, is_pointed: bool, actions: &mut Actions) {
    let EntryKind::Value { json } = &entry.kind else { return };
    let size = vec2(2.0 * sizes::CONTROL_SMALL, sizes::CONTROL_SMALL);
    let right = ui.max_rect().right();
    // Level with the line.
    let top = ui.min_rect().top() - (sizes::CONTROL_SMALL - LINE) / 2.0;
    let top = top.max(ui.clip_rect().top());
    let corner = egui::pos2(right - size.x, top);
    let place = Rect::from_min_size(corner, size);
    let mut ui = ui.new_child(UiBuilder::new().max_rect(place).id_salt("copy"));
    if is_pointed {
        ui.painter().rect_filled(place, sizes::RADIUS_BUTTON, colors(&ui).panel);
    } else {
        ui.set_opacity(0.0);
    }
    // A line is as high as its buttons.
    ui.spacing_mut().interact_size.y = sizes::CONTROL_SMALL;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        let names = [
            format!("Copy result {} as JSON", entry.id),
            format!("Copy result {} as shell text", entry.id),
        ];
        let button = Button::icon_only(Icon::Json, &names[0]).small().enabled(!json.is_empty());
        if ui.add(button).clicked() {
            actions.push(Action::View(ViewAction::CopyLines(json.clone())));
        }
        if ui.add(Button::icon_only(Icon::Copy, &names[1]).small()).clicked() {
            actions.push(Action::View(ViewAction::CopyLines(entry.text.clone())));
        }
    });
}

fn menu_ui(ui: &mut Ui, entry: &Entry, actions: &mut Actions) {
    let copy = match &entry.kind {
        EntryKind::Value { json } => {
            if menu::entry(ui, "Copy as JSON", "", !json.is_empty()).clicked() {
                actions.push(Action::View(ViewAction::CopyLines(json.clone())));
            }
            "Copy as shell text"
        }
        EntryKind::Input { .. } => {
            if menu::entry(ui, "Edit again", "", true).clicked() {
                let text = entry.text.clone();
                actions.push(Action::Console(ConsoleAction::Insert(text)));
            }
            "Copy input"
        }
        EntryKind::Printed | EntryKind::Failed | EntryKind::Note => "Copy output",
    };
    if menu::entry(ui, copy, "", true).clicked() {
        actions.push(Action::View(ViewAction::CopyLines(entry.text.clone())));
    }
}
