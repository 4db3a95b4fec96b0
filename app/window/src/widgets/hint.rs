//! Tooltips that give way to a dialog.
//!
//! egui keeps a tooltip open while the pointer stays over its widget, even when a dialog has
//! covered that widget since. The tooltip would then cover the dialog.
#![expect(clippy::disallowed_methods, reason = "everybody else comes here for a tooltip")]

use egui::{Response, Ui, WidgetText};

/// Tooltips of a widget; each hands the widget's answer back.
pub trait Hint {
    fn hint(self, text: impl Into<WidgetText>) -> Response;

    /// Shows a text near the widget while that can't be used.
    fn hint_disabled(self, text: impl Into<WidgetText>) -> Response;

    fn hint_at_pointer(self, text: impl Into<WidgetText>) -> Response;

    /// Shows near the widget what is drawn then.
    fn hint_ui(self, draw: impl FnOnce(&mut Ui)) -> Response;
}

impl Hint for Response {
    fn hint(self, text: impl Into<WidgetText>) -> Response {
        if is_covered(&self) { self } else { self.on_hover_text(text) }
    }

    fn hint_disabled(self, text: impl Into<WidgetText>) -> Response {
        if is_covered(&self) { self } else { self.on_disabled_hover_text(text) }
    }

    fn hint_at_pointer(self, text: impl Into<WidgetText>) -> Response {
        if is_covered(&self) { self } else { self.on_hover_text_at_pointer(text) }
    }

    fn hint_ui(self, draw: impl FnOnce(&mut Ui)) -> Response {
        if is_covered(&self) { self } else { self.on_hover_ui(draw) }
    }
}

/// Whether a dialog covers the widget.
fn is_covered(response: &Response) -> bool {
    !response.ctx.memory(|memory| memory.allows_interaction(response.layer_id))
}
