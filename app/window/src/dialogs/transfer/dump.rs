//! The import of an exported database or a folder of mongodump, and how it ended.

use egui::{Context, Ui};
use mayfly_engine::transfer::{DumpCollection, DumpOutcome, ImportMode};

use super::parts::{ask, error_ui, notice_ui};
use super::rehearsal::overdue;
use crate::action::{Actions, TransferAction};
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::words::quiet;
use crate::limits::REHEARSED_DOCS_MAX;
use crate::state::transfer::{DumpDraft, DumpResult, Loadable};
use crate::state::{duration, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card};

/// Notes that a collection shows.
const NOTES_MAX: usize = 8;

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut DumpDraft, actions: &mut Actions) {
    let path = with_marks(&draft.path.display().to_string());
    let request = draft.request();
    let is_risky = draft.overdue() > 0;
    let button = if is_risky { Button::amber("Import anyway") } else { Button::primary("Import") };
    let button = button.enabled(request.is_ok()).room_for("Import anyway");
    let error = request.err().or_else(|| draft.error.clone());
    let frame = DialogFrame::new("Import folder")
        .subtitle(path)
        .width(sizes::DIALOG_WIDE)
        .error(error.as_deref())
        .button(button.tooltip("Import documents, then create indexes"), ());
    let outcome = frame.ui(context, |ui| {
        target_ui(ui, draft);
        for at in 0..draft.rows.len() {
            collection_ui(ui, draft, at);
        }
        for note in &draft.dump.notes {
            quiet(ui, &with_marks(note));
        }
    });
    if outcome.end(actions).is_some() {
        ask(actions, TransferAction::StartDump);
    }
}

/// The database, and what happens to documents that exist.
fn target_ui(ui: &mut Ui, draft: &mut DumpDraft) {
    if draft.is_one_database() {
        labelled(ui, "Database", None, |ui| {
            let field = Field { name: "Database", hint: "test", mono: true, ..Field::default() };
            if field.ui(ui, &mut draft.db).changed() {
                draft.error = None;
            }
        });
    } else {
        quiet(ui, "Each collection goes into the database that it was in");
    }
    ui.horizontal(|ui| {
        quiet(ui, "If an _id exists");
        for (mode, words) in [
            (ImportMode::Insert, "Reject"),
            (ImportMode::Skip, "Skip"),
            (ImportMode::Replace, "Replace"),
            (ImportMode::Merge, "Merge"),
        ] {
            ui.radio_value(&mut draft.mode, mode, words);
        }
    });
}

fn collection_ui(ui: &mut Ui, draft: &mut DumpDraft, at: usize) {
    let Some(found) = draft.dump.collections.get(at).cloned() else { return };
    let into = draft.target(&found);
    let shown = if draft.is_one_database() { found.name.clone() } else { into.to_string() };
    let shown = with_marks(&shown);
    let rehearsal = draft.rehearsals.here().and_then(|all| all.get(at)).cloned();
    let is_counting = matches!(draft.rehearsals, Loadable::Waiting(_));
    let Some(row) = draft.rows.get_mut(at) else { return };
    let colors = colors(ui);
    card::bordered(ui, colors.hairline, |ui| {
        ui.horizontal(|ui| {
            if found.refused.is_some() {
                ui.label(text::rich(&shown, text::body()).color(colors.dim));
            } else {
                let checkbox = ui.checkbox(&mut row.take, &shown);
                checkbox.accessible_name(format!("Import {shown}"));
            }
            let counted = rehearsal.as_ref().map(|found| found.documents + found.rejected);
            quiet(ui, &figures(&found, counted, is_counting));
        });
        if let Some(why) = &found.refused {
            quiet(ui, &format!("Not imported: {why}"));
            return;
        }
        if !row.take {
            return;
        }
        let names = names(&found, true);
        if !names.is_empty() {
            let checkbox = ui.checkbox(&mut row.ttl, format!("Create TTL indexes: {names}"));
            checkbox.accessible_name(format!("Create TTL indexes of {shown}"));
            if let Some(found) = rehearsal.filter(|found| row.ttl && found.overdue > 0) {
                let words = overdue(&found, &into.to_string());
                notice_ui(ui, Icon::Timer, "Overdue", colors.overdue, &words);
            } else if row.ttl && !is_counting {
                quiet(ui, "No documents are already expired");
            }
        }
        let names = self::names(&found, false);
        if !names.is_empty() {
            let checkbox = ui.checkbox(&mut row.indexes, format!("Create indexes: {names}"));
            checkbox.accessible_name(format!("Create indexes of {shown}"));
        }
        for note in found.notes.iter().take(NOTES_MAX) {
            quiet(ui, &with_marks(note));
        }
    });
}

/// The figures of a collection's documents.
fn figures(found: &DumpCollection, counted: Option<u64>, is_counting: bool) -> String {
    let bytes = number::bytes(found.bytes);
    let listed = found.listed.as_ref().map(|listed| listed.documents);
    match listed.or(counted).filter(|_| found.refused.is_none()) {
        Some(documents) => {
            let is_bounded = listed.is_none() && documents >= REHEARSED_DOCS_MAX;
            let more = if is_bounded { "at least " } else { "" };
            let documents = number::counted(documents, "document", "documents");
            format!("{more}{documents} · {bytes}")
        }
        None if is_counting => format!("Counting… · {bytes}"),
        None => bytes,
    }
}

/// Names of indexes with or without a TTL.
fn names(found: &DumpCollection, is_ttl: bool) -> String {
    let indexes = found.indexes.iter().filter(|index| index.is_ttl == is_ttl);
    indexes.map(|index| with_marks(&index.name)).collect::<Vec<_>>().join(", ")
}

/// Draws how it ended.
pub fn result_ui(context: &Context, result: &DumpResult, actions: &mut Actions) {
    let took_ms = i64::try_from(result.took.as_millis()).unwrap_or(i64::MAX);
    let subtitle = format!("{} · {}", result.words(), duration::span(took_ms));
    let title = if result.is_complete() { "Import finished" } else { "Import incomplete" };
    let frame =
        DialogFrame::<()>::new(title).subtitle(subtitle).width(sizes::DIALOG_WIDE).done("Done");
    let outcome = frame.ui(context, |ui| {
        for outcome in &result.outcomes {
            outcome_ui(ui, outcome);
        }
        let missing = result.chosen.saturating_sub(result.outcomes.len()) as u64;
        if missing > 0 {
            let words = number::counted(missing, "collection was", "collections were");
            error_ui(ui, Some(&format!("Canceled: {words} not imported")));
        }
    });
    _ = outcome.end(actions);
}

fn outcome_ui(ui: &mut Ui, outcome: &DumpOutcome) {
    let into = with_marks(&outcome.into.to_string());
    let indexes = number::counted(outcome.indexes.len() as u64, "index", "indexes");
    match &outcome.documents {
        Ok(report) => {
            let documents = number::counted(report.imported, "document", "documents");
            ui.label(text::rich(format!("{into} · {documents} · {indexes}"), text::body()));
            if let Some(sentence) = report.sentence() {
                error_ui(ui, Some(&with_marks(&sentence)));
            }
        }
        Err(error) => {
            ui.label(text::rich(&into, text::body()));
            error_ui(ui, Some(&with_marks(error)));
        }
    }
    for note in &outcome.notes {
        quiet(ui, &with_marks(note));
    }
}
