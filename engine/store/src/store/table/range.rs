//! Range scans over one table.

use std::ops::Bound;

use heed::types::Bytes;
use heed::{RoRange, RoRevRange, RoTxn};

use crate::store::txn::tables::{Row, Table, Tables};
use crate::store::walk::{Neighbors, Place, Span};
use crate::store::{Scan, StoreError};

/// Rows of one table between two keys.
pub(in crate::store) struct Rows<'t> {
    tables: &'t Tables,
    range: Range<'t>,
    /// The scan in place of `range`, which is empty then, until the whole file was walked.
    guarded: Option<Box<Guarded<'t>>>,
}

enum Range<'t> {
    /// heed's range is unbounded above; `End` is the upper bound.
    Forward(RoRange<'t, Bytes, Bytes>, End),
    /// heed's range is unbounded below; `End` is the lower bound.
    Backward(RoRevRange<'t, Bytes, Bytes>, End),
    /// No key is within the bounds.
    Empty,
}

/// A scan during which each leaf is checked before LMDB steps to it.
struct Guarded<'t> {
    rows: Rows<'t>,
    table: &'static str,
    direction: Scan,
    /// The leaf that the scan is in. It and its neighbors are checked.
    span: Span,
}

impl<'t> Guarded<'t> {
    fn next(&mut self) -> Option<Result<Row<'t>, StoreError>> {
        let row = match self.rows.next()? {
            Ok(row) => row,
            Err(error) => return Some(Err(error)),
        };
        let (lower, upper) = (self.span.lower.as_deref(), self.span.upper.as_deref());
        let is_left = match self.direction {
            Scan::Forward => upper.is_some_and(|upper| row.0 >= upper),
            Scan::Backward => lower.is_some_and(|lower| row.0 < lower),
        };
        if is_left {
            let neighbors = match self.direction {
                Scan::Forward => Neighbors::After,
                Scan::Backward => Neighbors::Before,
            };
            match self.rows.tables.check_place(self.table, Place::At(row.0), neighbors) {
                Ok(span) => self.span = span,
                Err(error) => {
                    self.rows.range = Range::Empty;
                    return Some(Err(error));
                }
            }
        }
        Some(Ok(row))
    }
}

/// Where a scan ends. heed's own bound would be compared with every key byte by byte, which is slower.
struct End {
    bound: Bound<Vec<u8>>,
    /// The first eight bytes of the bound. For most keys comparing these is enough.
    head: u64,
}

impl End {
    fn new(bound: Bound<&[u8]>, direction: Scan) -> Self {
        let head = match (bound, direction) {
            (Bound::Included(end) | Bound::Excluded(end), _) => {
                let mut head = [0; size_of::<u64>()];
                head.iter_mut().zip(end).for_each(|(to, from)| *to = *from);
                u64::from_be_bytes(head)
            }
            (Bound::Unbounded, Scan::Forward) => u64::MAX,
            (Bound::Unbounded, Scan::Backward) => 0,
        };
        Self { bound: bound.map(<[u8]>::to_vec), head }
    }

    /// Whether a forward scan has passed its end.
    #[inline]
    fn is_after(&self, key: &[u8]) -> bool {
        match key.first_chunk() {
            Some(first) if u64::from_be_bytes(*first) < self.head => false,
            _ => match &self.bound {
                Bound::Included(end) => key > end.as_slice(),
                Bound::Excluded(end) => key >= end.as_slice(),
                Bound::Unbounded => false,
            },
        }
    }

    /// Whether a backward scan has passed its end.
    #[inline]
    fn is_before(&self, key: &[u8]) -> bool {
        match key.first_chunk() {
            Some(first) if u64::from_be_bytes(*first) > self.head => false,
            _ => match &self.bound {
                Bound::Included(end) => key < end.as_slice(),
                Bound::Excluded(end) => key <= end.as_slice(),
                Bound::Unbounded => false,
            },
        }
    }
}

