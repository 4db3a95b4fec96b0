//! A message in the corner.

use egui::{Color32, CornerRadius, Frame, Margin, Role, Shadow, Stroke, Ui, UiBuilder, WidgetInfo};

use super::Button;
use crate::theme::{Icon, colors, sizes, text};

/// A press on a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pressed {
    Button,
    Close,
}

/// Draws a message of a width with an icon in `ink`.
pub fn ui(
    ui: &mut Ui,
    width: f32,
    icon: Icon,
    ink: Color32,
    sentence: &str,
    button: Option<&str>,
) -> Option<Pressed> {
    let look = colors(ui);
    let mut pressed = None;
    Frame::new()
        .fill(look.raised)
        .stroke(Stroke::new(sizes::LINE, look.hairline))
        .corner_radius(CornerRadius::same(9))
        .shadow(Shadow { offset: [0, 6], blur: 20, spread: 0, color: look.shadow })
        .inner_margin(Margin::symmetric(14, 10))
        .show(ui, |ui| {
            ui.set_width(width - 28.0);
            ui.horizontal_top(|ui| {
                ui.label(icon.text().color(ink)).accessible_name(sentence);
                let room = ui.available_width() - 28.0;
                ui.scope_builder(UiBuilder::new(), |ui| {
                    ui.set_width(room);
                    ui.vertical(|ui| {
                        let label = ui.label(text::rich(sentence, text::body()));
                        label.widget_info(|| WidgetInfo::labeled(Role::Label, true, sentence));
                        if let Some(button) = button
                            && ui.add(Button::plain(button).small()).clicked()
                        {
                            pressed = Some(Pressed::Button);
                        }
                    });
                });
                let name = format!("Dismiss: {sentence}");
                let cross = Button::icon_only(Icon::Close, "Dismiss").name(&name);
                if ui.add(cross.small()).clicked() {
                    pressed = Some(Pressed::Close);
                }
            });
        });
    pressed
}
