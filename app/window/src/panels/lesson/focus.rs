//! The keyboard follows the steps of a card: it is on the button that is pressed next.

use egui::{Context, Id, Key, Response};

use crate::job::lesson::LessonView;
use crate::panels::documents;
use crate::state::State;
use crate::state::lesson::{MAIN_CONTROL, Playing, steps};
use crate::state::tabs::ViewKind;
use crate::widgets::menu;

/// The control of a card that is used next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Main {
    /// The title: a question or a goal is answered with what comes after it.
    Title,
    /// The button of the block with this part.
    Block(usize),
    Next,
}

impl Main {
    /// `None` while something runs.
    pub(super) fn of(view: &LessonView) -> Option<Self> {
        if steps::is_running(view) {
            return None;
        }
        if steps::open_question(view).is_some() {
            return Some(Self::Title);
        }
        if let Some((part, _)) = steps::next_block(view) {
            return Some(Self::Block(part));
        }
        let is_done = view.cards.get(view.card).is_some_and(|card| card.is_done);
        Some(if is_done { Self::Next } else { Self::Title })
    }

    /// Moves the keyboard to a control if it is this one, once for each step.
    pub(super) fn follow(self, response: &Response, state: &State, playing: &Playing) {
        let context = &response.ctx;
        let Some(view) = playing.view.as_ref().filter(|view| Self::of(view) == Some(self)) else {
            return;
        };
        context.data_mut(|data| data.insert_temp(Id::unique(MAIN_CONTROL), response.id));
        let is_elsewhere = state.view.is_presented()
            || state.is_covered()
            || state.view.palette
            || context.text_edit_focused()
            || menu::was_open(context);
        let step = (playing.number, view.card, self);
        let seen_id = Id::unique("step of a lesson with the keyboard");
        let seen = context.data(|data| data.get_temp::<(u32, usize, Self)>(seen_id));
        let drops = drops_keyboard(context) && !selects(state);
        if !is_elsewhere && (seen != Some(step) || drops) {
            context.data_mut(|data| data.insert_temp(seen_id, step));
            response.request_focus();
        }
    }
}

/// Whether Escape took the keyboard from a control in this pass. From a text it goes to the list.
pub(super) fn drops_keyboard(context: &Context) -> bool {
    let id = Id::unique("whether a text had the keyboard in a lesson");
    let types = context.text_edit_focused();
    let typed = context.data_mut(|data| {
        let typed = data.get_temp(id).unwrap_or(false);
        data.insert_temp(id, types);
        typed
    });
    let is_free = !typed && context.memory(|memory| memory.focused().is_none());
    is_free && context.input(|input| input.key_pressed(Key::Escape))
}

/// Whether Escape ends a selection of documents.
fn selects(state: &State) -> bool {
    state.tabs.active().is_some_and(|tab| {
        tab.view == ViewKind::Documents && documents::is_busy_with_selection(&tab.documents)
    })
}
