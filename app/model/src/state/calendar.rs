//! The expiry calendar: what expires in each hour, day, week or month, over all collections.

use chrono::{Datelike, Days, Months, NaiveDateTime, Timelike};
use mayfly_engine::value::named;

use super::{Namespace, Zone};
use crate::limits::CALENDAR_COLLECTIONS_MAX;

/// The slices that a store is asked for, in milliseconds. Every column starts on one of them.
pub const SLICE_MS: i64 = 3_600_000;

named! {
    /// The time that one column covers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Unit {
        /// The next 24 hours.
        Hour => "Hours",
        /// The next 31 days.
        #[default]
        Day => "Days",
        /// The next 26 weeks, from Monday.
        Week => "Weeks",
        /// The next 12 months.
        Month => "Months",
    }
    /// The word on the button.
    pub fn label;
}

impl Unit {
    fn columns(self) -> usize {
        match self {
            Self::Hour => 24,
            Self::Day => 31,
            Self::Week => 26,
            Self::Month => 12,
        }
    }

    /// The start of the unit that holds an instant.
    fn start(self, at: NaiveDateTime) -> Option<NaiveDateTime> {
        let hour = at.date().and_hms_opt(at.hour(), 0, 0)?;
        let day = at.date().and_hms_opt(0, 0, 0)?;
        match self {
            Self::Hour => Some(hour),
            Self::Day => Some(day),
            Self::Week => {
                let since = at.weekday().num_days_from_monday();
                day.checked_sub_days(Days::new(since.into()))
            }
            Self::Month => day.with_day(1),
        }
    }

    /// The start of the unit after one that starts here.
    fn next(self, start: NaiveDateTime) -> Option<NaiveDateTime> {
        match self {
            Self::Hour => start.checked_add_signed(chrono::Duration::hours(1)),
            Self::Day => start.checked_add_days(Days::new(1)),
            Self::Week => start.checked_add_days(Days::new(7)),
            Self::Month => start.checked_add_months(Months::new(1)),
        }
    }

    /// The heading of a column, in two lines: what tells neighbors apart is in the second.
    fn heading(self, start: NaiveDateTime) -> [String; 2] {
        let (above, below) = match self {
            Self::Hour => ("%a", "%H"),
            Self::Day => ("%a", "%-d"),
            Self::Week => ("%b", "%-d"),
            Self::Month => ("%Y", "%b"),
        };
        [above, below].map(|format| start.format(format).to_string())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its first instant, in milliseconds since 1970.
    pub from_ms: i64,
    /// Its end, in milliseconds since 1970.
    pub to_ms: i64,
    /// Its heading, in two lines.
    pub heading: [String; 2],
}

/// The counts of one collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub namespace: Namespace,
    /// Documents in each column; empty until the store has answered.
    pub counts: Vec<u64>,
    /// Documents that are due and before the first column.
    pub overdue: u64,
    /// Documents after the last column.
    pub later: u64,
    /// The size of a document on average, in bytes.
    pub document_bytes: Option<u64>,
}

impl Row {
    /// The size of this number of documents, in bytes, as far as it is known.
    pub fn bytes(&self, documents: u64) -> Option<u64> {
        self.document_bytes.map(|bytes| bytes.saturating_mul(documents))
    }

    /// Documents that expire at some time.
    pub fn expiring(&self) -> u64 {
        self.counts.iter().sum::<u64>().saturating_add(self.overdue).saturating_add(self.later)
    }
}

/// The calendar while it is shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Calendar {
    pub unit: Unit,
    /// The columns, from the one that holds *now* on.
    pub columns: Vec<Column>,
    rows: Vec<Row>,
    /// Collections that the store was not asked about yet.
    waiting: Vec<Namespace>,
    asked: usize,
    /// Collections that are not looked at.
    pub left_out: usize,
}

