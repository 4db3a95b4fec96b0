//! The clock of a lesson.

use std::sync::Arc;
use std::time::Duration;

use mayfly_engine::clock::{Clock, FakeSystemClock, SimulatedClock};

/// The clock of a lesson's store, which moves only when the lesson says so.
#[derive(Debug, Clone)]
pub enum StageClock {
    /// The store knows that it is simulated.
    Simulated(Arc<SimulatedClock>),
    /// The store takes it for the computer's clock.
    Computer(Arc<FakeSystemClock>),
}

impl StageClock {
    /// Wall time in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        match self {
            Self::Simulated(clock) => clock.now_ms(),
            Self::Computer(clock) => clock.now_ms(),
        }
    }

    /// Lets this many milliseconds pass.
    pub fn advance(&self, ms: i64) {
        match self {
            Self::Simulated(clock) => clock.advance_ms(ms.max(0)),
            Self::Computer(clock) => clock.pass(Duration::from_millis(ms.max(0).unsigned_abs())),
        }
    }

    /// Sets the wall time alone.
    pub fn jump(&self, ms: i64) {
        match self {
            Self::Simulated(clock) => clock.set(clock.now_ms().saturating_add(ms)),
            Self::Computer(clock) => clock.step_ms(ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_and_a_jump_moves_the_wall_alone() {
        let simulated = StageClock::Simulated(Arc::new(SimulatedClock::new(1_000)));
        let computer = Arc::new(FakeSystemClock::new(1_000));
        for clock in [simulated, StageClock::Computer(Arc::clone(&computer))] {
            clock.advance(500);
            clock.advance(-500);
            assert_eq!(clock.now_ms(), 1_500);
            clock.jump(-700);
            assert_eq!(clock.now_ms(), 800);
        }
        assert_eq!(computer.monotonic(), Duration::from_millis(500));
    }
}
