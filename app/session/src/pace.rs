//! How often the window is drawn where the processor draws: a frame costs it tens of milliseconds,
//! and a window that only shows time must not take half of a core.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::limits::{FRAME_COSTS_MAX, FRAME_REST, INPUT_REST, SOFTWARE_FRAME};

/// Where Linux lists the threads of this process.
const THREADS: &str = "/proc/self/task";

/// The processor time of the thread that asks.
const OWN_THREAD: &str = "/proc/thread-self/schedstat";

/// How the names of Mesa's drawing threads begin.
const DRAWING_THREAD: &str = "llvmpipe-";

/// The names of renderers that draw with the processor: those of Mesa, ANGLE, and Windows.
const SOFTWARE: [&str; 6] =
    ["llvmpipe", "softpipe", "swrast", "swiftshader", "basic render", "gdi generic"];

/// The processor time of the last frames, and the earliest time of the next one.
#[derive(Debug, Default)]
pub struct Pace {
    is_software: bool,
    /// Whether the system says what a thread has spent.
    is_measured: bool,
    /// Threads that draw in addition to that of the window.
    drawing: Vec<PathBuf>,
    /// The processor time at the start of the last frame.
    last: Option<Duration>,
    costs: VecDeque<Duration>,
    /// When the user did something last, in uptime of the machine.
    used: Option<Duration>,
    rest: Rest,
}

/// Until when only input draws the window. Threads that have something new ask here how long that
/// may wait.
#[derive(Debug, Clone, Default)]
pub struct Rest(Arc<AtomicU64>);

impl Rest {
    /// How long after `now` something is drawn that may wait this long.
    pub fn prolong(&self, wait: Duration, now: Duration) -> Duration {
        let until = Duration::from_nanos(self.0.load(Ordering::Relaxed));
        wait.max(until.saturating_sub(now))
    }

    fn set(&self, until: Duration) {
        self.0.store(u64::try_from(until.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

impl Pace {
    /// Looks at what draws. The renderer must have started.
    pub fn start(renderer: &str) -> Self {
        let renderer = renderer.to_lowercase();
        let is_software = SOFTWARE.iter().any(|name| renderer.contains(name));
        let threads = std::fs::read_dir(THREADS).into_iter().flatten().flatten();
        let draws = |folder: &PathBuf| {
            let name = std::fs::read_to_string(folder.join("comm"));
            name.is_ok_and(|name| name.starts_with(DRAWING_THREAD))
        };
        let folders = threads.map(|thread| thread.path()).filter(|_| is_software).filter(draws);
        let drawing = folders.map(|folder| folder.join("schedstat")).collect();
        let is_measured = std::path::Path::new(OWN_THREAD).exists();
        Self { is_software, is_measured, drawing, ..Self::default() }
    }

    /// Whether the processor draws.
    pub fn is_software(&self) -> bool {
        self.is_software
    }

    /// Until when only input draws the window.
    pub fn rest(&self) -> Rest {
        self.rest.clone()
    }

    /// Notes the start of a frame, which ends the one before, and whether the user did something.
    /// Called by the thread of the window.
    pub fn note_frame(&mut self, now: Duration, has_input: bool) {
        if !self.is_software {
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
        // Who opens the window waits for its first frames.
        if has_input || self.used.is_none() {
            self.used = Some(now);
        }
        self.rest.set(now.saturating_add(self.rest_now(now)));
    }

    /// How long after a frame at `now` only input draws another one: not at all while the user works.
    pub fn rest_now(&self, now: Duration) -> Duration {
        let is_used = self.used.is_some_and(|used| now.saturating_sub(used) < INPUT_REST);
        // While the user works, every frame is an answer and must not wait.
        if is_used { Duration::ZERO } else { self.frame_every() }
    }

    /// The shortest time between two frames of a movement that has no end.
    pub fn frame_every(&self) -> Duration {
        if self.is_software && !self.is_measured {
            // Without `/proc` the cost is unknown, so frames are rare.
            return SOFTWARE_FRAME;
        }
        rest_for(self.costs.iter().copied().collect())
    }
}

/// The time between two frames after which drawing takes its share of a core and no more. The
/// median: one frame that draws everything for the first time says nothing.
fn rest_for(mut costs: Vec<Duration>) -> Duration {
    costs.sort_unstable();
    costs.get(costs.len() / 2).map_or(Duration::ZERO, |cost| cost.saturating_mul(FRAME_REST))
}

/// The processor time of a thread: the first number of its file, in nanoseconds.
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

    fn software() -> Pace {
        Pace {
            is_software: true,
            is_measured: true,
            drawing: vec![PathBuf::from("/no such file")],
            ..Pace::default()
        }
    }

    #[test]
    fn a_graphics_card_has_no_pace() {
        let mut pace = Pace::start("NVIDIA GeForce RTX 3060/PCIe/SSE2");
        pace.note_frame(Duration::ZERO, false);
        pace.note_frame(Duration::from_secs(1), false);
        assert_eq!(pace.frame_every(), Duration::ZERO);
        assert_eq!(pace.rest().prolong(Duration::ZERO, Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn software_is_known_by_its_name() {
        for renderer in ["llvmpipe (LLVM 15.0.6, 256 bits)", "Google SwiftShader", "softpipe"] {
            assert!(Pace::start(renderer).is_software(), "{renderer}");
        }
        assert!(!Pace::start("Mesa Intel(R) UHD Graphics 620 (KBL GT2)").is_software());
    }

    #[test]
    fn costs_are_those_of_the_last_frames() {
        let mut pace = software();
        for _ in 0..2 * FRAME_COSTS_MAX {
            pace.note_frame(Duration::ZERO, false);
        }
        assert_eq!(pace.costs.len(), FRAME_COSTS_MAX);
    }

    #[test]
    fn what_comes_by_itself_waits_for_the_rest_and_input_ends_it() {
        let ms = Duration::from_millis;
        let mut pace = software();
        pace.last = Some(ms(1));
        let mut waits = |at_ms: u64, has_input: bool| {
            pace.costs = VecDeque::from([ms(40); FRAME_COSTS_MAX]);
            pace.note_frame(ms(at_ms), has_input);
            [0, 100, 500].map(|wait| pace.rest().prolong(ms(wait), ms(at_ms + 40)).as_millis())
        };
        assert_eq!(waits(9_000, false), [0, 100, 500], "the window opens");
        assert_eq!(waits(10_000, false), [200, 200, 500]);
        assert_eq!(waits(20_000, true), [0, 100, 500], "the user waits for an answer");
        assert_eq!(waits(20_300, false), [0, 100, 500]);
        assert_eq!(waits(21_000, false), [200, 200, 500]);
    }

    #[test]
    fn where_costs_are_not_known_frames_are_rare() {
        let mut pace = software();
        pace.is_measured = false;
        assert_eq!(pace.frame_every(), SOFTWARE_FRAME);
        pace.is_software = false;
        assert_eq!(pace.frame_every(), Duration::ZERO);
    }
}
