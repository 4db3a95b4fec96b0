//! `create`.

use bson::Document;

use crate::catalog::Namespace;

/// A collection or view to create.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateRequest {
    /// Its name.
    pub namespace: Namespace,
    /// The fields of the command without its name and without fields that every command has
    /// (`$db`, `lsid`, `comment`, `writeConcern` …).
    pub options: Document,
}
