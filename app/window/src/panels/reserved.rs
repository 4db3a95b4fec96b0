//! Room that is drawn into later. The Tab key and screen readers meet controls in the order in which
//! they are drawn, but a panel at an edge is laid out before what is in the middle.

use egui::{Id, Rect, ScrollArea, Ui, UiBuilder};

/// The inside of a panel, still empty.
#[must_use = "the panel stays empty"]
#[derive(Debug, Clone, Copy)]
pub(super) struct Reserved {
    rect: Rect,
    clip: Rect,
}

impl Reserved {
    /// Takes all the room that a panel has.
    pub fn all_of(ui: &mut Ui) -> Self {
        let rect = ui.available_rect_before_wrap();
        ui.set_min_size(rect.size());
        Self { rect, clip: ui.clip_rect() }
    }

    /// Draws into it. The ids of what is drawn depend on the name alone.
    pub fn ui(self, parent: &mut Ui, name: &str, content: impl FnOnce(&mut Ui)) {
        let builder = UiBuilder::new().scope_id(Id::unique(("reserved", name))).max_rect(self.rect);
        let mut ui = parent.new_child(builder);
        ui.set_clip_rect(self.clip);
        content(&mut ui);
    }
}

/// The list in the drawer; it has what room there is.
pub(super) fn scroll(name: &'static str) -> ScrollArea {
    ScrollArea::vertical().id_salt(name).auto_shrink(false).min_scrolled_height(0.0)
}
