//! The button that opens the lesson about what is on the screen.

use egui::Ui;

use super::Button;

/// Draws it. Returns whether it was pressed.
pub fn ui(ui: &mut Ui, about: &str) -> bool {
    let name = format!("Learn why: {about}");
    let tooltip = format!("Open the lesson about this: {about}");
    ui.add(Button::ghost("Learn why").small().name(&name).tooltip(&tooltip)).clicked()
}
