//! The sizes that the user gave to panels, which the settings keep.

use egui::{Context, Id, Ui};

use crate::state::settings::{PanelSizes, SizedPanel};

/// Notes the size of a panel for the next start.
pub(super) fn note_size(ui: &Ui, panel: SizedPanel, size: f32) {
    ui.ctx().data_mut(|data| data.insert_temp(Id::unique(panel), size));
}

/// Takes over the sizes of the panels that were shown.
pub fn take_sizes(context: &Context, sizes: &mut PanelSizes) {
    for panel in SizedPanel::ALL {
        if let Some(size) = context.data(|data| data.get_temp(Id::unique(panel))) {
            sizes.set(panel, size);
        }
    }
}
