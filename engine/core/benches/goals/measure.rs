//! Wall time, CPU time and memory of a piece of work.

use std::{fs, time::Duration};

use mayfly_engine::clock::{Clock, SystemClock};
use rustix::time::{ClockId, clock_gettime};

/// The cost of a piece of work.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    /// Elapsed seconds.
    pub wall: f64,
    /// CPU seconds of all threads of the process.
    pub cpu: f64,
}

impl Cost {
    /// Runs the work and measures it.
    pub fn of(work: impl FnOnce()) -> Self {
        let (wall, cpu) = (now(), cpu());
        work();
        Self {
            wall: now().saturating_sub(wall).as_secs_f64(),
            cpu: self::cpu().saturating_sub(cpu).as_secs_f64(),
        }
    }

    /// The median of each figure.
    pub fn median(costs: &[Self]) -> Self {
        Self {
            wall: median(costs.iter().map(|cost| cost.wall)),
            cpu: median(costs.iter().map(|cost| cost.cpu)),
        }
    }
}

/// The median.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    percentile(values.collect(), 0.5)
}

/// The percentile at `share`, from 0 to 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a list")]
pub fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (float(values.len() as u64) * share) as usize;
    values.get(place.min(values.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

/// A monotonic instant.
pub fn now() -> Duration {
    SystemClock.monotonic()
}

fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Converts a number of documents or bytes for a division.
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
pub fn float(number: u64) -> f64 {
    number as f64
}

/// By how many megabytes the process's own memory grows at its peak during the work. Pages of the
/// mapped file belong to the system and don't count. `None` where the system does not report it.
pub fn own_megabytes(work: impl FnOnce()) -> Option<f64> {
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    let before = anonymous_kilobytes()?;
    let (ended, peak) = (AtomicBool::new(false), AtomicU64::new(before));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                peak.fetch_max(anonymous_kilobytes().unwrap_or(0), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        work();
        ended.store(true, Ordering::Relaxed);
    });
    Some(float(peak.load(Ordering::Relaxed).saturating_sub(before)) / 1024.0)
}

fn anonymous_kilobytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.split_whitespace().next()?.parse().ok()
}
