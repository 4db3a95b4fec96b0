//! Characters that can't be seen, as marks, for places that draw text in a single color.

pub use super::value_text::with_marks as visible;