impl<'t> Rows<'t> {
    pub(in crate::store) fn new(
        txn: &'t RoTxn<'t>,
        tables: &'t Tables,
        table: Table,
        bounds: (Bound<&[u8]>, Bound<&[u8]>),
        direction: Scan,
    ) -> Result<Self, StoreError> {
        let failed = |error| tables.failed(error);
        let span = match tables.guard() {
            Some(_) if !is_empty(bounds) => {
                let place = begin(bounds, direction);
                Some(tables.check_place(table.name, place, Neighbors::Both)?)
            }
            _ => None,
        };
        let range = if is_empty(bounds) {
            Range::Empty
        } else if direction == Scan::Forward {
            let rows = table.range(txn, &(bounds.0, Bound::Unbounded)).map_err(failed)?;
            Range::Forward(rows, End::new(bounds.1, direction))
        } else {
            let rows = table.rev_range(txn, &(Bound::Unbounded, bounds.1)).map_err(failed)?;
            Range::Backward(rows, End::new(bounds.0, direction))
        };
        let rows = Self { tables, range, guarded: None };
        let Some(span) = span else { return Ok(rows) };
        let guarded = Some(Box::new(Guarded { rows, table: table.name, direction, span }));
        Ok(Self { tables, range: Range::Empty, guarded })
    }
}

impl<'t> Rows<'t> {
    // Never part of the loop over unguarded rows.
    #[cold]
    #[inline(never)]
    fn next_guarded(&mut self) -> Option<Result<Row<'t>, StoreError>> {
        self.guarded.as_mut()?.next()
    }
}

/// Where LMDB searches first.
fn begin<'k>(bounds: (Bound<&'k [u8]>, Bound<&'k [u8]>), direction: Scan) -> Place<'k> {
    let (bound, end) = match direction {
        Scan::Forward => (bounds.0, Place::First),
        Scan::Backward => (bounds.1, Place::Last),
    };
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => Place::At(key),
        Bound::Unbounded => end,
    }
}

impl<'t> Iterator for Rows<'t> {
    type Item = Result<(&'t [u8], &'t [u8]), StoreError>;

    // Here and in callers the row is destructured and rebuilt. Moved as a whole, it would be loaded in wider
    // units than it was just stored in, which stalls the processor.
    #[expect(clippy::inline_always, reason = "a third of a scan over an index was this return")]
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let row = match &mut self.range {
            Range::Forward(rows, end) => match rows.next() {
                Some(Ok((key, value))) if !end.is_after(key) => return Some(Ok((key, value))),
                Some(Ok(_)) => {
                    self.range = Range::Empty;
                    return None;
                }
                row => row,
            },
            Range::Backward(rows, end) => match rows.next() {
                Some(Ok((key, value))) if !end.is_before(key) => return Some(Ok((key, value))),
                Some(Ok(_)) => {
                    self.range = Range::Empty;
                    return None;
                }
                row => row,
            },
            Range::Empty => match self.next_guarded()? {
                Ok((key, value)) => return Some(Ok((key, value))),
                Err(error) => return Some(Err(error)),
            },
        };
        match row? {
            Ok((key, value)) => Some(Ok((key, value))),
            Err(error) => Some(Err(self.tables.failed(error))),
        }
    }
}

/// Whether no key can be within the bounds. heed's ranges do not check that.
fn is_empty(bounds: (Bound<&[u8]>, Bound<&[u8]>)) -> bool {
    match bounds {
        (Bound::Included(lower), Bound::Included(upper)) => lower > upper,
        (Bound::Included(lower) | Bound::Excluded(lower), Bound::Excluded(upper))
        | (Bound::Excluded(lower), Bound::Included(upper)) => lower >= upper,
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_ends_where_its_keys_pass_the_bound() {
        let keys: [&[u8]; 9] = [
            b"",
            b"a",
            b"ab",
            b"ab\0",
            b"abcdefg",
            b"abcdefgh",
            b"abcdefgh\0",
            b"abcdefgi",
            b"\xff",
        ];
        let highest = [u8::MAX; 9];
        let keys = keys.into_iter().chain([&highest[..8], &highest]);
        for end in keys.clone() {
            for key in keys.clone() {
                let check = |bound, is_after, is_before| {
                    let forward = End::new(bound, Scan::Forward).is_after(key);
                    let backward = End::new(bound, Scan::Backward).is_before(key);
                    assert_eq!((forward, backward), (is_after, is_before), "{key:?} {bound:?}");
                };
                check(Bound::Included(end), key > end, key < end);
                check(Bound::Excluded(end), key >= end, key <= end);
                check(Bound::Unbounded, false, false);
            }
        }
    }
}
