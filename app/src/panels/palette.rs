//! d
/// d
pub fn ui(
    _c: &egui::Context,
    _s: &crate::state::State,
    _d: &mut crate::state::Drafts,
    _a: &mut crate::action::Actions,
) {
}
