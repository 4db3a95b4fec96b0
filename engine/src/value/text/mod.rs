//! What the readers and writers of text share.

mod error;

pub use error::TextError;

/// How text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Everything on one line.
    #[default]
    OneLine,
    /// One field a line, two spaces a level.
    Indented,
}
