//! A tiny chart: how many documents expire in each bucket.

use egui::{Rect, Ui, pos2};

use crate::theme::{colors, sizes};

/// Paints the bars into `rect`; the first `overdue` bar is amber when it is not zero.
pub fn paint(ui: &Ui, rect: Rect, counts: &[u64], overdue: u64) {
    if counts.is_empty() {
        return;
    }
    let colors = colors(ui);
    let bars = counts.len() + 1;
    #[expect(clippy::cast_precision_loss, reason = "a few dozen bars")]
    let step = rect.width() / bars as f32;
    let width = (step - sizes::STRIP_GAP).max(1.0);
    let most = counts.iter().copied().max().unwrap_or(0).max(overdue).max(1);
    for (at, count) in std::iter::once(overdue).chain(counts.iter().copied()).enumerate() {
        if at == 0 && count == 0 {
            continue;
        }
        #[expect(clippy::cast_precision_loss, reason = "heights of a few points")]
        let share = (count as f32 / most as f32).sqrt();
        // A bucket without documents keeps a mark, so that the strip reads as a time axis.
        let height = (share * rect.height()).max(1.5);
        #[expect(clippy::cast_precision_loss, reason = "a few dozen bars")]
        let left = rect.left() + at as f32 * step;
        let bar = Rect::from_min_max(
            pos2(left, rect.bottom() - height),
            pos2(left + width, rect.bottom()),
        );
        let ink = match (at, count) {
            (0, _) => colors.overdue,
            (_, 0) => colors.well,
            _ => colors.accent,
        };
        ui.painter().rect_filled(bar, 1.0, ink);
    }
}
