//! A rehearsal of the import: what the collection would do with the documents.

use egui::Ui;
use mayfly_engine::transfer::{
    IMPORT_REJECTS_MAX, ImportMode, REJECTS_SHARE, REJECTS_SHARE_DOCS_MIN, Rehearsal,
};

use super::parts::{ask, notice_ui};
use crate::action::{Actions, TransferAction, lesson};
use crate::dialogs::words::quiet;
use crate::limits::REHEARSED_DOCS_MAX;
use crate::state::expiry::{first_pass, one_minute};
use crate::state::lesson::why::Topic;
use crate::state::transfer::{ImportDraft, Loadable};
use crate::state::{State, Zone, number};
use crate::theme::{Icon, colors};
use crate::widgets::{card, modal};

/// Draws the rehearsal, and asks for another one when what it was for changed.
pub fn ui(ui: &mut Ui, draft: &mut ImportDraft, state: &State, actions: &mut Actions) {
    let exists = state.tree.collection(&draft.target()).is_some();
    if draft.rehearsed_for != draft.rehearsal_due_for(exists) {
        ask(actions, TransferAction::Rehearse);
    }
    if let Some(words) = draft.rehearsal.here().and_then(|found| refused(found, draft.mode)) {
        notice_ui(ui, Icon::Warning, "Rejected", colors(ui).text, &words);
    }
    let cliff = draft.rehearsal.here().and_then(|found| cliff(found, state.zone()));
    match &draft.rehearsal {
        Loadable::Waiting(_) => {
            quiet(ui, "Checking for invalid and already expired documents…");
        }
        Loadable::Here(found) if found.overdue > 0 => {
            let words = overdue(found, &draft.target().to_string());
            if state.store.connection.is_some() {
                // The TTL monitor of a server is not paused for an import.
                notice_ui(ui, Icon::Timer, "Overdue", colors(ui).overdue, &words);
            } else {
                overdue_ui(ui, &words, &mut draft.pause_reaper, state.reaper.enabled);
            }
        }
        Loadable::Here(found) if !found.indexes.is_empty() && found.documents > 0 => {
            quiet(ui, "No documents are already expired");
        }
        // A file that can't be read is said above.
        Loadable::Here(_) | Loadable::Nothing | Loadable::Failed(_) => {}
    }
    if let Some(words) = cliff {
        notice_ui(ui, Icon::Warning, "Many at once", colors(ui).overdue, &words);
        if lesson::learn(Topic::Cliff.lesson(), state).is_some() {
            modal::set_lesson(ui.ctx(), Topic::Cliff.lesson());
        }
    }
}

/// A warning of many documents that one pass would remove, and what to do about it.
fn cliff(found: &Rehearsal, zone: Zone) -> Option<String> {
    first_pass(found.overdue.into(), found.documents.into()).or_else(|| {
        let (from_ms, documents) = found.busiest?;
        one_minute(documents, found.documents, &zone.date_time(from_ms))
    })
}

/// How many documents would be rejected, because they can't be stored or because of their `_id`.
pub fn refused(found: &Rehearsal, mode: ImportMode) -> Option<String> {
    let (taken, repeated) =
        if mode == ImportMode::Insert { (found.taken, found.repeated) } else { (0, 0) };
    let all = found.documents + found.rejected;
    let of = number::counted(all, "document", "documents");
    let of = if all >= REHEARSED_DOCS_MAX { format!("the first {of}") } else { of };
    let whys = [
        (found.rejected, "can't be read or stored"),
        (taken, "have an _id that already exists"),
        (repeated, "have a duplicate _id within the file"),
    ];
    let whys: Vec<String> = whys
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, why)| format!("{} {why}", number::count(*count)))
        .collect();
    let rejected = found.rejected + taken + repeated;
    let stops = rejected >= IMPORT_REJECTS_MAX
        || all >= REJECTS_SHARE_DOCS_MIN && rejected * REJECTS_SHARE > all;
    let stops = if stops { ", so the import would stop early" } else { "" };
    (rejected > 0).then(|| {
        let count = number::count(rejected);
        format!("{count} of {of} would be rejected{stops} ({})", whys.join(", "))
    })
}

