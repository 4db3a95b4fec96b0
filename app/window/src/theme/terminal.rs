//! The colors of a terminal, by the meanings that they have in the window.
//!
//! A terminal's background is not known, so each color is of a middle brightness: it has a contrast
//! of at least 3.8 on black and on white. Nothing is said by a color alone.

use ratatui::style::{Color, Modifier, Style};

/// How many colors a terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// None, or the user wants none.
    Plain,
    /// The first eight, whose shades the terminal chooses.
    Eight,
    /// The table of 256.
    Table,
}

/// Styles by meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalColors {
    pub text: Style,
    pub dim: Style,
    /// Headings, and what stands out without a color.
    pub strong: Style,
    pub waiting: Style,
    /// Documents that expire within seconds.
    pub soon: Style,
    /// Past the threshold and not yet removed; a simulated clock; a hold.
    pub overdue: Style,
    pub removed: Style,
    /// Removed documents that are about to leave the screen.
    pub fading: Style,
    pub busy: Style,
    pub error: Style,
    pub chosen: Style,
}

impl Depth {
    /// The colors by a terminal's environment: its type, `COLORTERM` and `NO_COLOR`.
    pub fn of(term: &str, colorterm: &str, no_color: &str) -> Self {
        let has_table = ["256color", "xterm", "tmux", "kitty", "alacritty", "foot", "wezterm"];
        if !no_color.is_empty() {
            return Self::Plain;
        }
        // Terminals of Windows set no type and have the table.
        let is_table = term.is_empty() || has_table.iter().any(|known| term.contains(known));
        if !colorterm.is_empty() || is_table { Self::Table } else { Self::Eight }
    }
}

impl TerminalColors {
    /// The styles for this number of colors.
    pub fn new(depth: Depth) -> Self {
        // Of the first eight, cyan, green and yellow can't be read on white.
        let ink = |eight: Option<Color>, table: u8| match (depth, eight) {
            (Depth::Table, _) => Style::new().fg(Color::Indexed(table)),
            (Depth::Eight, Some(eight)) => Style::new().fg(eight),
            (Depth::Eight, None) | (Depth::Plain, _) => Style::new(),
        };
        let gray = match depth {
            Depth::Table => Style::new().fg(Color::Indexed(243)),
            Depth::Plain | Depth::Eight => Style::new().add_modifier(Modifier::DIM),
        };
        let bold = Style::new().add_modifier(Modifier::BOLD);
        Self {
            text: Style::new(),
            dim: gray,
            strong: bold,
            waiting: ink(None, 30),
            soon: ink(None, 100).add_modifier(Modifier::BOLD),
            overdue: ink(Some(Color::Magenta), 130).add_modifier(Modifier::BOLD),
            removed: gray,
            fading: gray.add_modifier(Modifier::DIM),
            busy: ink(Some(Color::Blue), 32).add_modifier(Modifier::BOLD),
            error: ink(Some(Color::Red), 160).add_modifier(Modifier::BOLD),
            chosen: Style::new().add_modifier(Modifier::REVERSED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_has_the_colors_that_its_environment_names() {
        let check = |term, colorterm, no_color, expected| {
            assert_eq!(Depth::of(term, colorterm, no_color), expected, "{term} {colorterm}");
        };
        check("xterm", "", "", Depth::Table);
        check("screen.xterm-256color", "", "", Depth::Table);
        check("screen", "", "", Depth::Eight);
        check("linux", "", "", Depth::Eight);
        check("screen", "truecolor", "", Depth::Table);
        check("xterm-256color", "truecolor", "1", Depth::Plain);
        check("", "", "", Depth::Table);
    }

    #[test]
    fn without_colors_nothing_is_colored() {
        let plain = TerminalColors::new(Depth::Plain);
        let all = [
            plain.text,
            plain.dim,
            plain.strong,
            plain.waiting,
            plain.soon,
            plain.overdue,
            plain.removed,
            plain.fading,
            plain.busy,
            plain.error,
            plain.chosen,
        ];
        assert!(all.iter().all(|style| style.fg.is_none() && style.bg.is_none()));
    }

    /// The brightness of a color of the table, as WCAG defines it.
    fn luminance(index: u8) -> f64 {
        let levels = [0.0, 95.0, 135.0, 175.0, 215.0, 255.0];
        let rgb: [f64; 3] = if index >= 232 {
            [f64::from(index - 232) * 10.0 + 8.0; 3]
        } else {
            let at = usize::from(index - 16);
            [levels[at / 36], levels[at / 6 % 6], levels[at % 6]]
        };
        let linear = rgb.map(|part: f64| ((part / 255.0 + 0.055) / 1.055).powf(2.4));
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    #[test]
    fn every_color_can_be_read_on_black_and_on_white() {
        let table = TerminalColors::new(Depth::Table);
        let all = [
            table.dim,
            table.waiting,
            table.soon,
            table.overdue,
            table.removed,
            table.busy,
            table.error,
        ];
        for style in all {
            let Some(Color::Indexed(index)) = style.fg else { panic!("{style:?}") };
            let light = luminance(index);
            let (on_black, on_white) = ((light + 0.05) / 0.05, 1.05 / (light + 0.05));
            assert!(on_black >= 3.8 && on_white >= 3.8, "{index}: {on_black} {on_white}");
        }
    }
}