impl Calendar {
    /// A calendar of these collections, with the sizes of their documents.
    pub fn new(unit: Unit, now_ms: i64, zone: Zone, of: Vec<(Namespace, Option<u64>)>) -> Self {
        let left_out = of.len().saturating_sub(CALENDAR_COLLECTIONS_MAX);
        let of = of.into_iter().take(CALENDAR_COLLECTIONS_MAX);
        let rows: Vec<Row> = of
            .map(|(namespace, document_bytes)| Row {
                namespace,
                counts: Vec::new(),
                overdue: 0,
                later: 0,
                document_bytes,
            })
            .collect();
        let waiting = rows.iter().rev().map(|row| row.namespace.clone()).collect();
        let columns = columns(unit, now_ms, zone);
        Self { unit, columns, rows, waiting, asked: 0, left_out }
    }

    /// The next collection to ask the store about.
    pub fn take_waiting(&mut self) -> Option<Namespace> {
        let next = self.waiting.pop()?;
        self.asked += 1;
        Some(next)
    }

    /// From and to, in milliseconds, and the number of slices between.
    pub fn slices(&self) -> Option<(i64, i64, i32)> {
        let (first, last) = (self.columns.first()?, self.columns.last()?);
        let slices = last.to_ms.saturating_sub(first.from_ms).div_euclid(SLICE_MS).max(1);
        let to_ms = first.from_ms.saturating_add(slices.saturating_mul(SLICE_MS));
        Some((first.from_ms, to_ms, i32::try_from(slices).unwrap_or(i32::MAX)))
    }

    /// Takes the answer about one collection: documents in each slice from `from_ms` on, due ones
    /// outside of them, and later ones. An answer to an earlier question is dropped.
    pub fn take(&mut self, of: &Namespace, from_ms: i64, slices: &[u64], outside: [u64; 2]) {
        let Some((first_ms, _, number)) = self.slices() else { return };
        let is_meant = first_ms == from_ms && usize::try_from(number) == Ok(slices.len());
        let row = self.rows.iter_mut().find(|row| row.namespace == *of);
        let Some(row) = row.filter(|_| is_meant) else { return };
        let mut counts = vec![0_u64; self.columns.len()];
        for (at, count) in slices.iter().enumerate().filter(|(_, count)| **count > 0) {
            let hours = i64::try_from(at).unwrap_or(i64::MAX);
            let at_ms = first_ms.saturating_add(hours.saturating_mul(SLICE_MS));
            let column = self.columns.partition_point(|column| column.to_ms <= at_ms);
            if let Some(sum) = counts.get_mut(column) {
                *sum = sum.saturating_add(*count);
            }
        }
        row.counts = counts;
        [row.overdue, row.later] = outside;
        self.asked = self.asked.saturating_sub(1);
    }

    /// The store could not say anything about one collection.
    pub fn take_failure(&mut self) {
        self.asked = self.asked.saturating_sub(1);
    }

    /// Whether every answer has come.
    pub fn is_complete(&self) -> bool {
        self.waiting.is_empty() && self.asked == 0
    }

    /// The collections in which documents expire.
    pub fn rows(&self) -> Vec<&Row> {
        self.rows.iter().filter(|row| row.expiring() > 0).collect()
    }

    /// Documents in a column, and their size in bytes as far as it is known.
    pub fn total(&self, column: usize) -> (u64, u64) {
        self.rows.iter().fold((0, 0), |(documents, bytes), row| {
            let count = row.counts.get(column).copied().unwrap_or(0);
            (documents + count, bytes.saturating_add(row.bytes(count).unwrap_or(0)))
        })
    }
}

/// The columns from the one that holds `now_ms` on.
fn columns(unit: Unit, now_ms: i64, zone: Zone) -> Vec<Column> {
    let mut columns = Vec::new();
    let mut start = local(zone, now_ms).and_then(|now| unit.start(now));
    while let Some(from) = start.filter(|_| columns.len() < unit.columns()) {
        start = unit.next(from);
        let Some(to) = start else { break };
        let (from_ms, to_ms) = (instant(zone, from), instant(zone, to));
        columns.push(Column { from_ms, to_ms, heading: unit.heading(from) });
    }
    columns
}

