//! The type scale.

use egui::{FontFamily, FontId, RichText};

use super::fonts::{MONO_MEDIUM, SANS_MEDIUM, SANS_SEMIBOLD};

/// Body text: 14 points.
pub const BODY: f32 = 14.0;
/// Secondary text: 12 points.
pub const SMALL: f32 = 12.0;
/// Values and digits: 13 points.
pub const MONO: f32 = 13.0;
/// Small digits: 12 points.
pub const MONO_SMALL: f32 = 12.0;
/// Titles of cards: 14 points, heavy.
pub const TITLE: f32 = 14.0;
/// Titles of dialogs: 17 points.
pub const HEADING: f32 = 17.0;
/// Text that is read rather than used, such as a lesson: 17 points.
pub const READING: f32 = 17.0;
/// A figure that is looked at from the back of the room: 21 points.
pub const FIGURE: f32 = 21.0;
/// Icons next to body text.
pub const ICON: f32 = 17.0;

pub fn body() -> FontId {
    FontId::new(BODY, FontFamily::Proportional)
}

/// Secondary text.
pub fn small() -> FontId {
    FontId::new(SMALL, FontFamily::Proportional)
}

/// A little heavier than body text: the name of a tab, a label that is pressed.
pub fn medium() -> FontId {
    FontId::new(BODY, FontFamily::Name(SANS_MEDIUM.into()))
}

/// The title of a card, the chosen tab.
pub fn title() -> FontId {
    FontId::new(TITLE, FontFamily::Name(SANS_SEMIBOLD.into()))
}

/// Body size, heavy: the label of a primary button.
pub fn strong() -> FontId {
    FontId::new(BODY, FontFamily::Name(SANS_SEMIBOLD.into()))
}

/// The title of a dialog.
pub fn heading() -> FontId {
    FontId::new(HEADING, FontFamily::Name(SANS_SEMIBOLD.into()))
}

/// The title of something that is read, such as the card of a lesson.
pub fn large_heading() -> FontId {
    FontId::new(FIGURE, FontFamily::Name(SANS_SEMIBOLD.into()))
}

/// Values and digits.
pub fn mono() -> FontId {
    FontId::new(MONO, FontFamily::Monospace)
}

/// Small digits.
pub fn mono_small() -> FontId {
    FontId::new(MONO_SMALL, FontFamily::Monospace)
}

/// Values and digits, heavier.
pub fn mono_strong() -> FontId {
    FontId::new(MONO, FontFamily::Name(MONO_MEDIUM.into()))
}

/// A large figure.
pub fn figure() -> FontId {
    FontId::new(FIGURE, FontFamily::Monospace)
}

/// `text` in `font`.
pub fn rich(text: impl Into<String>, font: FontId) -> RichText {
    RichText::new(text).font(font)
}
