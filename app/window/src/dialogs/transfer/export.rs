//! The options of an export.

use egui::{Context, ScrollArea, Ui, vec2};

use super::choose_path::ChoosePath;
use super::parts::{ask, line_hint, notice_ui};
use mayfly_engine::transfer::{Compression, Losses};
use mayfly_engine::value::shell::write_command;

use crate::action::{Actions, TransferAction};
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::words::COMMAND_LINE;
use crate::state::transfer::export::{Content, already_exist};
use crate::state::transfer::{ExportDraft, ExportForm, Loadable, command_line};
use crate::state::{State, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::field::labelled;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card, code_box};

const FORMS_A_ROW: usize = 4;
/// The width of the button of a form, in points.
const FORM: f32 = 145.0;

/// How a file can be compressed.
const COMPRESSIONS: [(Compression, &str); 3] = [
    (Compression::None, "Not compressed"),
    (Compression::Gzip, "gzip"),
    (Compression::Zstd, "zstd"),
];

/// Lines for what is lost.
const LOSS_LINES: f32 = 4.0;

/// Hidden columns that are named.
const HIDDEN_NAMED_MAX: usize = 8;

/// The note on a file that is read in steps.
pub(super) const NO_SNAPSHOT: &str = "The export isn't a snapshot; changes made while it runs may or may not \
                           be included";

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut ExportDraft, state: &State, actions: &mut Actions) {
    let wrong = draft.export_query().err();
    let ready = wrong.is_none() && !draft.path.trim().is_empty();
    let query = draft.query().unwrap_or_default();
    let command = command_line::export(draft, &query, state.store.folder.as_deref());
    let sent = match &draft.content {
        Content::Results(command) => Some(write_command(&draft.namespace.db, command)),
        // The command of the removals is as long as they are.
        Content::Documents | Content::Removals(_) | Content::JsonSchema(_) | Content::Audit(_) => {
            None
        }
    };
    let (title, tooltip) = match &draft.content {
        Content::Documents => ("Export documents", "Export documents to the file"),
        Content::Results(_) => ("Export results", "Export documents to the file"),
        Content::Removals(_) => ("Save ledger", "Write the removals to the file"),
        Content::JsonSchema(_) => ("Export JSON Schema", "Write the JSON Schema to the file"),
        Content::Audit(_) => {
            ("Save TTL audit", "Write the audit to the file, as a page for a browser")
        }
    };
    // Where a file is lost, Enter alone is not enough.
    let button = match draft.exists.len() {
        0 => Button::primary("Export"),
        1 => Button::danger("Replace file"),
        _ => Button::danger("Replace files"),
    };
    let button = button.enabled(ready).tooltip(tooltip).room_for("Replace files");
    let overwrite = !draft.exists.is_empty();
    let mut frame = DialogFrame::new(title)
        .subtitle(subtitle(draft, state))
        .error(draft.error.as_deref())
        .button(button, TransferAction::StartExport { overwrite });
    if sent.is_some() {
        frame = frame.command(sent);
    }
    if draft.content == Content::Documents {
        frame = frame.command_named(COMMAND_LINE, line_hint(state), ready.then_some(command));
    }
    let outcome = frame.ui(context, |ui| {
        if !draft.content.is_text() {
            form_ui(ui, draft);
        }
        if draft.content == Content::Documents {
            losses_ui(ui, draft, actions);
        }
        which_ui(ui, draft, wrong.as_deref(), state);
        path_ui(ui, draft, state, actions);
    });
    if let Some(action) = outcome.end(actions) {
        ask(actions, action);
    }
}

fn subtitle(draft: &ExportDraft, state: &State) -> String {
    let name = with_marks(&draft.namespace.to_string());
    match &draft.content {
        Content::Documents => {}
        Content::Results(command) => {
            let what = if command.contains_key("find") { "query" } else { "pipeline" };
            return format!("The {what} on {name} runs again");
        }
        Content::Removals(_) => return format!("Removals from {name}"),
        Content::JsonSchema(_) => return format!("What {name} holds, in relaxed Extended JSON"),
        Content::Audit(_) => return "One page without scripts, to read, print or send".to_owned(),
    }
    let is_choice = draft.as_shown && draft.has_choice();
    let count = if is_choice { shown_count(draft) } else { all_count(draft, state) };
    let is_filtered = is_choice && !draft.shown.query.filter.trim().is_empty();
    match count {
        Some(count) if is_filtered => {
            let what = ("document that matches the filter", "documents that match the filter");
            format!("{name} · {}", number::counted(count, what.0, what.1))
        }
        Some(count) => format!("{name} · {}", number::counted(count, "document", "documents")),
        None if matches!(draft.count, Loadable::Waiting(_)) => format!("{name} · Counting…"),
        None => name,
    }
}

/// The documents that the list shows, if they were counted.
fn shown_count(draft: &ExportDraft) -> Option<u64> {
    if let Loadable::Here(count) = draft.count { Some(count) } else { None }
}

/// The documents of the collection.
fn all_count(draft: &ExportDraft, state: &State) -> Option<u64> {
    state.tree.collection(&draft.namespace).and_then(|found| found.documents)
}

