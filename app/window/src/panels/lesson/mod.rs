//! Lessons: their page and scenes; of one that is played the banner, and the card in place of the
//! sidebar.

mod actions;
mod banner;
mod block;
mod card;
mod choice;
mod focus;
mod footer;
mod goal;
mod handle;
mod keys;
pub mod members;
pub mod page;
mod presented;
mod question;
pub(super) mod scenes;
mod verdict;
mod votes;
pub(super) mod why;

use egui::{Frame, Panel, Ui};

use self::actions::LessonActions;
use crate::action::Actions;
use crate::state::State;
use crate::state::lesson::Playing;
use crate::theme::{colors, sizes};

pub use keys::keys;
pub use members::members_ui;
pub use presented::{notes_ui, over_ui as presented_over_ui, ui as presented_ui};

/// Draws the banner that takes the place of the top bar.
pub fn banner_ui(ui: &mut Ui, state: &State, playing: &Playing, actions: &mut Actions) {
    let frame = Frame::new().fill(colors(ui).overdue_background);
    Panel::top("lesson banner")
        .exact_size(sizes::LESSON_BANNER)
        .frame(frame)
        .show(ui, |ui| banner::ui(ui, state, playing, actions));
}

/// Draws the card at the left, and its buttons below it.
pub fn column_ui(ui: &mut Ui, state: &State, playing: &Playing, actions: &mut Actions) {
    let most = (ui.ctx().content_rect().width() * 0.45).max(sizes::LESSON_CARD_MIN);
    Panel::left("lesson card")
        .resizable(true)
        .default_size(sizes::LESSON_CARD)
        .size_range(sizes::LESSON_CARD_MIN..=most)
        .frame(Frame::new())
        .show(ui, |ui| {
            let actions = &mut LessonActions { queue: actions };
            Panel::bottom("lesson steps")
                .exact_size(sizes::LESSON_FOOTER)
                .frame(Frame::new())
                .show(ui, |ui| footer::ui(ui, state, playing, actions));
            card::ui(ui, state, playing, actions);
        });
}
