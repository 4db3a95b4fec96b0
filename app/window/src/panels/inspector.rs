//! The area at the right: what is selected in the view that is shown.

use egui::{Margin, ScrollArea, Ui};

use super::{documents, expiry, indexes, schema};
use crate::action::Actions;
use crate::state::drafts::TabDraft;
use crate::state::tabs::ViewKind;
use crate::state::{State, Tab};

pub fn ui(ui: &mut Ui, state: &State, tab: &Tab, draft: &mut TabDraft, actions: &mut Actions) {
    ScrollArea::vertical().id_salt("inspector").auto_shrink(false).show(ui, |ui| {
        egui::Frame::new().inner_margin(Margin::same(16)).show(ui, |ui| match tab.view {
            ViewKind::Documents => {
                documents::inspector_ui(ui, state, tab, &mut draft.documents, actions);
            }
            ViewKind::Schema => schema::inspector_ui(ui, tab, actions),
            ViewKind::Aggregate => {}
            ViewKind::Expiry => expiry::inspector_ui(ui, state, tab, actions),
            ViewKind::Indexes => indexes::inspector_ui(ui, state, tab, actions),
        });
    });
}
