//! d
/// d
pub fn ui(
    _c: &mut egui::Ui,
    _s: &crate::state::State,
    _d: &mut crate::state::Drafts,
    _a: &mut crate::action::Actions,
) {
}
