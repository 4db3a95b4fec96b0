//! The list of words below the cursor of a stage.

use egui::text_edit::TextEditOutput;
use egui::{EventFilter, Id, Pos2, Ui};

use crate::state::aggregate::completion::{Completing, OfferedWord, complete};
use crate::widgets::word_list::{self, Keyed, Word};

/// The field that is typed into.
#[derive(Debug, Clone, Copy)]
pub(super) struct Typed<'a> {
    pub id: Id,
    /// Its card, or `None` for the whole pipeline as text.
    pub card: Option<u64>,
    pub stage: Option<&'a str>,
    pub fields: &'a [String],
}

impl Typed<'_> {
    fn has_focus(&self, ui: &Ui) -> bool {
        ui.memory(|memory| memory.has_focus(self.id))
    }

    fn is_open(&self, open: Option<&Completing>) -> bool {
        open.is_some_and(|open| open.card == self.card)
    }

    /// Takes the keys of the list, before the field is drawn. Enter alone begins a line.
    pub fn before(&self, ui: &Ui, open: &mut Option<Completing>, code: &mut String) {
        if !self.is_open(open.as_ref()) {
            return;
        }
        if !self.has_focus(ui) {
            *open = None;
            return;
        }
        let Some(completing) = open else { return };
        let words = &completing.completion.words;
        match word_list::keys(ui, &mut completing.chosen, words.len()) {
            Keyed::Stays => {}
            Keyed::Closed => *open = None,
            Keyed::Taken(at) => {
                if let Some(word) = words.get(at).cloned() {
                    self.put(ui, open, code, &word);
                }
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
        word_list::put(ui, self.id, code, replaced, &word.word, 0);
    }

    /// Draws the list with its upper left corner at `at`. Returns the word that was pressed.
    fn list_ui(&self, ui: &Ui, open: &Completing, at: Pos2) -> Option<OfferedWord> {
        let list = &open.completion.words;
        let words = list.iter().map(|word| Word { word: &word.word, help: &word.help });
        let pressed = word_list::ui(ui, self.id, at, open.chosen, words)?;
        list.get(pressed).cloned()
    }
}
