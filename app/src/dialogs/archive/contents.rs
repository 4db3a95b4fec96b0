//! What an archive holds: figures, documents, and the one that is shown.

use bson::RawDocumentBuf;
use egui::{Label, RichText, ScrollArea, Sense, Ui};
use mayfly_engine::value::extjson::Layout;
use mayfly_engine::value::shell::{read_document, write_document};

use super::command_ui;
use crate::action::{Action, Actions, ArchiveAction, ViewAction};
use crate::state::archive::{Archive, ArchiveDraft, PutBack, Row, Status};
use crate::state::{duration, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card, code_box, key_value, value};

/// Draws it all. Returns what a person asks for.
pub(super) fn ui(
    ui: &mut Ui,
    draft: &mut ArchiveDraft,
    archive: &Archive,
    actions: &mut Actions,
) -> Option<ArchiveAction> {
    let Some(status) = &archive.status else {
        ui.label(text::rich("Looking…", text::body()).color(colors(ui).dim));
        return None;
    };
    card::ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        figures_ui(ui, status);
    });
    let mut asked = archive.result.as_ref().and_then(|result| result_ui(ui, result));
    asked = filter_ui(ui, draft, archive).or(asked);
    if archive.rows.is_empty() {
        let words = match (&archive.filter, status.on) {
            (Some(_), _) => "No archived document matches the filter",
            (None, true) => {
                "Nothing is archived yet: documents come here with the next pass that \
                             removes some"
            }
            (None, false) => "Nothing is archived",
        };
        ui.label(text::rich(words, text::body()).color(colors(ui).dim));
        return asked;
    }
    asked = list_ui(ui, archive).or(asked);
    if let Some(row) = archive.shown.and_then(|at| archive.rows.get(at)) {
        document_ui(ui, row, actions);
    }
    if let Some((db, command)) = archive.put_back_command() {
        command_ui(ui, &db, &command, actions);
    }
    asked
}

fn figures_ui(ui: &mut Ui, status: &Status) {
    let documents = number::counted(status.documents, "document", "documents");
    let files = number::counted(status.segments, "file", "files");
    let held = format!("{documents}, {} in {files}", number::bytes(status.bytes));
    key_value::ui(ui, "Holds", &held);
    if let (Some(oldest_ms), Some(newest_ms)) = (status.oldest_ms, status.newest_ms) {
        let (from, to) = (duration::date_time(oldest_ms), duration::date_time(newest_ms));
        key_value::ui(ui, "Removed between (UTC)", &format!("{from} and {to}"));
    }
    let target = if status.target.is_empty() { "the data folder" } else { &status.target };
    let state = if status.on { "on" } else { "off: what expires now is removed for good" };
    key_value::ui(ui, "Archiving", &format!("{state}, in {}", with_marks(target)));
    if status.unreadable > 0 {
        let words = format!("{} of damaged or torn batches", number::bytes(status.unreadable));
        key_value::colored(ui, "Can't be read", &words, colors(ui).overdue);
    }
}

/// What became of the documents that were put back, and what to do with those that would go at once.
fn result_ui(ui: &mut Ui, result: &PutBack) -> Option<ArchiveAction> {
    let mut asked = None;
    let expiring = result.would_expire.len() as u64;
    card::ui(ui, |ui| {
        let count = |number| number::counted(number, "document", "documents");
        let mut sentences = Vec::new();
        if result.restored > 0 || expiring + result.existing + result.refusals == 0 {
            sentences.push(format!("{} put back.", count(result.restored)));
        }
        if result.existing > 0 {
            let existing = count(result.existing);
            sentences
                .push(format!("{existing} not put back: the collection has one with that _id."));
        }
        if let Some(refused) = &result.refused {
            let refusals = count(result.refusals);
            sentences.push(format!("{refusals} refused: {}.", refused.trim_end_matches('.')));
        }
        for sentence in sentences {
            ui.label(text::rich(with_marks(&sentence), text::body()));
        }
        if expiring == 0 {
            return;
        }
        let words = format!("{} would be removed again at once by a TTL index.", count(expiring));
        ui.label(text::rich(words, text::body()).color(colors(ui).overdue));
        ui.horizontal(|ui| {
            let hint = "Sets the field that the TTL index reads to the present time";
            if ui.add(Button::plain("Put back with the date of now").tooltip(hint)).clicked() {
                asked = Some(ArchiveAction::PutBackExpiring { with_date_now: true });
            }
            let hint = "As they are: the next pass archives and removes them again";
            if ui.add(Button::amber("Put back all the same").tooltip(hint)).clicked() {
                asked = Some(ArchiveAction::PutBackExpiring { with_date_now: false });
            }
        });
    });
    asked
}

