//! Every color, by meaning, in both modes.

use egui::Color32;

/// How strong text and lines are against their background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contrast {
    /// Labels are dimmer than text that is read.
    Normal,
    /// Nothing is dim: for a projector in a bright room.
    Full,
}

/// The colors of one mode.
#[derive(Debug, Clone, PartialEq)]
pub struct Colors {
    pub background: Color32,
    pub panel: Color32,
    /// Cards, buttons and fields that stand out of a panel.
    pub raised: Color32,
    pub raised_hover: Color32,
    /// Troughs of sliders and progress bars, pressed buttons.
    pub well: Color32,
    pub trough: Color32,
    /// Fields of text.
    pub field: Color32,
    /// The line inside of a field, below its upper border.
    pub field_shadow: Color32,
    /// The chosen word of a segmented control.
    pub thumb: Color32,
    pub hairline: Color32,
    pub text: Color32,
    pub dim: Color32,
    /// Waiting documents, the selection, the primary button.
    pub accent: Color32,
    pub accent_hover: Color32,
    pub accent_background: Color32,
    /// Text on `accent`.
    pub on_accent: Color32,
    /// Past the threshold and not yet removed; a confirm that lets documents expire.
    pub overdue: Color32,
    pub overdue_hover: Color32,
    pub overdue_background: Color32,
    /// Text on `overdue`.
    pub on_overdue: Color32,
    /// The fill of overdue time in a lane, under stripes of `overdue`.
    pub overdue_fill: Color32,
    /// The thickness of these stripes, in points.
    pub hatch_width: f32,
    pub removed: Color32,
    pub error: Color32,
    pub error_hover: Color32,
    pub error_background: Color32,
    /// Text on `error`.
    pub on_error: Color32,
    pub string: Color32,
    /// Bars of histograms and charts, whatever they count.
    pub chart: Color32,
    pub date: Color32,
    pub id: Color32,
    /// Names of calls in a command.
    pub call: Color32,
    pub mark: Color32,
    /// A changed field that is not saved yet.
    pub edited: Color32,
    pub saved: Color32,
    pub busy: Color32,
    /// The shade over the window under a dialog.
    pub backdrop: Color32,
    /// The shadow under a dialog or a menu.
    pub shadow: Color32,
    pub now: Color32,
    /// Text on `now`.
    pub on_now: Color32,
    /// The marks of TTL indexes, where a collection has several; their letters are in `panel`.
    pub index_marks: [Color32; 6],
    /// The background of text that was searched for.
    pub found: Color32,
    /// Text on `found`.
    pub on_found: Color32,
    /// The ring around the pointer of a presentation.
    pub halo: Color32,
    /// The screen of a presentation that shows nothing.
    pub blank: Color32,
}

/// The colors for a dark room.
pub static DARK: Colors = Colors {
    background: rgb(0x000f_141a),
    panel: rgb(0x0015_1b22),
    raised: rgb(0x001c_242d),
    raised_hover: rgb(0x0024_2e39),
    well: rgb(0x0024_3040),
    trough: rgb(0x000f_141a),
    field: rgb(0x000f_141a),
    field_shadow: shade(60),
    thumb: rgb(0x002a_3542),
    hairline: rgb(0x002a_3540),
    text: rgb(0x00e7_ecf1),
    dim: rgb(0x009a_a7b4),
    accent: rgb(0x004c_c9b0),
    accent_hover: rgb(0x0063_d8c0),
    accent_background: rgb(0x0017_352f),
    on_accent: rgb(0x000b_1f1a),
    overdue: rgb(0x00f2_b84b),
    overdue_hover: rgb(0x00f7_c76c),
    overdue_background: rgb(0x003a_2d12),
    on_overdue: rgb(0x0024_1a05),
    // f2b84b at a quarter.
    overdue_fill: Color32::from_rgba_premultiplied(61, 46, 19, 64),
    hatch_width: 3.0,
    removed: rgb(0x008d_97a1),
    error: rgb(0x00f0_716b),
    error_hover: rgb(0x00f5_8a85),
    error_background: rgb(0x003a_1d1e),
    on_error: rgb(0x0024_0a09),
    string: rgb(0x009b_d17b),
    chart: rgb(0x009d_b2c8),
    date: rgb(0x007f_b8f0),
    id: rgb(0x00c4_9be8),
    call: rgb(0x007f_b8f0),
    mark: rgb(0x00d9_8fb4),
    edited: rgb(0x00e6_cf6a),
    saved: rgb(0x0079_c98a),
    busy: rgb(0x006f_b1ef),
    backdrop: shade(150),
    shadow: shade(110),
    now: rgb(0x00f4_f7fa),
    on_now: rgb(0x0015_1b22),
    index_marks: [
        rgb(0x007f_b8f0),
        rgb(0x0074_d0dd),
        rgb(0x00c4_9be8),
        rgb(0x00d9_8fb4),
        rgb(0x009b_d17b),
        rgb(0x00e6_cf6a),
    ],
    found: rgb(0x002f_5680),
    on_found: rgb(0x00ff_ffff),
    halo: rgb(0x008f_c4f7),
    blank: rgb(0x0000_0000),
};

