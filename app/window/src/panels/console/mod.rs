//! The console: the transcript, and below it the input.

mod completion;
mod input;
mod transcript;

use egui::{Context, Rect, Ui, UiBuilder, pos2};

use crate::action::{Action, Actions, ConsoleAction};
use crate::state::{Drafts, State};
use crate::theme::sizes;
use crate::widgets::{Button, empty_state};

/// The share of the drawer that the input takes at most.
const INPUT_SHARE: f32 = 0.5;

/// The hint of the empty input.
const HINT: &str = "Type JavaScript as in mongosh. Enter runs it, Shift+Enter adds a line, \
                    Ctrl+Enter runs the selection, Up and Down show earlier inputs, Tab completes a word";

/// Takes the keys of the console that the views above it would take first.
pub fn keys(context: &Context, drafts: &mut Drafts) {
    input::escape(context, &mut drafts.console);
}

pub fn ui(ui: &mut Ui, state: &State, drafts: &mut Drafts, actions: &mut Actions) {
    let draft = &mut drafts.console;
    let room = ui.available_rect_before_wrap();
    let height = input::height(draft, room.height() * INPUT_SHARE);
    let middle = room.bottom() - height - sizes::GAP_SMALL;
    let above = Rect::from_min_max(room.min, pos2(room.right(), middle - sizes::GAP_TINY));
    let below = Rect::from_min_max(pos2(room.left(), middle), pos2(room.right(), middle + height));
    // The keys of the input come first: a run is shown in the same frame as it is asked for.
    ui.scope_builder(UiBuilder::new().max_rect(below), |ui| input::ui(ui, state, draft, actions));
    ui.scope_builder(UiBuilder::new().max_rect(above), |ui| {
        if state.console.transcript.is_empty() {
            empty_ui(ui, state, actions);
        } else {
            transcript::ui(ui, &state.console.transcript, draft, actions);
        }
    });
}

fn empty_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
    empty_state::hint(ui, HINT);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_SMALL;
        for example in examples(state) {
            let button = Button::plain(&example).small().tooltip("Put this into the input");
            if ui.add(button).clicked() {
                actions.push(Action::Console(ConsoleAction::Insert(example)));
            }
        }
    });
}

/// Inputs to begin with, about the collection in front.
fn examples(state: &State) -> [String; 3] {
    let front = state.tabs.active().map_or("sessions", |tab| tab.namespace.collection.as_str());
    let is_word = front.starts_with(|c: char| c.is_ascii_alphabetic())
        && front.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let collection =
        if is_word { format!("db.{front}") } else { format!("db.getCollection({front:?})") };
    let last = if state.is_simulated() {
        "clock.advance(\"60s\"); reaper.pass()"
    } else {
        "show collections"
    };
    [format!("{collection}.find()"), format!("{collection}.getIndexes()"), last.to_owned()]
}
