//! The table: one line a figure.

use super::measure::{Cost, float};

/// The head of the table.
pub fn head() {
    println!(
        "{:<46} {:>24} {:>24} {:>7} {:>7}  {:<22} met",
        "work", "Mayfly", "beside it", "wall", "CPU", "goal"
    );
}

/// One line. `ratio` compares with the goal; no ratio where there is nothing to compare with.
pub fn line(work: &str, ours: &str, beside: &str, ratios: (f64, f64), goal: &str, met: bool) {
    let ratio = |ratio: f64| if ratio.is_nan() { String::new() } else { format!("{ratio:.2}×") };
    println!(
        "{work:<46} {ours:>24} {beside:>24} {:>7} {:>7}  {goal:<22} {}",
        ratio(ratios.0),
        ratio(ratios.1),
        if met { "yes" } else { "NO" }
    );
}

/// A line without a comparison.
pub fn alone(work: &str, ours: &str, goal: &str, met: bool) {
    line(work, ours, "", (f64::NAN, f64::NAN), goal, met);
}

/// The measure that the goal of a comparison bounds.
#[derive(Clone, Copy)]
pub enum Bound {
    /// CPU seconds, at most this many times those of raw LMDB.
    Cpu(f64),
    /// Documents a second, at least this many times those of raw LMDB.
    Rate(f64),
}

/// A line about `count` things done by both sides.
pub fn against_raw(work: &str, count: u64, ours: Cost, raw: Cost, bound: Bound) {
    let ratios = (ours.wall / raw.wall, ours.cpu / raw.cpu);
    let (goal, met) = match bound {
        Bound::Cpu(most) => (format!("CPU ≤ {most:.1}×"), ratios.1 <= most),
        Bound::Rate(least) => {
            (format!("rate ≥ {least:.1}×"), raw.wall / ours.wall.max(1e-9) >= least)
        }
    };
    line(work, &rate(count, ours), &rate(count, raw), ratios, &goal, met);
}

/// Thousands a second, by wall and by CPU.
pub fn rate(count: u64, cost: Cost) -> String {
    let rate = |secs: f64| float(count) / secs / 1e3;
    format!("{:.0} k/s ({:.0} k/CPU s)", rate(cost.wall), rate(cost.cpu))
}
