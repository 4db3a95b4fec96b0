//! d
/// d
pub fn ui(_c: &mut egui::Ui, _s: &crate::state::State, _a: &mut crate::action::Actions) {}
/// d
pub fn views_ui(
    _c: &mut egui::Ui,
    _s: &crate::state::State,
    _t: &crate::state::Tab,
    _a: &mut crate::action::Actions,
) {
}
