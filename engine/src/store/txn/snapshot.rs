//! Which commit a reader sees.

use std::num::NonZeroU64;

/// The number of a commit that is read. No other commit that this process reads has the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SnapshotNumber(NonZeroU64);

/// Bits of a [`SnapshotNumber`] that are the number of the transaction.
const TRANSACTION_BITS: u32 = 44;

impl SnapshotNumber {
    /// Of a transaction of one of all openings of an environment, counted from 1: one that is opened
    /// again may number a transaction anew. `None` for numbers that nobody will reach.
    pub(super) fn new(opening: u64, transaction: u64) -> Option<Self> {
        let fits =
            transaction >> TRANSACTION_BITS == 0 && opening >> (u64::BITS - TRANSACTION_BITS) == 0;
        NonZeroU64::new(opening << TRANSACTION_BITS | transaction).filter(|_| fits).map(Self)
    }

    /// As a number.
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
