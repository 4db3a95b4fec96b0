//! d
use crate::action::Actions;
use crate::state::{Drafts, State};
use egui::Ui;
/// d
pub fn panel_ui(_ui: &mut Ui, _s: &State, _d: &mut Drafts, _a: &mut Actions) {}
