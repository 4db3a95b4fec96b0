//! Values and types as error sentences show them.

use bson::raw::RawBsonRef;

use crate::{
    query::filter::type_name,
    value::{
        Layout,
        extjson::{self, Style},
    },
};

/// MongoDB's name of the value's type.
pub(super) fn kind(value: RawBsonRef<'_>) -> &'static str {
    type_name(value)
}

/// The value as JSON.
pub(super) fn shown(value: RawBsonRef<'_>) -> String {
    extjson::write_value(value, Style::Relaxed, Layout::OneLine)
}
