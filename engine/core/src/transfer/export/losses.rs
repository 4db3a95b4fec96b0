//! The values of an exported file that an import changes, counted before the file is there.

use std::collections::{BTreeMap, HashMap};

use bson::raw::{RawBsonRef, RawDocument};

use crate::transfer::limits::{
    LOSS_FIELDS_NAMED_MAX, LOSS_NAME_CHARS_MAX, LOSS_PATHS_MAX, LOSS_SENTENCES_MAX,
};
use crate::value::{counted, extjson::Style};

/// The type of a value that is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LostKind {
    /// String.
    Text,
    /// 32-bit integer.
    Int,
    /// 64-bit integer.
    Long,
    /// Double.
    Double,
    /// Decimal128.
    Decimal,
    /// Boolean.
    Bool,
    /// Date.
    Date,
    /// `ObjectId`.
    ObjectId,
    /// Null.
    Null,
    /// Array.
    Array,
    /// Embedded document.
    Document,
    /// Binary data.
    Binary,
    /// Any other type.
    Other,
    /// A field that isn't there.
    Missing,
}

impl LostKind {
    pub(in crate::transfer) fn of(value: RawBsonRef<'_>) -> Self {
        match value {
            RawBsonRef::String(_) => Self::Text,
            RawBsonRef::Int32(_) => Self::Int,
            RawBsonRef::Int64(_) => Self::Long,
            RawBsonRef::Double(_) => Self::Double,
            RawBsonRef::Decimal128(_) => Self::Decimal,
            RawBsonRef::Boolean(_) => Self::Bool,
            RawBsonRef::DateTime(_) => Self::Date,
            RawBsonRef::ObjectId(_) => Self::ObjectId,
            RawBsonRef::Null => Self::Null,
            RawBsonRef::Array(_) => Self::Array,
            RawBsonRef::Document(_) => Self::Document,
            RawBsonRef::Binary(_) => Self::Binary,
            _ => Self::Other,
        }
    }

    fn counted(self, count: u64) -> String {
        let (one, many) = match self {
            Self::Text => ("text", "texts"),
            Self::Int => ("int", "ints"),
            Self::Long => ("long", "longs"),
            Self::Double => ("double", "doubles"),
            Self::Decimal => ("decimal", "decimals"),
            Self::Bool => ("boolean", "booleans"),
            Self::Date => ("date", "dates"),
            Self::ObjectId => ("ObjectId", "ObjectIds"),
            Self::Null => ("null", "nulls"),
            Self::Array => ("array", "arrays"),
            Self::Document => ("document", "documents"),
            Self::Binary => ("binary value", "binary values"),
            Self::Other => ("value of a rarer type", "values of rarer types"),
            Self::Missing => ("missing value", "missing values"),
        };
        counted(count, one, many)
    }
}

/// How an import reads a value that is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReadAs {
    /// Text becomes a number.
    Number,
    /// Text becomes true or false.
    Boolean,
    /// A number gets another type.
    OtherNumber,
    /// Another type becomes text.
    Text,
    /// Text becomes other text.
    OtherText,
    /// The field isn't there.
    Missing,
    /// The name of the field is another one, or its place in the document is.
    OtherField,
    /// Null.
    Null,
}

impl ReadAs {
    fn words(self) -> &'static str {
        match self {
            Self::Number => "read as numbers",
            Self::Boolean => "read as true or false",
            Self::OtherNumber => "read as numbers of another type",
            Self::Text => "read as text",
            Self::OtherText => "read as other text",
            Self::Missing => "missing",
            Self::OtherField => "read into fields with other names",
            Self::Null => "read as null",
        }
    }
}

/// Values of one field and one type that an import reads in the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostValues {
    /// The field, as a dotted path.
    pub path: String,
    /// Their type.
    pub kind: LostKind,
    /// How an import reads them.
    pub read_as: ReadAs,
    /// How many there are, at least 1.
    pub count: u64,
}

/// The values that an import of the exported file changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Losses {
    /// The values, those with the highest count first.
    pub values: Vec<LostValues>,
    /// Documents whose fields come back in another order.
    pub reordered: u64,
    /// Why the file can't be imported at all: one sentence without its full stop. Nothing is counted then.
    pub unreadable: Option<String>,
}

impl Losses {
    pub(in crate::transfer) fn add(
        &mut self,
        path: &str,
        (kind, read_as): (LostKind, ReadAs),
        count: u64,
    ) {
        if count > 0 {
            self.values.push(LostValues { path: path.to_owned(), kind, read_as, count });
        }
    }

    pub(in crate::transfer) fn sorted(mut self) -> Self {
        self.values.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.path.cmp(&b.path)));
        self
    }

    /// Whether an import keeps every document.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.reordered == 0 && self.unreadable.is_none()
    }

    /// How many values are lost.
    pub fn count(&self) -> u64 {
        self.values.iter().map(|lost| lost.count).sum()
    }

    /// One sentence for each kind of loss, those with the most values first. Each is the rest of one that
    /// begins with *When the file is imported*.
    pub fn sentences(&self) -> Vec<String> {
        let mut kinds: BTreeMap<(LostKind, ReadAs), (u64, Vec<&str>)> = BTreeMap::new();
        for lost in &self.values {
            let (count, paths) = kinds.entry((lost.kind, lost.read_as)).or_default();
            *count += lost.count;
            paths.push(&lost.path);
        }
        let mut kinds: Vec<_> = kinds.into_iter().collect();
        kinds.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        let mut said: Vec<String> = Vec::new();
        said.extend(self.unreadable.as_ref().map(|why| format!("nothing is read, because {why}")));
        let cut = kinds.len() > LOSS_SENTENCES_MAX;
        let named = if cut { LOSS_SENTENCES_MAX - 1 } else { kinds.len() };
        for ((kind, read_as), (count, paths)) in kinds.iter().take(named) {
            let (values, fields) = (kind.counted(*count), fields(paths));
            said.push(format!("{values} of {fields} will be {}", read_as.words()));
        }
        let rest: u64 = kinds.iter().skip(named).map(|(_, (count, _))| count).sum();
        if rest > 0 {
            said.push(format!(
                "{} will be read otherwise",
                counted(rest, "other value", "other values")
            ));
        }
        if self.reordered > 0 {
            let documents = counted(self.reordered, "document", "documents");
            said.push(format!("{documents} will have their fields in another order"));
        }
        said
    }
}

