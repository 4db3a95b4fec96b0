//! The field of the filter: lines, pairs, and what the word before the cursor may become.

use egui::{CornerRadius, Frame, Id, Key, Margin, Pos2, Response, ScrollArea, Stroke, Ui};

use crate::panels::completion::{Drawn, Typed};
use crate::state::Tab;
use crate::state::completion::Names;
use crate::state::documents::DocumentsDraft;
use crate::theme::{colors, sizes, text};
use crate::widgets::brackets;
use crate::widgets::code_edit::CodeEdit;
use crate::widgets::paint;

/// Lines of the field before it scrolls.
const LINES_MAX: f32 = 5.0;

/// The hint of the empty field, and the one where there is room for more.
const HINT: [&str; 2] = ["{ field: value }", "{ field: value }   Press Enter to search"];

/// The width of the field without its text, in points.
const PADDING: f32 = 14.0 + 2.0 * sizes::LINE;

/// The result of editing the field in this frame.
pub(super) struct Edited {
    pub response: Response,
    pub run: bool,
    /// Whether the list of words is open, whose keys are its own.
    pub is_completing: bool,
}

/// Draws the field. In a presentation Escape leaves what has not run too: the next one ends the
/// presentation.
pub(super) fn ui(
    ui: &mut Ui,
    id: Id,
    (width, is_presented): (f32, bool),
    error_at: Option<usize>,
    tab: &Tab,
    draft: &mut DocumentsDraft,
) -> Edited {
    let typed = Typed { id, card: None, tab, whole: Names::Filter };
    let has_focus = typed.has_focus(ui);
    let before = draft.query.filter.clone();
    let asks = typed.before(ui, &mut draft.completing, &mut draft.query.filter);
    if has_focus {
        brackets::type_pairs(ui.ctx(), id, &mut draft.query.filter);
    }
    // On two lines it would make the empty field higher than the buttons next to it.
    let hint =
        if paint::fits(ui, HINT[1], text::mono(), width - PADDING) { HINT[1] } else { HINT[0] };
    let edit = CodeEdit { name: "Filter", hint, error_at, id: Some(id), ..CodeEdit::default() };
    let (response, cursor, corner) = framed(ui, &edit, width, draft);
    let mut run = false;
    if has_focus {
        let is_changed = before != draft.query.filter;
        let drawn = Drawn { response: &response, is_changed, cursor, corner };
        typed.after(ui, &mut draft.completing, &mut draft.query.filter, &drawn, asks);
        run = ui.input(|input| input.key_pressed(Key::Enter) && !input.modifiers.shift);
        if run {
            draft.completing = None;
        }
        let is_draft = !is_presented && draft.query.filter != tab.documents.text.filter;
        typed.keep_keys(ui, draft.completing.as_ref(), is_draft);
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
        .fill(colors.field)
        .stroke(Stroke::new(sizes::LINE, border))
        .corner_radius(CornerRadius::same(7))
        .inner_margin(Margin { left: 10, right: 4, top: 0, bottom: 0 });
    // The buttons next to it are in a row, its lines in a column.
    let column = |ui: &mut Ui| {
        ui.set_width(width - PADDING);
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
                let (byte, corner) = CodeEdit::cursor(&draft.query.filter, &output);
                (output.response.response, byte, corner)
            })
            .inner
    };
    let shown = frame.show(ui, |ui| ui.vertical(column).inner);
    paint::field_shadow(ui, shown.response.rect);
    shown.inner
}
