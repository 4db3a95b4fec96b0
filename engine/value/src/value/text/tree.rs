//! One walk over BSON that writes any notation. It does not recurse.

use bson::raw::{RawBsonRef, RawDocument};

use super::elements::{Elements, Value};

/// How names and simple values look.
pub(in crate::value) trait Notation {
    /// Whether brackets and braces on one line have spaces inside, as `{ a: 1 }`.
    const SPACED: bool;

    /// Appends a field's name.
    fn name(&self, out: &mut Vec<u8>, name: &str);

    /// Appends a value that is not a document, array or code with scope.
    fn scalar(&self, out: &mut Vec<u8>, value: RawBsonRef<'_>);

    /// Appends the text before the scope of code; returns the text after it.
    fn scope(&self, out: &mut Vec<u8>, code: &str) -> &'static [u8];
}

/// A document or array that is being written.
struct OpenContainer<'v> {
    elements: Elements<'v>,
    array: bool,
    empty: bool,
    after: &'static [u8],
}

struct Writer<'o, 'v, N> {
    out: &'o mut Vec<u8>,
    notation: N,
    layout: Layout,
    open: Option<OpenContainer<'v>>,
    around: Vec<OpenContainer<'v>>,
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
    let mut writer = Writer { out, notation, layout, open: None, around: Vec::new() };
    match value {
        RawBsonRef::Document(document) => writer.begin(document.as_bytes(), false, b""),
        RawBsonRef::Array(array) => writer.begin(array.as_bytes(), true, b""),
        RawBsonRef::JavaScriptCodeWithScope(code) => {
            let after = writer.notation.scope(writer.out, code.code);
            writer.begin(code.scope.as_bytes(), false, after);
        }
        _ => writer.notation.scalar(writer.out, value),
    }
    writer.run();
}

impl<'v, N: Notation> Writer<'_, 'v, N> {
    fn begin(&mut self, bytes: &'v [u8], array: bool, after: &'static [u8]) {
        self.out.push(if array { b'[' } else { b'{' });
        let open = OpenContainer { elements: Elements::of(bytes), array, empty: true, after };
        self.around.extend(self.open.replace(open));
    }

    fn run(&mut self) {
        while let Some(open) = &mut self.open {
            let Some((name, value)) = open.elements.next() else {
                self.close();
                continue;
            };
            if !std::mem::replace(&mut open.empty, false) {
                self.out.push(b',');
            }
            let array = open.array;
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

    fn value(&mut self, value: Value<'v>) {
        match value {
            Value::Plain(value) => self.notation.scalar(self.out, value),
            Value::Document(bytes) => self.begin(bytes, false, b""),
            Value::Array(bytes) => self.begin(bytes, true, b""),
            Value::CodeWithScope(code, scope) => {
                let after = self.notation.scope(self.out, code);
                self.begin(scope, false, after);
            }
            Value::Rare(rare) => {
                // One that can't be read has ended the elements already.
                let _ = rare.with(|value| self.notation.scalar(self.out, value));
            }
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        self.open = self.around.pop();
        if !open.empty {
            self.gap();
        }
        self.out.push(if open.array { b']' } else { b'}' });
        self.out.extend_from_slice(open.after);
    }

    /// The space before a field or a closing bracket.
    fn gap(&mut self) {
        if self.layout == Layout::Indented {
            let depth = self.around.len() + usize::from(self.open.is_some());
            self.out.push(b'\n');
            self.out.resize(self.out.len() + 2 * depth, b' ');
        } else if N::SPACED {
            self.out.push(b' ');
        }
    }
}

/// How text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Everything on one line.
    #[default]
    OneLine,
    /// One field a line, two spaces a level.
    Indented,
}
