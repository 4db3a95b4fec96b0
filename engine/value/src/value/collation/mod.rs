//! Collations: how text compares by the rules of a language.
//!
//! The rules are those of CLDR, run by ICU4X. MongoDB runs ICU 57.1 with the CLDR rules of 2016, so
//! characters and rules that are newer may sort differently there. Two differences are known:
//! text that differs only in its Unicode normalization is always equal here, and with
//! `normalization: false` only sometimes in MongoDB; `backwards` can be set only for locales
//! without rules of their own.
//!
//! `None` in the place of a collation is the simple one: bytes. It costs nothing where it is used.

mod locale;
mod read;

use std::{cmp::Ordering, fmt, sync::Arc};

use bson::{Document, raw::RawBsonRef};
use icu_collator::CollatorBorrowed;

use super::{key::append_text, order::next_element};
pub use read::{CollationError, CollationMistake};

/// The version that collations have in MongoDB 8.2: its ICU.
pub const COLLATION_VERSION: &str = "57.1";

/// The form of the sort keys that indexes store. Raise it when a version of ICU4X makes other
/// bytes; a test of this folder fails then.
pub const SORT_KEY_FORM: u8 = 1;

/// A collation other than the simple one. A clone is the same collation.
#[derive(Clone)]
pub struct Collation(Arc<Rules>);

struct Rules {
    /// All fields, as MongoDB shows them.
    spec: Document,
    collator: CollatorBorrowed<'static>,
}

/// How two texts compare, and the bytes that compare likewise.
pub(crate) trait TextOrder {
    /// Which one comes first.
    fn compare(&self, a: &str, b: &str) -> Ordering;

    /// Appends the part of a key that sorts as the text does.
    fn append_text(&self, out: &mut Vec<u8>, text: &str);
}

pub(crate) struct Simple;

impl TextOrder for Simple {
    fn compare(&self, a: &str, b: &str) -> Ordering {
        a.cmp(b)
    }

    fn append_text(&self, out: &mut Vec<u8>, text: &str) {
        append_text(out, text.as_bytes());
    }
}

impl TextOrder for Collation {
    fn compare(&self, a: &str, b: &str) -> Ordering {
        self.0.collator.compare(a, b)
    }

    fn append_text(&self, out: &mut Vec<u8>, text: &str) {
        append_text(out, &self.sort_key(text));
    }
}

impl Collation {
    /// All its fields, in MongoDB's order.
    pub fn spec(&self) -> &Document {
        &self.0.spec
    }

    /// Bytes that sort as the text does.
    pub fn sort_key(&self, text: &str) -> Vec<u8> {
        let mut key = Vec::with_capacity(2 * text.len());
        let Ok(()) = self.0.collator.write_sort_key_to(text, &mut key);
        key
    }
}

/// A sort key as MongoDB shows it in errors and plans.
pub fn shown_key(key: &[u8]) -> String {
    let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    format!("CollationKey(0x{digits})")
}

impl fmt::Debug for Collation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Collation").field(&self.0.spec).finish()
    }
}

/// Collations are equal when all their fields are.
impl PartialEq for Collation {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.spec == other.0.spec
    }
}

impl Eq for Collation {}

/// Whether a collation can matter for this value: it is text, or holds some.
pub fn has_text(value: RawBsonRef<'_>) -> bool {
    let mut open = Vec::new();
    let mut next = Some(value);
    loop {
        match next {
            Some(RawBsonRef::String(_) | RawBsonRef::Symbol(_)) => return true,
            Some(RawBsonRef::Document(document)) => open.push(document.iter_elements()),
            Some(RawBsonRef::Array(array)) => open.push(array.iter_elements()),
            Some(RawBsonRef::JavaScriptCodeWithScope(code)) => {
                open.push(code.scope.iter_elements());
            }
            _ => {}
        }
        loop {
            let Some(inner) = open.last_mut() else { return false };
            next = next_element(inner).map(|(_, value)| value);
            if next.is_some() {
                break;
            }
            open.pop();
        }
    }
}

#[cfg(test)]
mod tests;
