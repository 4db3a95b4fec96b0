//! The report of an analysis, as the window shows it.

use bson::Bson;

use super::histogram::Bar;
use super::kind::Kind;
use super::path::{Path, Step};
use super::ttl::Candidate;
use super::values::Frequent;

/// The shape of a collection's documents.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schema {
    pub documents: u64,
    pub bytes: u64,
    /// Every path, each before what is inside of it.
    pub fields: Vec<Field>,
    /// Paths that could carry a TTL, the most promising first.
    pub candidates: Vec<Candidate>,
    /// Whether there were more paths or levels than are counted.
    pub is_cut: bool,
}

/// The values at one path.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub path: Path,
    pub seen: u64,
    /// How often it could have been: documents, or the documents of an array.
    pub of: u64,
    /// How often each type was there, the most frequent first.
    pub kinds: Vec<(Kind, u64)>,
    /// How many different values were there, without documents and arrays.
    pub distinct: u64,
    /// Whether that and the counts of the frequent values are exact.
    pub is_exact: bool,
    pub top: Vec<Frequent>,
    /// The first few different values.
    pub examples: Vec<Bson>,
    pub number_range: Option<(f64, f64)>,
    pub numbers: Vec<Bar<f64>>,
    pub times: Option<Times>,
    pub text_lengths: Extent,
    pub array_lengths: Extent,
    /// Whether there are paths inside of it.
    pub has_inner: bool,
}

/// The dates of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// The first and the last one, in milliseconds since 1970.
    pub range: (i64, i64),
    pub bars: Vec<Bar<i64>>,
    /// Dates by the hour of the day, in UTC.
    pub hours: [u64; 24],
    /// Dates by the day of the week from Monday on, in UTC.
    pub weekdays: [u64; 7],
}

/// The smallest, the largest and the mean of some lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    pub count: u64,
    pub min: u64,
    pub max: u64,
    sum: u64,
}

impl Extent {
    /// Counts a length.
    pub fn add(&mut self, length: u64) {
        self.min = if self.count == 0 { length } else { self.min.min(length) };
        self.max = self.max.max(length);
        self.sum = self.sum.saturating_add(length);
        self.count += 1;
    }

    /// The mean, rounded down.
    pub fn mean(&self) -> u64 {
        self.sum / self.count.max(1)
    }
}

impl Field {
    /// How often it was not there.
    pub fn missing(&self) -> u64 {
        self.of.saturating_sub(self.seen)
    }

    /// Whether it is in an array: then it is counted by elements.
    pub fn is_in_array(&self) -> bool {
        self.path.steps().contains(&Step::Elements)
    }

    /// Whether it has text or numbers that can be converted to dates: a conversion reaches into no
    /// array, and an `_id` never changes.
    pub fn can_become_dates(&self) -> bool {
        let kinds = [Kind::String, Kind::Int32, Kind::Long, Kind::Double];
        let is_id = matches!(self.path.steps().first(), Some(Step::Field(name)) if name == "_id");
        let has_values = kinds.iter().any(|kind| self.count_of(*kind) > 0);
        has_values && !is_id && !self.is_in_array() && self.path.dotted().is_some()
    }

    /// How often it was of this type.
    pub fn count_of(&self, kind: Kind) -> u64 {
        self.kinds.iter().find(|(known, _)| *known == kind).map_or(0, |(_, count)| *count)
    }
}

impl Schema {
    pub fn field(&self, path: &Path) -> Option<&Field> {
        self.fields.iter().find(|field| field.path == *path)
    }

    /// Whether values at a dotted path look like dates and can be converted to them. Of a postal
    /// code or a price nothing is offered.
    pub fn looks_like_dates(&self, dotted: &str) -> bool {
        let looks = |one: &&Candidate| one.texts > 0 || one.instants().is_some();
        let mut candidates = self.candidates.iter().filter(looks);
        candidates.any(|one| one.path == dotted) && self.can_become_dates(dotted)
    }

    /// Whether the field at a dotted path has text or numbers that can be converted to dates.
    pub fn can_become_dates(&self, dotted: &str) -> bool {
        let mut convertible = self.fields.iter().filter(|field| field.can_become_dates());
        convertible.any(|field| field.path.dotted().as_deref() == Some(dotted))
    }
}
