//! The list of words below the cursor of a filter, a stage, a pipeline or an update.

use bson::Bson;
use egui::{EventFilter, Id, Key, Modifiers, Pos2, Response, Ui};

use crate::state::Tab;
use crate::state::completion::{Completing, Known, Names, Offer, offers, opens_after};
use crate::state::fields::{KnownField, KnownFields};
use crate::widgets::word_list::{self, Keyed, Word};

/// The field that is typed into.
pub(crate) struct Typed<'a> {
    pub id: Id,
    /// Its card, or `None` for a field without cards.
    pub card: Option<u64>,
    pub tab: &'a Tab,
    /// The names in the text as a whole.
    pub whole: Names,
}

/// The field as it was drawn.
pub(crate) struct Drawn<'a> {
    pub response: &'a Response,
    pub is_changed: bool,
    /// The byte of the cursor.
    pub cursor: usize,
    /// The place below the cursor.
    pub corner: Pos2,
}

impl Typed<'_> {
    pub fn has_focus(&self, ui: &Ui) -> bool {
        ui.memory(|memory| memory.has_focus(self.id))
    }

    fn is_open(&self, open: Option<&Completing>) -> bool {
        open.is_some_and(|open| open.card == self.card)
    }

    /// Takes the keys of the list, before the field is drawn. Returns whether words are asked for where none is
    /// typed.
    pub fn before(&self, ui: &Ui, open: &mut Option<Completing>, text: &mut String) -> bool {
        if !self.has_focus(ui) {
            if self.is_open(open.as_ref()) {
                *open = None;
            }
            return false;
        }
        let asks = ui.input_mut(|input| input.consume_key(Modifiers::CTRL, Key::Space));
        let Some(completing) = open.as_mut().filter(|it| it.card == self.card) else { return asks };
        let list = &completing.offers.list;
        match word_list::keys(ui, &mut completing.chosen, list.len()) {
            Keyed::Stays => {}
            Keyed::Closed => *open = None,
            Keyed::Taken(at) => {
                if let Some(offer) = list.get(at).cloned() {
                    self.put(ui, open, text, &offer);
                }
            }
        }
        asks
    }

    /// Offers words for the text as it was typed, and draws the list, after the field was drawn.
    pub fn after(
        &self,
        ui: &Ui,
        open: &mut Option<Completing>,
        text: &mut String,
        drawn: &Drawn<'_>,
        asks: bool,
    ) {
        if !self.has_focus(ui) {
            return;
        }
        let cursor = drawn.cursor;
        if drawn.is_changed || asks {
            *open = self.offered(text, cursor, asks);
        } else if open.as_ref().is_some_and(|open| open.cursor != cursor) {
            *open = None;
        }
        if let Some(offer) = open.as_ref().and_then(|open| self.list_ui(ui, open, drawn.corner)) {
            self.put(ui, open, text, &offer);
            drawn.response.request_focus();
        }
    }

    /// Keeps keys from moving the keyboard away: those of the list while it is open, and Escape while the text is
    /// a draft, because Enter would then do something else than run it.
    pub fn keep_keys(&self, ui: &Ui, open: Option<&Completing>, is_draft: bool) {
        let escape = is_draft || self.is_open(open);
        let keys =
            EventFilter { tab: true, horizontal_arrows: true, vertical_arrows: true, escape };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(self.id, keys));
    }

    fn offered(&self, text: &str, cursor: usize, asks: bool) -> Option<Completing> {
        let opens = asks || text.get(..cursor).is_some_and(|it| opens_after(it, &self.whole));
        let tab = self.tab;
        let is_filter = self.card.is_none() && self.whole == Names::Filter;
        let of_pipeline = (!is_filter).then_some(&tab.aggregate.fields);
        let samples: Vec<&KnownFields> = tab.documents.sampled.iter().chain(of_pipeline).collect();
        let analyzed = |path: &str| -> Vec<Bson> {
            let analyzed = tab.schema.frequent_values(path).into_iter().cloned();
            let sampled = samples.iter().filter_map(|sample| sample.get(path));
            analyzed.chain(sampled.flat_map(KnownField::frequent)).collect()
        };
        let known = Known {
            whole: self.whole.clone(),
            fields: &known(tab, &samples),
            analyzed: &analyzed,
            takes_relative_times: is_filter,
        };
        let offers = opens.then(|| offers(text, cursor, &known)).flatten()?;
        Some(Completing { card: self.card, offers, cursor, chosen: None })
    }

    /// Puts a word in the place of what was typed of it.
    fn put(&self, ui: &Ui, open: &mut Option<Completing>, text: &mut String, offer: &Offer) {
        let Some(completing) = open.take() else { return };
        word_list::put(ui, self.id, text, completing.offers.replaced, &offer.insert, offer.back);
    }

    /// Draws the list with its upper left corner at `at`. Returns the word that was pressed.
    fn list_ui(&self, ui: &Ui, open: &Completing, at: Pos2) -> Option<Offer> {
        let list = &open.offers.list;
        let words = list.iter().map(|offer| Word { word: &offer.label, help: &offer.detail });
        let pressed = word_list::ui(ui, self.id, at, open.chosen, words)?;
        list.get(pressed).cloned()
    }
}

/// The fields of the documents that were read, of the samples, and those that the Schema view has found.
fn known(tab: &Tab, samples: &[&KnownFields]) -> KnownFields {
    let mut known = tab.documents.known.clone();
    for sample in samples {
        known.add_sampled(sample);
    }
    for (path, kinds) in tab.schema.known_paths() {
        known.add_analyzed(path, kinds.iter().map(|(kind, count)| (kind.label(), *count)));
    }
    known
}
