//! How rows and knobs move between two frames that show them at different places.

use std::collections::HashMap;
use std::time::Duration;

use egui::{Id, Ui};

use crate::state::expiry::{Lane, Row};
use crate::theme::durations;

/// A row that moves further than this many rows jumps.
const ROWS_MAX: f32 = 12.0;

/// How a row is drawn in this frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::panels) struct Pose {
    pub offset: f32,
    /// Where the knob comes from, in milliseconds since 1970, and how much of its way is done.
    pub slide: Option<(i64, f32)>,
    /// The size of the knob; 1 when it is at rest.
    pub knob: f32,
}

impl Pose {
    /// Nothing moves.
    pub(in crate::panels) const STILL: Self = Self { offset: 0.0, slide: None, knob: 1.0 };
}

/// A row as it was drawn last.
#[derive(Debug, Clone, Copy)]
struct LaneMotion {
    frame: u64,
    row: usize,
    from_offset: f32,
    moved: Option<Duration>,
    threshold_ms: i64,
    from_ms: i64,
    slid: Option<Duration>,
    is_overdue: bool,
    popped: Option<Duration>,
}

/// A tombstone that was on the screen, and its row.
#[derive(Debug, Clone)]
struct Tombstone {
    frame: u64,
    row: usize,
    lane: Lane,
    /// When it left the list. `None` while it is on it.
    left: Option<Duration>,
}

/// A tombstone that is on its way out, as it is drawn in this frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaving<'a> {
    pub lane: &'a Lane,
    pub row: usize,
    /// How much of it is still there, from 0 to 1.
    pub strength: f32,
}

/// The rows of the last frame.
#[derive(Debug, Clone, Default)]
pub(super) struct Motion {
    /// The pass over the window: rows of the last pass move, and rows of a view before don't.
    frame: u64,
    rows: HashMap<Id, LaneMotion>,
    tombstones: HashMap<Id, Tombstone>,
    /// Whether anything moves in this frame.
    pub moves: bool,
}

impl Motion {
    /// Takes what the last frame left.
    pub(super) fn begin(ui: &Ui) -> Self {
        let id = ui.scope_id().with("motion");
        let mut motion: Self = ui.data_mut(|data| data.remove_temp(id)).unwrap_or_default();
        motion.frame = ui.ctx().cumulative_pass_nr() + 1;
        motion.moves = false;
        motion
    }

    /// Leaves the rows that were drawn for the next frame.
    pub(super) fn end(mut self, ui: &Ui) {
        let frame = self.frame;
        self.rows.retain(|_, seen| seen.frame == frame);
        self.tombstones.retain(|_, seen| seen.frame == frame);
        let id = ui.scope_id().with("motion");
        ui.data_mut(|data| data.insert_temp(id, self));
    }

    /// How a lane is drawn at `row` at this uptime of the window.
    pub(super) fn pose(&mut self, lane: &Lane, row: usize, now_ms: i64, uptime: Duration) -> Pose {
        let id = |removed_ms: Option<i64>| Id::unique(("lane", lane.id.to_string(), removed_ms));
        let is_overdue = lane.threshold_ms <= now_ms;
        let threshold_ms = lane.threshold_ms;
        let fresh = LaneMotion {
            frame: self.frame,
            row,
            from_offset: 0.0,
            moved: None,
            threshold_ms,
            from_ms: threshold_ms,
            slid: None,
            is_overdue,
            popped: None,
        };
        if lane.removed_ms.is_some() {
            let seen = self.tombstones.entry(id(lane.removed_ms));
            let seen = seen.or_insert_with(|| Tombstone {
                frame: self.frame,
                row,
                lane: lane.clone(),
                left: None,
            });
            (seen.frame, seen.row, seen.left) = (self.frame, row, None);
        }
        let last = self.frame - 1;
        let seen = |id: Id| self.rows.get(&id).copied().filter(|seen| seen.frame == last);
        // A removed document moves from where it waited to its place as a tombstone.
        let known =
            seen(id(lane.removed_ms)).or_else(|| lane.removed_ms.and_then(|_| seen(id(None))));
        let seen = known.map_or(fresh, |seen| seen.moved_to(fresh, uptime));
        self.rows.insert(id(lane.removed_ms), seen);
        let pose = seen.pose(uptime);
        self.moves |= pose != Pose::STILL;
        pose
    }

