//! A timeline as SVG: empty lanes to draw into, or lanes with what happened.

use std::fmt::Write as _;

use bson::Bson;

use super::html::escape;
use super::record::{AskedQuestion, Moments};

/// The size of a page's column, in SVG units.
const WIDTH: f64 = 660.0;
const NAMES: f64 = 130.0;
const LANE: f64 = 24.0;
const AXIS: f64 = 24.0;

/// Characters of a document's name.
const NAME_CHARS_MAX: usize = 20;

/// The steps between two times of the axis, in seconds.
const STEPS_SECS: [i64; 16] =
    [1, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400, 604_800, 2_592_000];

/// Times on the axis at most.
const TIMES_MAX: i64 = 8;

/// Draws the timeline of a question. `None` where no time passes. Empty lanes are for guesses; the others
/// have a bar up to the threshold, a dark one while overdue, and a cross at the removal.
pub(super) fn svg(asked: &AskedQuestion, is_empty: bool) -> Option<String> {
    let span_ms = asked.to_ms.checked_sub(asked.from_ms).filter(|span_ms| *span_ms > 0)?;
    if asked.documents.is_empty() {
        return None;
    }
    // A little more than what happens, so that the end doesn't give the answer away.
    let span_ms = span_ms.saturating_add(span_ms / 5);
    let scale = Scale { from_ms: asked.from_ms, span_ms };
    #[expect(clippy::cast_precision_loss, reason = "a few lanes")]
    let bottom = asked.documents.len() as f64 * LANE;
    let height = bottom + AXIS;
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" width=\"100%\" role=\"img\" aria-label=\"Timeline\">\n"
    );
    axis(&mut out, scale, bottom);
    let moments = asked.moments.iter().copied().chain(std::iter::repeat(Moments::default()));
    for ((at, document), moments) in asked.documents.iter().enumerate().zip(moments) {
        #[expect(clippy::cast_precision_loss, reason = "a few lanes")]
        let top = at as f64 * LANE;
        let (shown, document) = document;
        let name = name(&document.id);
        let name = if asked.has_collections { format!("{shown}: {name}") } else { name };
        let name: String = name.chars().take(NAME_CHARS_MAX).collect();
        let _ = writeln!(
            out,
            "<text x=\"0\" y=\"{:.1}\">{}</text>\n<line x1=\"{NAMES}\" x2=\"{WIDTH}\" y1=\"{:.1}\" y2=\"{:.1}\" class=\"lane\"/>",
            top + 16.0,
            escape(&name),
            top + LANE,
            top + LANE
        );
        if !is_empty {
            lane(&mut out, scale, top, moments, asked.to_ms);
        }
    }
    out.push_str("</svg>\n");
    Some(out)
}

/// The name of a lane. `ObjectId`s of one insert differ at their ends.
fn name(id: &Bson) -> String {
    match id {
        Bson::ObjectId(id) => format!("…{}", id.to_hex().split_off(18)),
        other => super::record::ids_words(std::slice::from_ref(other)),
    }
}

#[derive(Debug, Clone, Copy)]
struct Scale {
    from_ms: i64,
    span_ms: i64,
}

impl Scale {
    /// Where an instant is, at most at the edges.
    fn x(self, at_ms: i64) -> f64 {
        let since_ms = at_ms.saturating_sub(self.from_ms).clamp(0, self.span_ms);
        #[expect(clippy::cast_precision_loss, reason = "a place on paper")]
        let share = since_ms as f64 / self.span_ms as f64;
        NAMES + share * (WIDTH - NAMES)
    }
}

fn axis(out: &mut String, scale: Scale, bottom: f64) {
    let span_secs = scale.span_ms / 1_000;
    let step = STEPS_SECS.into_iter().find(|step| span_secs / step <= TIMES_MAX);
    let step_ms = step.unwrap_or(span_secs.max(1)).saturating_mul(1_000);
    let mut at_ms = scale.from_ms;
    // The bound on times is that of the step.
    while at_ms <= scale.from_ms.saturating_add(scale.span_ms) {
        let x = scale.x(at_ms);
        let words = if step_ms >= 86_400_000 { super::day(at_ms) } else { super::time(at_ms) };
        // Writing to a String can't fail.
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{bottom}\" class=\"tick\"/>\n\
             <text x=\"{x:.1}\" y=\"{:.1}\" class=\"time\">{words}</text>",
            bottom + 15.0
        );
        at_ms = at_ms.saturating_add(step_ms);
    }
}

fn lane(out: &mut String, scale: Scale, top: f64, moments: Moments, to_ms: i64) {
    let mut bar = |from_ms: i64, to_ms: i64, class: &str| {
        let (left, right) = (scale.x(from_ms), scale.x(to_ms));
        if right > left {
            let _ = writeln!(
                out,
                "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"10\" class=\"{class}\"/>",
                top + 7.0,
                right - left
            );
        }
    };
    let end_ms = moments.removed_ms.unwrap_or(to_ms);
    let threshold_ms = moments.threshold_ms.unwrap_or(i64::MAX);
    bar(scale.from_ms, threshold_ms.min(end_ms), "waits");
    if threshold_ms < end_ms {
        bar(threshold_ms, end_ms, "overdue");
    }
    if let Some(removed_ms) = moments.removed_ms {
        let x = scale.x(removed_ms);
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {:.1}l10 10m0 -10l-10 10\" class=\"removed\"/>",
            x - 5.0,
            top + 7.0
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::lesson::DocumentAmong;

    fn asked() -> AskedQuestion {
        let document = DocumentAmong { id: "<a>".into(), fields: String::new() };
        let moments = Moments { threshold_ms: Some(5_000), removed_ms: Some(60_000) };
        AskedQuestion {
            documents: vec![("tickets".to_owned(), document)],
            to_ms: 60_000,
            moments: vec![moments],
            ..AskedQuestion::default()
        }
    }

    #[test]
    fn an_empty_timeline_has_lanes_and_no_answer() {
        let empty = svg(&asked(), true).expect("a timeline");
        assert!(empty.contains("&lt;a&gt;") && empty.contains(">00:01:00<"), "{empty}");
        assert!(!empty.contains("removed") && !empty.contains("overdue"), "{empty}");
        let full = svg(&asked(), false).expect("a timeline");
        assert!(full.contains("class=\"removed\"") && full.contains("class=\"overdue\""));
    }

    #[test]
    fn lanes_of_one_insert_have_names_that_differ() {
        let ids = ["695661c0da2598e8d8b8c480", "695661c0da2598e8d8b8c481"];
        let names = ids.map(|id| name(&Bson::ObjectId(id.parse().expect("an ObjectId"))));
        assert_eq!(names, ["…b8c480", "…b8c481"]);
    }

    #[test]
    fn no_time_is_no_timeline_and_a_year_has_few_times() {
        assert_eq!(svg(&AskedQuestion { to_ms: 0, ..asked() }, true), None);
        let year = AskedQuestion { to_ms: 31_536_000_000, ..asked() };
        let drawn = svg(&year, true).expect("a timeline");
        assert!(drawn.matches("class=\"time\"").count() <= 14, "{drawn}");
    }
}
