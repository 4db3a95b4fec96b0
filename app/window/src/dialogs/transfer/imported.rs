//! How an import ended.

use egui::{Context, Label, Ui};
use mayfly_engine::transfer::{ImportEnd, ImportReport};

use super::parts::{ask, notice_ui};
use super::preview::problem;
use crate::action::{
    Action, Actions, ReaperAction, StoreAction, TabsAction, TransferAction, ViewAction,
};
use crate::dialogs::frame::DialogFrame;
use crate::state::transfer::import::file_name;
use crate::state::transfer::{CreatedIndexes, ImportResult};
use crate::state::{Namespace, State, duration, number};
use crate::theme::{Colors, Icon, colors, sizes, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card};

/// Rejected documents that are listed.
const LISTED_MAX: usize = 8;

/// The effect of a roll back on a store of this machine.
const UNLESS_CHANGED: &str = "Remove imported documents, except those changed since. What the import \
                              dropped or replaced doesn't come back";

/// The effect of a roll back on a server.
pub(super) const BY_ID: &str =
    "Remove the documents that this import inserted, also those changed since";

const TOO_MANY: &str = "What was inserted is not remembered, because it was too much or nothing, so it can't be rolled back";

/// Whether a server has documents of an import that did not end well, and can't be rid of them.
fn cannot_roll_back(report: &ImportReport, state: &State) -> bool {
    let has_some = report.imported > 0 && report.end != ImportEnd::Complete;
    has_some && report.unfinished.is_none() && state.store.connection.is_some()
}

pub fn ui(context: &Context, result: &ImportResult, state: &State, actions: &mut Actions) {
    let took_ms = i64::try_from(result.took.as_millis()).unwrap_or(i64::MAX);
    let into = with_marks(&result.into_words());
    let subtitle = format!("{into} · {}", duration::span(took_ms));
    let is_server = state.store.connection.is_some();
    let roll_back =
        Button::plain("Roll back").tooltip(if is_server { BY_ID } else { UNLESS_CHANGED });
    let can_roll_back = !result.roll_back_ids().is_empty();
    let resume = Button::plain("Resume import").tooltip("Resume after the last stored document");
    let unfinished = result.report.unfinished.filter(|_| !result.is_rolled_back);
    let frame = DialogFrame::new(title(result))
        .subtitle(subtitle)
        .leave("Done")
        .button(Button::primary("Open collection"), Pressed::Open)
        .button_if(
            can_roll_back,
            roll_back,
            Pressed::Ask(TransferAction::RollBackResult(result.operation)),
        );
    let frame = match unfinished {
        Some(id) => frame.button(resume, Pressed::Ask(TransferAction::Resume(id))),
        None => frame,
    };
    let outcome = frame.ui(context, |ui| {
        figures_ui(ui, result);
        parts_ui(ui, result, actions);
        end_ui(ui, &result.report);
        if cannot_roll_back(&result.report, state) {
            let ink = colors(ui).dim;
            ui.label(text::rich(TOO_MANY, text::body()).color(ink));
        }
        rejects_ui(ui, &result.report, actions);
        for words in result.indexes.iter().flat_map(CreatedIndexes::sentences) {
            ui.label(text::rich(with_marks(&words), text::body()));
        }
        if result.paused && !state.reaper.enabled {
            paused_ui(ui, actions);
        }
    });
    match outcome.end(actions) {
        Some(Pressed::Open) => show(&result.into, actions),
        Some(Pressed::Ask(action)) => ask(actions, action),
        None => {}
    }
}

enum Pressed {
    Open,
    Ask(TransferAction),
}

fn title(result: &ImportResult) -> &'static str {
    match &result.report.end {
        ImportEnd::Complete if !result.is_complete() => "Import incomplete",
        ImportEnd::Complete => "Import finished",
        ImportEnd::Cancelled => "Import canceled",
        _ => "Import stopped",
    }
}

fn figures_ui(ui: &mut Ui, result: &ImportResult) {
    let colors = colors(ui);
    let sum = |of: fn(&ImportReport) -> u64| result.reports().map(of).sum::<u64>();
    let count = sum(|report| report.rejected);
    let rejected = (count > 0).then_some(colors.error);
    let figures = [
        (result.imported(), "imported", None),
        (sum(|report| report.skipped), "skipped", None),
        (count, "rejected", rejected),
    ];
    ui.columns(figures.len(), |columns| {
        for (ui, (count, words, ink)) in columns.iter_mut().zip(figures) {
            let count = number::count(count);
            card::figure(ui, &count, words, ink);
        }
    });
}