/// The names of fields, of which only the first are spelled out.
fn fields(paths: &[&str]) -> String {
    let name = |path: &&str| {
        let cut: String = path.chars().take(LOSS_NAME_CHARS_MAX).collect();
        if cut.len() < path.len() { format!("{cut:?}…") } else { format!("{path:?}") }
    };
    let named: Vec<String> = paths.iter().take(LOSS_FIELDS_NAMED_MAX).map(name).collect();
    let more = paths.len().saturating_sub(LOSS_FIELDS_NAMED_MAX) as u64;
    match named.split_last() {
        _ if more > 0 => {
            format!("{} and {}", named.join(", "), counted(more, "other field", "other fields"))
        }
        Some((last, first @ [_, ..])) => format!("{} and {last}", first.join(", ")),
        _ => named.concat(),
    }
}

/// Longs that an import of JSON reads as ints: those that fit in one, unless each type is spelled out.
#[derive(Debug, Default)]
pub(in crate::transfer) struct ShortLongs {
    paths: HashMap<String, u64>,
    /// Those of further paths.
    others: u64,
}

/// The type byte of a long.
const INT64: u8 = 0x12;

impl ShortLongs {
    pub(in crate::transfer) fn add(&mut self, document: &RawDocument, style: Style) {
        // Most documents without a long don't have such a byte.
        if style == Style::Canonical || memchr::memchr(INT64, document.as_bytes()).is_none() {
            return;
        }
        short_longs(document, &mut String::new(), &mut |path| {
            if let Some(count) = self.paths.get_mut(path) {
                *count += 1;
            } else if self.paths.len() < LOSS_PATHS_MAX {
                self.paths.insert(path.to_owned(), 1);
            } else {
                self.others += 1;
            }
        });
    }

    pub(in crate::transfer) fn losses(self) -> Losses {
        let (mut losses, lost) = (Losses::default(), (LostKind::Long, ReadAs::OtherNumber));
        for (path, count) in self.paths {
            losses.add(&path, lost, count);
        }
        losses.add("…", lost, self.others);
        losses.sorted()
    }
}

/// Visits the dotted path of each long in a document that fits in an int.
fn short_longs(document: &RawDocument, path: &mut String, visit: &mut dyn FnMut(&str)) {
    let end = path.len();
    for (name, value) in document.iter().filter_map(Result::ok) {
        if end > 0 {
            path.push('.');
        }
        path.push_str(name.as_str());
        short_longs_in(value, path, visit);
        path.truncate(end);
    }
}

/// The same for one value. Those in arrays have the path of their array.
fn short_longs_in(value: RawBsonRef<'_>, path: &mut String, visit: &mut dyn FnMut(&str)) {
    match value {
        RawBsonRef::Int64(long) if i32::try_from(long).is_ok() => visit(path),
        RawBsonRef::Document(inner) => short_longs(inner, path, visit),
        RawBsonRef::Array(items) => {
            for item in items.into_iter().filter_map(Result::ok) {
                short_longs_in(item, path, visit);
            }
        }
        RawBsonRef::JavaScriptCodeWithScope(code) => short_longs(code.scope, path, visit),
        _ => {}
    }
}

/// Whether an import reads some long of a value as an int from JSON that isn't canonical.
pub(in crate::transfer) fn has_short_long(value: RawBsonRef<'_>) -> bool {
    let mut has = false;
    short_longs_in(value, &mut String::new(), &mut |_| has = true);
    has
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_counted_by_kind_and_name_their_fields() {
        let mut losses = Losses::default();
        let text = (LostKind::Text, ReadAs::Number);
        losses.add("phone", text, 599);
        losses.add("at", (LostKind::Date, ReadAs::Text), 1);
        losses.add("zip", text, 1_401);
        losses.add("none", text, 0);
        losses.reordered = 2;
        let said = losses.sorted().sentences();
        assert_eq!(
            said,
            [
                "2,000 texts of \"zip\" and \"phone\" will be read as numbers",
                "1 date of \"at\" will be read as text",
                "2 documents will have their fields in another order",
            ]
        );
    }

    #[test]
    fn sentences_are_few_and_short() {
        const MORE: [LostKind; 5] = [
            LostKind::Array,
            LostKind::Other,
            LostKind::Double,
            LostKind::Decimal,
            LostKind::Binary,
        ];
        let mut losses = Losses::default();
        let kinds = [LostKind::Int, LostKind::Long, LostKind::Bool, LostKind::Date, LostKind::Null];
        for kind in kinds.into_iter().chain(MORE) {
            for field in 0..7 {
                losses.add(&format!("{field}{}", "x".repeat(1_000)), (kind, ReadAs::Text), 10);
            }
        }
        assert_eq!(losses.count(), 700);
        let said = losses.sorted().sentences();
        assert_eq!(said.len(), LOSS_SENTENCES_MAX);
        assert!(said.iter().all(|sentence| sentence.len() < 300), "{said:?}");
        assert!(said[0].contains(" and 4 other fields will be "), "{said:?}");
        assert!(said.last().is_some_and(|last| last.ends_with("will be read otherwise")));
    }
}
