//! The buttons that open the lesson and the section of the guide about what is on the screen.

use egui::{Align, Ui};

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
    link_ui(ui, Button::ghost("Learn why").small().name(&name).tooltip(&tooltip))
}

/// Draws the one that opens the guide at a section. Returns whether it was pressed.
pub fn guide_ui(ui: &mut Ui, title: &str) -> bool {
    let name = format!("Learn more: {title}");
    let tooltip = format!("Open the guide at {title} (F1)");
    link_ui(ui, Button::ghost(GUIDE).small().name(&name).tooltip(&tooltip))
}

/// Draws a button without a border. Alone on a line, its word begins where the other text does.
fn link_ui(ui: &mut Ui, button: Button<'_>) -> bool {
    let layout = ui.layout();
    if !layout.is_vertical() || layout.horizontal_align() != Align::Min {
        return ui.add(button).clicked();
    }
    ui.horizontal(|ui| {
        ui.add_space(-sizes::GAP_SMALL);
        ui.add(button).clicked()
    })
    .inner
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
