//! The list of words below the cursor of a stage.

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::{TextEditOutput, TextEditState};
use egui::{
    Align2, Area, EventFilter, Frame, Id, Key, Margin, Modifiers, Order, Pos2, ScrollArea, Ui, vec2,
};

use crate::state::aggregate::completion::{Completing, OfferedWord, complete};
use crate::theme::{colors, sizes, text};
use crate::widgets::value::cut;

/// Rows of the list that are in sight at once.
const ROWS: f32 = 8.0;

/// The width of the list, in points.
const LIST: f32 = 420.0;

/// Characters of a word, and of what is said about it.
const WORD_CHARS: usize = 34;
const HELP_CHARS: usize = 46;

/// The field that is typed into.
#[derive(Debug, Clone, Copy)]
pub(super) struct Typed<'a> {
    /// The field.
    pub id: Id,
    /// Its card; `None`: the whole as text.
    pub card: Option<u64>,
    /// The stage of the card.
    pub stage: Option<&'a str>,
    /// The fields of the collection.
    pub fields: &'a [String],
}

impl Typed<'_> {
    fn has_focus(&self, ui: &Ui) -> bool {
        ui.memory(|memory| memory.has_focus(self.id))
    }

    fn is_open(&self, open: Option<&Completing>) -> bool {
        open.is_some_and(|open| open.card == self.card)
    }

    /// Takes the keys of the list, before the field is drawn.
    pub fn before(&self, ui: &Ui, open: &mut Option<Completing>, code: &mut String) {
        if !self.is_open(open.as_ref()) {
            return;
        }
        if !self.has_focus(ui) {
            *open = None;
            return;
        }
        let Some(completing) = open else { return };
        let pressed = |key| {
            ui.input_mut(|input| {
                input.modifiers.is_none() && input.consume_key(Modifiers::NONE, key)
            })
        };
        let words = &completing.completion.words;
        let last = words.len().saturating_sub(1);
        if pressed(Key::ArrowDown) {
            let next = completing.chosen.map_or(0, |at| if at < last { at + 1 } else { 0 });
            completing.chosen = Some(next);
        }
        if pressed(Key::ArrowUp) {
            let next = completing.chosen.map_or(last, |at| at.checked_sub(1).unwrap_or(last));
            completing.chosen = Some(next);
        }
        if pressed(Key::Escape) {
            *open = None;
            return;
        }
        // Enter begins a line, unless a word was chosen.
        if pressed(Key::Tab) || completing.chosen.is_some() && pressed(Key::Enter) {
            let word = words.get(completing.chosen.unwrap_or(0)).cloned();
            if let Some(word) = word {
                self.put(ui, open, code, &word);
            }
        }
    }

    /// Offers words for what was typed, and draws the list, after the field was drawn.
    pub fn after(
        &self,
        ui: &Ui,
        open: &mut Option<Completing>,
        code: &mut String,
        output: &TextEditOutput,
    ) {
        if !self.has_focus(ui) {
            if self.is_open(open.as_ref()) {
                *open = None;
            }
            return;
        }
        let at = output.cursor_range.map(|range| range.primary).unwrap_or_default();
        let ends = code.char_indices().nth(at.index.0).map(|(byte, _)| byte);
        let cursor = ends.unwrap_or(code.len());
        if output.response.response.changed() {
            let found = complete(code, cursor, self.stage, self.fields);
            let card = self.card;
            *open = found.map(|completion| Completing { card, cursor, completion, chosen: None });
        } else if open.as_ref().is_some_and(|open| open.cursor != cursor) {
            *open = None;
        }
        let escape = self.is_open(open.as_ref());
        if escape {
            // They are the keys of the list.
            let (tab, vertical_arrows, horizontal_arrows) = (true, true, true);
            let keys = EventFilter { tab, horizontal_arrows, vertical_arrows, escape };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(self.id, keys));
        }
        let place = output.galley.pos_from_cursor(at);
        let corner = output.galley_pos + place.left_bottom().to_vec2();
        let pressed = open.as_ref().and_then(|open| self.list_ui(ui, open, corner));
        if let Some(word) = pressed {
            self.put(ui, open, code, &word);
            output.response.response.request_focus();
        }
    }

    /// Puts a word in the place of what was typed of it.
    fn put(&self, ui: &Ui, open: &mut Option<Completing>, code: &mut String, word: &OfferedWord) {
        let Some(completing) = open.take() else { return };
        let replaced = completing.completion.replaced;
        if code.get(replaced.clone()).is_none() {
            return;
        }
        code.replace_range(replaced.clone(), &word.word);
        let end = code[..replaced.start + word.word.len()].chars().count();
        let mut edit = TextEditState::load(ui.ctx(), self.id).unwrap_or_default();
        edit.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(end))));
        edit.store(ui.ctx(), self.id);
        ui.ctx().request_repaint();
    }

    /// Draws the list with its upper left corner at `at`. Returns the word that was pressed.
    fn list_ui(&self, ui: &Ui, open: &Completing, at: Pos2) -> Option<OfferedWord> {
        let mut pressed = None;
        let area = Area::new(self.id.with("words")).order(Order::Foreground);
        let place = at + vec2(0.0, sizes::GAP_TINY);
        area.pivot(Align2::LEFT_TOP).fixed_pos(place).show(ui.ctx(), |ui| {
            Frame::popup(ui.style()).inner_margin(Margin::same(4)).show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                ui.set_width(LIST);
                let height = sizes::CONTROL_SMALL * ROWS;
                let list = ScrollArea::vertical().max_height(height).auto_shrink([false, true]);
                list.show(ui, |ui| {
                    for (index, word) in open.completion.words.iter().enumerate() {
                        let is_chosen = open.chosen == Some(index);
                        if word_ui(ui, word, is_chosen) {
                            pressed = Some(word.clone());
                        }
                    }
                });
                let words = "Tab completes · ↓ chooses · Esc closes";
                ui.label(text::rich(words, text::small()).color(colors(ui).dim));
            });
        });
        pressed
    }
}

fn word_ui(ui: &mut Ui, word: &OfferedWord, is_chosen: bool) -> bool {
    let ink = colors(ui);
    let label = text::rich(cut(&word.word, WORD_CHARS), text::mono()).color(ink.text);
    let help = text::rich(cut(&word.help, HELP_CHARS), text::small()).color(ink.dim);
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
