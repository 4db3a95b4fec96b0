//! d
use egui::Ui; use crate::action::Actions; use crate::state::{State,Drafts};
/// d
pub fn panel_ui(_ui: &mut Ui, _s: &State, _d: &mut Drafts, _a: &mut Actions) {}
