//! The contents of an archive: figures, documents, and the one that is shown.

use bson::RawDocumentBuf;
use egui::{Align2, Label, RichText, Role, ScrollArea, Sense, Ui, WidgetInfo, vec2};
use mayfly_engine::value::extjson::Layout;
use mayfly_engine::value::shell::{read_document, write_command, write_document};

use crate::action::{Action, Actions, ArchiveAction, ViewAction};
use crate::dialogs::words::{COMMAND_TO_SEND, LOADING, command_ui, result_ui};
use crate::state::archive::{Archive, ArchiveDraft, Row, Status};
use crate::state::{Zone, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card, cell, code_box, figure, key_value, paint, value};

/// The rows that the list has room for: while a document is shown below it, and while none is.
const ROWS: (f32, f32) = (3.0, 9.0);

/// Draws the contents. Returns the requested action.
pub(super) fn ui(
    ui: &mut Ui,
    draft: &mut ArchiveDraft,
    archive: &Archive,
    zone: Zone,
    actions: &mut Actions,
) -> Option<ArchiveAction> {
    let Some(status) = &archive.status else {
        ui.label(text::rich(LOADING, text::body()).color(colors(ui).dim));
        return None;
    };
    card::ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        figures_ui(ui, status, zone);
    });
    if let Some(result) = &archive.result {
        result_ui(ui, result);
    }
    let asked = filter_ui(ui, draft, archive);
    if archive.rows.is_empty() {
        let words = match (&archive.filter, status.on) {
            (Some(_), _) => "No archived documents match the filter",
            (None, true) => {
                "Nothing archived yet. Documents appear here when their time in the trash is up"
            }
            (None, false) => "Nothing archived",
        };
        ui.label(text::rich(words, text::body()).color(colors(ui).dim));
        return asked;
    }
    list_and_below_ui(ui, archive, zone, actions).or(asked)
}

/// Draws the list and what is below it, which takes its room from the list: no row moves away under
/// the pointer that chooses several.
fn list_and_below_ui(
    ui: &mut Ui,
    archive: &Archive,
    zone: Zone,
    actions: &mut Actions,
) -> Option<ArchiveAction> {
    let key = ui.scope_id().with("height below the list");
    let known: f32 = ui.data(|data| data.get_temp(key)).unwrap_or(0.0);
    let total = sizes::ROW * ROWS.1;
    let height = (total - known).max(sizes::ROW * ROWS.0);
    let list = ui.scope(|ui| list_ui(ui, archive, zone, height));
    let shown = archive.shown.and_then(|at| archive.rows.get(at));
    let command = archive.restore_command();
    let mut below = 0.0;
    if shown.is_some() || command.is_some() {
        let drawn = ui.scope(|ui| {
            if let Some(row) = shown {
                document_ui(ui, row, actions);
            }
            if let Some((db, command)) = &command {
                let command = write_command(db, command);
                command_ui(ui, COMMAND_TO_SEND, &command, actions);
            }
        });
        below = drawn.response.rect.height() + sizes::GAP;
    }
    // The gap after the last widget already exists.
    let rest = total - list.response.rect.height() - below - sizes::GAP;
    if rest > 0.0 {
        ui.add_space(rest);
    }
    if (below - known).abs() > 0.5 {
        ui.data_mut(|data| data.insert_temp(key, below));
        ui.ctx().request_discard("the list makes room for what is below it");
    }
    list.inner
}

fn figures_ui(ui: &mut Ui, status: &Status, zone: Zone) {
    let documents = number::counted(status.documents, "document", "documents");
    let files = number::counted(status.segments, "file", "files");
    let held = format!("{documents}, {} in {files}", number::bytes(status.bytes));
    key_value::ui(ui, "Contents", &held);
    if let (Some(oldest_ms), Some(newest_ms)) = (status.oldest_ms, status.newest_ms) {
        let (from, to) = (zone.date_time(oldest_ms), zone.date_time(newest_ms));
        key_value::ui(ui, &zone.heading("Removed between"), &format!("{from} and {to}"));
    }
    let target = if status.target.is_empty() { "the data folder" } else { &status.target };
    let state = if status.on { "on" } else { "off: removed documents are deleted permanently" };
    key_value::ui(ui, "Archiving", &format!("{state}, in {}", with_marks(target)));
    if status.waiting > 0 {
        let documents = number::counted(status.waiting, "document", "documents");
        key_value::ui(ui, "Waiting", &format!("{documents} in the trash"));
    }
    if status.missing > 0 {
        let documents = number::counted(status.missing, "document", "documents");
        let words = format!("{documents}: archive files were deleted or cut");
        key_value::colored(ui, "Missing", &words, colors(ui).error);
    }
    if status.unreadable > 0 {
        let words =
            format!("{} in damaged or incomplete batches", number::bytes(status.unreadable));
        key_value::colored(ui, "Unreadable", &words, colors(ui).overdue);
    }
}

