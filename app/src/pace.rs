//! How often lanes may move where the processor draws: a frame at full size costs it tens of
//! milliseconds, and a window that only shows time must not take half of a core.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use crate::limits::{FRAME_COSTS_MAX, FRAME_REST};

/// Where Linux lists the threads of this process.
const THREADS: &str = "/proc/self/task";

/// The processor time of the thread that asks.
const OWN_THREAD: &str = "/proc/thread-self/schedstat";

/// How the names of Mesa's drawing threads begin.
const DRAWING_THREAD: &str = "llvmpipe-";

/// What the last frames cost the processor.
#[derive(Debug, Default)]
pub struct Pace {
    /// Threads that draw; none where a graphics card does, and on other systems.
    drawing: Vec<PathBuf>,
    /// The processor time at the start of the last frame.
    last: Option<Duration>,
    costs: VecDeque<Duration>,
}

impl Pace {
    /// Looks for threads that draw. The renderer must have started.
    #[must_use]
    pub fn start() -> Self {
        let threads = std::fs::read_dir(THREADS).into_iter().flatten().flatten();
        let draws = |folder: &PathBuf| {
            let name = std::fs::read_to_string(folder.join("comm"));
            name.is_ok_and(|name| name.starts_with(DRAWING_THREAD))
        };
        let folders = threads.map(|thread| thread.path()).filter(draws);
        let drawing = folders.map(|folder| folder.join("schedstat")).collect();
        Self { drawing, ..Self::default() }
    }

    /// Notes the start of a frame, which ends the one before. Called by the thread of the window.
    pub fn note_frame(&mut self) {
        if self.drawing.is_empty() {
            return;
        }
        let own = std::iter::once(PathBuf::from(OWN_THREAD));
        let spent = own.chain(self.drawing.iter().cloned()).filter_map(processor_time).sum();
        if let Some(last) = self.last.replace(spent) {
            if self.costs.len() == FRAME_COSTS_MAX {
                self.costs.pop_front();
            }
            self.costs.push_back(spent.saturating_sub(last));
        }
    }

    /// The shortest time between two frames of a movement that has no end.
    #[must_use]
    pub fn frame_every(&self) -> Duration {
        rest_for(self.costs.iter().copied().collect())
    }
}

/// The time between two frames after which drawing takes its share of a core and no more. The
/// median: one frame that draws everything for the first time says nothing.
fn rest_for(mut costs: Vec<Duration>) -> Duration {
    costs.sort_unstable();
    costs.get(costs.len() / 2).map_or(Duration::ZERO, |cost| cost.saturating_mul(FRAME_REST))
}

/// What a thread has spent: the first number of its file, in nanoseconds.
fn processor_time(file: PathBuf) -> Option<Duration> {
    let text = std::fs::read_to_string(file).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest_ms(costs_ms: &[u64]) -> u128 {
        rest_for(costs_ms.iter().copied().map(Duration::from_millis).collect()).as_millis()
    }

    #[test]
    fn drawing_takes_at_most_a_sixth_of_a_core() {
        assert_eq!(rest_ms(&[]), 0);
        assert_eq!(rest_ms(&[45]), 270);
        assert_eq!(rest_ms(&[30, 900, 28, 31, 29]), 180, "one long frame does not count");
    }

    #[test]
    fn a_graphics_card_has_no_pace() {
        let mut pace = Pace::default();
        pace.note_frame();
        pace.note_frame();
        assert_eq!(pace.frame_every(), Duration::ZERO);
    }

    #[test]
    fn costs_are_those_of_the_last_frames() {
        let mut pace = Pace { drawing: vec![PathBuf::from("/no such file")], ..Pace::default() };
        for _ in 0..2 * FRAME_COSTS_MAX {
            pace.note_frame();
        }
        assert_eq!(pace.costs.len(), FRAME_COSTS_MAX);
    }
}