fn filter_ui(ui: &mut Ui, draft: &mut ArchiveDraft, archive: &Archive) -> Option<ArchiveAction> {
    let mut asked = None;
    let parsed = match draft.filter.trim() {
        "" => Ok(None),
        filter => read_document(filter).map(Some).map_err(|error| error.to_string()),
    };
    labelled(ui, "Filter", parsed.as_ref().err().map(String::as_str), |ui| {
        let field = Field {
            name: "Filter of the archive",
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

fn list_ui(ui: &mut Ui, archive: &Archive) -> Option<ArchiveAction> {
    let mut asked = None;
    let shown = archive.shown.is_some();
    let height = sizes::ROW * if shown { 5.0 } else { 9.0 };
    ui.spacing_mut().item_spacing.y = 0.0;
    let list = ScrollArea::vertical().id_salt("archived documents").auto_shrink([false, true]);
    list.max_height(height).show_rows(
        ui,
        sizes::ROW,
        archive.rows.len() + usize::from(archive.next.is_some()),
        |ui, range| {
            for at in range {
                match archive.rows.get(at) {
                    Some(row) => asked = row_ui(ui, at, row, archive).or(asked.take()),
                    None => {
                        if ui.add(Button::plain("Show more")).clicked() {
                            asked = Some(ArchiveAction::More);
                        }
                    }
                }
            }
        },
    );
    ui.spacing_mut().item_spacing.y = sizes::GAP;
    asked
}

fn row_ui(ui: &mut Ui, at: usize, row: &Row, archive: &Archive) -> Option<ArchiveAction> {
    let mut asked = None;
    let id = with_marks(&value::cut(&value::id(&row.id), 60));
    ui.horizontal(|ui| {
        ui.set_height(sizes::ROW);
        let mut chosen = archive.chosen.contains(&at);
        let mark = ui.add_enabled(row.is_newest, egui::Checkbox::without_text(&mut chosen));
        let mark = mark.accessible_name(format!("Choose {id}"));
        if mark.hint_disabled("An older copy: the newest of each _id is put back").changed() {
            asked = Some(ArchiveAction::Choose(at, chosen));
        }
        let ink = colors(ui);
        let name = RichText::new(&id).font(text::mono());
        let name = if archive.shown == Some(at) { name.color(ink.accent) } else { name };
        let width = ui.available_width() - sizes::COLUMN_DATE - sizes::COLUMN;
        ui.allocate_ui_with_layout(
            egui::vec2(width, sizes::ROW),
            egui::Layout::left_to_right(egui::Align::Center),
            |ui| {
                let label = ui.add(Label::new(name).truncate().sense(Sense::click()));
                if label.accessible_name(format!("Show {id}")).clicked() {
                    asked = Some(ArchiveAction::Show(at));
                }
                ui.add_space(ui.available_width());
            },
        );
        let removed = duration::date_time(row.removed_ms);
        ui.label(RichText::new(removed).font(text::mono()).color(ink.date));
        let index = Label::new(RichText::new(with_marks(&row.index)).color(ink.dim)).truncate();
        ui.add(index);
    });
    asked
}

fn document_ui(ui: &mut Ui, row: &Row, actions: &mut Actions) {
    let Ok(document) = RawDocumentBuf::try_from(&row.document) else { return };
    let shown = write_document(&document, Layout::Indented);
    if code_box::document_ui(ui, &shown) {
        actions.push(Action::View(ViewAction::CopyLines(shown)));
    }
}
