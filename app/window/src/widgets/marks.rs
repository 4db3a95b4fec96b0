//! Characters that can't be seen, as marks, for places that draw text in a single color.

pub use super::value_text::with_marks as visible;

/// The same for several lines, whose line ends stay.
pub fn visible_lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}
