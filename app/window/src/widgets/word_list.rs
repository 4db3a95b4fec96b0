//! The list of words below the cursor of a field: what the word before the cursor may become.

use std::ops::Range;

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{Align2, Area, Frame, Id, Key, Margin, Modifiers, Order, Pos2, ScrollArea, Ui, vec2};

use super::value::cut;
use crate::theme::{colors, sizes, text};

/// Rows of the list that are in sight at once.
const ROWS: f32 = 8.0;

/// The width of the list, in points.
const LIST: f32 = 420.0;

/// Characters of a word, and of what is said about it.
const WORD_CHARS: usize = 34;
const HELP_CHARS: usize = 40;

/// A word that is offered.
#[derive(Debug, Clone, Copy)]
pub struct Word<'a> {
    pub word: &'a str,
    pub help: &'a str,
}

/// The effect of the list's keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyed {
    Stays,
    Closed,
    /// The word at this index was taken.
    Taken(usize),
}

/// Takes the keys of a list of `count` words, before its field is drawn. Enter belongs to the field
/// unless a word was chosen: what is typed may be all of it.
pub fn keys(ui: &Ui, chosen: &mut Option<usize>, count: usize) -> Keyed {
    let pressed = |key| {
        ui.input_mut(|input| input.modifiers.is_none() && input.consume_key(Modifiers::NONE, key))
    };
    if pressed(Key::Escape) {
        return Keyed::Closed;
    }
    let last = count.saturating_sub(1);
    if pressed(Key::ArrowDown) {
        *chosen = Some(chosen.map_or(0, |at| if at < last { at + 1 } else { 0 }));
    }
    if pressed(Key::ArrowUp) {
        *chosen = Some(chosen.map_or(last, |at| at.checked_sub(1).unwrap_or(last)));
    }
    let is_taken = pressed(Key::Tab) || chosen.is_some() && pressed(Key::Enter);
    if is_taken { Keyed::Taken(chosen.unwrap_or(0)) } else { Keyed::Stays }
}

/// Draws the list of the field `id` with its upper left corner just below `at`. Returns the index of
/// the word that was pressed.
pub fn ui<'a>(
    ui: &Ui,
    id: Id,
    at: Pos2,
    chosen: Option<usize>,
    words: impl Iterator<Item = Word<'a>>,
) -> Option<usize> {
    let mut pressed = None;
    let area = Area::new(id.with("words")).order(Order::Foreground).pivot(Align2::LEFT_TOP);
    area.fixed_pos(at + vec2(0.0, sizes::GAP_SMALL)).show(ui.ctx(), |ui| {
        Frame::popup(ui.style()).inner_margin(Margin::same(4)).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.set_width(LIST);
            let height = sizes::CONTROL_SMALL * ROWS;
            ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
                for (index, word) in words.enumerate() {
                    if word_ui(ui, word, chosen == Some(index)) {
                        pressed = Some(index);
                    }
                }
            });
            let words = "Tab completes · ↓ chooses · Esc closes";
            ui.label(text::rich(words, text::small()).color(colors(ui).dim));
        });
    });
    pressed
}

fn word_ui(ui: &mut Ui, word: Word<'_>, is_chosen: bool) -> bool {
    let ink = colors(ui);
    let label = text::rich(cut(word.word, WORD_CHARS), text::mono()).color(ink.text);
    let help = text::rich(cut(word.help, HELP_CHARS), text::small()).color(ink.dim);
    let button = egui::Button::selectable(is_chosen, label)
        .shortcut_text(help)
        .min_size(vec2(ui.available_width(), sizes::CONTROL_SMALL));
    let response = ui.add(button).accessible_name(format!("Complete with {}", word.word));
    if is_chosen {
        response.scroll_to_me(None);
    }
    // The press takes the keyboard from the field, and the list goes with that.
    let is_pressed =
        response.contains_pointer() && ui.input(|input| input.pointer.primary_pressed());
    response.clicked() || is_pressed
}

/// Puts a word in the place of what was typed of it, with the cursor `back` characters before its
/// end.
pub fn put(ui: &Ui, id: Id, text: &mut String, replaced: Range<usize>, word: &str, back: usize) {
    if text.get(replaced.clone()).is_none() {
        return;
    }
    text.replace_range(replaced.clone(), word);
    let end = text[..replaced.start + word.len()].chars().count();
    let cursor = CCursorRange::one(CCursor::new(end.saturating_sub(back)));
    let mut edit = TextEditState::load(ui.ctx(), id).unwrap_or_default();
    edit.cursor.set_char_range(Some(cursor));
    edit.store(ui.ctx(), id);
    ui.ctx().request_repaint();
}