/// Each collection of several, with a button that opens it.
fn parts_ui(ui: &mut Ui, result: &ImportResult, actions: &mut Actions) {
    if result.others.is_empty() {
        return;
    }
    let first = (&result.into, Ok(&result.report));
    let others = result.others.iter().map(|(into, report)| (into, report.as_ref()));
    for (into, report) in [first].into_iter().chain(others) {
        let name = with_marks(&into.to_string());
        ui.horizontal(|ui| {
            let label = format!("Open {name}");
            let open = Button::plain("Open").small().name(&label);
            if ui.add(open.enabled(report.is_ok())).clicked() {
                show(into, actions);
            }
            let words = match report {
                Ok(report) => number::counted(report.imported, "document", "documents"),
                Err(_) => "not imported".to_owned(),
            };
            ui.label(text::rich(format!("{name} · {words}"), text::body()));
        });
        let why = match report {
            Ok(report) if into != &result.into => report.sentence(),
            Ok(_) => None,
            Err(why) => Some(why.clone()),
        };
        if let Some(why) = why {
            let ink = colors(ui).error;
            ui.label(text::rich(with_marks(&why), text::small()).color(ink));
        }
    }
}

/// Shows the documents of a collection in the place of the dialog.
fn show(into: &Namespace, actions: &mut Actions) {
    let show = Action::Tabs(TabsAction::Show(into.clone()));
    actions.push(Action::Confirm(Box::new(show)));
    actions.push(Action::Store(StoreAction::LoadSummary(into.clone())));
}

fn end_ui(ui: &mut Ui, report: &ImportReport) {
    let words = match &report.end {
        ImportEnd::Complete => None,
        ImportEnd::StoppedOnError => Some("Stopped at the first rejected document".to_owned()),
        ImportEnd::TooManyRejects => Some("Stopped: too many documents were rejected".to_owned()),
        ImportEnd::Broken(reject) => {
            let file = with_marks(&file_name(&reject.file));
            Some(format!("The rest of {file} can't be read. {}", problem(reject)))
        }
        ImportEnd::Cancelled => Some("Documents imported so far are kept".to_owned()),
        ImportEnd::Failed(reason) => Some(reason.clone()),
    };
    let colors = colors(ui);
    if let Some(words) = words {
        let ink = if report.end == ImportEnd::Cancelled { colors.dim } else { colors.error };
        ui.label(text::rich(words, text::body()).color(ink));
    }
    for words in report.notes() {
        ui.label(text::rich(words, text::small()).color(colors.text));
    }
}

fn rejects_ui(ui: &mut Ui, report: &ImportReport, actions: &mut Actions) {
    let colors: &Colors = colors(ui);
    if report.rejects.is_empty() {
        return;
    }
    let many = report.files.len() > 1;
    card::ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        for reject in report.rejects.iter().take(LISTED_MAX) {
            let file = with_marks(&file_name(&reject.file));
            let file = if many { format!("{file}: ") } else { String::new() };
            let words = format!("{file}{}", problem(reject));
            ui.label(text::rich(words, text::small()));
        }
        let listed = report.rejects.len().min(LISTED_MAX);
        let more = report.rejected.saturating_sub(u64::try_from(listed).unwrap_or(u64::MAX));
        if more > 0 {
            let words = format!("and {} more", number::count(more));
            ui.label(text::rich(words, text::small()).color(colors.dim));
        }
    });
    for file in &report.rejects_files {
        let path = file.display().to_string();
        let dim = |words: &str| text::rich(words, text::small()).color(colors.dim);
        ui.label(dim("Rejected documents with reasons and line numbers are saved in"));
        ui.horizontal(|ui| {
            let copy = Button::plain("Copy path").small().icon(Icon::Copy);
            if ui.add(copy).clicked() {
                actions.push(Action::View(ViewAction::Copy(path.clone())));
            }
            ui.add(Label::new(text::rich(path, text::mono_small())).selectable(true));
        });
    }
}

fn paused_ui(ui: &mut Ui, actions: &mut Actions) {
    let colors = colors(ui);
    card::bordered(ui, colors.overdue, |ui| {
        let words = "The TTL monitor is paused. Expired documents are removed when you resume it";
        notice_ui(ui, Icon::Pause, "Paused", colors.overdue, words);
        if ui.add(Button::amber("Resume the TTL monitor")).clicked() {
            actions.push(Action::Reaper(ReaperAction::SetEnabled(true)));
        }
    });
}
