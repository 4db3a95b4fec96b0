//! Values and types as error sentences show them.

use bson::raw::RawBsonRef;

pub(super) use crate::query::filter::type_name as kind;
use crate::value::{
    Layout,
    extjson::{self, Style},
};

/// The value as JSON.
pub(super) fn shown(value: RawBsonRef<'_>) -> String {
    extjson::write_value(value, Style::Relaxed, Layout::OneLine)
}
