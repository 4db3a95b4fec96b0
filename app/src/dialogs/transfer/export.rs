//! What to export, and how.

use egui::{Context, Ui};

use super::choose_path::ChoosePath;
use super::import::{beside_scroll_bar, command_ui, error_ui};
use super::{ask, notice_ui};
use mayfly_engine::value::shell::write_command;

use crate::action::{Action, Actions, TransferAction, ViewAction};
use crate::dialogs::{COMMAND_TO_SEND, close};
use crate::state::transfer::export::already_exist;
use crate::state::transfer::{ExportDraft, ExportForm, command_line};
use crate::state::{State, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::field::labelled;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card, code_box, modal};

/// Forms in one row.
const FORMS_A_ROW: usize = 3;
/// The width of the button of a form, in points.
const FORM: f32 = 190.0;

/// What a file is that is read in steps.
const NO_SNAPSHOT: &str = "The export isn't a snapshot; changes made while it runs may or may not \
                           be included";

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut ExportDraft, state: &State, actions: &mut Actions) {
    let filter = draft.filter_text();
    let wrong = draft.chosen_filter().err();
    let ready = wrong.is_none() && !draft.path.trim().is_empty();
    let command = command_line::export(draft, filter.as_deref(), state.store.folder.as_deref());
    let results = draft.results.as_ref().map(|sent| write_command(&draft.namespace.db, sent));
    let subtitle = subtitle(draft, state);
    let closing = modal::ui(
        context,
        if results.is_some() { "Export results" } else { "Export documents" },
        &subtitle,
        sizes::DIALOG,
        &mut (&mut *draft, &mut *actions),
        |ui, (draft, actions)| {
            beside_scroll_bar(ui);
            form_ui(ui, draft);
            which_ui(ui, draft, wrong.as_deref());
            path_ui(ui, draft, state, actions);
            error_ui(ui, draft.error.as_deref());
            let copied = results.as_ref().filter(|sent| code_box::ui(ui, COMMAND_TO_SEND, sent));
            if let Some(sent) = copied {
                actions.push(Action::View(ViewAction::Copy(sent.clone())));
            }
            if results.is_none() && ready {
                command_ui(ui, &command, actions);
            }
        },
        |ui, (draft, actions)| {
            let finish = |button: Button<'static>| {
                button.enabled(ready).tooltip("Export documents to the file")
            };
            // Where a file is lost, Enter alone is not enough.
            let pressed = match draft.exists.len() {
                0 => modal::answer_ui(ui, finish(Button::primary("Export"))),
                1 => ui.add(finish(Button::danger("Replace file"))).clicked(),
                _ => ui.add(finish(Button::danger("Replace files"))).clicked(),
            };
            if pressed {
                let overwrite = !draft.exists.is_empty();
                ask(actions, TransferAction::StartExport { overwrite });
            }
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    if closing.closes() {
        close(actions);
    }
}

fn subtitle(draft: &ExportDraft, state: &State) -> String {
    if draft.results.is_some() {
        return format!("The pipeline on {} runs again", with_marks(&draft.namespace.to_string()));
    }
    let count = state.tree.collection(&draft.namespace).and_then(|found| found.documents);
    let name = with_marks(&draft.namespace.to_string());
    match count {
        Some(count) => format!("{name} · {}", number::counted(count, "document", "documents")),
        None => name,
    }
}

fn form_ui(ui: &mut Ui, draft: &mut ExportDraft) {
    let before = (draft.form, draft.gzip);
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
        ui.label(text::rich(NO_SNAPSHOT, text::small()).color(ink));
    });
    if draft.results.is_none() {
        ui.checkbox(&mut draft.gzip, "Compress with gzip");
        let indexes = "Also save index definitions, including TTLs";
        if ui.checkbox(&mut draft.indexes, indexes).changed() {
            // Other files are written now than those that were asked about.
            draft.exists.clear();
        }
    }
    if before != (draft.form, draft.gzip) {
        draft.name_file(None);
    }
}

fn which_ui(ui: &mut Ui, draft: &mut ExportDraft, wrong: Option<&str>) {
    if draft.filter.is_empty() {
        return;
    }
    labelled(ui, "Documents to export", wrong, |ui| {
        ui.radio_value(&mut draft.use_filter, true, "Documents matching the current filter");
        ui.radio_value(&mut draft.use_filter, false, "All documents");
        if draft.use_filter {
            let code = code_box::highlighted(ui, &draft.filter, ui.available_width());
            ui.label(code).accessible_name("Filter");
        }
    });
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
