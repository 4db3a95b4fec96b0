//! The field of the filter: lines, pairs, and what the word before the cursor may become.

use egui::{
    CornerRadius, EventFilter, Frame, Id, Key, Margin, Modifiers, Pos2, Response, ScrollArea,
    Stroke, Ui,
};

use crate::state::Tab;
use crate::state::documents::DocumentsDraft;
use crate::state::documents::completion::{self, Completing, Offer};
use crate::state::fields::{KnownField, KnownFields};
use crate::theme::{colors, sizes, text};
use crate::widgets::brackets;
use crate::widgets::code_edit::CodeEdit;
use crate::widgets::word_list::{self, Keyed, Word};

/// Lines of the field before it scrolls.
const LINES_MAX: f32 = 5.0;

/// The result of editing the field in this frame.
pub(super) struct Edited {
    pub response: Response,
    pub run: bool,
    /// Whether the list of words is open, whose keys are its own.
    pub is_completing: bool,
}

/// Draws the field.
pub(super) fn ui(
    ui: &mut Ui,
    id: Id,
    width: f32,
    error_at: Option<usize>,
    tab: &Tab,
    draft: &mut DocumentsDraft,
) -> Edited {
    let has_focus = ui.memory(|memory| memory.has_focus(id));
    let before = draft.query.filter.clone();
    let mut asks = false;
    if has_focus {
        asks = ui.input_mut(|input| input.consume_key(Modifiers::CTRL, Key::Space));
        if let Some(offer) = keys(ui, draft) {
            put(ui, id, draft, &offer);
        }
        brackets::type_pairs(ui.ctx(), id, &mut draft.query.filter);
    } else {
        draft.completing = None;
    }
    let edit = CodeEdit {
        name: "Filter",
        hint: "{ field: value }   Press Enter to search",
        error_at,
        id: Some(id),
        ..CodeEdit::default()
    };
    let (response, cursor, corner) = framed(ui, &edit, width, draft);
    let mut run = false;
    if has_focus {
        let is_changed = before != draft.query.filter;
        if is_changed || asks {
            offer(draft, tab, cursor, asks);
        } else if draft.completing.as_ref().is_some_and(|it| it.cursor != cursor) {
            draft.completing = None;
        }
        let pressed = list_ui(ui, id, draft, corner);
        if let Some(offer) = pressed {
            put(ui, id, draft, &offer);
            response.request_focus();
        }
        run = ui.input(|input| input.key_pressed(Key::Enter) && !input.modifiers.shift);
        if run {
            draft.completing = None;
        }
        let keys = EventFilter {
            tab: true,
            horizontal_arrows: true,
            vertical_arrows: true,
            escape: draft.completing.is_some(),
        };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(id, keys));
    }
    Edited { response, run, is_completing: draft.completing.is_some() }
}

/// Draws the text in its frame. Returns with it the byte of the cursor and the corner below it.
fn framed(
    ui: &mut Ui,
    edit: &CodeEdit<'_>,
    width: f32,
    draft: &mut DocumentsDraft,
) -> (Response, usize, Pos2) {
    let colors = colors(ui);
    let line = ui.fonts_mut(|fonts| fonts.row_height(&text::mono()));
    let space = ((sizes::CONTROL - line) / 2.0 - sizes::LINE).max(0.0);
    let has_focus = edit.id.is_some_and(|id| ui.memory(|memory| memory.has_focus(id)));
    let border = match (edit.error_at.is_some(), has_focus) {
        (true, _) => colors.error,
        (_, true) => colors.accent,
        _ => colors.hairline,
    };
    let frame = Frame::new()
        .fill(colors.background)
        .stroke(Stroke::new(sizes::LINE, border))
        .corner_radius(CornerRadius::same(7))
        .inner_margin(Margin { left: 10, right: 4, top: 0, bottom: 0 });
    // The buttons next to it are in a row, its lines in a column.
    let column = |ui: &mut Ui| {
        ui.set_width(width - 14.0 - 2.0 * sizes::LINE);
        ui.spacing_mut().item_spacing.y = 0.0;
        // A field of one line is as high as the line.
        ui.spacing_mut().interact_size.y = 0.0;
        ScrollArea::vertical()
            .id_salt(edit.id)
            .max_height(line * LINES_MAX + 2.0 * space)
            .min_scrolled_height(0.0)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                let edit = CodeEdit { space, ..*edit };
                let output = edit.bare_ui(ui, &mut draft.query.filter);
                let text = &draft.query.filter;
                let at = output.cursor_range.map(|range| range.primary);
                let byte = at.map_or(text.len(), |at| {
                    text.char_indices().nth(at.index.0).map_or(text.len(), |(byte, _)| byte)
                });
                let place = output.galley.pos_from_cursor(at.unwrap_or_default());
                let corner = output.galley_pos + place.left_bottom().to_vec2();
                (output.response.response, byte, corner)
            })
            .inner
    };
    frame.show(ui, |ui| ui.vertical(column).inner).inner
}

/// Makes the list for what was typed.
fn offer(draft: &mut DocumentsDraft, tab: &Tab, cursor: usize, asks: bool) {
    let text = &draft.query.filter;
    let opens = asks || text.get(..cursor).is_some_and(completion::opens_after);
    let analyzed = |path: &str| {
        let analyzed = tab.schema.frequent_values(path).into_iter().cloned();
        let sampled = tab.documents.sampled.as_ref().and_then(|sampled| sampled.get(path));
        analyzed.chain(sampled.map(KnownField::frequent).unwrap_or_default()).collect()
    };
    let found = opens.then(|| completion::offers(text, cursor, &known(tab), &analyzed)).flatten();
    draft.completing = found.map(|offers| Completing { offers, cursor, chosen: None });
}

/// The fields of the documents that were read, of those at the end of the collection, and those that
/// the Schema view has found.
fn known(tab: &Tab) -> KnownFields {
    let mut known = tab.documents.known.clone();
    if let Some(sampled) = &tab.documents.sampled {
        known.add_sampled(sampled);
    }
    for (path, kinds) in tab.schema.known_paths() {
        known.add_analyzed(path, kinds.iter().map(|(kind, count)| (kind.label(), *count)));
    }
    known
}

/// Takes the keys of the list. Returns what to put in.
fn keys(ui: &Ui, draft: &mut DocumentsDraft) -> Option<Offer> {
    let completing = draft.completing.as_mut()?;
    let list = &completing.offers.list;
    match word_list::keys(ui, &mut completing.chosen, list.len()) {
        Keyed::Stays => None,
        Keyed::Taken(at) => list.get(at).cloned(),
        Keyed::Closed => {
            draft.completing = None;
            None
        }
    }
}

/// Puts a word in the place of what was typed of it.
fn put(ui: &Ui, id: Id, draft: &mut DocumentsDraft, offer: &Offer) {
    let Some(completing) = draft.completing.take() else { return };
    let replaced = completing.offers.replaced;
    word_list::put(ui, id, &mut draft.query.filter, replaced, &offer.insert, offer.back);
}

/// Draws the list with its upper left corner at `at`. Returns the word that was pressed.
fn list_ui(ui: &Ui, id: Id, draft: &DocumentsDraft, at: Pos2) -> Option<Offer> {
    let completing = draft.completing.as_ref()?;
    let list = &completing.offers.list;
    let words = list.iter().map(|offer| Word { word: &offer.label, help: &offer.detail });
    let pressed = word_list::ui(ui, id, at, completing.chosen, words)?;
    list.get(pressed).cloned()
}
