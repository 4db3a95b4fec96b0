//! Splits a run of index entries between two scans that read it from both ends.
//!
//! Each scan reads a piece, then claims it. It may count the whole piece until the other scan has
//! claimed entries in it; then it counts only up to the other's last entry.

use std::sync::{Mutex, PoisonError};

use crate::store::{Entry, RecordNumber, Scan};

/// An entry's position in its index: value key, then record.
pub(super) type Place = (Vec<u8>, RecordNumber);

/// How far each scan has counted.
#[derive(Default)]
pub(super) struct ScanSplit {
    progress: Mutex<Progress>,
}

#[derive(Default)]
struct Progress {
    forward: Option<Place>,
    backward: Option<Place>,
    has_ended: bool,
}

/// The part of a piece that a scan may count.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Claim {
    Whole,
    /// The entries before this one in the direction of the scan; the two scans have met.
    Before(Place),
    /// None of it: the other scan has counted the rest.
    Nothing,
}

impl ScanSplit {
    /// Claims the piece that ends with `last`.
    pub(super) fn claim(&self, scan: Scan, last: &Entry<'_>) -> Claim {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.has_ended {
            return Claim::Nothing;
        }
        let Progress { forward, backward, has_ended } = &mut *progress;
        let (own, other) = match scan {
            Scan::Forward => (forward, backward),
            Scan::Backward => (backward, forward),
        };
        match other {
            Some(other) if !is_before(last, other, scan) => {
                *has_ended = true;
                Claim::Before(other.clone())
            }
            _ => {
                *own = Some((last.key.to_vec(), last.record));
                Claim::Whole
            }
        }
    }
}

/// Whether a scan in this direction reads the entry before the place.
pub(super) fn is_before(entry: &Entry<'_>, place: &Place, scan: Scan) -> bool {
    let place = (place.0.as_slice(), place.1);
    match scan {
        Scan::Forward => (entry.key, entry.record) < place,
        Scan::Backward => (entry.key, entry.record) > place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(record: RecordNumber) -> Entry<'static> {
        Entry { key: b"k", record, exact: true }
    }

    fn place(record: RecordNumber) -> Place {
        (b"k".to_vec(), record)
    }

    #[test]
    fn the_piece_in_which_they_meet_ends_at_the_other_one() {
        let split = ScanSplit::default();
        assert_eq!(split.claim(Scan::Forward, &entry(3)), Claim::Whole);
        assert_eq!(split.claim(Scan::Backward, &entry(7)), Claim::Whole);
        assert_eq!(split.claim(Scan::Forward, &entry(6)), Claim::Whole);
        assert_eq!(split.claim(Scan::Backward, &entry(6)), Claim::Before(place(6)));
        assert_eq!(split.claim(Scan::Forward, &entry(8)), Claim::Nothing);
        assert_eq!(split.claim(Scan::Backward, &entry(5)), Claim::Nothing);
    }

    #[test]
    fn a_scan_alone_counts_everything() {
        for scan in [Scan::Forward, Scan::Backward] {
            let split = ScanSplit::default();
            for record in [4, 4, 9] {
                assert_eq!(split.claim(scan, &entry(record)), Claim::Whole);
            }
        }
    }

    /// Two scans over records 0, 1, … that read pieces of any length, and take heartbeat in any order.
    #[test]
    fn each_entry_is_counted_once() {
        let mut state = 1_u32;
        let mut random = |below: u16| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as u16 % below
        };
        for _ in 0..2_000 {
            let total = random(40);
            let mut counted = vec![0; usize::from(total)];
            let split = ScanSplit::default();
            // Records left to each of the two, nearest first.
            let mut left: [Vec<u16>; 2] = [(0..total).rev().collect(), (0..total).collect()];
            while left.iter().any(|left| !left.is_empty()) {
                let side = usize::from(random(2) == 1);
                let scan = [Scan::Forward, Scan::Backward][side];
                let own = &mut left[side];
                let piece = own.split_off(own.len().saturating_sub(1 + usize::from(random(9))));
                let Some(last) = piece.first() else { continue };
                let mut count = |record: u16| counted[usize::from(record)] += 1;
                match split.claim(scan, &entry((*last).into())) {
                    Claim::Whole => piece.into_iter().for_each(count),
                    Claim::Before(end) => {
                        let before = |record: &u16| is_before(&entry((*record).into()), &end, scan);
                        piece.into_iter().filter(before).for_each(&mut count);
                        own.clear();
                    }
                    Claim::Nothing => own.clear(),
                }
            }
            assert!(counted.iter().all(|count| *count == 1), "{counted:?}");
        }
    }
}