/// The colors for a bright room.
pub static LIGHT: Colors = Colors {
    background: rgb(0x00ee_f1f4),
    panel: rgb(0x00ff_ffff),
    raised: rgb(0x00f5_f7f9),
    raised_hover: rgb(0x00ea_eef2),
    well: rgb(0x00e4_eaef),
    trough: rgb(0x00e4_eaef),
    field: rgb(0x00ff_ffff),
    field_shadow: shade(16),
    thumb: rgb(0x00ff_ffff),
    hairline: rgb(0x00d3_dae1),
    text: rgb(0x001b_232b),
    dim: rgb(0x0055_626f),
    accent: rgb(0x0009_7462),
    accent_hover: rgb(0x0008_6455),
    accent_background: rgb(0x00d9_f1eb),
    on_accent: rgb(0x00ff_ffff),
    overdue: rgb(0x0098_5900),
    overdue_hover: rgb(0x0084_4e00),
    overdue_background: rgb(0x00fd_f0d5),
    on_overdue: rgb(0x00ff_ffff),
    // f2b84b at 60 %.
    overdue_fill: Color32::from_rgba_premultiplied(145, 110, 45, 153),
    hatch_width: 1.5,
    removed: rgb(0x0062_6c76),
    error: rgb(0x00b4_2318),
    error_hover: rgb(0x009c_1d13),
    error_background: rgb(0x00fb_e7e5),
    on_error: rgb(0x00ff_ffff),
    string: rgb(0x002e_771e),
    chart: rgb(0x004a_6078),
    date: rgb(0x0016_63b0),
    id: rgb(0x007a_3fb0),
    call: rgb(0x0016_63b0),
    mark: rgb(0x00a3_2f6a),
    edited: rgb(0x007e_6400),
    saved: rgb(0x001e_7738),
    busy: rgb(0x0016_63b0),
    backdrop: shade(70),
    shadow: shade(45),
    now: rgb(0x0015_1b22),
    on_now: rgb(0x00ff_ffff),
    index_marks: [
        rgb(0x0016_63b0),
        rgb(0x000b_6878),
        rgb(0x007a_3fb0),
        rgb(0x00a3_2f6a),
        rgb(0x002e_771e),
        rgb(0x007e_6400),
    ],
    found: rgb(0x00b9_daff),
    on_found: rgb(0x000d_1d2c),
    halo: rgb(0x0016_63b0),
    blank: rgb(0x0000_0000),
};

/// The dark mode in full contrast.
pub static DARK_FULL: Colors = Colors {
    text: rgb(0x00ff_ffff),
    dim: rgb(0x00e7_ecf1),
    hairline: rgb(0x0056_6674),
    removed: rgb(0x00c3_ccd4),
    now: rgb(0x00ff_ffff),
    ..DARK
};

/// The light mode in full contrast.
pub static LIGHT_FULL: Colors = Colors {
    text: rgb(0x0000_0000),
    dim: rgb(0x001b_232b),
    hairline: rgb(0x008f_9aa5),
    accent: rgb(0x0005_5f50),
    accent_hover: rgb(0x0004_5044),
    overdue: rgb(0x007a_4600),
    overdue_hover: rgb(0x006a_3d00),
    removed: rgb(0x0040_4952),
    now: rgb(0x0000_0000),
    ..LIGHT
};

