//! The elements of a document or array as its bytes have them, for writers of text.
//!
//! The BSON crate looks at each element twice, once for its extent and once for its value. A file
//! of documents is written three times as fast with one look.

use bson::{
    DateTime, Decimal128, Timestamp,
    oid::ObjectId,
    raw::{RawBinaryRef, RawBsonRef, RawDocument},
    spec::{BinarySubtype, ElementType as T},
};

/// A value as a writer needs it.
pub(super) enum Value<'v> {
    /// The bytes of a document.
    Document(&'v [u8]),
    /// The bytes of an array.
    Array(&'v [u8]),
    /// Code, and the bytes of its scope.
    CodeWithScope(&'v str, &'v [u8]),
    /// Any other value of an ordinary type.
    Plain(RawBsonRef<'v>),
    Rare(Rare<'v>),
}

/// A value that the BSON crate takes apart.
pub(super) struct Rare<'v> {
    tag: u8,
    payload: &'v [u8],
}

impl Rare<'_> {
    /// Hands the value to `then`, unless it is damaged.
    pub(super) fn with(&self, then: impl FnOnce(RawBsonRef<'_>)) -> Option<()> {
        // One field with the empty name: length, tag, NUL, value, NUL.
        let mut bytes = vec![0; 4];
        bytes.extend_from_slice(&[self.tag, 0]);
        bytes.extend_from_slice(self.payload);
        bytes.push(0);
        let length = i32::try_from(bytes.len()).ok()?.to_le_bytes();
        bytes.first_chunk_mut().map(|first| *first = length)?;
        let document = RawDocument::from_bytes(&bytes).ok()?;
        let element = document.iter_elements().next()?.ok()?;
        then(element.value().ok()?);
        Some(())
    }
}

/// Goes through the elements; ends at the first one that is damaged.
pub(super) struct Elements<'v> {
    rest: &'v [u8],
}

impl<'v> Elements<'v> {
    /// Of the bytes of a document, an array or a scope.
    pub(super) fn of(document: &'v [u8]) -> Self {
        Self { rest: document.get(4..).unwrap_or_default() }
    }

    fn take(&mut self, count: usize) -> Option<&'v [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn chunk<const N: usize>(&mut self) -> Option<&'v [u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(taken)
    }

    /// The length at this position, which is not consumed.
    fn length(&self) -> Option<usize> {
        usize::try_from(i32::from_le_bytes(*self.rest.first_chunk()?)).ok()
    }

    /// Bytes up to a NUL, which is used up too.
    fn name(&mut self) -> Option<&'v str> {
        let length = self.rest.iter().position(|byte| *byte == 0)?;
        let name = str::from_utf8(self.take(length)?).ok()?;
        self.take(1)?;
        Some(name)
    }

    fn text(&mut self) -> Option<&'v str> {
        let length = self.length()?;
        let (last, text) = self.take(length.checked_add(4)?)?.get(4..)?.split_last()?;
        if *last == 0 { str::from_utf8(text).ok() } else { None }
    }

    fn document(&mut self) -> Option<&'v [u8]> {
        let length = self.length().filter(|length| *length >= 5)?;
        self.take(length).filter(|bytes| bytes.last() == Some(&0))
    }

    fn code_with_scope(&mut self) -> Option<Value<'v>> {
        let whole = self.length()?;
        let mut inner = Elements { rest: self.take(whole)?.get(4..)? };
        let code = inner.text()?;
        let scope = inner.document()?;
        inner.rest.is_empty().then_some(Value::CodeWithScope(code, scope))
    }

    fn binary(&mut self) -> Option<RawBsonRef<'v>> {
        let length = self.length()?;
        let (&subtype, bytes) = self.take(length.checked_add(5)?)?.get(4..)?.split_first()?;
        let subtype = BinarySubtype::from(subtype);
        let bytes = match subtype {
            // The old form has its length twice.
            BinarySubtype::BinaryOld => {
                let (again, bytes) = bytes.split_first_chunk()?;
                let again = usize::try_from(i32::from_le_bytes(*again)).ok()?;
                (again == bytes.len()).then_some(bytes)?
            }
            _ => bytes,
        };
        Some(RawBsonRef::Binary(RawBinaryRef { subtype, bytes }))
    }

    /// How many bytes a value of a rare type has.
    fn rare_length(&self, tag: T) -> Option<usize> {
        let until_nul = |from: usize| {
            let rest = self.rest.get(from..)?;
            Some(from + rest.iter().position(|byte| *byte == 0)? + 1)
        };
        match tag {
            T::JavaScriptCode | T::Symbol => self.length()?.checked_add(4),
            T::DbPointer => self.length()?.checked_add(16),
            T::RegularExpression => until_nul(until_nul(0)?),
            T::Undefined | T::MinKey | T::MaxKey => Some(0),
            _ => None,
        }
    }
}

impl<'v> Iterator for Elements<'v> {
    type Item = (&'v str, Value<'v>);

    fn next(&mut self) -> Option<Self::Item> {
        use RawBsonRef as V;
        let (&tag, rest) = self.rest.split_first()?;
        self.rest = rest;
        let kind = T::from(tag)?;
        let name = self.name()?;
        let plain = match kind {
            T::String => V::String(self.text()?),
            T::Int32 => V::Int32(i32::from_le_bytes(*self.chunk()?)),
            T::Int64 => V::Int64(i64::from_le_bytes(*self.chunk()?)),
            T::Double => V::Double(f64::from_le_bytes(*self.chunk()?)),
            T::DateTime => V::DateTime(DateTime::from_millis(i64::from_le_bytes(*self.chunk()?))),
            T::ObjectId => V::ObjectId(ObjectId::from_bytes(*self.chunk()?)),
            T::Decimal128 => V::Decimal128(Decimal128::from_bytes(*self.chunk()?)),
            T::Binary => self.binary()?,
            T::Null => V::Null,
            T::Boolean => match self.chunk()? {
                [0] => V::Boolean(false),
                [1] => V::Boolean(true),
                _ => return None,
            },
            T::Timestamp => {
                let (increment, time) = (*self.chunk()?, *self.chunk()?);
                let [increment, time] = [increment, time].map(u32::from_le_bytes);
                V::Timestamp(Timestamp { time, increment })
            }
            T::EmbeddedDocument => return Some((name, Value::Document(self.document()?))),
            T::Array => return Some((name, Value::Array(self.document()?))),
            T::JavaScriptCodeWithScope => return Some((name, self.code_with_scope()?)),
            _ => {
                let payload = self.take(self.rare_length(kind)?)?;
                let rare = Rare { tag, payload };
                rare.with(|_| ())?;
                return Some((name, Value::Rare(rare)));
            }
        };
        Some((name, Value::Plain(plain)))
    }
}