fn filter_ui(ui: &mut Ui, draft: &mut ArchiveDraft, archive: &Archive) -> Option<ArchiveAction> {
    let mut asked = None;
    let parsed = match draft.filter.trim() {
        "" => Ok(None),
        filter => read_document(filter).map(Some).map_err(|error| error.to_string()),
    };
    labelled(ui, "Filter", parsed.as_ref().err().map(String::as_str), |ui| {
        let field = Field {
            name: "Archive filter",
            hint: "{ }",
            mono: true,
            invalid: parsed.is_err(),
            clearable: true,
            ..Field::default()
        };
        let response = field.ui(ui, &mut draft.filter);
        if !response.has_focus()
            && let Ok(filter) = &parsed
            && !archive.is_listed_by(filter.as_ref())
        {
            asked = Some(ArchiveAction::List(filter.clone()));
        }
    });
    asked
}

fn list_ui(ui: &mut Ui, archive: &Archive, zone: Zone, height: f32) -> Option<ArchiveAction> {
    let mut asked = None;
    ui.spacing_mut().item_spacing.y = 0.0;
    let lines = archive.rows.len() + usize::from(archive.next.is_some());
    let list = ScrollArea::vertical().id_salt("archived documents").auto_shrink([false, true]);
    list.max_height(height).show_rows(ui, sizes::ROW, lines, |ui, range| {
        for at in range {
            match archive.rows.get(at) {
                Some(row) => asked = row_ui(ui, at, row, archive, zone).or(asked.take()),
                None => {
                    if ui.add(Button::plain("Show more")).clicked() {
                        asked = Some(ArchiveAction::More);
                    }
                }
            }
        }
    });
    asked
}

fn row_ui(
    ui: &mut Ui,
    at: usize,
    row: &Row,
    archive: &Archive,
    zone: Zone,
) -> Option<ArchiveAction> {
    let mut asked = None;
    let id = with_marks(&value::cut(&value::id(&row.id), 60));
    ui.horizontal(|ui| {
        ui.set_height(sizes::ROW);
        let mut chosen = archive.chosen.contains(&at);
        let mark = ui.add_enabled(row.is_newest, egui::Checkbox::without_text(&mut chosen));
        let mark = mark.accessible_name(format!("Select {id}"));
        if mark
            .hint_disabled("Older version; only the newest version of each _id can be restored")
            .changed()
        {
            asked = Some(ArchiveAction::Choose(at, chosen));
        }
        let ink = colors(ui);
        if name_ui(ui, &id, cell::is_right(&row.id), archive.shown == Some(at)) {
            asked = Some(ArchiveAction::Show(at));
        }
        let removed = zone.date_time(row.removed_ms);
        ui.label(RichText::new(removed).font(text::mono()).color(ink.date));
        let index = Label::new(RichText::new(with_marks(&row.index)).color(ink.dim)).truncate();
        ui.add(index);
    });
    asked
}

/// The name of a document, which shows it. Returns whether it was pressed, anywhere in its cell.
fn name_ui(ui: &mut Ui, id: &str, is_number: bool, is_shown: bool) -> bool {
    let width = ui.available_width() - sizes::COLUMN_DATE - sizes::COLUMN;
    let (cell, response) = ui.allocate_exact_size(vec2(width, sizes::ROW), Sense::click());
    response.widget_info(|| {
        let name = format!("Show {id}");
        WidgetInfo::selected(Role::Button, ui.is_enabled(), is_shown, name)
    });
    let ink = colors(ui);
    let around = cell.expand2(vec2(sizes::GAP_TINY, -1.0));
    if response.hovered() {
        ui.painter().rect_filled(around, sizes::RADIUS_BUTTON, ink.raised);
    }
    if response.has_focus() {
        paint::focus_ring(ui, around.shrink(1.0), sizes::RADIUS_BUTTON);
    }
    let main = if is_shown { ink.accent } else { ink.text };
    let (at, align) = (cell.left_center(), Align2::LEFT_CENTER);
    if is_number {
        figure::paint(ui, cell, align, id, figure::mono(main));
    } else {
        paint::text_at(ui, at, align, id, text::mono(), main, cell.width());
    }
    response.hint("Show the document").clicked()
}

fn document_ui(ui: &mut Ui, row: &Row, actions: &mut Actions) {
    let Ok(document) = RawDocumentBuf::try_from(&row.document) else { return };
    let shown = write_document(&document, Layout::Indented);
    if code_box::document_ui(ui, &shown) {
        actions.push(Action::View(ViewAction::CopyLines(shown)));
    }
}
