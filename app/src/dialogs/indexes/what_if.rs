//! What a TTL would remove, in four figures that add up to the collection.

use egui::{Label, Ui};
use mayfly_engine::reply::WhatIf;

use crate::state::expiry::{first_pass, one_minute};
use crate::state::{State, number};
use crate::theme::{colors, text};
use crate::widgets::card;

/// A warning of many documents that one pass would remove, and what to do about it.
pub(super) fn cliff(what_if: Option<&WhatIf>, state: &State) -> Option<String> {
    let found = what_if?;
    first_pass(found.overdue_now, found.total, found.sample).or_else(|| {
        let busiest = found.busiest.as_ref()?;
        let at = state.zone().date_time(busiest.from_ms);
        one_minute(busiest.documents, found.total, found.sample, &at)
    })
}

/// Draws the warning.
pub(super) fn cliff_ui(ui: &mut Ui, words: Option<&str>) {
    if let Some(words) = words {
        let words = text::rich(words, text::body()).color(colors(ui).overdue);
        ui.add(Label::new(words).wrap());
    }
}

/// Draws the figures; dashes while they are not known.
pub(super) fn ui(ui: &mut Ui, what_if: Option<&WhatIf>) {
    let sample = what_if.and_then(|figures| figures.sample);
    let figure = |count: Option<u64>| {
        // That it is estimated is said below.
        let words = |count| number::count_or_about(count, sample).replace("about ", "~");
        count.map_or_else(|| "–".to_owned(), words)
    };
    let amber = what_if.is_some_and(|figures| figures.overdue_now > 0).then(|| colors(ui).overdue);
    ui.columns(4, |columns| {
        if let [now, hour, later, never] = columns {
            let removed = what_if.map(|figures| figures.overdue_now);
            card::figure(now, &figure(removed), "by the next pass", amber);
            let soon = what_if.map(|figures| figures.next_hour);
            card::figure(hour, &figure(soon), "within an hour", None);
            let rest = what_if.map(WhatIf::later);
            card::figure(later, &figure(rest), "later", None);
            let stays = what_if.map(WhatIf::stays);
            card::figure(never, &figure(stays), "never", None);
        }
    });
    if let (Some(sample), Some(found)) = (sample, what_if) {
        let (sample, total) = (number::count(sample), number::count(found.total));
        let words = format!("Estimated from {sample} of {total} documents");
        ui.label(text::rich(words, text::small()).color(colors(ui).dim));
    }
    if let Some(damaged) = what_if.map(|figures| figures.damaged).filter(|damaged| *damaged > 0) {
        let what = number::counted(damaged, "document is damaged", "documents are damaged");
        let words = format!("{what} and not counted; passes can't remove damaged documents");
        ui.add(Label::new(text::rich(words, text::body()).color(colors(ui).error)).wrap());
    }
}
