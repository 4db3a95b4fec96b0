//! Documents are to be deleted: a sample, and the number on the button.

use egui::Context;
use mayfly_engine::value::shell::write_command;

use crate::action::{Action, Actions, DialogAction, DocumentsAction, ViewAction};
use crate::dialogs::COMMAND_TO_SEND;
use crate::dialogs::close;
use crate::limits::UNDO_BYTES_MAX;
use crate::state::documents::editor::DeleteMany;
use crate::state::documents::{Step, pages::Row};
use crate::state::number::{self, counted};
use crate::state::{State, TabId};
use crate::theme::{colors, sizes, text};
use crate::widgets::{Button, code_box, marks, modal, value};

/// Documents of the sample.
const SAMPLE: usize = 5;

/// Documents up to which the command is shown in full.
const COMMAND_DOCUMENTS_MAX: usize = 20;

/// What is kept of the changes of a tab, see [`UNDO_BYTES_MAX`].
const BOUND: &str = "up to 64 MiB in total";

const _: () = assert!(UNDO_BYTES_MAX == 64 * 1024 * 1024, "the sentence names the bound");

/// Draws the question.
pub fn ui(
    context: &Context,
    tab: TabId,
    draft: &mut DeleteMany,
    state: &State,
    actions: &mut Actions,
) {
    let Some(open) = state.tabs.get(tab) else { return close(actions) };
    let count = draft.ids.len() as u64;
    let what = counted(count, "document", "documents");
    let shown: Vec<_> = draft.ids.iter().take(COMMAND_DOCUMENTS_MAX).cloned().collect();
    let sample: Vec<_> = shown.iter().map(|id| bson::doc! {"_id": id.clone()}).collect();
    let command = Step::Delete(sample).command(&open.namespace.collection, false);
    let command = write_command(&open.namespace.db, &command);
    let rows: Vec<&Row> = open.documents.pages.rows().map(|(_, row)| row).collect();
    let (mut copy, mut answered) = (false, false);
    let title = format!("Delete {what} from {}?", marks::visible(&open.namespace.to_string()));
    let closing = modal::ui(
        context,
        &title,
        &format!("Press Ctrl+Z to undo while this tab is open, {BOUND}"),
        sizes::DIALOG,
        &mut (),
        |ui, ()| {
            let colors = colors(ui);
            for id in draft.ids.iter().take(SAMPLE) {
                let found = rows.iter().find(|row| row.id == *id);
                let mut job = egui::text::LayoutJob::default();
                value::append_id(&mut job, id, colors);
                let fields = found.into_iter().flat_map(|row| row.document.iter());
                for (name, field) in fields.filter(|(name, _)| *name != "_id").take(3) {
                    let gap = egui::TextFormat::simple(text::mono(), colors.dim);
                    job.append("   ", 0.0, gap);
                    let part = value::field_job(name, field, colors);
                    append(&mut job, &part);
                }
                job.wrap = egui::text::TextWrapping::truncate_at_width(ui.available_width());
                ui.label(job);
            }
            let more = draft.ids.len().saturating_sub(SAMPLE);
            if more > 0 {
                let words = format!("and {} more", number::count(more as u64));
                ui.label(text::rich(words, text::body()).color(colors.dim));
            }
            if draft.ids.len() <= COMMAND_DOCUMENTS_MAX {
                copy = code_box::ui(ui, COMMAND_TO_SEND, &command);
            }
        },
        |ui, ()| {
            let label = format!("Delete {what}");
            answered = ui.add(Button::danger(&label)).clicked();
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    if copy {
        actions.push(Action::View(ViewAction::Copy(command)));
    }
    if answered {
        let delete = Action::Documents(tab, DocumentsAction::Delete(draft.ids.clone()));
        actions.push(Action::Dialog(DialogAction::Confirm(Box::new(delete))));
    } else if closing.closes() {
        close(actions);
    }
}

fn append(job: &mut egui::text::LayoutJob, part: &egui::text::LayoutJob) {
    for section in &part.sections {
        let words = part.text.get(section.byte_range.start.0..section.byte_range.end.0);
        job.append(words.unwrap_or_default(), 0.0, section.format.clone());
    }
}
