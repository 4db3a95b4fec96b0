//! The common parts of the dialogs that change many documents.

use bson::Document;
use egui::Ui;
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use mayfly_engine::value::shell::write_command;

use crate::action::{Action, Actions, DialogAction, DocumentsAction, ViewAction};
use crate::dialogs::{COMMAND_TO_SEND, close};
use crate::job::bulk::{BulkChange, Target};
use crate::limits::BULK_STEP_DOCUMENTS;
use crate::state::documents::bulk::Scope;
use crate::state::number::{self, counted};
use crate::state::{Namespace, TabId};
use crate::theme::{colors, text};
use crate::widgets::modal::Closing;
use crate::widgets::{code_box, value};

/// Documents up to which a command that lists their `_id`s is shown.
const COMMAND_DOCUMENTS_MAX: usize = 20;

/// Characters of a command that are shown; the Commands drawer keeps more.
const COMMAND_CHARS_MAX: usize = 3_000;

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

/// The command as typed in mongosh. `build` is handed the filter.
pub fn command(at: &Namespace, scope: &Scope, build: impl FnOnce(Document) -> Document) -> String {
    let is_listed = |ids: &Vec<_>| ids.len() <= COMMAND_DOCUMENTS_MAX;
    let shown = match &scope.target {
        Target::Ids(ids) if !is_listed(ids) => return String::new(),
        target => build(target.filter()),
    };
    write_command(&at.db, &shown)
}

/// Draws the command, and in which steps it is sent. Returns whether to copy it.
#[must_use]
pub fn command_ui(ui: &mut Ui, scope: &Scope, command: &str) -> bool {
    let mut copy = false;
    if !command.is_empty() {
        copy = code_box::ui(ui, COMMAND_TO_SEND, &value::cut(command, COMMAND_CHARS_MAX));
    }
    let step = number::count(BULK_STEP_DOCUMENTS as u64);
    let is_long = scope.documents().is_some_and(|count| count > BULK_STEP_DOCUMENTS as u64);
    let words = match (command.is_empty(), is_long) {
        (_, true) => format!("Sent in steps of {step} documents. You can cancel between two steps"),
        (true, false) => {
            "The command names the _id of each document; see the Commands drawer".to_owned()
        }
        (false, false) => return copy,
    };
    ui.label(text::rich(words, text::small()).color(colors(ui).dim));
    copy
}

/// Draws why the documents could not be counted.
pub fn error_ui(ui: &mut Ui, scope: &Scope) {
    if let Some(error) = scope.error() {
        ui.label(text::rich(error, text::body()).color(colors(ui).error));
    }
}

/// Draws some of the documents, one a line.
pub fn sample_ui(ui: &mut Ui, scope: &Scope, count: usize) {
    let colors = colors(ui);
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

/// The user's choice in a dialog.
pub struct Confirm {
    pub tab: TabId,
    /// The change, if its button was pressed.
    pub change: Option<BulkChange>,
    /// The command, if it is to be copied.
    pub copied: Option<String>,
    pub closing: Closing,
}

impl Confirm {
    pub fn end(self, actions: &mut Actions) {
        if let Some(command) = self.copied {
            actions.push(Action::View(ViewAction::Copy(command)));
        }
        if let Some(change) = self.change {
            let change = DocumentsAction::Change(Box::new(change));
            let change = Box::new(Action::Documents(self.tab, change));
            actions.push(Action::Dialog(DialogAction::Confirm(change)));
        } else if self.closing.closes() {
            close(actions);
        }
    }
}
