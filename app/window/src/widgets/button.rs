//! Buttons.

use egui::{
    Align2, Color32, CornerRadius, Response, Role, Sense, Stroke, StrokeKind, Ui, Vec2, Widget,
    WidgetInfo,
};

use super::{hint::Hint as _, paint, steady};
use crate::theme::{Colors, Icon, colors, sizes, text};

/// The purpose of a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Plain,
    Primary,
    Amber,
    Danger,
    Ghost,
}

/// A button: a word, an icon, or both.
#[expect(clippy::struct_excessive_bools, reason = "independent choices of a builder")]
#[must_use = "add it to a Ui"]
pub struct Button<'a> {
    label: &'a str,
    icon: Option<Icon>,
    icon_only: bool,
    trailing: Option<&'a str>,
    has_menu: bool,
    look: Look,
    enabled: bool,
    selected: bool,
    small: bool,
    tooltip: Option<&'a str>,
    name: Option<&'a str>,
    known_as: Option<&'a str>,
    longest: Option<&'a str>,
    width_min: f32,
    share: Option<f32>,
}

impl<'a> Button<'a> {
    fn new(label: &'a str, look: Look) -> Self {
        Self {
            label,
            icon: None,
            icon_only: false,
            trailing: None,
            has_menu: false,
            look,
            enabled: true,
            selected: false,
            small: false,
            tooltip: None,
            name: None,
            known_as: None,
            longest: None,
            width_min: 0.0,
            share: None,
        }
    }

    /// A button that stands out of its panel a little.
    pub fn plain(label: &'a str) -> Self {
        Self::new(label, Look::Plain)
    }

    /// The primary button. At most one on a dialog or a panel.
    pub fn primary(label: &'a str) -> Self {
        Self::new(label, Look::Primary)
    }

    /// A button that lets documents expire.
    pub fn amber(label: &'a str) -> Self {
        Self::new(label, Look::Amber)
    }

    /// A button that deletes.
    pub fn danger(label: &'a str) -> Self {
        Self::new(label, Look::Danger)
    }

    /// A button without a border, for places that have many.
    pub fn ghost(label: &'a str) -> Self {
        Self::new(label, Look::Ghost)
    }

    /// A button with an icon alone. Its name is read aloud and shown as a tooltip.
    pub fn icon_only(icon: Icon, name: &'a str) -> Self {
        let button = Self::new(name, Look::Ghost).icon(icon).tooltip(name);
        Self { icon_only: true, ..button }
    }

    /// An icon before the word.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// Quiet text after the word, such as its keys.
    pub fn trailing(mut self, trailing: &'a str) -> Self {
        self.trailing = Some(trailing);
        self
    }

    /// A mark that says that a menu opens.
    pub fn menu(mut self) -> Self {
        self.has_menu = true;
        self
    }

    /// Whether it can be pressed.
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Whether it is the chosen one of several.
    pub fn selected(mut self, selected: bool) -> Self {
        self.selected = selected;
        self
    }

    /// Lower, for dense places.
    pub fn small(mut self) -> Self {
        self.small = true;
        self
    }

    /// The effect, in one line. It is also shown while the button can't be pressed.
    pub fn tooltip(mut self, tooltip: &'a str) -> Self {
        self.tooltip = Some(tooltip);
        self
    }

    /// The name that is read aloud, when it is not the label.
    pub fn name(mut self, name: &'a str) -> Self {
        self.name = Some(name);
        self
    }

    /// The fixed name by which it keeps the keyboard's focus when pressing it changes its label.
    pub fn known_as(mut self, known_as: &'a str) -> Self {
        self.known_as = Some(known_as);
        self
    }

    /// At least as wide as with these words.
    pub fn room_for(mut self, words: &'a str) -> Self {
        // Other buttons stay where they are when the label changes to these words.
        self.longest = Some(words);
        self
    }

    /// How far the work is that pressing it began, from 0 to 1: a part of the button is darker.
    pub fn share(mut self, share: Option<f32>) -> Self {
        self.share = share;
        self
    }

    /// The same button with another label.
    pub fn labelled(mut self, label: &'a str) -> Self {
        self.label = label;
        self
    }

    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Whether pressing it loses something.
    pub fn is_risky(&self) -> bool {
        matches!(self.look, Look::Amber | Look::Danger)
    }

    /// At least this wide, in points.
    pub fn width_min(mut self, width: f32) -> Self {
        self.width_min = width;
        self
    }

    fn inks(&self, colors: &Colors, hot: bool, pressed: bool) -> Inks {
        let filled = |fill, hover, ink| Inks {
            fill: if hot || pressed { hover } else { fill },
            border: Color32::TRANSPARENT,
            ink,
        };
        match self.look {
            Look::Primary => filled(colors.accent, colors.accent_hover, colors.on_accent),
            Look::Amber => filled(colors.overdue, colors.overdue_hover, colors.on_overdue),
            Look::Danger => filled(colors.error, colors.error_hover, colors.on_error),
            _ if self.selected => {
                Inks { fill: colors.accent_background, border: colors.accent, ink: colors.text }
            }
            Look::Plain => Inks {
                fill: match (pressed, hot) {
                    (true, _) => colors.well,
                    (_, true) => colors.raised_hover,
                    _ => colors.raised,
                },
                border: colors.hairline,
                ink: colors.text,
            },
            Look::Ghost => Inks {
                fill: match (pressed, hot) {
                    (true, _) => colors.well,
                    (_, true) => colors.raised_hover,
                    _ => Color32::TRANSPARENT,
                },
                border: Color32::TRANSPARENT,
                ink: if hot { colors.text } else { colors.dim },
            },
        }
    }
}

