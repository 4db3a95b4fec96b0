//! Where everything is on a screen of any size.

use ratatui::layout::Rect;

/// Columns and lines of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub width: u16,
    pub height: u16,
}

/// The smallest terminal that is drawn.
pub(super) const SIZE_MIN: Size = Size { width: 36, height: 8 };

/// Below this width words are left out.
pub(super) const NARROW: u16 = 60;

/// From this width on, passes are left of the ledger.
const WIDE: u16 = 100;

/// The width of the passes next to the ledger.
const PASSES_WIDTH: u16 = 46;

/// The areas of the screen. The first line of lanes, passes and ledger is a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Places {
    pub head: Rect,
    pub monitor: Rect,
    pub hold: Rect,
    /// Everything from there to the last line.
    pub body: Rect,
    pub lanes: Rect,
    pub passes: Rect,
    pub ledger: Rect,
    pub foot: Rect,
}

impl Places {
    pub(super) fn new(size: Size, has_hold: bool) -> Self {
        let Size { width, height } = size;
        let lines = |y: u16, height: u16| Rect { x: 0, y, width, height };
        let hold = match (has_hold, height) {
            (false, _) => 0,
            (true, ..16) => 1,
            (true, _) => 2,
        };
        let top = 2 + hold;
        let rest = height.saturating_sub(top + 1);
        let body = lines(top, rest);
        let (passes, ledger, lanes) = if width >= WIDE {
            let low = (rest / 3).clamp(2, 16).min(rest);
            let at = lines(top + rest - low, low);
            let (left, right) = (PASSES_WIDTH, width - PASSES_WIDTH);
            let passes = Rect { width: left, ..at };
            (passes, Rect { x: left, width: right, ..at }, lines(top, rest - low))
        } else {
            let ledger = (rest / 3).max(2).min(rest);
            let passes = if rest >= 15 { 4 } else { 0 };
            let at = top + rest - ledger;
            let lanes = rest - ledger - passes;
            (lines(at - passes, passes), lines(at, ledger), lines(top, lanes))
        };
        let foot = lines(height.saturating_sub(1), 1.min(height));
        Self {
            head: lines(0, 1),
            monitor: lines(1, 1),
            hold: lines(2, hold),
            body,
            lanes,
            passes,
            ledger,
            foot,
        }
    }

    /// Lines of the ledger under its title.
    pub(super) fn ledger_rows(&self) -> usize {
        usize::from(self.ledger.height.saturating_sub(1))
    }
}

/// The widths of the columns of the lanes. What comes from documents is at the right: where a
/// terminal draws a character wider than expected, or from right to left, no other column moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    pub time: u16,
    pub bar: u16,
    pub threshold: u16,
    pub index: u16,
    pub namespace: u16,
    pub id: u16,
}

/// The mark of a line, and the space after it.
pub(super) const MARK: u16 = 2;

impl Columns {
    pub(super) fn new(width: u16, is_one_collection: bool) -> Self {
        let time = if width < NARROW { 10 } else { 17 };
        let bar = (width / 6).clamp(8, 40);
        let threshold = if width < NARROW { 0 } else { 11 };
        let rest = width.saturating_sub(MARK + time + bar + 1 + threshold);
        let index = if rest >= 32 { (rest / 4).min(24) } else { 0 };
        let has_namespace = !is_one_collection && rest >= 24;
        let namespace = if has_namespace { (rest * 3 / 8).min(34) } else { 0 };
        Self { time, bar, threshold, index, namespace, id: rest - index - namespace }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_fill_the_screen_and_never_overlap() {
        for width in [0, 1, 36, 40, 80, 99, 100, 120, 300] {
            for height in [0, 1, 3, 8, 10, 16, 24, 40, 120] {
                for has_hold in [false, true] {
                    let size = Size { width, height };
                    let places = Places::new(size, has_hold);
                    let screen = Rect { x: 0, y: 0, width, height };
                    if height >= SIZE_MIN.height {
                        let of = |area: Rect| u32::from(area.width) * u32::from(area.height);
                        let Places { head, monitor, hold, lanes, passes, ledger, foot, .. } =
                            places;
                        let parts = [head, monitor, hold, lanes, passes, ledger, foot];
                        let sum: u32 = parts.into_iter().map(of).sum();
                        assert_eq!(sum, of(screen), "{size:?}");
                        assert!(parts.iter().all(|part| screen.union(*part) == screen), "{size:?}");
                        assert!(lanes.height >= 2 && places.ledger_rows() >= 1, "{size:?}");
                    }
                    let columns = Columns::new(width, has_hold);
                    let Columns { time, bar, threshold, index, namespace, id } = columns;
                    let sum = MARK + time + bar + 1 + threshold + index + namespace + id;
                    assert!(width < SIZE_MIN.width || sum == width, "{columns:?}");
                }
            }
        }
    }
}
