//! What the collection's TTL indexes will do with the documents, before they are stored.

use egui::Ui;
use mayfly_engine::transfer::Rehearsal;

use super::{ask, notice_ui};
use crate::action::{Actions, TransferAction};
use crate::limits::REHEARSED_DOCS_MAX;
use crate::state::transfer::{ImportDraft, Seen};
use crate::state::{State, number};
use crate::theme::{Icon, colors, text};
use crate::widgets::card;

/// Draws the rehearsal, and asks for another one when what it was for changed.
pub fn ui(ui: &mut Ui, draft: &mut ImportDraft, state: &State, actions: &mut Actions) {
    let exists = state.tree.collection(&draft.target()).is_some();
    if draft.rehearsed_for != draft.rehearsal_due_for(exists) {
        ask(actions, TransferAction::Rehearse);
    }
    match &draft.rehearsal {
        Seen::Waiting(_) => quiet(ui, "Counting what is past its threshold already…"),
        Seen::Here(found) if found.overdue > 0 => {
            let words = overdue(found, &draft.target().to_string());
            overdue_ui(ui, &words, &mut draft.pause_reaper, state.reaper.enabled);
        }
        Seen::Here(found) if !found.indexes.is_empty() && found.documents > 0 => {
            quiet(ui, "No document is past its threshold already");
        }
        // A file that can't be read is said above.
        Seen::Here(_) | Seen::Nothing | Seen::Failed(_) => {}
    }
}

fn quiet(ui: &mut Ui, words: &str) {
    let ink = colors(ui).dim;
    ui.label(text::rich(words, text::small()).color(ink));
}

/// How many documents would go with the next pass, and by which indexes.
pub fn overdue(found: &Rehearsal, into: &str) -> String {
    let by: Vec<String> = found
        .indexes
        .iter()
        .filter(|index| index.overdue > 0)
        .map(|index| format!("{} by {}", number::count(index.overdue), index.index))
        .collect();
    let all = number::counted(found.documents, "document", "documents");
    let of = if found.documents >= REHEARSED_DOCS_MAX { format!("the first {all}") } else { all };
    let (are, go) = if found.overdue == 1 { ("is", "goes") } else { ("are", "go") };
    format!(
        "{} of {of} {are} past the threshold of {into} already and {go} with the next pass ({})",
        number::count(found.overdue),
        by.join(", ")
    )
}

fn overdue_ui(ui: &mut Ui, words: &str, pause: &mut bool, reaper_runs: bool) {
    let colors = colors(ui);
    card::bordered(ui, colors.overdue, |ui| {
        notice_ui(ui, Icon::Timer, "Overdue", colors.overdue, words);
        if reaper_runs {
            ui.radio_value(pause, false, "Import anyway; the next pass removes them");
            ui.radio_value(pause, true, "Pause the reaper, so that they stay until you resume it");
        } else {
            *pause = false;
            quiet(ui, "The reaper is paused, so they stay until you resume it");
        }
    });
}

#[cfg(test)]
mod tests {
    use mayfly_engine::transfer::RehearsedIndex;

    use super::*;

    #[test]
    fn the_sentence_names_the_indexes() {
        let index = |name: &str, overdue| RehearsedIndex {
            index: name.to_owned(),
            overdue,
            waiting: 1,
            never: 0,
        };
        let check = |documents, count, expected: &str| {
            let indexes = vec![index("at_1", count), index("other_1", 0)];
            let found = Rehearsal { documents, overdue: count, indexes };
            assert_eq!(overdue(&found, "d.c"), expected);
        };
        check(
            5_000,
            1_204,
            "1,204 of 5,000 documents are past the threshold of d.c already and go with the next \
             pass (1,204 by at_1)",
        );
        check(
            2,
            1,
            "1 of 2 documents is past the threshold of d.c already and goes with the next pass (1 \
             by at_1)",
        );
        check(
            REHEARSED_DOCS_MAX,
            7,
            "7 of the first 200,000 documents are past the threshold of d.c already and go with \
             the next pass (7 by at_1)",
        );
    }
}
