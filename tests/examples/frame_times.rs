//! The cost of the window: processor time when idle, and for each frame.
//!
//! `EGUI_INSPECTION=127.0.0.1:5719 target/release/inspected_mayfly …`, then
//! `cargo run -p mayfly-tests --example frame_times -- 5719 PID SECONDS`. Linux only: it reads
//! `/proc/PID/task`. The drawing threads of a software renderer count, other threads do not.

use std::error::Error;
use std::fs;
use std::thread;
use std::time::Duration;

use mayfly_tests::deadline::Deadline;
use mayfly_tests::inspect::Window;

/// Threads that draw next to the UI thread when there is no graphics processor.
const DRAWING: [&str; 2] = ["llvmpipe", "mayfly:disk"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: frame_times PORT PID SECONDS";
    let port = arguments.next().ok_or(usage)?.parse()?;
    let pid: u32 = arguments.next().ok_or(usage)?.parse()?;
    let span = Duration::from_secs(arguments.next().ok_or(usage)?.parse()?);

    let before = all_ns(pid)?;
    thread::sleep(span);
    let used = all_ns(pid)? - before;
    let share = 100.0 * as_ms(used) / (span.as_secs_f64() * 1_000.0);
    println!("undisturbed: {share:.2} % of a core over {span:?} (all threads)");

    let mut window = Window::connect(port)?;
    let mut frames: Vec<f64> = Vec::new();
    let mut last = (window.frame_number()?, drawing_ns(pid)?);
    let deadline = Deadline::after(span);
    while !deadline.is_over() {
        let now = (window.frame_number()?, drawing_ns(pid)?);
        let drawn = now.0.saturating_sub(last.0);
        if drawn > 0 {
            #[expect(clippy::cast_precision_loss, reason = "a handful of frames")]
            let each = as_ms(now.1.saturating_sub(last.1)) / drawn as f64;
            frames.push(each);
        }
        last = now;
    }
    frames.sort_by(f64::total_cmp);
    let at = |percent: usize| {
        let rank = (frames.len() * percent).div_ceil(100).saturating_sub(1);
        frames.get(rank).copied().unwrap_or_default()
    };
    println!(
        "{} frames: processor time a frame p50 {:.1} ms, p99 {:.1} ms, max {:.1} ms",
        frames.len(),
        at(50),
        at(99),
        at(100)
    );
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "times of minutes")]
fn as_ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

fn all_ns(pid: u32) -> Result<u64, Box<dyn Error>> {
    threads_ns(pid, |_| true)
}

/// Processor time of the UI thread and its drawing threads.
fn drawing_ns(pid: u32) -> Result<u64, Box<dyn Error>> {
    threads_ns(pid, |name| DRAWING.iter().any(|drawing| name.starts_with(drawing)))
}

fn threads_ns(pid: u32, counts: impl Fn(&str) -> bool) -> Result<u64, Box<dyn Error>> {
    let mut sum = 0;
    for task in fs::read_dir(format!("/proc/{pid}/task"))? {
        let task = task?.path();
        let is_ui = task.file_name().is_some_and(|name| name.to_string_lossy() == pid.to_string());
        // A thread may end between the listing and the reading.
        let Ok(name) = fs::read_to_string(task.join("comm")) else { continue };
        if is_ui || counts(name.trim()) {
            let text = fs::read_to_string(task.join("schedstat")).unwrap_or_default();
            sum += text.split(' ').next().and_then(|ns| ns.parse::<u64>().ok()).unwrap_or(0);
        }
    }
    Ok(sum)
}