    /// The tombstones that were on the screen and are not among the rows any more. They fade. Asked after
    /// the rows of the frame.
    pub(super) fn leaving(&mut self, rows: &[Row<'_>], uptime: Duration) -> Vec<Leaving<'_>> {
        let (frame, last) = (self.frame, self.frame - 1);
        for seen in self.tombstones.values_mut().filter(|seen| seen.frame == last) {
            let is_it = |row: &Row<'_>| {
                let (id, removed_ms) = (&seen.lane.id, seen.lane.removed_ms);
                matches!(row, Row::Lane(lane) if lane.removed_ms == removed_ms && lane.id == *id)
            };
            // One that is scrolled away has not left.
            if seen.left.is_none() && rows.iter().any(is_it) {
                continue;
            }
            let left = *seen.left.get_or_insert(uptime);
            if uptime.saturating_sub(left) < durations::LEAVE {
                seen.frame = frame;
            }
        }
        let leaving: Vec<Leaving<'_>> = self
            .tombstones
            .values()
            .filter(|seen| seen.frame == frame)
            .filter_map(|seen| {
                let share = share(seen.left, durations::LEAVE, uptime)?;
                Some(Leaving { lane: &seen.lane, row: seen.row, strength: 1.0 - eased(share) })
            })
            .collect();
        self.moves |= !leaving.is_empty();
        leaving
    }
}

impl LaneMotion {
    /// The row as it is now, with the movements that this begins.
    fn moved_to(self, now: Self, uptime: Duration) -> Self {
        let mut next = Self { frame: now.frame, ..self };
        if now.row != self.row {
            #[expect(clippy::cast_precision_loss, reason = "a few hundred rows")]
            let offset = self.row as f32 - now.row as f32 + self.offset(uptime);
            (next.row, next.from_offset) = (now.row, offset);
            next.moved = (offset.abs() <= ROWS_MAX).then_some(uptime);
        }
        if now.threshold_ms != self.threshold_ms {
            (next.threshold_ms, next.from_ms) = (now.threshold_ms, self.threshold_ms);
            next.slid = Some(uptime);
        }
        if now.is_overdue && !self.is_overdue {
            next.popped = Some(uptime);
        }
        next.is_overdue = now.is_overdue;
        next
    }

    fn offset(&self, uptime: Duration) -> f32 {
        let share = share(self.moved, durations::REORDER, uptime);
        share.map_or(0.0, |share| self.from_offset * (1.0 - eased(share)))
    }

    fn pose(&self, uptime: Duration) -> Pose {
        let slide = share(self.slid, durations::SLIDE, uptime);
        let pop = share(self.popped, durations::POP, uptime);
        Pose {
            offset: self.offset(uptime),
            slide: slide.map(|share| (self.from_ms, eased(share))),
            knob: pop.map_or(1.0, |share| 1.0 + 0.7 * (share * std::f32::consts::PI).sin()),
        }
    }
}

/// How much of a movement that began then is done; `None` when none runs.
fn share(began: Option<Duration>, whole: Duration, uptime: Duration) -> Option<f32> {
    let passed = uptime.saturating_sub(began?);
    (passed < whole).then(|| passed.as_secs_f32() / whole.as_secs_f32())
}

/// Fast at first, slow at the end.
fn eased(share: f32) -> f32 {
    1.0 - (1.0 - share).powi(3)
}

#[cfg(test)]
mod tests {
    use bson::Bson;

    use super::*;

    fn lane(threshold_ms: i64) -> Lane {
        Lane {
            id: Bson::Int32(1),
            index: "at_1".into(),
            field: "at".into(),
            base_ms: 0,
            threshold_ms,
            own_ttl: false,
            dates_ms: Vec::new(),
            removed_ms: None,
            removable_ms: None,
            seen_ms: None,
        }
    }

    #[test]
    fn two_removals_of_one_id_are_two_rows() {
        let mut motion = Motion::default();
        let removed = |at_ms| Lane { removed_ms: Some(at_ms), ..lane(0) };
        for frame in 1..4_u64 {
            motion.frame = frame;
            for (at_ms, row) in [(1, 0), (2, 3)] {
                let pose = motion.pose(&removed(at_ms), row, 10, Duration::from_millis(frame * 16));
                assert_eq!(pose.offset.to_bits(), 0.0_f32.to_bits(), "frame {frame}, row {row}");
            }
        }
    }

