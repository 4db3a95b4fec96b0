//! The buttons that open the lesson and the section of the guide about what is on the screen.

use egui::Ui;

use super::{Button, paint};
use crate::theme::{sizes, text};

/// The label of the button that opens the guide.
const GUIDE: &str = "Learn more";

/// The label of the one in a dialog.
const HELP: &str = "Help";

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

/// Draws the one at the foot of a dialog, whose words begin where the other text does. Returns whether
/// it was pressed.
pub fn help_ui(ui: &mut Ui, title: &str) -> bool {
    let name = format!("Help: {title}");
    let tooltip = format!("Open the guide at {title} (F1)");
    // The padding of the button, which has no border.
    ui.add_space(-sizes::GAP_SMALL);
    ui.add(Button::ghost(HELP).small().name(&name).tooltip(&tooltip)).clicked()
}

/// How wide that one is, in points.
pub fn help_width(ui: &Ui) -> f32 {
    paint::measured(ui, HELP, text::small()).x + sizes::GAP_SMALL
}
