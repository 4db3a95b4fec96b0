//! Damaged documents: which they are, what that means, and the button that removes them.

use egui::{Context, Label, ScrollArea, Ui};
use mayfly_engine::reply::DamagedRow;
use mayfly_engine::value::shell::write_command;

use crate::action::{Action, Actions, DocumentsAction};
use crate::commands;
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::words::close;
use crate::state::documents::damaged::{Damaged, Removed};
use crate::state::number::counted;
use crate::state::{State, TabId};
use crate::theme::{colors, sizes, text};
use crate::widgets::empty_state;
use crate::widgets::hint::Hint as _;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card, marks, value};

/// Rows that are shown at once; the others are scrolled to.
const ROWS_SHOWN: f32 = 6.0;

/// The height of the list with what to do, in points.
const LIST_HEIGHT: f32 = 120.0;

/// Record numbers up to which the command is shown in full.
const COMMAND_RECORDS_MAX: usize = 20;

const WHAT_IT_MEANS: &str = "These documents fail their checksum, so reads skip them and updates \
                             can't change them. Their _id and unique keys stay in use until you \
                             remove them.";

const WHAT_TO_DO: &str = "A backup made before the damage still has them. Removing them also \
                          removes their index entries; the raw bytes are saved to a file in the \
                          data folder.";

const NONE_DAMAGED: &str = "No damaged documents in this collection. If documents are missing from \
                            the list, an index may be damaged; verify the store to find it.";

/// Draws the dialog.
pub fn ui(
    context: &Context,
    tab: TabId,
    draft: &mut Damaged,
    state: &State,
    actions: &mut Actions,
) {
    let Some(open) = state.tabs.get(tab) else { return close(actions) };
    let namespace = &open.namespace;
    let count = draft.rows.as_ref().map_or(0, Vec::len);
    let command = match count {
        1..=COMMAND_RECORDS_MAX => draft.removal(&namespace.collection),
        _ => commands::documents::damaged(&namespace.collection),
    };
    let command = write_command(&namespace.db, &command);
    let does = if (1..=COMMAND_RECORDS_MAX).contains(&count) {
        "Command to remove them"
    } else {
        "Command to list them"
    };
    let title = format!("Damaged documents of {}", marks::visible(&namespace.to_string()));
    let label =
        format!("Remove {}", counted(count as u64, "damaged document", "damaged documents"));
    let frame = DialogFrame::new(title)
        .subtitle(WHAT_IT_MEANS)
        .height(LIST_HEIGHT)
        .command_named(does, "", Some(command))
        .sent(&draft.sent)
        .leave("Done")
        .button_if(count > 0, Button::danger(&label), ());
    let outcome = frame.ui(context, |ui| {
        if let Some(removed) = &draft.removed {
            removed_ui(ui, removed);
        }
        list_ui(ui, draft);
        if count > 0 {
            ui.add(Label::new(text::rich(WHAT_TO_DO, text::body())).wrap());
        }
    });
    if outcome.end(actions).is_some() {
        actions.push(Action::Documents(tab, DocumentsAction::RemoveDamaged));
    }
}

fn removed_ui(ui: &mut Ui, removed: &Removed) {
    let what = counted(removed.count, "document was", "documents were");
    let words = match (&removed.file, removed.count) {
        (Some(file), 1) => {
            format!("1 document was removed. The raw bytes are saved in {}", with_marks(file))
        }
        (Some(file), _) => {
            format!("{what} removed. The raw bytes are saved next to {}", with_marks(file))
        }
        (None, _) => format!("{what} removed."),
    };
    let ink = colors(ui).accent;
    card::bordered(ui, ink, |ui| ui.add(Label::new(text::rich(words, text::body())).wrap()));
}

fn list_ui(ui: &mut Ui, draft: &Damaged) {
    let Some(rows) = &draft.rows else {
        if draft.sent.error.is_none() {
            empty_state::hint(ui, "Checking all documents in the collection");
        }
        return;
    };
    if rows.is_empty() {
        empty_state::hint(ui, NONE_DAMAGED);
        return;
    }
    let count = u16::try_from(rows.len()).map_or(f32::INFINITY, f32::from);
    let height = sizes::ROW * ROWS_SHOWN.min(count);
    card::ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let scroll = ScrollArea::vertical().id_salt("damaged documents").max_height(height);
        scroll.auto_shrink([false, true]).show_rows(ui, sizes::ROW, rows.len(), |ui, range| {
            rows.get(range).into_iter().flatten().for_each(|row| row_ui(ui, row));
        });
    });
    if draft.has_more {
        let words = "Remove these to list more";
        ui.label(text::rich(words, text::small()).color(colors(ui).dim));
    }
}

fn row_ui(ui: &mut Ui, row: &DamagedRow) {
    ui.horizontal(|ui| {
        ui.set_height(sizes::ROW);
        let ink = colors(ui);
        let (words, tone) = match &row.id {
            Some(id) => (with_marks(&value::cut(&value::id(id), 60)), ink.text),
            None => ("unknown _id".to_owned(), ink.dim),
        };
        let name = ui.add(Label::new(text::rich(words, text::mono()).color(tone)).truncate());
        name.hint(with_marks(&row.error));
        let record = format!("record {}", row.record);
        ui.label(text::rich(record, text::small()).color(ink.dim));
    });
}