fn local(zone: Zone, ms: i64) -> Option<NaiveDateTime> {
    NaiveDateTime::parse_from_str(&zone.date_time(ms), "%Y-%m-%d %H:%M:%S").ok()
}

/// When a clock in the zone shows this. An hour that a change of the clock skips or repeats is the
/// one after, or the first.
fn instant(zone: Zone, shown: NaiveDateTime) -> i64 {
    let wanted_ms = shown.and_utc().timestamp_millis();
    let mut ms = wanted_ms;
    // The offset at the guess, then at the better guess.
    for _ in 0..2 {
        let Some(found) = local(zone, ms) else { break };
        ms += wanted_ms - found.and_utc().timestamp_millis();
    }
    ms
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-06-01T12:00:00Z, a Monday.
    const NOW: i64 = 1_780_315_200_000;

    fn calendar(unit: Unit, zone: Zone) -> Calendar {
        let of = [("a", Some(100)), ("b", None)];
        let of = of.map(|(name, bytes)| (Namespace::new("d", name), bytes));
        Calendar::new(unit, NOW, zone, of.to_vec())
    }

    #[test]
    fn columns_begin_with_the_unit_that_holds_now() {
        let first = |unit, zone: Zone| {
            let columns = calendar(unit, zone).columns;
            let last = columns.last().map_or(0, |column| column.to_ms);
            (zone.date_time(columns[0].from_ms), columns.len(), zone.date_time(last))
        };
        let check = |unit, from: &str, columns, to: &str| {
            let expected = (from.to_owned(), columns, to.to_owned());
            assert_eq!(first(unit, Zone::Utc), expected, "{unit:?}");
        };
        check(Unit::Hour, "2026-06-01 12:00:00", 24, "2026-06-02 12:00:00");
        check(Unit::Day, "2026-06-01 00:00:00", 31, "2026-07-02 00:00:00");
        check(Unit::Week, "2026-06-01 00:00:00", 26, "2026-11-30 00:00:00");
        check(Unit::Month, "2026-06-01 00:00:00", 12, "2027-06-01 00:00:00");
        let west = Zone::Fixed(-13 * 3_600);
        assert_eq!(first(Unit::Week, west).0, "2026-05-25 00:00:00", "there it is still Sunday");
        assert_eq!(first(Unit::Month, west).0, "2026-05-01 00:00:00");
    }

    #[test]
    fn slices_are_added_up_by_column() {
        let mut calendar = calendar(Unit::Day, Zone::Utc);
        let (from_ms, to_ms, slices) = calendar.slices().expect("columns");
        assert_eq!(slices, 31 * 24);
        assert_eq!(to_ms - from_ms, i64::from(slices) * SLICE_MS);
        let mut counts = vec![0; 31 * 24];
        (counts[0], counts[23], counts[24], counts[31 * 24 - 1]) = (1, 2, 4, 8);
        let a = Namespace::new("d", "a");
        calendar.take(&a, from_ms - 1, &counts, [0, 0]);
        assert!(calendar.rows().is_empty(), "an answer to another question");
        calendar.take(&a, from_ms, &counts, [5, 6]);
        let rows = calendar.rows();
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].counts[0], rows[0].counts[1], rows[0].counts[30]), (3, 4, 8));
        assert_eq!((rows[0].expiring(), calendar.total(0)), (26, (3, 300)));
    }

    #[test]
    fn every_collection_is_asked_about_once() {
        let mut calendar = calendar(Unit::Day, Zone::Utc);
        let names =
            |calendar: &mut Calendar| calendar.take_waiting().map(|namespace| namespace.collection);
        assert_eq!(names(&mut calendar).as_deref(), Some("a"));
        assert_eq!(names(&mut calendar).as_deref(), Some("b"));
        assert_eq!(names(&mut calendar), None);
        assert!(!calendar.is_complete());
        calendar.take_failure();
        let (from_ms, _, _) = calendar.slices().expect("columns");
        calendar.take(&Namespace::new("d", "b"), from_ms, &[1; 31 * 24], [0, 0]);
        assert!(calendar.is_complete());
    }
}
