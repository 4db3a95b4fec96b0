//! Memory that running commands hold: each within its own bound, and all together within one.
//!
//! A bound for each stage is none for the process: forty commands of 100 MB are 4 GB. So what a stage, a
//! sort or an expression holds is also counted for the whole process, whose memory it is.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits::RUNNING_BYTES_MAX;

/// Bytes that a holder takes from the common budget at once, so that small ones never touch it.
const SHARE_BYTES: usize = 256 * 1024;

/// The budget of the process.
static COMMON: MemoryPool = MemoryPool::new(RUNNING_BYTES_MAX);

/// A budget that holders share.
#[derive(Debug)]
pub struct MemoryPool {
    taken: AtomicUsize,
    bytes_max: usize,
}

impl MemoryPool {
    /// A budget of which nothing is taken.
    pub const fn new(bytes_max: usize) -> Self {
        Self { taken: AtomicUsize::new(0), bytes_max }
    }
}

/// Bytes that one holder counts. Dropping it releases them.
#[derive(Debug)]
pub struct HeldBytes {
    pool: &'static MemoryPool,
    bytes: usize,
    /// The part of the pool that this holder has taken: whole shares.
    shared: usize,
}

impl Default for HeldBytes {
    fn default() -> Self {
        Self::of(&COMMON)
    }
}

/// All running commands together hold too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryFull;

impl HeldBytes {
    /// A holder with a part of this budget.
    pub fn of(pool: &'static MemoryPool) -> Self {
        Self { pool, bytes: 0, shared: 0 }
    }

    /// Counts more bytes.
    ///
    /// # Errors
    /// `MemoryFull`; the bytes are counted all the same, until this is dropped.
    pub fn add(&mut self, bytes: usize) -> Result<(), MemoryFull> {
        self.bytes = self.bytes.saturating_add(bytes);
        let wanted = self.bytes / SHARE_BYTES * SHARE_BYTES;
        let more = wanted.saturating_sub(self.shared);
        if more == 0 {
            return Ok(());
        }
        let others = self.pool.taken.fetch_add(more, Ordering::Relaxed);
        self.shared = self.shared.saturating_add(more);
        if others.saturating_add(more) <= self.pool.bytes_max { Ok(()) } else { Err(MemoryFull) }
    }

    /// Counts bytes that are not held any more.
    pub fn remove(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
        let less = self.shared.saturating_sub(self.bytes / SHARE_BYTES * SHARE_BYTES);
        if less > 0 {
            self.pool.taken.fetch_sub(less, Ordering::Relaxed);
            self.shared = self.shared.saturating_sub(less);
        }
    }

    /// The bytes that this holder counts.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.remove(self.bytes);
    }
}

/// A copy of a stage has not read anything yet.
impl Clone for HeldBytes {
    fn clone(&self) -> Self {
        Self::of(self.pool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_is_free_for_others() {
        static POOL: MemoryPool = MemoryPool::new(4 * SHARE_BYTES);
        let mut first = HeldBytes::of(&POOL);
        assert_eq!(first.add(3 * SHARE_BYTES), Ok(()));
        let mut second = HeldBytes::of(&POOL);
        assert_eq!(second.add(SHARE_BYTES - 1), Ok(()), "less than a share is free");
        assert_eq!(second.add(SHARE_BYTES + 1), Err(MemoryFull));
        drop(second);
        first.remove(SHARE_BYTES + 1);
        assert_eq!((first.bytes(), first.shared), (2 * SHARE_BYTES - 1, SHARE_BYTES));
        assert_eq!(HeldBytes::of(&POOL).add(3 * SHARE_BYTES), Ok(()));
        drop(first);
        assert_eq!(POOL.taken.load(Ordering::Relaxed), 0);
    }
}
