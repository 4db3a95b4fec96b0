//! A number of documents, and how far it is known.

use bson::{Bson, Document, doc};

use super::wire::{Plain, Wire};

/// A number of documents. A store of Mayfly's counts exactly; a server with many documents is asked
/// for a bounded count, or for a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocCount {
    /// Just as many.
    Exact(u64),
    /// These were counted, and there may be more.
    AtLeast(u64),
    /// Scaled from a sample.
    About {
        /// The likely number.
        count: u64,
        /// There are not fewer.
        low: u64,
        /// There are not more; `None` where the size of the whole isn't known.
        high: Option<u64>,
    },
}

impl Default for DocCount {
    fn default() -> Self {
        Self::Exact(0)
    }
}

impl From<u64> for DocCount {
    fn from(count: u64) -> Self {
        Self::Exact(count)
    }
}

impl DocCount {
    /// There are not fewer.
    #[must_use]
    pub const fn least(self) -> u64 {
        match self {
            Self::Exact(count) | Self::AtLeast(count) => count,
            Self::About { low, .. } => low,
        }
    }

    /// There are not more; `None` where no bound is known.
    #[must_use]
    pub const fn most(self) -> Option<u64> {
        match self {
            Self::Exact(count) => Some(count),
            Self::AtLeast(_) => None,
            Self::About { high, .. } => high,
        }
    }

    /// The number to reckon with.
    #[must_use]
    pub const fn likely(self) -> u64 {
        match self {
            Self::Exact(count) | Self::AtLeast(count) | Self::About { count, .. } => count,
        }
    }

    /// Whether it is known to the document.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::Exact(_))
    }

    /// Whether there is certainly none.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.most() == Some(0)
    }

    /// These and others.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let high = self.most().zip(other.most()).map(|(one, other)| one.saturating_add(other));
        let low = self.least().saturating_add(other.least());
        Self::between(self.likely().saturating_add(other.likely()), low, high)
    }

    /// These without some of them.
    #[must_use]
    pub fn minus(self, part: Self) -> Self {
        let high = self.most().map(|most| most.saturating_sub(part.least()));
        let low = part.most().map_or(0, |most| self.least().saturating_sub(most));
        Self::between(self.likely().saturating_sub(part.likely()), low, high)
    }

    /// The same, where it is known that there are not more than this.
    #[must_use]
    pub fn at_most(self, bound: u64) -> Self {
        let high = self.most().map_or(bound, |most| most.min(bound));
        Self::between(self.likely().min(high), self.least().min(high), Some(high))
    }

    /// The number that a function which never falls makes of it.
    #[must_use]
    pub fn map(self, change: impl Fn(u64) -> u64) -> Self {
        Self::between(change(self.likely()), change(self.least()), self.most().map(change))
    }

    /// The simplest number with these bounds.
    fn between(count: u64, low: u64, high: Option<u64>) -> Self {
        match high {
            Some(high) if high <= low => Self::Exact(low),
            None if count <= low => Self::AtLeast(low),
            high => Self::About { count: count.clamp(low, high.unwrap_or(u64::MAX)), low, high },
        }
    }

    fn read_document(document: &Document) -> Option<Self> {
        let count = |name| u64::read(document.get(name));
        if document.contains_key("atLeast") {
            return count("atLeast").map(Self::AtLeast);
        }
        let high = document.get("high").and_then(|high| u64::read(Some(high)));
        Some(Self::About { count: count("about")?, low: count("low")?, high })
    }
}

/// An exact count is a number; `{atLeast: 10000}` and `{about: 80, low: 0, high: 5000}` are not.
impl Wire<Plain> for DocCount {
    fn write(&self) -> Option<Bson> {
        let number = |count: &u64| count.write().unwrap_or(Bson::Null);
        Some(match self {
            Self::Exact(count) => number(count),
            Self::AtLeast(count) => doc! { "atLeast": number(count) }.into(),
            Self::About { count, low, high } => {
                let mut about = doc! { "about": number(count), "low": number(low) };
                about.extend(high.as_ref().map(|high| ("high".to_owned(), number(high))));
                about.into()
            }
        })
    }

    fn read(value: Option<&Bson>) -> Option<Self> {
        match value {
            Some(Bson::Document(document)) => Self::read_document(document),
            value => u64::read(value).map(Self::Exact),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DocCount::*, *};

    const ABOUT: DocCount = About { count: 80, low: 10, high: Some(500) };

    #[test]
    fn a_sum_and_a_difference_keep_their_bounds() {
        let check = |found: DocCount, expected| assert_eq!(found, expected);
        check(Exact(3).plus(Exact(4)), Exact(7));
        check(Exact(3).plus(AtLeast(4)), AtLeast(7));
        check(Exact(3).plus(ABOUT), About { count: 83, low: 13, high: Some(503) });
        check(AtLeast(3).plus(ABOUT), About { count: 83, low: 13, high: None });
        check(Exact(9).minus(Exact(4)), Exact(5));
        check(Exact(4).minus(Exact(9)), Exact(0));
        check(AtLeast(9).minus(Exact(4)), AtLeast(5));
        check(AtLeast(9).minus(AtLeast(4)), About { count: 5, low: 0, high: None });
        check(Exact(9).minus(AtLeast(4)), About { count: 5, low: 0, high: Some(5) });
        check(Exact(100).minus(ABOUT), About { count: 20, low: 0, high: Some(90) });
        check(ABOUT.minus(ABOUT), About { count: 0, low: 0, high: Some(490) });
        check(ABOUT.at_most(60), About { count: 60, low: 10, high: Some(60) });
        check(ABOUT.at_most(4), Exact(4));
        check(AtLeast(3).at_most(9), About { count: 3, low: 3, high: Some(9) });
        check(ABOUT.map(|count| count / 10), About { count: 8, low: 1, high: Some(50) });
    }

    #[test]
    fn none_is_only_what_is_certain() {
        let check = |count: DocCount, expected| assert_eq!(count.is_zero(), expected, "{count:?}");
        check(Exact(0), true);
        check(AtLeast(0), false);
        check(About { count: 0, low: 0, high: Some(9) }, false);
        check(About { count: 0, low: 0, high: None }, false);
    }

    #[test]
    fn a_count_reads_back() {
        let open = About { count: 8, low: 1, high: None };
        for count in [Exact(0), Exact(7), AtLeast(0), AtLeast(10_000), ABOUT, open] {
            assert_eq!(DocCount::read(count.write().as_ref()), Some(count));
        }
        assert_eq!(Exact(7).write(), Some(Bson::Int64(7)));
        assert_eq!(DocCount::read(None), Some(Exact(0)));
    }
}
