//! The effect of a TTL, in four figures that add up to the collection.

use egui::{Label, Ui};
use mayfly_engine::reply::{DocCount, WhatIf};

use crate::state::State;
use crate::state::expiry::{first_pass, in_passes, one_minute};
use crate::state::number::{self, short_documents};
use crate::theme::{colors, text};
use crate::widgets::card;

/// Documents that would go at once; none while this is not known.
pub(super) fn going(what_if: Option<&WhatIf>) -> DocCount {
    what_if.map(|found| found.overdue_now).unwrap_or_default()
}

/// Documents that a pass of the server removes at most with one index, where that is known.
pub(super) fn pass_max(state: &State) -> Option<u64> {
    Some(state.store.connection.as_ref()?.attached.pass_job?.most)
}

/// Whether these documents are more than one pass removes.
fn takes_passes(overdue: DocCount, pass_max: Option<u64>) -> bool {
    pass_max.is_some_and(|most| overdue.likely() > most)
}

/// A warning of many documents that one pass would remove, and what to do about it.
pub(super) fn cliff(what_if: Option<&WhatIf>, state: &State) -> Option<String> {
    let found = what_if?;
    if let Some(most) = pass_max(state).filter(|most| takes_passes(found.overdue_now, Some(*most)))
    {
        return Some(in_passes(found.overdue_now, found.total, most));
    }
    first_pass(found.overdue_now, found.total).or_else(|| {
        let busiest = found.busiest.as_ref()?;
        let at = state.zone().date_time(busiest.from_ms);
        one_minute(busiest.documents, found.total.likely(), &at)
    })
}

/// Draws the figures; dashes while they are not known.
pub(super) fn ui(ui: &mut Ui, what_if: Option<&WhatIf>) {
    // How far they may be off is said below.
    let figure = |count: Option<DocCount>| count.map_or_else(|| "–".to_owned(), short_documents);
    let amber =
        what_if.is_some_and(|figures| !figures.overdue_now.is_zero()).then(|| colors(ui).overdue);
    ui.columns(4, |columns| {
        if let [now, hour, later, never] = columns {
            let removed = what_if.map(|figures| figures.overdue_now);
            card::figure(now, &figure(removed), "overdue now", amber);
            let soon = what_if.map(|figures| figures.next_hour);
            card::figure(hour, &figure(soon), "within an hour", None);
            let rest = what_if.map(WhatIf::later);
            card::figure(later, &figure(rest), "later", None);
            let stays = what_if.map(WhatIf::stays);
            card::figure(never, &figure(stays), "never", None);
        }
    });
    // Its place is reserved: the buttons below stay where they are when it comes.
    let words = what_if.and_then(|found| how_far(found.overdue_now)).unwrap_or_default();
    let words = if words.is_empty() { " ".to_owned() } else { words };
    ui.add(Label::new(text::rich(words, text::small()).color(colors(ui).dim)).truncate());
    if let Some(damaged) = what_if.map(|figures| figures.damaged).filter(|damaged| *damaged > 0) {
        let what = number::counted(damaged, "document is damaged", "documents are damaged");
        let words = format!("{what} and not counted; passes can't remove damaged documents");
        ui.add(Label::new(text::rich(words, text::body()).color(colors(ui).error)).wrap());
    }
}

/// Why the number of documents that go at once is not exact; `None` where it is.
fn how_far(overdue: DocCount) -> Option<String> {
    let found = number::documents(overdue);
    match overdue {
        DocCount::Exact(_) => None,
        DocCount::AtLeast(_) => Some(format!("Overdue now: {found}, as counting them takes long")),
        DocCount::About { .. } => Some(format!(
            "Estimated from samples. Overdue now: {found}. An index on the field would \
                          make it exact"
        )),
    }
}