struct Inks {
    fill: Color32,
    border: Color32,
    ink: Color32,
}

impl Widget for Button<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let tooltip = self.tooltip.map(ToOwned::to_owned);
        // Without an area: that would not go to the next line where lines are wrapped.
        let response = if self.enabled {
            self.shown(ui)
        } else {
            ui.add_enabled_ui(false, |ui| self.shown(ui)).inner
        };
        match tooltip {
            Some(tooltip) => response.hint(tooltip.as_str()).hint_disabled(tooltip),
            None => response,
        }
    }
}

impl Button<'_> {
    fn shown(&self, ui: &mut Ui) -> Response {
        let colors = colors(ui);
        let heavy = matches!(self.look, Look::Primary | Look::Amber | Look::Danger);
        let font = match (heavy, self.small) {
            (true, _) => text::strong(),
            (false, true) => text::small(),
            (false, false) => text::body(),
        };
        let height = if self.small { sizes::CONTROL_SMALL } else { sizes::CONTROL };
        let padding = match (self.icon_only, self.small) {
            (true, _) => 0.0,
            (false, true) => sizes::GAP_SMALL,
            (false, false) => sizes::CONTROL_PADDING,
        };
        let label = if self.icon_only { "" } else { self.label };
        let parts = self.widths(ui, label, &font);
        let content: f32 = parts.iter().sum();
        // The look may change with the words, and the heaviest is the widest.
        let longest = |words| paint::measured(ui, words, text::strong()).x;
        let longest = self.longest.map_or(0.0, longest);
        let width = (content.max(longest) + 2.0 * padding).max(self.width_min);
        let width = if self.icon_only { height } else { width };
        let size = Vec2::new(width, height);
        let (_, area) = ui.allocate_space(size);
        let rect = ui.layout().align_size_within_rect(size, area);
        let name = self.name.unwrap_or(self.label);
        let id = steady::id(ui, self.known_as.unwrap_or(name));
        let response = ui.interact(area, id, Sense::click());
        response.widget_info(|| {
            let kind = Role::Button;
            if self.selected {
                WidgetInfo::selected(kind, ui.is_enabled(), true, name)
            } else {
                WidgetInfo::labeled(kind, ui.is_enabled(), name)
            }
        });
        if !ui.is_rect_visible(rect) {
            return response;
        }
        let inks = self.inks(colors, response.hovered(), response.is_pointer_button_down_on());
        let radius = CornerRadius::same(7);
        let stroke = Stroke::new(sizes::LINE, inks.border);
        ui.painter().rect(rect, radius, inks.fill, stroke, StrokeKind::Inside);
        if let Some(share) = self.share {
            let done = rect.with_max_x(rect.left() + share.clamp(0.0, 1.0) * rect.width());
            let painter = ui.painter().with_clip_rect(done.intersect(ui.clip_rect()));
            painter.rect_filled(rect, radius, colors.accent_hover);
        }
        if response.has_focus() {
            paint::focus_ring(ui, rect, sizes::RADIUS_BUTTON);
        }
        let left = rect.center().x - content / 2.0;
        self.content(ui, rect, left, &parts, label, font, inks.ink);
        response
    }

    /// Widths of icon, label, trailing text and menu mark, each with its gap.
    fn widths(&self, ui: &Ui, label: &str, font: &egui::FontId) -> [f32; 4] {
        let label_width = paint::measured(ui, label, font.clone()).x;
        let gap = |width: f32| if width > 0.0 { width + 6.0 } else { 0.0 };
        let icon = self.icon.map_or(0.0, |_| self.icon_size());
        let icon = if label.is_empty() { icon } else { gap(icon) };
        let trailing =
            self.trailing.map_or(0.0, |t| gap(paint::measured(ui, t, text::mono_small()).x));
        let menu = if self.has_menu { 20.0 } else { 0.0 };
        [icon, label_width, trailing, menu]
    }

    fn icon_size(&self) -> f32 {
        if self.small { text::ICON - 2.0 } else { text::ICON }
    }

    #[expect(clippy::too_many_arguments, reason = "what `shown` has already measured")]
    fn content(
        &self,
        ui: &Ui,
        rect: egui::Rect,
        left: f32,
        widths: &[f32; 4],
        label: &str,
        font: egui::FontId,
        ink: Color32,
    ) {
        let (mut x, y) = (left, rect.center().y);
        if let Some(icon) = self.icon {
            let size = self.icon_size();
            paint::icon_at(ui.painter(), egui::pos2(x + size / 2.0, y), icon, size, ink);
        }
        x += widths[0];
        let at = |x: f32| egui::pos2(x, y);
        let all = f32::INFINITY;
        if !label.is_empty() {
            paint::text_at(ui, at(x), Align2::LEFT_CENTER, label, font, ink, all);
        }
        x += widths[1];
        if let Some(trailing) = self.trailing {
            let dim = colors(ui).dim;
            let align = Align2::LEFT_CENTER;
            paint::text_at(ui, at(x + 6.0), align, trailing, text::mono_small(), dim, all);
        }
        x += widths[2];
        if self.has_menu {
            paint::icon_at(ui.painter(), at(x + 13.0), Icon::Unfolded, text::ICON, ink);
        }
    }
}
