//! BSON types by name and number.

use bson::{raw::RawBsonRef, spec::ElementType};

/// A set of BSON types, for `$type`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypeSet {
    types: Vec<ElementType>,
}

impl TypeSet {
    /// Whether the value's type is in the set.
    pub fn contains(&self, value: RawBsonRef<'_>) -> bool {
        self.types.contains(&value.element_type())
    }

    /// The types.
    pub fn types(&self) -> &[ElementType] {
        &self.types
    }
}

/// MongoDB's name of a value's type, as `$type` takes it.
pub(crate) fn type_name(value: RawBsonRef<'_>) -> &'static str {
    todo!("{value:?}")
}
