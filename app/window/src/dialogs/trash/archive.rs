//! Where the documents of a collection are moved when their time in the trash is up.

use egui::{Align, Context, Layout, Ui};
use mayfly_engine::value::shell::write_command;

use super::problems;
use crate::action::trash::ask_archive_off;
use crate::action::{Action, Actions, TrashAction};
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::words::LOADING;
use crate::state::archive::{ArchiveDraft, Status, target_words};
use crate::state::trash::{Trash, TrashDraft};
use crate::state::{State, Zone, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card, key_value};

const SUBTITLE: &str = "A folder or an S3 bucket with compressed files. Removed documents are moved there \
                        when their time in the trash is up.";

/// The pressed button.
enum Pressed {
    Set,
    Off,
    Back,
}

/// Draws the dialog while it shows the settings of an archive.
pub(super) fn ui(context: &Context, draft: &mut TrashDraft, state: &State, actions: &mut Actions) {
    let Some(fields) = &mut draft.archive else { return };
    let (net, status) = (&state.trash, state.trash.archive());
    let is_on = status.is_some_and(|status| status.on);
    let command = fields.command();
    let shown = command.as_ref().map(|command| write_command(&fields.namespace.db, command));
    let is_ready = command.is_some() && !net.is_waiting;
    let set = Button::primary(if is_on { "Change" } else { "Turn on" }).enabled(is_ready);
    let hint =
        "Documents that are removed later are deleted permanently. Archived documents are kept";
    let off = Button::plain("Turn off").enabled(!net.is_waiting).tooltip(hint);
    let title = format!("Archive of {}", with_marks(&fields.namespace.to_string()));
    let frame = DialogFrame::new(title)
        .subtitle(SUBTITLE)
        .width(sizes::DIALOG_WIDE)
        .command(shown)
        .no_leave()
        .button(set, Pressed::Set)
        .button(Button::plain("Back"), Pressed::Back)
        .button_if(is_on, off, Pressed::Off);
    let outcome = frame.ui(context, |ui| {
        problems::ui(ui, net, actions);
        if let Some(status) = status.filter(|status| !status.is_unread) {
            card::ui(ui, |ui| {
                ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
                figures_ui(ui, status, state.clock.zone());
            });
        }
        fields_ui(ui, fields);
    });
    match outcome.end(actions) {
        Some(Pressed::Set) => {
            let set =
                TrashAction::SetArchive(fields.namespace.clone(), command.unwrap_or_default());
            actions.push(Action::Trash(set));
        }
        Some(Pressed::Off) => {
            let shown = with_marks(&fields.namespace.to_string());
            actions.push(ask_archive_off(&fields.namespace, &shown));
        }
        Some(Pressed::Back) => draft.archive = None,
        None => {}
    }
}

/// The line below the choice of a collection: where its documents go then, and what was moved.
pub(super) fn then_ui(ui: &mut Ui, draft: &mut TrashDraft, net: &Trash) {
    let dim = |ui: &mut Ui, words: String| {
        ui.label(text::rich(words, text::body()).color(colors(ui).dim));
    };
    let moved = moved_words(net);
    let Some(of) = &net.scope.of else {
        if let Some(moved) = moved {
            dim(ui, moved);
        }
        return;
    };
    ui.horizontal(|ui| {
        let is_known = net.archives.is_some();
        let words = match net.archive().filter(|status| status.on) {
            _ if !is_known => LOADING.to_owned(),
            None => "then deletes them permanently".to_owned(),
            Some(on) => format!("then moves them to {}", with_marks(target_words(&on.target))),
        };
        dim(ui, words);
        let hint = "Choose an archive: a folder or an S3 bucket with compressed files";
        let choose = Button::plain("Move to…").enabled(is_known).tooltip(hint);
        if ui.add(choose).clicked() {
            draft.archive = Some(ArchiveDraft::new(of.clone(), net.archive()));
        }
        if let Some(moved) = moved {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| dim(ui, moved));
        }
    });
}

fn moved_words(net: &Trash) -> Option<String> {
    net.listed_archives().next()?;
    let sum = |count: fn(&Status) -> u64| net.listed_archives().map(count).sum::<u64>();
    let (unread, read): (Vec<&Status>, Vec<&Status>) =
        net.listed_archives().partition(|status| status.is_unread);
    let known = if read.is_empty() {
        "unknown".to_owned()
    } else {
        let least = if unread.is_empty() { "" } else { "at least " };
        let documents = number::counted(sum(|one| one.documents), "document", "documents");
        format!("{least}{documents}, {}", number::bytes(sum(|one| one.bytes)))
    };
    let waiting = match sum(|one| one.waiting) {
        0 => String::new(),
        waiting => format!("; {} more wait in the trash", number::count(waiting)),
    };
    Some(format!("Moved: {known}{waiting}"))
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
    let target = with_marks(target_words(&status.target));
    let state = if status.on { "on" } else { "off: removed documents are deleted permanently" };
    key_value::ui(ui, "Archiving", &format!("{state}, in {target}"));
}

/// Draws the fields.
fn fields_ui(ui: &mut Ui, draft: &mut ArchiveDraft) {
    labelled(ui, "Target folder", None, |ui| {
        let field = Field {
            name: "Target",
            hint: "default: the data folder",
            mono: true,
            ..Field::default()
        };
        field.ui(ui, &mut draft.target);
    });
    let (size_error, days_error) = (draft.max_bytes().err(), draft.max_age_secs().err());
    ui.horizontal_top(|ui| {
        limit_ui(ui, "Maximum size (MB)", size_error.as_deref(), &mut draft.size);
        ui.add_space(sizes::GAP);
        limit_ui(ui, "Maximum age (days)", days_error.as_deref(), &mut draft.days);
    });
    let words = "Above a limit, the oldest archive files are deleted with their documents.";
    ui.label(text::rich(words, text::body()).color(colors(ui).dim));
}

fn limit_ui(ui: &mut Ui, name: &str, error: Option<&str>, draft: &mut String) {
    ui.vertical(|ui| {
        ui.set_width(sizes::COLUMN_WIDE);
        labelled(ui, name, error, |ui| {
            let field = Field {
                name,
                hint: "no limit",
                mono: true,
                invalid: error.is_some(),
                ..Field::default()
            };
            field.ui(ui, draft);
        });
    });
}
