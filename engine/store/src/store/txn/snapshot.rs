//! Identifies the commit that a reader sees.

use std::num::NonZeroU64;

/// Identifies a commit, uniquely among all commits that this process reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SnapshotNumber(NonZeroU64);

/// The low bits of a [`SnapshotNumber`] are the transaction number, the others the opening.
const TRANSACTION_BITS: u32 = 44;

impl SnapshotNumber {
    /// `opening` counts the openings of an environment from 1. `None` when a number does not fit.
    pub(super) fn new(opening: u64, transaction: u64) -> Option<Self> {
        // The opening is a part of it, because a file that is reopened may reuse a transaction
        // number.
        let fits =
            transaction >> TRANSACTION_BITS == 0 && opening >> (u64::BITS - TRANSACTION_BITS) == 0;
        // The shift may overflow when a number doesn't fit; the filter then discards the result.
        NonZeroU64::new(opening << TRANSACTION_BITS | transaction).filter(|_| fits).map(Self)
    }

    /// The number; never 0.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_snapshots_have_one_number() {
        let number = |opening, transaction| SnapshotNumber::new(opening, transaction);
        assert_ne!(number(1, 7), number(2, 7));
        assert_ne!(number(1, 7), number(1, 8));
        assert_eq!(number(1, 7), number(1, 7));
        let last = (1 << TRANSACTION_BITS) - 1;
        assert_ne!(number(1, last), None);
        assert_eq!(number(1, last + 1), None);
        assert_eq!(number(1 << (u64::BITS - TRANSACTION_BITS), 0), None);
    }
}