fn form_ui(ui: &mut Ui, draft: &mut ExportDraft) {
    let before = (draft.form, draft.compression);
    labelled(ui, "Format", None, |ui| {
        for row in ExportForm::ALL.chunks(FORMS_A_ROW) {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = sizes::GAP_TINY;
                for form in row {
                    let name = format!("Format: {}", form.label());
                    let button = Button::plain(form.label()).name(&name).width_min(FORM);
                    if ui.add(button.selected(*form == draft.form)).clicked() {
                        draft.form = *form;
                    }
                }
            });
        }
        let ink = colors(ui).dim;
        ui.label(text::rich(draft.form.sentence(), text::small()).color(ink));
        if !matches!(draft.content, Content::Removals(_)) {
            ui.label(text::rich(NO_SNAPSHOT, text::small()).color(ink));
        }
    });
    compression_ui(ui, &mut draft.compression);
    if draft.content == Content::Documents {
        let indexes = "Also save index definitions, including TTLs";
        if ui.checkbox(&mut draft.indexes, indexes).changed() {
            // Other files are written now than those that were asked about.
            draft.exists.clear();
        }
    }
    if before != (draft.form, draft.compression) {
        draft.name_file(None);
    }
}

/// Draws what an import of the file will change, and asks for another count when the choices
/// changed. Its place has one height, so that no button moves.
fn losses_ui(ui: &mut Ui, draft: &ExportDraft, actions: &mut Actions) {
    if draft.losses_for != draft.losses_due_for() {
        ask(actions, TransferAction::CountLosses);
    }
    let lines = ui.fonts_mut(|fonts| fonts.row_height(&text::small())) * LOSS_LINES;
    let size = vec2(ui.available_width(), lines);
    ui.allocate_ui(size, |ui| {
        ui.set_min_height(lines);
        ScrollArea::vertical().max_height(lines).auto_shrink(false).show(ui, |ui| {
            match &draft.losses {
                _ if !draft.form.may_lose() => all_back_ui(ui),
                Loadable::Nothing => {}
                Loadable::Waiting(_) => note_ui(ui, "Counting what an import will change…"),
                Loadable::Here(losses) if losses.is_empty() => all_back_ui(ui),
                Loadable::Here(losses) => lost_ui(ui, losses),
                Loadable::Failed(error) => note_ui(ui, error),
            }
        });
    });
}

fn note_ui(ui: &mut Ui, words: &str) {
    ui.label(text::rich(words, text::small()).color(colors(ui).dim));
}

fn all_back_ui(ui: &mut Ui) {
    note_ui(ui, "An import of the file keeps every value");
}

fn lost_ui(ui: &mut Ui, losses: &Losses) {
    let ink = colors(ui).text;
    ui.spacing_mut().item_spacing.y = 0.0;
    for (at, sentence) in losses.sentences().into_iter().enumerate() {
        let lead = if at == 0 { "When the file is imported, " } else { "" };
        let words = text::rich(with_marks(&format!("{lead}{sentence}")), text::small());
        ui.label(words.color(ink));
    }
}

pub(super) fn compression_ui(ui: &mut Ui, chosen: &mut Compression) {
    ui.horizontal(|ui| {
        for (compression, words) in COMPRESSIONS {
            ui.radio_value(chosen, compression, words);
        }
    });
}

fn which_ui(ui: &mut Ui, draft: &mut ExportDraft, wrong: Option<&str>, state: &State) {
    if !draft.has_choice() {
        return;
    }
    let counted = |words: &str, count: Option<u64>| match count {
        Some(count) => {
            format!("{words} · {}", number::counted(count, "document", "documents"))
        }
        None => words.to_owned(),
    };
    labelled(ui, "Documents to export", wrong, |ui| {
        let shown = counted("What the list shows", shown_count(draft));
        ui.radio_value(&mut draft.as_shown, true, shown);
        let query = draft.shown.query.in_words();
        if draft.as_shown && !query.is_empty() {
            let code = code_box::highlighted(ui, &query, ui.available_width());
            ui.label(code).accessible_name("Query");
        }
        if draft.as_shown && !draft.shown.hidden.is_empty() {
            let words = hidden_words(draft);
            ui.label(text::rich(words, text::small()).color(colors(ui).dim));
        }
        let all = counted("Everything in the collection", all_count(draft, state));
        ui.radio_value(&mut draft.as_shown, false, all);
    });
}

/// The treatment of hidden columns.
fn hidden_words(draft: &ExportDraft) -> String {
    if !draft.form.is_csv() {
        return "Hidden columns are left out of CSV only".to_owned();
    }
    let names = draft.shown.hidden.iter().map(|name| with_marks(name));
    let names = names.take(HIDDEN_NAMED_MAX).collect::<Vec<_>>().join(", ");
    let more = draft.shown.hidden.len().saturating_sub(HIDDEN_NAMED_MAX);
    let more =
        if more > 0 { format!(" and {} more", number::count(more as u64)) } else { String::new() };
    format!("Left out because the column is hidden: {names}{more}")
}

fn path_ui(ui: &mut Ui, draft: &mut ExportDraft, state: &State, actions: &mut Actions) {
    labelled(ui, "File", None, |ui| {
        let path = ChoosePath {
            name: "File path",
            hint: "/home/you/documents.ndjson",
            choose: "Choose…",
            take: None,
            invalid: draft.path.trim().is_empty(),
        };
        if path.ui(ui, &mut draft.path, state, actions).changed {
            draft.is_named = true;
            draft.exists.clear();
            draft.error = None;
        }
    });
    if !draft.exists.is_empty() {
        let colors = colors(ui);
        card::bordered(ui, colors.overdue, |ui| {
            let it = if draft.exists.len() == 1 { "it" } else { "them" };
            let there = with_marks(&already_exist(&draft.exists));
            let words = format!("{there}. Replace {it}?");
            notice_ui(ui, Icon::Warning, "Warning", colors.overdue, &words);
        });
    }
}
