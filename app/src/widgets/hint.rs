//! Tooltips that give way to a dialog.
//!
//! egui keeps a tooltip open while the pointer stays over its widget, also when a dialog has come over
//! that widget meanwhile; the tooltip would then stand on the dialog.

use egui::{Response, WidgetText};

/// Whether a dialog lies over the widget.
#[must_use]
pub fn is_covered(response: &Response) -> bool {
    !response.ctx.memory(|memory| memory.allows_interaction(response.layer_id))
}

/// Shows a text at the pointer.
pub fn at_pointer(response: Response, text: impl Into<WidgetText>) -> Response {
    if is_covered(&response) { response } else { response.on_hover_text_at_pointer(text) }
}

/// Shows a text below the widget, whether or not it can be used now. Hands the widget's answer back.
#[must_use]
pub fn below(response: Response, text: &str) -> Response {
    if is_covered(&response) {
        return response;
    }
    response.on_hover_text(text).on_disabled_hover_text(text)
}