    #[test]
    fn a_removed_document_slides_to_its_place_as_a_tombstone() {
        let mut motion = Motion { frame: 1, ..Motion::default() };
        motion.pose(&lane(5), 4, 9, Duration::ZERO);
        motion.frame += 1;
        let removed = Lane { removed_ms: Some(8), ..lane(5) };
        let pose = motion.pose(&removed, 1, 9, Duration::from_millis(16));
        assert!((pose.offset - 3.0).abs() < 1e-3, "{pose:?}");
    }

    /// Poses of one lane in frames at these times, places and thresholds, in milliseconds.
    fn poses(frames: &[(u64, usize, i64)], now_ms: i64) -> Vec<Pose> {
        let mut motion = Motion::default();
        let pose = |(at, row, threshold_ms): &(u64, usize, i64)| {
            motion.frame += 1;
            let uptime = Duration::from_millis(*at);
            motion.pose(&lane(*threshold_ms), *row, now_ms, uptime)
        };
        frames.iter().map(pose).collect()
    }

    /// How strong a tombstone is drawn in frames at these times; `true` while it is among the rows.
    fn strengths(frames: &[(u64, bool)], is_drawn: bool) -> Vec<Option<f32>> {
        let mut motion = Motion { frame: 1, ..Motion::default() };
        let removed = Lane { removed_ms: Some(8), ..lane(5) };
        let strength = |(at, is_there): &(u64, bool)| {
            motion.frame += 1;
            let uptime = Duration::from_millis(*at);
            let rows = if *is_there { vec![Row::Lane(&removed)] } else { Vec::new() };
            if *is_there && (is_drawn || *at == 0) {
                motion.pose(&removed, 3, 9, uptime);
            }
            let leaving = motion.leaving(&rows, uptime);
            let strength = leaving.first().map(|leaving| leaving.strength);
            assert!(leaving.iter().all(|leaving| leaving.row == 3), "it fades where it was");
            strength
        };
        frames.iter().map(strength).collect()
    }

    #[test]
    fn a_tombstone_fades_where_it_was_when_it_leaves() {
        let found =
            strengths(&[(0, true), (20, true), (40, false), (140, false), (900, false)], true);
        assert_eq!([found[0], found[1], found[4]], [None; 3]);
        assert_eq!(found[2], Some(1.0));
        assert!(found[3].is_some_and(|strength| strength > 0.0 && strength < 0.6), "{found:?}");
    }

    #[test]
    fn a_tombstone_that_is_scrolled_away_or_comes_back_does_not_fade() {
        assert_eq!(strengths(&[(0, true), (20, true)], false), [None; 2]);
        let found = strengths(&[(0, true), (20, false), (40, true), (60, true)], true);
        assert_eq!([found[2], found[3]], [None; 2]);
    }

    #[test]
    fn a_row_slides_to_its_place_and_rests_there() {
        let found = poses(&[(0, 4, 9), (100, 1, 9), (150, 1, 9), (400, 1, 9)], 0);
        assert_eq!((found[0], found[3]), (Pose::STILL, Pose::STILL));
        assert!((found[1].offset - 3.0).abs() < 1e-3, "{found:?}");
        assert!(found[2].offset > 0.0 && found[2].offset < 3.0, "{found:?}");
    }

    #[test]
    fn a_refreshed_knob_slides_from_its_last_threshold() {
        let found = poses(&[(0, 1, 9), (100, 1, 99), (200, 1, 99), (400, 1, 99)], 0);
        assert_eq!(found[1].slide, Some((9, 0.0)));
        assert!(found[2].slide.is_some_and(|(from, share)| from == 9 && share > 0.5));
        assert_eq!(found[3], Pose::STILL);
    }

    #[test]
    fn a_knob_pops_once_at_its_threshold() {
        let mut motion = Motion::default();
        let mut knob = |now_ms, at| {
            motion.frame += 1;
            motion.pose(&lane(10), 0, now_ms, Duration::from_millis(at)).knob
        };
        assert!((knob(9, 0) - 1.0).abs() < 1e-3);
        knob(10, 100);
        assert!(knob(10, 160) > 1.5);
        assert!((knob(11, 400) - 1.0).abs() < 1e-3);
    }
}
