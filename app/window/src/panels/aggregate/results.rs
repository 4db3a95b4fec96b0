//! The results of the pipeline: as a table, as JSON, as a chart.

use egui::{Align, Frame, Label, Layout, Margin, Role, Sense, Stroke, Ui, WidgetInfo, vec2};

use super::table::copy_ui;
use super::{chart, table};
use crate::action::AggregateAction;
use crate::limits::RESULTS_MAX;
use crate::panels::tab_actions::AggregateActions;
use crate::state::aggregate::{
    AggregateDraft, AggregateView, Output, ResultsMode, Shown, StageCount,
};
use crate::state::documents::Row;
use crate::state::{State, Tab, duration, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::empty_state::{self, Picture};
use crate::widgets::hint::Hint as _;
use crate::widgets::row_scroll::RowScroll;
use crate::widgets::{Button, code_box, menu, tabs};

/// The height of a document that was not drawn yet, in points.
const ESTIMATE: f32 = 120.0;

pub fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    draft: &mut AggregateDraft,
    actions: &mut AggregateActions<'_>,
) {
    let view = &tab.aggregate;
    ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
    if !state.view.is_presented() {
        head_ui(ui, view, draft, actions);
    }
    let Some(output) = view.output() else {
        nothing_ui(ui, view, actions);
        return;
    };
    if output.rows.is_empty() {
        let sentence = match view.shown {
            Shown::Results => "The pipeline returned no documents",
            Shown::After(_) => "There are no documents after this stage",
        };
        empty_state::ui(ui, Picture::Documents, sentence, None);
        return;
    }
    match view.mode {
        ResultsMode::Table => table::ui(ui, state, tab, output, actions),
        ResultsMode::Json => json_ui(ui, output, draft, actions),
        ResultsMode::Chart => chart::ui(ui, state, view, output, actions),
    }
}

fn nothing_ui(ui: &mut Ui, view: &AggregateView, actions: &mut AggregateActions<'_>) {
    if view.error.is_some() {
        let sentence = "The pipeline has an error, so there are no results";
        let pressed = empty_state::ui(ui, Picture::Failure, sentence, Some("Run again"));
        if pressed.is_some_and(|button| button.clicked()) {
            actions.push(AggregateAction::Run);
        }
    } else if let Some(after) = view.stopped_after {
        if empty_state::stopped_ui(ui, &duration::stopped(after)) {
            actions.push(AggregateAction::Run);
        }
    } else {
        empty_state::ui(ui, Picture::Waiting, "Running the pipeline", None);
    }
}

fn head_ui(
    ui: &mut Ui,
    view: &AggregateView,
    draft: &AggregateDraft,
    actions: &mut AggregateActions<'_>,
) {
    ui.horizontal(|ui| {
        ui.set_height(sizes::CONTROL);
        let size = vec2(ui.available_width(), sizes::CONTROL);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            let words = ResultsMode::ALL.map(ResultsMode::label);
            let chosen = ResultsMode::ALL.iter().position(|mode| *mode == view.mode).unwrap_or(0);
            if let Some(at) = tabs::segmented(ui, "Results as", &words, chosen)
                && let Some(mode) = ResultsMode::ALL.get(at)
            {
                actions.push(AggregateAction::SetMode(*mode));
            }
            if matches!(view.shown, Shown::After(_)) {
                let button = Button::plain("Results").name("Show the results");
                if ui.add(button.tooltip("Show the results of the whole pipeline")).clicked() {
                    actions.push(AggregateAction::Show(Shown::Results));
                }
            } else if view.results.as_ref().is_some_and(can_load) {
                let button = Button::plain("Load more").tooltip("Load the next 500 documents");
                if ui.add(button.enabled(view.running.is_empty())).clicked() {
                    actions.push(AggregateAction::More);
                }
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let (words, hint) = title(view, draft);
                let ink = colors(ui).dim;
                let label = Label::new(text::rich(words, text::small()).color(ink)).truncate();
                ui.add(label).hint(hint);
            });
        });
    });
}

