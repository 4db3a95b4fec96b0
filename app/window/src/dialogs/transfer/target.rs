//! The collection that an import goes into.

use crate::state::transfer::ImportDraft;
use crate::state::{State, number};
use crate::theme::{colors, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;
use egui::{Id, Ui};

/// Draws the fields.
pub fn ui(ui: &mut Ui, draft: &mut ImportDraft, state: &State) {
    let error = draft.name_error();
    if name_ui(ui, "Database", &mut draft.db) {
        draft.target_changed();
    }
    // Each file has its own field.
    if !draft.splits() && name_ui(ui, "Collection", &mut draft.collection) {
        draft.is_named = true;
        draft.target_changed();
    }
    let colors = colors(ui);
    let there = state.tree.collection(&draft.target());
    let (words, ink) = match (&error, there) {
        (Some(error), _) => (error.clone(), colors.error),
        (None, None) => ("New collection".to_owned(), colors.dim),
        (None, Some(found)) => match found.documents {
            Some(count) => {
                let documents = number::counted(count, "document", "documents");
                (format!("Already has {documents}"), colors.dim)
            }
            None => ("Collection exists".to_owned(), colors.dim),
        },
    };
    let words = match (draft.splits(), &error) {
        (true, None) => format!("{}: {words}", with_marks(draft.shown_collection().trim())),
        _ => words,
    };
    ui.label(text::rich(words, text::small()).color(ink));
    if there.is_some() && !draft.splits() {
        drop_ui(ui, draft);
    } else {
        draft.target_changed();
    }
}

fn name_ui(ui: &mut Ui, label: &str, name: &mut String) -> bool {
    let mut changed = false;
    labelled(ui, label, None, |ui| {
        let id = Some(Id::unique(("import into", label)));
        let field = Field { name: label, mono: true, id, ..Field::default() };
        changed = field.ui(ui, name).changed();
    });
    changed
}

/// Whether the collection is dropped first. Then its name must be typed, as in the dialog that only
/// drops.
fn drop_ui(ui: &mut Ui, draft: &mut ImportDraft) {
    let label = "Drop the existing collection and its indexes first";
    if ui.checkbox(&mut draft.drop, label).changed() {
        draft.drop_typed.clear();
    }
    if !draft.drop {
        return;
    }
    let shown = with_marks(draft.collection.trim());
    labelled(ui, &format!("Enter {shown} to confirm"), None, |ui| {
        let id = Some(Id::unique("name to drop before the import"));
        let field =
            Field { name: "Name to confirm", hint: &shown, mono: true, id, ..Field::default() };
        field.ui(ui, &mut draft.drop_typed);
    });
}
