//! The target collection, and how existing documents are treated.

use egui::{Id, Ui};
use mayfly_engine::transfer::{
    IMPORT_REJECTS_MAX, ImportMode, REJECTS_SHARE, REJECTS_SHARE_DOCS_MIN,
};

use crate::state::transfer::ImportDraft;
use crate::state::{State, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::tabs;
use crate::widgets::value_text::with_marks;

const MODES: [(ImportMode, &str, &str); 4] = [
    (ImportMode::Insert, "Insert", "Reject documents whose _id already exists"),
    (ImportMode::Skip, "Skip", "Skip documents whose _id already exists"),
    (
        ImportMode::Replace,
        "Replace",
        "Replace documents whose _id already exists. A roll back does not bring them back",
    ),
    (
        ImportMode::Merge,
        "Merge",
        "Update fields of documents whose _id already exists and keep the rest. A roll back does not \
         bring the old values back",
    ),
];

/// Draws the fields.
pub fn ui(ui: &mut Ui, draft: &mut ImportDraft, state: &State) {
    let error = draft.name_error();
    ui.horizontal_top(|ui| {
        let half = (ui.available_width() - sizes::GAP) / 2.0;
        ui.spacing_mut().item_spacing.x = sizes::GAP;
        ui.vertical(|ui| {
            ui.set_width(half);
            if name_ui(ui, "Database", &mut draft.db) {
                draft.target_changed();
            }
        });
        // Each file has its own field.
        if draft.splits() {
            return;
        }
        ui.vertical(|ui| {
            ui.set_width(half);
            if name_ui(ui, "Collection", &mut draft.collection) {
                draft.is_named = true;
                draft.target_changed();
            }
        });
    });
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
    mode_ui(ui, draft);
    if there.is_some() && !draft.splits() {
        drop_ui(ui, draft);
    } else {
        draft.target_changed();
    }
    ui.checkbox(&mut draft.stop_on_error, "Stop at the first rejected document");
    if !draft.stop_on_error {
        ui.label(
            text::rich(stop_rule(state.store.connection.is_some()), text::small())
                .color(colors.dim),
        );
    }
}

/// When an import ends because of what it rejects.
fn stop_rule(is_server: bool) -> String {
    let then = if is_server { "you can roll it back" } else { "you can resume it" };
    format!(
        "Rejected documents are saved to a separate file. The import stops after {} rejections, or \
         when more than {}% of at least {} documents are rejected; {then}",
        number::count(IMPORT_REJECTS_MAX),
        100 / REJECTS_SHARE,
        number::count(REJECTS_SHARE_DOCS_MIN),
    )
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

fn mode_ui(ui: &mut Ui, draft: &mut ImportDraft) {
    labelled(ui, "If the _id already exists", None, |ui| {
        let words = MODES.map(|(_, word, _)| word);
        let chosen = MODES.iter().position(|(mode, ..)| *mode == draft.mode).unwrap_or(0);
        let pressed = tabs::segmented(ui, "Mode", &words, chosen);
        if let Some((mode, ..)) = pressed.and_then(|at| MODES.get(at)) {
            draft.mode = *mode;
        }
        if let Some((_, _, sentence)) = MODES.get(chosen) {
            let ink = colors(ui).dim;
            ui.label(text::rich(*sentence, text::small()).color(ink));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_has_its_numbers() {
        let rule = stop_rule(false);
        assert!(rule.contains("stops after 1,000 rejections"), "{rule}");
        assert!(rule.contains("more than 10% of at least 1,000 documents"), "{rule}");
    }
}
