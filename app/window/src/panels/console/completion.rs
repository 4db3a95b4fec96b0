//! Completion of the word before the cursor, in a list above it.

use egui::{
    Align2, Area, EventFilter, Frame, Id, Key, Margin, Modifiers, Order, Pos2, ScrollArea, Ui,
};

use crate::action::{Action, Actions, ConsoleAction};
use crate::job::ConsoleCompletion;
use crate::state::State;
use crate::state::console::{Completing, ConsoleDraft, INPUT};
use crate::theme::{colors, sizes, text};

/// Rows of the list that are in sight at once.
const ROWS: f32 = 8.0;

/// The answer for this text, if it was given and holds a word.
fn offered<'a>(state: &'a State, before: &str) -> Option<&'a ConsoleCompletion> {
    let found = state.console.completion.as_ref()?;
    (found.before == before && !found.words.is_empty()).then_some(found)
}

/// Takes the keys of the list. Returns the word to put in, with the place where it begins in bytes.
pub(super) fn keys(
    ui: &Ui,
    state: &State,
    draft: &mut ConsoleDraft,
    before: &str,
    actions: &mut Actions,
) -> Option<(usize, String)> {
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let Some(completing) = &mut draft.completes else {
        // In an empty field it leads to the next control, as everywhere.
        if !draft.text.is_empty() && pressed(Key::Tab) {
            actions.push(Action::Console(ConsoleAction::Complete(before.to_owned())));
            draft.completes = Some(Completing { before: before.to_owned(), at: 0 });
        }
        return None;
    };
    if pressed(Key::Escape) {
        draft.completes = None;
        return None;
    }
    if completing.before != before {
        // More was typed: the list follows.
        actions.push(Action::Console(ConsoleAction::Complete(before.to_owned())));
        *completing = Completing { before: before.to_owned(), at: 0 };
        return None;
    }
    let found = offered(state, before)?;
    let last = found.words.len() - 1;
    if pressed(Key::ArrowDown) {
        completing.at = if completing.at >= last { 0 } else { completing.at + 1 };
    }
    if pressed(Key::ArrowUp) {
        completing.at = if completing.at == 0 { last } else { completing.at - 1 };
    }
    let is_taken = last == 0 || pressed(Key::Tab) || pressed(Key::Enter);
    let word = found.words.get(completing.at.min(last))?;
    is_taken.then(|| (found.start, word.clone()))
}

/// Keeps keys from moving the keyboard away while something is typed. Tab completes it. Escape would close
/// a list that is closed already, and the next Enter would open a document.
pub(super) fn keep_keys(ui: &Ui, draft: &ConsoleDraft) {
    let is_typed = draft.completes.is_some() || !draft.text.is_empty();
    let filter = EventFilter {
        tab: is_typed,
        horizontal_arrows: true,
        vertical_arrows: true,
        escape: is_typed,
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(input_id(), filter));
}

/// Draws the list with its lower left corner at `at`. Returns the word that was pressed.
pub(super) fn list_ui(
    ui: &Ui,
    state: &State,
    draft: &ConsoleDraft,
    at: Pos2,
) -> Option<(usize, String)> {
    let completing = draft.completes.as_ref()?;
    let found = offered(state, &completing.before)?;
    let mut pressed = None;
    Area::new(input_id().with("completions"))
        .order(Order::Foreground)
        .pivot(Align2::LEFT_BOTTOM)
        .fixed_pos(at)
        .show(ui.ctx(), |ui| {
            let frame = Frame::popup(ui.style()).inner_margin(Margin::same(4));
            frame.show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                let height = sizes::CONTROL_SMALL * ROWS;
                ScrollArea::vertical().max_height(height).show(ui, |ui| {
                    for (index, word) in found.words.iter().enumerate() {
                        let is_chosen = index == completing.at;
                        let label = text::rich(word, text::mono()).color(colors(ui).text);
                        let response = ui.selectable_label(is_chosen, label);
                        if is_chosen {
                            response.scroll_to_me(None);
                        }
                        if response.clicked() {
                            pressed = Some((found.start, word.clone()));
                        }
                    }
                });
            });
        });
    pressed
}

/// The id of the field that is typed into.
pub(super) fn input_id() -> Id {
    Id::unique(INPUT)
}
