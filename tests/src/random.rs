//! Reproducible random numbers: a test prints its seed and reads one from `MAYFLY_TEST_SEED`.

/// `SplitMix64`: small, and good enough to choose test steps with.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Any 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 when `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        let end = end.max(1) as u64;
        usize::try_from(self.next_u64() % end).unwrap_or_default()
    }

    /// One of `choices`, which must not be empty.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let at = self.below(choices.len());
        &choices[at]
    }
}

/// The seed of this run: `MAYFLY_TEST_SEED`, else `default`.
pub fn seed(default: u64) -> u64 {
    from_environment("MAYFLY_TEST_SEED").unwrap_or(default)
}

/// How many steps, kills or cases this run makes: `MAYFLY_TEST_COUNT`, else `default`.
pub fn count(default: usize) -> usize {
    from_environment("MAYFLY_TEST_COUNT")
        .and_then(|count| usize::try_from(count).ok())
        .unwrap_or(default)
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
