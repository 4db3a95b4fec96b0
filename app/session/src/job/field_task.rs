//! A task on one field of a document.

/// A task on one field of a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldTask {
    /// The name of the field at each level; of an array, the index.
    pub names: Vec<String>,
    pub kind: FieldTaskKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldTaskKind {
    /// Edit its value in the list; a field that is not there is added.
    EditInList,
    /// Edit its value in the inspector.
    Edit,
    Rename,
    /// Add a field to it. Without names: to the document.
    Add,
    /// Move it before the field above.
    MoveUp,
    /// Move it after the field below.
    MoveDown,
    Remove,
    /// Show its value in a pane.
    Show,
    /// Look for the document that has its value as its `_id`.
    Refer,
}
