//! Values as MongoDB prints them in errors.

use bson::{Bson, Timestamp, raw::RawBsonRef};

use super::{Layout, shell};

/// A field with its value as MongoDB prints it in errors.
pub(crate) fn element_text(name: &str, value: RawBsonRef<'_>) -> String {
    format!("{name}: {}", value_text(value))
}

/// A value as MongoDB prints it in errors.
pub fn value_text(value: RawBsonRef<'_>) -> String {
    match value {
        RawBsonRef::Double(number) if number.is_nan() => "nan.0".to_owned(),
        RawBsonRef::Double(number) if number.is_infinite() => {
            (if number > 0.0 { "inf" } else { "-inf" }).to_owned()
        }
        RawBsonRef::Double(number) => format!("{number:?}"),
        RawBsonRef::Int64(number) => number.to_string(),
        RawBsonRef::Decimal128(number) => number.to_string(),
        RawBsonRef::String(text) => format!("\"{text}\""),
        RawBsonRef::DateTime(date) => format!("new Date({})", date.timestamp_millis()),
        RawBsonRef::Timestamp(Timestamp { time, increment }) => {
            format!("Timestamp({time}, {increment})")
        }
        RawBsonRef::Document(document) => {
            let fields = document.iter().filter_map(Result::ok);
            listed('{', fields.map(|(name, value)| element_text(name.as_str(), value)), '}')
        }
        RawBsonRef::Array(array) => {
            listed('[', array.into_iter().filter_map(Result::ok).map(value_text), ']')
        }
        _ => Bson::try_from(value).map_or_else(
            |_| "<invalid>".to_owned(),
            |value| shell::write_value(&value, Layout::OneLine),
        ),
    }
}

fn listed(open: char, items: impl Iterator<Item = String>, close: char) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        return format!("{open}{close}");
    }
    format!("{open} {} {close}", items.join(", "))
}
