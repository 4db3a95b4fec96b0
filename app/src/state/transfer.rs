//! Files in and out.

/// What import and export show outside of their dialogs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transfer {}

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Files that the system's dialog chose.
    Chosen,
}

/// A dialog for files.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {}
