//! The buttons that open the lesson and the section of the guide about what is on the screen.

use egui::Ui;

use super::{Button, paint};
use crate::theme::{sizes, text};

/// The label of the button that opens the guide.
const GUIDE: &str = "Learn more";

/// Draws it. Returns whether it was pressed.
pub fn ui(ui: &mut Ui, about: &str) -> bool {
    let name = format!("Learn why: {about}");
    let tooltip = format!("Open the lesson about this: {about}");
    ui.add(Button::ghost("Learn why").small().name(&name).tooltip(&tooltip)).clicked()
}

/// Draws the one that opens the guide at a section. Returns whether it was pressed.
pub fn guide_ui(ui: &mut Ui, title: &str) -> bool {
    let name = format!("Learn more: {title}");
    let tooltip = format!("Open the guide at {title} (F1)");
    ui.add(Button::ghost(GUIDE).small().name(&name).tooltip(&tooltip)).clicked()
}

/// How wide that one is, in points.
pub fn guide_width(ui: &Ui) -> f32 {
    paint::measured(ui, GUIDE, text::small()).x + 2.0 * sizes::CONTROL_PADDING
}