/// How many documents the next pass would remove, and by which indexes.
pub fn overdue(found: &Rehearsal, into: &str) -> String {
    let by: Vec<String> = found
        .indexes
        .iter()
        .filter(|index| index.overdue > 0)
        .map(|index| format!("{} by {}", number::count(index.overdue), index.index))
        .collect();
    let all = number::counted(found.documents, "document", "documents");
    let of = if found.documents >= REHEARSED_DOCS_MAX { format!("the first {all}") } else { all };
    let are = if found.overdue == 1 { "is" } else { "are" };
    format!(
        "{} of {of} {are} already expired in {into} and will be removed by the next pass ({})",
        number::count(found.overdue),
        by.join(", ")
    )
}

fn overdue_ui(ui: &mut Ui, words: &str, pause: &mut bool, reaper_runs: bool) {
    let colors = colors(ui);
    card::bordered(ui, colors.overdue, |ui| {
        notice_ui(ui, Icon::Timer, "Overdue", colors.overdue, words);
        if reaper_runs {
            ui.radio_value(pause, false, "Import anyway and let the next pass remove them");
            ui.radio_value(pause, true, "Pause the TTL monitor and keep them until you resume it");
        } else {
            *pause = false;
            quiet(ui, "The TTL monitor is paused; they are kept until you resume it");
        }
    });
}

#[cfg(test)]
mod tests {
    use mayfly_engine::transfer::RehearsedIndex;

    use super::*;

    #[test]
    fn the_sentence_about_rejects() {
        let check = |documents, rejected, taken, mode, expected: Option<&str>| {
            let found = Rehearsal { documents, rejected, taken, ..Rehearsal::default() };
            assert_eq!(refused(&found, mode).as_deref(), expected);
        };
        check(10, 0, 0, ImportMode::Insert, None);
        check(10, 0, 5, ImportMode::Skip, None);
        check(
            10,
            2,
            5,
            ImportMode::Insert,
            Some(
                "7 of 12 documents would be rejected (2 can't be read or stored, 5 have an _id \
                 that already exists)",
            ),
        );
        let found = Rehearsal { documents: 9, repeated: 3, ..Rehearsal::default() };
        assert_eq!(refused(&found, ImportMode::Replace), None);
        assert_eq!(
            refused(&found, ImportMode::Insert).as_deref(),
            Some("3 of 9 documents would be rejected (3 have a duplicate _id within the file)")
        );
        check(
            9_000,
            1_000,
            9_000,
            ImportMode::Merge,
            Some(
                "1,000 of 10,000 documents would be rejected, so the import would stop early \
                 (1,000 can't be read or stored)",
            ),
        );
        check(
            899,
            101,
            0,
            ImportMode::Replace,
            Some(
                "101 of 1,000 documents would be rejected, so the import would stop early (101 \
                 can't be read or stored)",
            ),
        );
    }

    #[test]
    fn many_at_once_are_warned_of() {
        let found = |overdue, busiest| {
            cliff(
                &Rehearsal { documents: 5_000, overdue, busiest, ..Rehearsal::default() },
                Zone::Utc,
            )
        };
        assert_eq!(found(999, Some((0, 999))), None);
        let words = found(3_000, Some((0, 2_000))).expect("many");
        assert!(words.starts_with("The first pass would remove 3,000 documents (60 %)"), "{words}");
        let words = found(0, Some((60_000, 2_000))).expect("many");
        let expected = "At least 2,000 documents (40 %) would expire within one minute, at \
                        1970-01-01 00:01:00";
        assert!(words.starts_with(expected), "{words}");
    }

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
            let found = Rehearsal { documents, overdue: count, indexes, ..Rehearsal::default() };
            assert_eq!(overdue(&found, "d.c"), expected);
        };
        check(
            5_000,
            1_204,
            "1,204 of 5,000 documents are already expired in d.c and will be removed by the next \
             pass (1,204 by at_1)",
        );
        check(
            2,
            1,
            "1 of 2 documents is already expired in d.c and will be removed by the next pass (1 by \
             at_1)",
        );
        check(
            REHEARSED_DOCS_MAX,
            7,
            "7 of the first 200,000 documents are already expired in d.c and will be removed by \
             the next pass (7 by at_1)",
        );
    }
}
