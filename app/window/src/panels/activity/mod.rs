//! Passes, commands and operations in one list, the newest first. What runs, and what was cut short,
//! is above it.

mod commands;
mod operations;
pub(super) mod passes;

use egui::Ui;

use super::reserved;
use crate::action::{Action, Actions, ReaperAction, ViewAction};
use crate::job::cut::CutWork;
use crate::state::State;
use crate::state::command_log::CommandRecord;
use crate::state::operations::{Operation, Stage};
use crate::state::reaper::LogLine;
use crate::state::view::Activity;
use crate::theme::sizes;
use crate::widgets::{Button, empty_state, menu};

/// A row of the list.
enum Item<'a> {
    Cut(&'a CutWork),
    Operation(&'a Operation),
    /// A line of the TTL monitor, and which of its indexes.
    Pass(&'a LogLine, usize),
    Command(&'a CommandRecord),
}

impl Item<'_> {
    /// When it began, in milliseconds since 1970 by its store's clock.
    fn at_ms(&self) -> i64 {
        match self {
            Self::Cut(_) => i64::MAX,
            Self::Operation(operation) => operation.started_ms,
            Self::Pass(line, _) => line.at_ms,
            Self::Command(record) => record.at_ms,
        }
    }
}

/// The rows that a filter leaves. Each kind keeps its own order, because the clock of a sandbox differs
/// from that of the store before it; between kinds the later one comes first.
fn items(state: &State) -> Vec<Item<'_>> {
    let filter = state.view.activity;
    let has = |kind| filter == Activity::All || filter == kind;
    let background = state.settings.background_commands;
    let operations = state.operations.list().iter().filter(|_| has(Activity::Operations));
    let (running, ended): (Vec<_>, Vec<_>) =
        operations.partition(|operation| operation.stage == Stage::Running);
    let cut = state.transfer.cut.iter().filter(|_| has(Activity::Operations)).map(Item::Cut);
    let mut items: Vec<Item<'_>> = cut.chain(running.into_iter().map(Item::Operation)).collect();
    let lines = state.reaper.log().iter().rev().filter(|_| has(Activity::Passes));
    let commands = state.commands.records().iter().rev();
    let commands = commands.filter(|it| has(Activity::Commands) && (background || !it.background));
    let mut ended = ended.into_iter().map(Item::Operation).peekable();
    let mut passes = lines
        .flat_map(|line| (0..passes::rows_of(line)).map(move |row| Item::Pass(line, row)))
        .peekable();
    let mut commands = commands.map(Item::Command).peekable();
    loop {
        let heads = [ended.peek(), passes.peek(), commands.peek()];
        let times = heads.map(|head| head.map(Item::at_ms));
        let Some(latest) = times.iter().flatten().max().copied() else { return items };
        let next = match times.iter().position(|at| *at == Some(latest)) {
            Some(0) => ended.next(),
            Some(1) => passes.next(),
            _ => commands.next(),
        };
        items.extend(next);
    }
}

/// Draws the list.
pub fn ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let items = items(state);
    if items.is_empty() {
        empty_state::hint(ui, nothing(state));
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    reserved::scroll("activity").show_rows(ui, sizes::CONTROL_SMALL, items.len(), |ui, shown| {
        for item in items.get(shown).unwrap_or_default() {
            match item {
                Item::Cut(known) => operations::cut_ui(ui, known, actions),
                Item::Operation(operation) => operations::row_ui(ui, operation, state, actions),
                Item::Pass(line, row) => passes::row_ui(ui, line, *row, state, actions),
                Item::Command(record) => commands::row_ui(ui, record, state, actions),
            }
        }
    });
}

fn nothing(state: &State) -> &'static str {
    match state.view.activity {
        Activity::All => "Passes, commands and operations appear here, the newest first",
        Activity::Passes => passes::nothing(state),
        Activity::Commands => "Commands you run appear here in mongosh syntax",
        Activity::Operations => "No imports, exports, index builds or rollouts yet",
    }
}

/// The room that the filter needs next to the tabs of the drawer, in points.
const FILTER: f32 = 390.0;

/// Draws the filter, from right to left. It is a menu where it would cover the tabs.
pub fn filter_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    if ui.available_width() < FILTER {
        filter_menu_ui(ui, state, actions);
        return;
    }
    if matches!(state.view.activity, Activity::All | Activity::Commands) {
        let shown = state.settings.background_commands;
        let button = Button::ghost("Background").small().selected(shown);
        if ui.add(button.tooltip("Include background refresh commands")).clicked() {
            actions
                .push(ViewAction::choose(state, |settings| settings.background_commands = !shown));
        }
    }
    for filter in Activity::ALL.into_iter().rev() {
        let button = Button::ghost(filter.label()).small();
        if ui.add(button.selected(state.view.activity == filter)).clicked() {
            actions.push(Action::View(ViewAction::ShowActivity(filter)));
        }
    }
}

fn filter_menu_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    let chosen = state.view.activity;
    let button = Button::ghost(chosen.label()).small().menu().name("Shown activity");
    let button = ui.add(button);
    menu::below(&button, |ui| {
        for filter in Activity::ALL {
            if menu::choice(ui, filter.label(), chosen == filter).clicked() {
                actions.push(Action::View(ViewAction::ShowActivity(filter)));
            }
        }
        menu::line(ui);
        let shown = state.settings.background_commands;
        if menu::choice(ui, "Background", shown).clicked() {
            actions
                .push(ViewAction::choose(state, |settings| settings.background_commands = !shown));
        }
    });
}

/// Empties what the filter shows.
pub fn clear(state: &State, actions: &mut Actions) {
    let filter = state.view.activity;
    let kinds = [
        (Activity::Passes, Action::Reaper(ReaperAction::ClearLog)),
        (Activity::Commands, Action::View(ViewAction::ClearCommands)),
        (Activity::Operations, Action::View(ViewAction::ClearOperations)),
    ];
    for (kind, action) in kinds {
        if filter == Activity::All || filter == kind {
            actions.push(action);
        }
    }
}