const _: () = assert!(crate::limits::RESULTS_PAGE == 500, "the tooltip names the number");

fn can_load(results: &Output) -> bool {
    results.cursor.is_some() && !results.is_full()
}

/// The title of the output, and more about it.
fn title(view: &AggregateView, draft: &AggregateDraft) -> (String, String) {
    let Some(output) = view.output() else { return Default::default() };
    let shown = output.rows.len() as u64;
    let documents = |count: u64| number::counted(count, "document", "documents");
    let took = format!("The store took {}", duration::micros(output.micros));
    if let Shown::After(card) = view.shown {
        let place = draft.pipeline.cards.iter().position(|other| other.id == card);
        let stage = place.map_or_else(String::new, |at| format!(" {}", at + 1));
        let words = match view.counts.get(&card) {
            Some(StageCount::Exactly(all)) if *all == shown => documents(shown),
            _ => format!("first {}", documents(shown)),
        };
        return (format!("After stage{stage}: {words}"), took);
    }
    if output.is_cut && output.is_full() {
        let hint = format!(
            "The view keeps up to {} documents. Export, or write the results with $out, to have \
             them all",
            number::count(RESULTS_MAX as u64)
        );
        return (format!("First {}", documents(shown)), hint);
    }
    if output.cursor.is_none() && !output.is_broken {
        return (documents(shown), took);
    }
    let count = number::count(shown);
    let words = match view.total() {
        Some(StageCount::Exactly(all)) => format!("{count} of {}", documents(*all)),
        Some(StageCount::MoreThan(most)) => format!("{count} of more than {}", documents(*most)),
        _ => format!("First {}", documents(shown)),
    };
    (words, took)
}

fn json_ui(
    ui: &mut Ui,
    output: &Output,
    draft: &mut AggregateDraft,
    actions: &mut AggregateActions<'_>,
) {
    let list = RowScroll {
        name: "results",
        rows: output.rows.len() as u64,
        estimate: ESTIMATE,
        version: 0,
    };
    let scroll = &mut draft.scroll;
    list.ui(ui, &mut scroll.row, &mut scroll.offset, |ui, at| {
        let row = usize::try_from(at).ok().and_then(|at| output.rows.get(at));
        if let Some(row) = row {
            document_ui(ui, at, row, actions);
        }
    });
}

fn document_ui(ui: &mut Ui, at: u64, row: &Row, actions: &mut AggregateActions<'_>) {
    let colors = colors(ui);
    let frame = Frame::new()
        .fill(colors.raised)
        .stroke(Stroke::new(sizes::LINE, colors.hairline))
        .corner_radius(egui::CornerRadius::same(9))
        .outer_margin(Margin { bottom: 8, right: 4, ..Margin::ZERO })
        .inner_margin(Margin::symmetric(11, 9));
    let response = frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        let (lines, cut) = row.json().shown(|_| false);
        let lines: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        let job = code_box::highlighted(ui, &lines.join("\n"), ui.available_width());
        ui.add(Label::new(job).selectable(true));
        if cut {
            let words = "The rest is left out because the document is long";
            ui.label(text::rich(words, text::small()).color(colors.dim));
        }
    });
    let name = format!("Result {}", at + 1);
    let response =
        ui.interact(response.response.rect, ui.scope_id().with("result"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::ListItem, ui.is_enabled(), &name));
    menu::context(&response, |ui| copy_ui(ui, row, actions));
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn results_whose_cursor_ended_are_the_first_ones() {
        let check = |cursor, is_broken, expected: &str| {
            let mut results = Output::default();
            (results.cursor, results.is_broken) = (cursor, is_broken);
            results.extend((0..500).map(|id| doc! { "_id": id }).collect(), 1);
            let view = AggregateView { results: Some(results), ..AggregateView::default() };
            assert_eq!(title(&view, &AggregateDraft::default()).0, expected);
        };
        check(Some(7), false, "First 500 documents");
        check(None, false, "500 documents");
        check(None, true, "First 500 documents");
    }
}
