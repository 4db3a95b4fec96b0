//! Running a pipeline: its results, and the documents after each stage.

use bson::Document;

use super::answers::{After, Count, Fields, More, Results};
use super::tab::{namespace, save, with};
use crate::apply::question::Question;
use crate::apply::{Apply, cursor, explain};
use crate::commands;
use crate::job::slow_read::SlowRead;
use crate::limits::SAMPLE_DOCUMENTS;
use crate::state::TabId;
use crate::state::aggregate::{Shown, StageCount};
use crate::state::documents::Scroll;
use crate::worker::Reply;

/// Shows the view for the first time: puts what was kept in place and runs it.
pub fn refresh(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    let kept = open.saved_aggregate.clone();
    let is_first = !open.aggregate.asked;
    open.aggregate.asked = true;
    let draft = &mut cx.state.drafts.tab(tab).aggregate;
    if !draft.restored {
        draft.restore(&kept.pipeline);
        with(cx.state, tab, |view| {
            view.mode = kept.mode;
            view.waits = kept.waits;
        });
    }
    if is_first {
        if let Some(of) = namespace(tab, cx.state) {
            let sample = commands::documents::sample(&of.collection, SAMPLE_DOCUMENTS);
            ask(tab, Fields(tab), sample, cx);
        }
        run(tab, cx);
    }
}

/// Runs the pipeline as it is typed.
pub fn run(tab: TabId, cx: &mut Apply<'_>) {
    let now_ms = cx.state.now_ms();
    let draft = &mut cx.state.drafts.tab(tab).aggregate;
    draft.ran = Some(draft.pipeline.clone());
    let read = draft.pipeline.read(now_ms);
    save(tab, cx.state);
    abandon(tab, cx);
    // Its results are wanted now, not how the last pipeline was answered.
    explain::close(tab, true, cx);
    let stages = match read {
        Ok(stages) => stages,
        Err(error) => {
            with(cx.state, tab, |view| {
                view.begin(Vec::new());
                view.error = Some(error);
            });
            return;
        }
    };
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    let (collection, view) = (open.namespace.collection.clone(), &mut open.aggregate);
    view.begin(stages);
    let run = view.run;
    let results = commands::aggregate::run(&collection, view.pipeline());
    let cards: Vec<u64> = view.stages.iter().map(|stage| stage.card).collect();
    let counts: Vec<Document> = cards.iter().map(|card| view.count(&collection, *card)).collect();
    ask_timed(tab, Results { tab, run }, results, cx);
    ask_after(tab, cx);
    for (card, command) in cards.into_iter().zip(counts) {
        ask(tab, Count { tab, run, card }, command, cx);
    }
}

/// Something was changed: runs the pipeline if it is another one now, unless it waits for *Run*.
pub fn changed(tab: TabId, cx: &mut Apply<'_>) {
    let waits = cx.state.tabs.get(tab).is_none_or(|open| open.aggregate.waits);
    let draft = &cx.state.drafts.tab(tab).aggregate;
    if !waits && draft.ran.as_ref() != Some(&draft.pipeline) {
        run(tab, cx);
    } else {
        save(tab, cx.state);
    }
}

/// Ends what runs, and closes the cursor that is open: nothing of it is of use any more.
pub fn abandon(tab: TabId, cx: &mut Apply<'_>) {
    cx.abandon(tab, &[SlowRead::Pipeline]);
    let mut cursor = None;
    with(cx.state, tab, |view| {
        view.running.clear();
        cursor = view.results.as_mut().and_then(|results| results.cursor.take());
    });
    if let (Some(cursor), Some(of)) = (cursor, namespace(tab, cx.state)) {
        cursor::close(&of, cursor, cx);
    }
}

/// Ends what runs because the user has waited enough. What came already stays.
pub fn stop(tab: TabId, cx: &mut Apply<'_>) {
    cx.abandon(tab, &[SlowRead::Pipeline]);
    let uptime = cx.state.uptime;
    with(cx.state, tab, |view| {
        let since = view.running.values().min().copied().unwrap_or(uptime);
        view.running.clear();
        for count in view.counts.values_mut().filter(|count| **count == StageCount::Waiting) {
            *count = StageCount::Stopped;
        }
        if view.results.is_none() {
            view.stopped_after = Some(uptime.saturating_sub(since));
        }
        // A late answer would replace a newer one.
        view.run += 1;
    });
}

/// Shows the results, or documents after a stage.
pub fn show(tab: TabId, shown: Shown, cx: &mut Apply<'_>) {
    cx.state.drafts.tab(tab).aggregate.scroll = Scroll::default();
    with(cx.state, tab, |view| {
        view.shown = shown;
        view.after = None;
    });
    ask_after(tab, cx);
}

fn ask_after(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let Shown::After(card) = open.aggregate.shown else { return };
    let run = open.aggregate.run;
    let command = open.aggregate.first_after(&open.namespace.collection, card);
    ask(tab, After { tab, run, card }, command, cx);
}

/// Reads the next results.
pub fn more(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let view = &open.aggregate;
    let Some(results) = view.results.as_ref().filter(|results| !results.is_full()) else { return };
    let Some(cursor) = results.cursor else { return };
    let run = view.run;
    let command = commands::aggregate::more(&open.namespace.collection, cursor);
    ask_timed(tab, More { tab, run }, command, cx);
}

fn ask(
    tab: TabId,
    question: impl Question<Answer = Reply>,
    command: Document,
    cx: &mut Apply<'_>,
) -> Option<u64> {
    let of = namespace(tab, cx.state)?;
    Some(cx.ask(question, &of.db, command))
}

/// Asks for what the view shows as running.
fn ask_timed(
    tab: TabId,
    question: impl Question<Answer = Reply>,
    command: Document,
    cx: &mut Apply<'_>,
) {
    let since = cx.state.uptime;
    if let Some(generation) = ask(tab, question, command, cx) {
        with(cx.state, tab, |view| view.running.extend([(generation, since)]));
    }
}
