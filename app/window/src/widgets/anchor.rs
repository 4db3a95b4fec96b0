//! Where something is on the screen, for what points at it.

use egui::{Context, Id, Rect};

/// A part of the window that a callout may point at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Anchor {
    Now,
    Monitor,
    /// The button that opens What-if.
    WhatIf,
    /// The button that opens the Lessons page.
    Lessons,
}

/// Passes over the window after which what was not drawn is known to be gone.
const PASSES_APART_MAX: u64 = 1;

/// Notes in this frame where something is.
pub fn note(context: &Context, anchor: Anchor, rect: Rect) {
    let place = (context.cumulative_pass_nr(), rect);
    context.data_mut(|data| data.insert_temp(Id::unique(anchor), place));
}

/// Where something is; `None` while it is not on the screen.
pub fn place(context: &Context, anchor: Anchor) -> Option<Rect> {
    let (pass, rect): (u64, Rect) = context.data(|data| data.get_temp(Id::unique(anchor)))?;
    let apart = context.cumulative_pass_nr().saturating_sub(pass);
    (apart <= PASSES_APART_MAX).then_some(rect)
}
