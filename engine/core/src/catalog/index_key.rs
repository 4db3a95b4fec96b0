//! The key pattern of an index.

use std::cmp::Ordering;

use bson::{Bson, Document, RawDocumentBuf};

use crate::value::{Direction, Path, compare_documents};

/// A key pattern: paths and how each is indexed.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexKey {
    /// The fields in order; at least one.
    pub parts: Vec<KeyPart>,
    /// The pattern as given, such as `{a: 1, b: -1}`.
    pub source: Document,
}

/// One field of a key pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPart {
    /// The indexed path. For a wildcard the path ends with `$**`.
    pub path: Path,
    /// How it is indexed.
    pub kind: KeyKind,
}

/// How a field is indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
    /// `"hashed"`
    Hashed,
    /// `"text"`
    Text,
    /// `"2d"`
    Geo2d,
    /// `"2dsphere"`
    Geo2dSphere,
    /// The path is `$**` or ends with `.$**`.
    Wildcard,
}

impl KeyKind {
    /// The direction of a plain field; `None` for the special kinds.
    #[must_use]
    pub fn direction(self) -> Option<Direction> {
        match self {
            Self::Ascending => Some(Direction::Ascending),
            Self::Descending => Some(Direction::Descending),
            Self::Hashed | Self::Text | Self::Geo2d | Self::Geo2dSphere | Self::Wildcard => None,
        }
    }

    /// The kind of a key pattern's field: a number other than 0, or a known word; otherwise `None`.
    pub fn of(field: &str, value: &Bson) -> Option<Self> {
        let sign = match value {
            Bson::Int32(number) => f64::from(*number),
            #[expect(clippy::cast_precision_loss, reason = "only the sign counts")]
            Bson::Int64(number) => *number as f64,
            Bson::Double(number) => *number,
            Bson::Decimal128(number) => number.to_string().parse().unwrap_or(0.0),
            Bson::String(word) => return Self::of_word(word),
            _ => return None,
        };
        let wildcard = field == "$**" || field.ends_with(".$**");
        match sign.partial_cmp(&0.0)? {
            Ordering::Equal => None,
            _ if wildcard => Some(Self::Wildcard),
            Ordering::Greater => Some(Self::Ascending),
            Ordering::Less => Some(Self::Descending),
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        match word {
            "hashed" => Some(Self::Hashed),
            "text" => Some(Self::Text),
            "2d" => Some(Self::Geo2d),
            "2dsphere" => Some(Self::Geo2dSphere),
            _ => None,
        }
    }
}

impl IndexKey {
    /// Parses a stored or checked pattern; `None` if it is not a key pattern.
    pub fn read(source: &Document) -> Option<Self> {
        let parts = source
            .iter()
            .map(|(field, value)| {
                let kind = KeyKind::of(field, value)?;
                Some(KeyPart { path: Path::parse_any(field).ok()?, kind })
            })
            .collect::<Option<Vec<_>>>()?;
        (!parts.is_empty()).then(|| Self { parts, source: source.clone() })
    }

    /// The field of a single-field index.
    pub fn single(&self) -> Option<&KeyPart> {
        match self.parts.as_slice() {
            [part] => Some(part),
            _ => None,
        }
    }

    /// Whether this is `{_id: 1}` (or `{_id: -1}`, which can't be created).
    pub fn is_id(&self) -> bool {
        self.single()
            .is_some_and(|part| part.path.as_str() == "_id" && part.kind.direction().is_some())
    }

    /// Whether all fields are plain ascending or descending ones.
    pub fn is_plain(&self) -> bool {
        self.parts.iter().all(|part| part.kind.direction().is_some())
    }

    /// Whether any field is of this kind.
    pub fn has(&self, kind: KeyKind) -> bool {
        self.parts.iter().any(|part| part.kind == kind)
    }

    /// Whether a pattern has the same fields in the same order with equal values; `1` and `1.0` are
    /// equal.
    pub fn same_pattern(&self, pattern: &Document) -> bool {
        same_document(&self.source, pattern)
    }
}

/// Whether two documents are equal as MongoDB compares them: numbers by value.
pub(crate) fn same_document(a: &Document, b: &Document) -> bool {
    match (RawDocumentBuf::try_from(a), RawDocumentBuf::try_from(b)) {
        (Ok(a), Ok(b)) => compare_documents(&a, &b) == Ordering::Equal,
        _ => false,
    }
}
