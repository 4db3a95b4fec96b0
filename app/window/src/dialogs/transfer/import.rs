//! The dialog that imports files.

use egui::{Align, Context, Layout, Ui};
use mayfly_engine::transfer::ImportFormat;

use super::choose_path::ChoosePath;
use super::parts::{ask, line_hint, notice_ui};
use super::{apart, index_files, options, preview, rehearsal, target, types};
use crate::action::{Actions, TransferAction};
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::words::COMMAND_LINE;
use crate::state::transfer::import::file_name;
use crate::state::transfer::{ImportDraft, command_line};
use crate::state::{State, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::value::cut;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, tabs};

/// Characters of a collection's name on a button.
const NAME_CHARS_MAX: usize = 40;

const FORMATS: [ImportFormat; 4] =
    [ImportFormat::Auto, ImportFormat::Json, ImportFormat::Csv, ImportFormat::Bson];

const INTO_COLLECTION: &str = "Import the files into the collection";

/// The height of the fields once a file is chosen, in points.
const FIELDS_HEIGHT: f32 = 300.0;

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut ImportDraft, state: &State, actions: &mut Actions) {
    let command = command_line::import(draft, state.store.folder.as_deref());
    let is_named = draft.name_error().is_none() && draft.zone_error().is_none();
    let is_read = draft.next_to_look().is_none();
    let ready = !draft.files.is_empty() && is_named && is_read && draft.types.error().is_none();
    let name = cut(&with_marks(draft.collection.trim()), NAME_CHARS_MAX);
    let drops = format!("Drop {name} and import");
    let is_risky = draft.overdue() > 0 && !draft.pause_reaper || draft.lack_of_space().is_some();
    let (button, tooltip) = match (draft.drop, is_risky) {
        (true, _) => (Button::danger(&drops), "Enter the name to confirm"),
        (false, true) => (Button::amber("Import anyway"), INTO_COLLECTION),
        (false, false) => (Button::primary("Import"), INTO_COLLECTION),
    };
    let button = button.enabled(ready && draft.is_drop_confirmed()).tooltip(tooltip);
    let frame = DialogFrame::new("Import documents")
        .subtitle(
            "JSON, BSON or CSV with a header row, also compressed with gzip or zstd, or a folder \
             of mongodump",
        )
        .width(sizes::DIALOG_WIDE)
        .height(FIELDS_HEIGHT)
        .command_named(COMMAND_LINE, line_hint(state), ready.then_some(command))
        .error(draft.error.as_deref())
        // Enter adds a typed path first.
        .ignores_enter(!draft.typed.trim().is_empty())
        .button(button.room_for("Import anyway"), TransferAction::StartImport);
    let outcome = frame.ui(context, |ui| {
        unfinished_ui(ui, state, actions);
        files_ui(ui, draft, state, actions);
        if !draft.files.is_empty() {
            preview::ui(ui, draft);
            types::ui(ui, draft, state, actions);
            room_ui(ui, draft);
            target::ui(ui, draft, state);
            index_files::ui(ui, draft);
            rehearsal::ui(ui, draft, state, actions);
        }
    });
    if let Some(action) = outcome.end(actions) {
        ask(actions, action);
    }
}

fn room_ui(ui: &mut Ui, draft: &ImportDraft) {
    if let Some(words) = draft.lack_of_space() {
        notice_ui(ui, Icon::Warning, "Not enough disk space", colors(ui).overdue, &words);
    }
}

/// A way to the imports that did not reach their end.
fn unfinished_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    if state.transfer.unfinished.is_empty() {
        return;
    }
    let count = state.transfer.unfinished.len() as u64;
    let words = number::counted(count, "import", "imports");
    ui.horizontal(|ui| {
        let ink = colors(ui).overdue;
        ui.label(text::rich(format!("{words} unfinished"), text::body()).color(ink));
        if ui.add(Button::plain("Show unfinished imports").small()).clicked() {
            ask(actions, TransferAction::ShowUnfinished);
        }
    });
}

fn files_ui(ui: &mut Ui, draft: &mut ImportDraft, state: &State, actions: &mut Actions) {
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        for (at, file) in draft.files.clone().iter().enumerate() {
            file_ui(ui, at, file, draft, actions);
        }
        apart::choice_ui(ui, draft, actions);
        let path = ChoosePath {
            name: "File path",
            hint: "Drop a file here, or enter its path",
            choose: "Choose file…",
            take: Some("Add"),
            invalid: false,
        };
        if path.ui(ui, &mut draft.typed, state, actions).taken {
            ask(actions, TransferAction::AddTyped);
        }
    });
    if draft.files.is_empty() {
        let folder = Button::plain("Choose folder…").icon(Icon::Open).small();
        if ui.add(folder.enabled(state.transfer.chooser.is_none())).clicked() {
            ask(actions, TransferAction::ChooseDump);
        }
        return;
    }
    ui.horizontal(|ui| {
        let ink = colors(ui).dim;
        ui.label(text::rich("Format", text::small()).color(ink));
        let words = ["Detect automatically", "JSON", "CSV", "BSON"];
        let chosen = FORMATS.iter().position(|format| *format == draft.format).unwrap_or(0);
        if let Some(format) =
            tabs::segmented(ui, "Format", &words, chosen).and_then(|at| FORMATS.get(at))
        {
            draft.format = *format;
            ask(actions, TransferAction::Look);
        }
        options::button_ui(ui, draft);
    });
    if draft.shows_options {
        options::ui(ui, draft, actions);
    }
}

fn file_ui(
    ui: &mut Ui,
    at: usize,
    file: &std::path::Path,
    draft: &mut ImportDraft,
    actions: &mut Actions,
) {
    let colors = colors(ui);
    let name = with_marks(&file_name(file));
    let size = egui::vec2(ui.available_width(), sizes::CONTROL);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        let many = draft.files.len() > 1;
        let shown = many && at == draft.shown;
        let spoken = format!("Preview {name}");
        let button = Button::ghost(&name).icon(Icon::Collection).selected(shown).name(&spoken);
        if ui.add(button).clicked() && many {
            ask(actions, TransferAction::ShowFile(at));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let spoken = format!("Remove {name}");
            if ui.add(Button::icon_only(Icon::Close, &spoken).small()).clicked() {
                ask(actions, TransferAction::RemoveFile(at));
            }
            apart::name_ui(ui, at, &name, draft);
            ui.add_space(sizes::GAP_SMALL);
            let folder = file.parent().map(|folder| folder.display().to_string());
            let words = text::rich(folder.unwrap_or_default(), text::mono_small());
            ui.add(egui::Label::new(words.color(colors.dim)).truncate());
        });
    });
}