impl Colors {
    /// The colors of the dark or the light mode.
    pub fn of(dark: bool, contrast: Contrast) -> &'static Self {
        match (dark, contrast) {
            (true, Contrast::Normal) => &DARK,
            (true, Contrast::Full) => &DARK_FULL,
            (false, Contrast::Normal) => &LIGHT,
            (false, Contrast::Full) => &LIGHT_FULL,
        }
    }

    /// The colors that the window is drawn in.
    pub fn of_window(context: &egui::Context) -> &'static Self {
        Self::of_style(&context.global_style().visuals)
    }

    /// The colors that a style was set up from.
    pub fn of_style(visuals: &egui::Visuals) -> &'static Self {
        let full = Self::of(visuals.dark_mode, Contrast::Full);
        if visuals.weak_text_color == Some(full.dim) {
            full
        } else {
            Self::of(visuals.dark_mode, Contrast::Normal)
        }
    }
}

/// The colors that `ui` is drawn in.
pub fn colors(ui: &egui::Ui) -> &'static Colors {
    Colors::of_style(ui.visuals())
}

/// `color` with `opacity` between 0 and 1.
pub fn faded(color: Color32, opacity: f32) -> Color32 {
    color.gamma_multiply(opacity.clamp(0.0, 1.0))
}

const fn rgb(hex: u32) -> Color32 {
    let [_, r, g, b] = hex.to_be_bytes();
    Color32::from_rgb(r, g, b)
}

const fn shade(alpha: u8) -> Color32 {
    Color32::from_black_alpha(alpha)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance as WCAG 2.2 defines it.
    fn luminance(color: Color32) -> f64 {
        let channel = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(color.r()) + 0.7152 * channel(color.g()) + 0.0722 * channel(color.b())
    }

    fn contrast(a: Color32, b: Color32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// The hue of a color in degrees. `None` for gray.
    fn hue(color: Color32) -> Option<f32> {
        let hsva = egui::ecolor::Hsva::from(color);
        (hsva.s > 0.15).then_some(hsva.h * 360.0)
    }

    #[test]
    fn only_what_is_late_is_amber() {
        for colors in [&DARK, &LIGHT, &DARK_FULL, &LIGHT_FULL] {
            let amber = hue(colors.overdue).expect("amber");
            let data = [colors.text, colors.dim, colors.chart, colors.string, colors.date];
            let marks = data.into_iter().chain([colors.id, colors.call, colors.accent]);
            let marks = marks.chain([colors.index_marks[0], colors.index_marks[1]]);
            for color in marks {
                let apart =
                    hue(color).map(|hue| (hue - amber).abs().min(360.0 - (hue - amber).abs()));
                assert!(apart.is_none_or(|apart| apart > 30.0), "{color:?} looks late: {apart:?}");
            }
        }
    }

    #[test]
    fn text_can_be_read_on_its_background() {
        for colors in [&DARK, &LIGHT, &DARK_FULL, &LIGHT_FULL] {
            let backgrounds = [
                colors.background,
                colors.panel,
                colors.raised,
                colors.raised_hover,
                colors.well,
                colors.trough,
                colors.field,
                colors.accent_background,
                colors.overdue_background,
                colors.error_background,
            ];
            let inks = [
                colors.text,
                colors.dim,
                colors.accent,
                colors.overdue,
                colors.error,
                colors.string,
                colors.chart,
                colors.date,
                colors.id,
                colors.call,
                colors.mark,
                colors.edited,
                colors.saved,
                colors.busy,
            ];
            let inks = inks.into_iter().chain(colors.index_marks);
            let pairs = inks.flat_map(|ink| backgrounds.map(|background| (ink, background)));
            // Tombstones stand on the timeline, in a table, and in the row under the pointer.
            let on = [colors.panel, colors.raised, colors.raised_hover];
            let tombstones = on.map(|background| (colors.removed, background));
            let buttons = [
                (colors.on_accent, colors.accent),
                (colors.on_accent, colors.accent_hover),
                (colors.on_overdue, colors.overdue),
                (colors.on_overdue, colors.overdue_hover),
                (colors.on_error, colors.error),
                (colors.on_error, colors.error_hover),
                (colors.on_now, colors.now),
                (colors.on_found, colors.found),
            ];
            for (ink, background) in pairs.chain(tombstones).chain(buttons) {
                let ratio = contrast(ink, background);
                assert!(ratio >= 4.5, "{ink:?} on {background:?}: {ratio:.2}");
            }
        }
    }
}
