//! From instants to points on the screen.

use egui::Rect;

use crate::state::Clock;
use crate::state::axis::Axis;

/// The axis laid over a width.
#[derive(Debug, Clone, Copy)]
pub(in crate::panels) struct Scale {
    pub axis: Axis,
    pub now_ms: i64,
    /// The time that digits show: the last full step of the clock.
    pub shown_ms: i64,
    pub left: f32,
    pub width: f32,
}

impl Scale {
    pub(super) fn new(axis: Axis, clock: &Clock, rect: Rect) -> Self {
        let (now_ms, shown_ms) = (clock.now_ms(), clock.shown_ms());
        Self { axis, now_ms, shown_ms, left: rect.left(), width: rect.width().max(1.0) }
    }

    /// Where an instant stands. Far away instants are kept within a few widths of the screen.
    #[expect(clippy::cast_possible_truncation, reason = "the fraction is clamped to a few widths")]
    pub(in crate::panels) fn x(&self, at_ms: i64) -> f32 {
        let fraction = self.axis.position(at_ms, self.now_ms).clamp(-2.0, 3.0) as f32;
        self.left + fraction * self.width
    }

    /// The instant at a position on the screen, in milliseconds since 1970.
    pub(super) fn instant(&self, x: f32) -> i64 {
        self.axis.instant(self.fraction(x), self.now_ms)
    }

    /// Which fraction of the width a position on the screen is.
    pub(super) fn fraction(&self, x: f32) -> f64 {
        f64::from((x - self.left) / self.width)
    }

    pub(super) fn right(&self) -> f32 {
        self.left + self.width
    }

    pub(in crate::panels) fn now_x(&self) -> f32 {
        self.x(self.now_ms)
    }

    /// Milliseconds in which an instant moves by half a point on the screen.
    pub(super) fn ms_per_half_point(&self) -> i64 {
        let width = f64::from(self.width) * 2.0;
        #[expect(clippy::cast_precision_loss, reason = "a span on screen fits 52 bits")]
        let ms = self.axis.span_ms() as f64 / width;
        #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
        let ms = ms as i64;
        ms.max(1)
    }
}
