//! The common parts of the dialogs that change many documents.

use bson::Document;
use egui::Ui;
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use mayfly_engine::value::shell::write_command;

use crate::action::{Action, Actions, DocumentsAction};
use crate::dialogs::frame::DialogFrame;
use crate::job::bulk::{BulkChange, Target};
use crate::limits::BULK_STEP_DOCUMENTS;
use crate::state::documents::bulk::Scope;
use crate::state::number::{self, counted};
use crate::state::{Namespace, TabId};
use crate::theme::{colors, text};
use crate::widgets::value;

/// Documents up to which a command that lists their `_id`s is shown.
const COMMAND_DOCUMENTS_MAX: usize = 20;

const SAMPLE_FIELDS: usize = 3;

/// Shown in place of a number until the store has counted.
const COUNTING: &str = "Counting…";

/// The words of the button that begins the change.
pub fn label(scope: &Scope, verb: &str, what: &str) -> String {
    match scope.documents() {
        Some(_) => format!("{verb} {what}"),
        None if scope.error().is_some() => verb.to_owned(),
        None => COUNTING.to_owned(),
    }
}

/// The longest usual label of that button, which keeps its width while the store counts.
pub fn longest(verb: &str) -> String {
    format!("{verb} 1,000,000 documents")
}

/// The command as typed in mongosh. `build` is handed the filter.
pub fn command(at: &Namespace, scope: &Scope, build: impl FnOnce(Document) -> Document) -> String {
    let is_listed = |ids: &Vec<_>| ids.len() <= COMMAND_DOCUMENTS_MAX;
    let shown = match &scope.target {
        Target::Ids(ids) if !is_listed(ids) => return String::new(),
        target => build(target.filter()),
    };
    write_command(&at.db, &shown)
}

/// The frame with the command, the steps in which it is sent, and why nothing could be counted. The
/// command is empty where it is too long, and `None` where it is not known yet.
pub fn frame<'a>(
    title: String,
    undo: String,
    scope: &Scope,
    command: Option<String>,
) -> DialogFrame<'a, ()> {
    let step = number::count(BULK_STEP_DOCUMENTS as u64);
    let is_long = scope.documents().is_some_and(|count| count > BULK_STEP_DOCUMENTS as u64);
    let note = match &command {
        _ if is_long => {
            format!("Sent in steps of {step} documents. You can cancel between two steps")
        }
        Some(command) if command.is_empty() => {
            "The command names the _id of each document; see the Activity drawer".to_owned()
        }
        // As high as the line that may come with the count.
        _ => " ".to_owned(),
    };
    let frame = DialogFrame::new(title).subtitle(undo);
    frame.command(command).note(note).error(scope.error())
}

/// Sends the change once its button was pressed.
pub fn send(tab: TabId, change: BulkChange, actions: &mut Actions) {
    let change = DocumentsAction::Change(Box::new(change));
    let change = Box::new(Action::Documents(tab, change));
    actions.push(Action::Confirm(change));
}

/// Draws some of the documents, one a line.
pub fn sample_ui(ui: &mut Ui, scope: &Scope, count: usize) {
    let colors = colors(ui);
    let selected = usize::try_from(scope.selected).unwrap_or(usize::MAX);
    let lines = selected.min(count) + usize::from(selected > count);
    let bottom = ui.next_widget_position().y + height(ui, lines);
    for document in scope.sample.iter().take(count) {
        let mut job = LayoutJob::default();
        if let Some(id) = document.get("_id") {
            value::append_id(&mut job, id, colors);
        }
        let fields = document.iter().filter(|(name, _)| *name != "_id");
        for (name, field) in fields.take(SAMPLE_FIELDS) {
            job.append("   ", 0.0, TextFormat::simple(text::mono(), colors.dim));
            append(&mut job, &value::field_job(name, field, colors));
        }
        job.wrap = TextWrapping::truncate_at_width(ui.available_width());
        ui.label(job);
    }
    let shown = scope.sample.len().min(count) as u64;
    let more = scope.documents().unwrap_or(scope.selected).saturating_sub(shown);
    if more > 0 && shown > 0 {
        let words = format!("and {} more", number::count(more));
        ui.label(text::rich(words, text::body()).color(colors.dim));
    }
    // The lines come with the first answer.
    ui.add_space((bottom - ui.next_widget_position().y).max(0.0));
}

/// The height of lines of the sample with the gaps between them, in points.
fn height(ui: &Ui, lines: usize) -> f32 {
    let line = ui.fonts_mut(|fonts| fonts.row_height(&text::mono())) + ui.spacing().item_spacing.y;
    (0..lines).map(|_| line).sum()
}

fn append(job: &mut LayoutJob, part: &LayoutJob) {
    for section in &part.sections {
        let words = part.text.get(section.byte_range.start.0..section.byte_range.end.0);
        job.append(words.unwrap_or_default(), 0.0, section.format.clone());
    }
}

/// `10 documents`, as counted by the store, or as selected.
pub fn what(scope: &Scope) -> String {
    counted(scope.documents().unwrap_or(scope.selected), "document", "documents")
}
