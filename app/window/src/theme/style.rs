//! egui's own style, set up in full for both modes from the tokens.

use egui::style::{ScrollStyle, Selection, WidgetVisuals};
use egui::{Context, CornerRadius, Margin, Shadow, Stroke, Style, TextStyle, Theme, Vec2, Visuals};

use super::colors::{Colors, Contrast};
use super::{durations, sizes, text};

/// Sets up both modes.
pub fn install_style(context: &Context, contrast: Contrast) {
    for theme in [Theme::Dark, Theme::Light] {
        let colors = Colors::of(theme == Theme::Dark, contrast);
        context.style_mut_of(theme, |style| set_up(style, colors, theme == Theme::Dark));
    }
}

fn set_up(style: &mut Style, colors: &Colors, dark: bool) {
    style.text_styles = [
        (TextStyle::Small, text::small()),
        (TextStyle::Body, text::body()),
        (TextStyle::Button, text::body()),
        (TextStyle::Heading, text::heading()),
        (TextStyle::Monospace, text::mono()),
    ]
    .into();
    style.drag_value_text_style = TextStyle::Monospace;
    style.animation_time = durations::MOTION_SECS;
    style.interaction.tooltip_delay = durations::TOOLTIP_SECS;
    style.interaction.selectable_labels = false;
    style.explanation_tooltips = false;
    style.visuals = visuals(colors, dark);

    let spacing = &mut style.spacing;
    spacing.item_spacing = Vec2::new(sizes::GAP_SMALL, sizes::GAP_SMALL);
    spacing.button_padding = Vec2::new(sizes::GAP, 5.0);
    spacing.interact_size = Vec2::new(40.0, sizes::CONTROL);
    spacing.window_margin = Margin::same(16);
    spacing.menu_margin = Margin::same(6);
    spacing.menu_spacing = sizes::GAP_TINY;
    spacing.menu_width = 260.0;
    spacing.combo_width = 120.0;
    spacing.combo_height = 320.0;
    spacing.tooltip_width = 360.0;
    spacing.icon_width = 18.0;
    spacing.icon_width_inner = 10.0;
    spacing.icon_spacing = sizes::GAP_SMALL;
    spacing.slider_rail_height = 6.0;
    spacing.scroll = ScrollStyle {
        bar_width: 8.0,
        floating_width: 6.0,
        handle_min_length: 32.0,
        dormant_handle_opacity: 0.35,
        ..ScrollStyle::floating()
    };
}

fn visuals(colors: &Colors, dark: bool) -> Visuals {
    let mut visuals = if dark { Visuals::dark() } else { Visuals::light() };
    let hairline = Stroke::new(sizes::LINE, colors.hairline);
    let widget = |fill, border, ink| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(sizes::LINE, border),
        corner_radius: CornerRadius::same(7),
        fg_stroke: Stroke::new(sizes::LINE, ink),
        expansion: 0.0,
    };
    visuals.widgets.noninteractive = widget(colors.panel, colors.hairline, colors.text);
    visuals.widgets.inactive = widget(colors.raised, colors.hairline, colors.text);
    visuals.widgets.hovered = widget(colors.raised_hover, colors.hairline, colors.text);
    visuals.widgets.active = widget(colors.well, colors.accent, colors.text);
    visuals.widgets.open = widget(colors.raised_hover, colors.hairline, colors.text);
    visuals.selection = Selection {
        bg_fill: colors.accent_background,
        stroke: Stroke::new(sizes::LINE, colors.accent),
    };
    visuals.weak_text_color = Some(colors.dim);
    visuals.hyperlink_color = colors.accent;
    visuals.faint_bg_color = colors.raised;
    visuals.extreme_bg_color = colors.background;
    visuals.text_edit_bg_color = Some(colors.field);
    visuals.code_bg_color = colors.background;
    visuals.warn_fg_color = colors.overdue;
    visuals.error_fg_color = colors.error;
    visuals.window_corner_radius = CornerRadius::same(12);
    visuals.menu_corner_radius = CornerRadius::same(9);
    visuals.window_fill = colors.panel;
    visuals.window_stroke = hairline;
    visuals.panel_fill = colors.panel;
    visuals.window_shadow = Shadow { offset: [0, 12], blur: 40, spread: 0, color: colors.shadow };
    visuals.popup_shadow = Shadow { offset: [0, 6], blur: 18, spread: 0, color: colors.shadow };
    visuals.text_cursor.stroke = Stroke::new(1.5, colors.accent);
    visuals.text_cursor.blink = false;
    visuals.slider_trailing_fill = true;
    visuals.striped = false;
    visuals.indent_has_left_vline = false;
    visuals.disabled_alpha = 0.45;
    visuals
}
