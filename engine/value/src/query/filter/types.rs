//! BSON types by name and number.

use bson::{raw::RawBsonRef, spec::ElementType};

use super::number::{as_double, whole};
use crate::{
    query::QueryError,
    value::{error_text::element_text, type_name::TYPES},
};

/// The types that `"number"` means.
const NUMBERS: [ElementType; 4] =
    [ElementType::Double, ElementType::Int32, ElementType::Int64, ElementType::Decimal128];

/// A set of BSON types, for `$type`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypeSet {
    types: Vec<ElementType>,
}

impl TypeSet {
    /// Reads the argument of `$type`: a name, a number, or an array of them.
    pub(super) fn parse(field: &str, argument: RawBsonRef<'_>) -> Result<Self, QueryError> {
        let mut set = Self::default();
        if let RawBsonRef::Array(list) = argument {
            for item in list {
                set.add(item?)?;
            }
        } else {
            set.add(argument)?;
        }
        if set.types.is_empty() {
            return Err(QueryError::failed_to_parse(format!(
                "{field} must match at least one type"
            )));
        }
        Ok(set)
    }

    /// Its types, each once and in one order.
    pub(super) fn in_order(&self) -> Vec<i64> {
        let number = |wanted: &ElementType| {
            TYPES.iter().find(|(_, _, known)| known == wanted).map(|(number, _, _)| *number)
        };
        let mut numbers: Vec<i64> = self.types.iter().filter_map(number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    fn add(&mut self, item: RawBsonRef<'_>) -> Result<(), QueryError> {
        if let RawBsonRef::String("number") = item {
            self.types.extend(NUMBERS);
            return Ok(());
        }
        let found = if let RawBsonRef::String(wanted) = item {
            TYPES.iter().find(|(_, name, _)| *name == wanted)
        } else {
            let wanted = whole(item);
            TYPES.iter().find(|(number, ..)| Some(*number) == wanted)
        };
        if let Some((.., element_type)) = found {
            self.types.push(*element_type);
            return Ok(());
        }
        Err(match item {
            RawBsonRef::String(name) => {
                QueryError::bad_value(format!("Unknown type name alias: {name}"))
            }
            _ if as_double(item).is_some() => {
                let hint = if as_double(item) == Some(0.0) {
                    ". Instead use {$exists:false}."
                } else {
                    ""
                };
                let code = element_text("Invalid numerical type code", item);
                QueryError::bad_value(format!("{code}{hint}"))
            }
            _ => QueryError::type_mismatch("type must be represented as a number or a string"),
        })
    }

    /// Whether the value's type is in the set.
    pub fn contains(&self, value: RawBsonRef<'_>) -> bool {
        self.types.contains(&value.element_type())
    }

    /// The types, in the order in which they were named.
    pub fn types(&self) -> &[ElementType] {
        &self.types
    }
}

pub(crate) fn type_by_name(wanted: &str) -> Option<ElementType> {
    TYPES.iter().find(|(_, name, _)| *name == wanted).map(|found| found.2)
}

pub(crate) fn type_by_number(wanted: i64) -> Option<ElementType> {
    TYPES.iter().find(|(number, ..)| *number == wanted).map(|found| found.2)
}
