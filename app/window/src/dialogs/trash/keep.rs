//! The switch of the trash, and how long it keeps removed documents.

use egui::{Align, Layout, Ui};
use mayfly_engine::value::shell::write_command;

use crate::action::{Action, Actions, TrashAction};
use crate::commands::trash;
use crate::dialogs::words::command_ui;
use crate::state::archive::ArchiveDraft;
use crate::state::trash::{Trash, TrashDraft};
use crate::state::{State, duration, number};
use crate::theme::{colors, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, number_field, tabs};

/// Draws the switch, the time, and the size of the trash.
pub(super) fn ui(ui: &mut Ui, draft: &mut TrashDraft, net: &Trash, actions: &mut Actions) {
    let secs = draft.secs();
    ui.horizontal(|ui| {
        let chosen = usize::from(draft.is_on);
        if let Some(at) = tabs::segmented(ui, "Trash", &["Off", "On"], chosen) {
            draft.is_on = at == 1;
        }
        if draft.is_on {
            ui.label(text::rich("keeps removed documents for", text::body()).color(colors(ui).dim));
            number_field::ui(ui, "Keep for", &mut draft.keep, secs.is_err());
        } else {
            let words = "Removed documents are not kept";
            ui.label(text::rich(words, text::body()).color(colors(ui).dim));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| holds_ui(ui, net));
    });
    match draft.secs() {
        Err(why) => {
            ui.label(text::rich(why, text::body()).color(colors(ui).error));
        }
        Ok(secs) if secs != net.secs => change_ui(ui, secs, net, actions),
        Ok(_) => {}
    }
}

/// Where the documents of the listed collection go when their time is up.
pub(super) fn then_ui(ui: &mut Ui, draft: &mut TrashDraft, state: &State) {
    let (Some(of), true) = (&state.trash.filter, state.archive.is_known) else { return };
    let status = state.archive.status.as_ref().filter(|status| status.on);
    let words = match status {
        None => "then deletes them permanently".to_owned(),
        Some(status) if status.target.is_empty() => "then moves them to the data folder".to_owned(),
        Some(status) => format!("then moves them to {}", with_marks(&status.target)),
    };
    ui.horizontal(|ui| {
        ui.label(text::rich(words, text::body()).color(colors(ui).dim));
        let hint = "Choose an archive: a folder or an S3 bucket with compressed files";
        if ui.add(Button::plain("Move to…").tooltip(hint)).clicked() {
            let fields = ArchiveDraft { settings: true, ..ArchiveDraft::new(of.clone()) };
            draft.archive = Some(fields);
        }
    });
}

/// The choice differs from the present setting: the command that applies it.
fn change_ui(ui: &mut Ui, secs: i64, net: &Trash, actions: &mut Actions) {
    let name = "Trash command";
    command_ui(ui, name, &write_command("admin", &trash::keep(secs)), actions);
    let span = duration::span(secs.saturating_mul(1_000));
    let label = match (secs, net.secs) {
        (0, _) => "Turn off the trash".to_owned(),
        (_, 0) => format!("Turn on the trash for {span}"),
        _ => format!("Keep for {span} from now on"),
    };
    let hint = "Applies to future removals only";
    let button = Button::primary(&label).enabled(!net.is_waiting).tooltip(hint);
    ui.horizontal(|ui| {
        if ui.add(button).clicked() {
            actions.push(Action::Trash(TrashAction::Keep(secs)));
        }
        // The switch above shows what was chosen, which is not how it is.
        let now = if net.secs == 0 {
            "The trash is off until then"
        } else {
            "The trash is on until then"
        };
        ui.label(text::rich(now, text::body()).color(colors(ui).overdue));
    });
}

fn holds_ui(ui: &mut Ui, net: &Trash) {
    let documents = number::counted(net.documents, "document", "documents");
    let words = format!("In trash: {documents}, {}", number::bytes(net.bytes));
    let most = number::bytes(net.max_bytes);
    let hint = format!("Above {most}, the oldest documents are deleted first");
    ui.label(text::rich(words, text::body()).color(colors(ui).dim)).hint(hint);
}
