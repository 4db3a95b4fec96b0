//! How everything looks: colors, sizes, durations, type and icons, each named by what it means.
//!
//! Colors and sizes in points are defined only here. Nothing here knows what is being shown.

pub mod colors;
pub mod durations;
pub mod fonts;
pub mod icons;
pub mod sizes;
pub mod style;
pub mod terminal;
pub mod text;

pub use colors::{Colors, Contrast, colors};
pub use fonts::install_fonts;
pub use icons::Icon;
pub use style::install_style;
