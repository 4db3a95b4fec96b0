//! One walk over BSON that writes any notation. It does not recurse.

use bson::raw::{RawBsonRef, RawDocument, RawIter};

use super::Layout;
use crate::value::order::next_element;

/// How names and simple values look.
pub(in crate::value) trait Notation {
    /// Whether brackets and braces on one line have spaces inside, as `{ a: 1 }`.
    const SPACED: bool;

    /// Appends a field's name.
    fn name(&self, out: &mut Vec<u8>, name: &str);

    /// Appends a value that is no document, array or code with scope.
    fn scalar(&self, out: &mut Vec<u8>, value: RawBsonRef<'_>);

    /// Appends what stands around the scope of code; returns what follows the scope.
    fn scope(&self, out: &mut Vec<u8>, code: &str) -> &'static [u8];
}

/// A document or array that is being written.
struct Open<'v> {
    elements: RawIter<'v>,
    array: bool,
    empty: bool,
    /// What comes behind its closing bracket.
    after: &'static [u8],
}

struct Writer<'o, 'v, N> {
    out: &'o mut Vec<u8>,
    notation: N,
    layout: Layout,
    open: Vec<Open<'v>>,
}

/// Appends a document.
pub(in crate::value) fn write_document(
    out: &mut Vec<u8>,
    document: &RawDocument,
    layout: Layout,
    notation: impl Notation,
) {
    write_value(out, RawBsonRef::Document(document), layout, notation);
}

/// Appends a value.
pub(in crate::value) fn write_value(
    out: &mut Vec<u8>,
    value: RawBsonRef<'_>,
    layout: Layout,
    notation: impl Notation,
) {
    let mut writer = Writer { out, notation, layout, open: Vec::new() };
    writer.value(value);
    writer.run();
}

impl<'v, N: Notation> Writer<'_, 'v, N> {
    fn value(&mut self, value: RawBsonRef<'v>) {
        match value {
            RawBsonRef::Document(document) => self.begin(document.iter_elements(), false, b""),
            RawBsonRef::Array(array) => self.begin(array.iter_elements(), true, b""),
            RawBsonRef::JavaScriptCodeWithScope(code) => {
                let after = self.notation.scope(self.out, code.code);
                self.begin(code.scope.iter_elements(), false, after);
            }
            _ => self.notation.scalar(self.out, value),
        }
    }

    fn begin(&mut self, elements: RawIter<'v>, array: bool, after: &'static [u8]) {
        self.out.push(if array { b'[' } else { b'{' });
        self.open.push(Open { elements, array, empty: true, after });
    }

    fn run(&mut self) {
        while let Some(open) = self.open.last_mut() {
            let (array, first) = (open.array, open.empty);
            let Some((name, value)) = next_element(&mut open.elements) else {
                self.close();
                continue;
            };
            open.empty = false;
            if !first {
                self.out.push(b',');
            }
            self.gap();
            if !array {
                self.notation.name(self.out, name);
                self.out.push(b':');
                if N::SPACED || self.layout == Layout::Indented {
                    self.out.push(b' ');
                }
            }
            self.value(value);
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if !open.empty {
            self.gap();
        }
        self.out.push(if open.array { b']' } else { b'}' });
        self.out.extend_from_slice(open.after);
    }

    /// The space before a field or a closing bracket.
    fn gap(&mut self) {
        if self.layout == Layout::Indented {
            self.out.push(b'\n');
            self.out.resize(self.out.len() + 2 * self.open.len(), b' ');
        } else if N::SPACED {
            self.out.push(b' ');
        }
    }
}
