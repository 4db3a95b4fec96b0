//! Running a pipeline: its results, and the documents after each stage.

use bson::{Bson, Document};

use super::{namespace, save, with};
use crate::apply::number::number;
use crate::apply::{Apply, TOO_MUCH, explain};
use crate::commands;
use crate::job::purpose::SlowRead;
use crate::limits::{SAMPLE_DOCUMENTS, STAGE_COUNT_MAX};
use crate::state::aggregate::{AggregateView, Output, Purpose, Shown, StageCount, StageError};
use crate::state::documents::Scroll;
use crate::state::{Purpose as AnyPurpose, State, TabId};
use crate::worker::{Reply, code};

/// Results whose fields are offered in completion.
const FIELDS_ROWS: usize = 20;

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
            ask(tab, Purpose::Fields, sample, cx);
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
    ask(tab, Purpose::Results { run }, results, cx);
    ask_after(tab, cx);
    for (card, command) in cards.into_iter().zip(counts) {
        ask(tab, Purpose::Count { run, card }, command, cx);
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
    if let Some(cursor) = cursor {
        close(tab, cursor, cx);
    }
}

fn close(tab: TabId, cursor: i64, cx: &mut Apply<'_>) {
    if let Some(of) = namespace(tab, cx.state) {
        let command = commands::documents::close_cursor(&of.collection, cursor);
        ask(tab, Purpose::Close, command, cx);
    }
}

/// Ends what runs because the user has waited enough. What came already stays.
pub fn stop(tab: TabId, cx: &mut Apply<'_>) {
    cx.abandon(tab, &[SlowRead::Pipeline]);
    with(cx.state, tab, |view| {
        view.running.clear();
        for count in view.counts.values_mut().filter(|count| **count == StageCount::Waiting) {
            *count = StageCount::Stopped;
        }
        if view.results.is_none() {
            let message = "The pipeline was stopped".to_owned();
            view.error = Some(StageError { card: None, offset: None, message });
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
    ask(tab, Purpose::After { run, card }, command, cx);
}

/// Reads the next results.
pub fn more(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let view = &open.aggregate;
    let Some(results) = view.results.as_ref().filter(|results| !results.is_full()) else { return };
    let Some(cursor) = results.cursor else { return };
    let run = view.run;
    let command = commands::aggregate::more(&open.namespace.collection, cursor);
    ask(tab, Purpose::More { run }, command, cx);
}

fn ask(tab: TabId, purpose: Purpose, command: Document, cx: &mut Apply<'_>) {
    let Some(of) = namespace(tab, cx.state) else { return };
    let is_timed = matches!(purpose, Purpose::Results { .. } | Purpose::More { .. });
    let generation = cx.read(AnyPurpose::Aggregate(tab, purpose), &of.db, command);
    if is_timed {
        let since = cx.state.uptime;
        with(cx.state, tab, |view| view.running.extend([(generation, since)]));
    }
}

/// Handles a reply.
pub fn answer(tab: TabId, purpose: &Purpose, generation: u64, reply: &Reply, cx: &mut Apply<'_>) {
    ended(tab, generation, cx.state);
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    let view = &mut open.aggregate;
    let now = view.run;
    match purpose {
        Purpose::Results { run } | Purpose::More { run } if *run != now => {
            // Its cursor would stay open.
            if let Some(cursor) = reply.ok().and_then(cursor) {
                close(tab, cursor, cx);
            }
        }
        Purpose::Results { .. } => match &reply.result {
            Ok(found) => {
                let mut results = Output::default();
                take(&mut results, found, "firstBatch", reply.micros);
                let first = results.rows.iter().take(FIELDS_ROWS).map(|row| &row.document);
                view.learn_fields(first);
                view.results = Some(results);
            }
            Err(error) => fail(view, None, error),
        },
        Purpose::More { .. } => match (&reply.result, &mut view.results) {
            (Ok(found), Some(results)) => take(results, found, "nextBatch", reply.micros),
            (Err(error), results) => {
                if let Some(results) = results {
                    results.cursor = None;
                    results.is_broken = true;
                }
                let message = format!("{error}; run the pipeline again");
                view.error = Some(StageError { card: None, offset: None, message });
            }
            (Ok(_), None) => {}
        },
        Purpose::Count { run, card } if *run == now => count(view, *card, reply),
        Purpose::After { run, card } if *run == now && view.shown == Shown::After(*card) => {
            let mut after = Output::default();
            match &reply.result {
                Ok(found) => take(&mut after, found, "firstBatch", reply.micros),
                Err(error) => fail(view, Some(*card), error),
            }
            view.after = Some(after);
        }
        Purpose::Fields => {
            let found = reply.ok().into_iter().flat_map(|found| batch(found, "firstBatch"));
            view.learn_fields(found);
        }
        Purpose::Count { .. } | Purpose::After { .. } | Purpose::Close => {}
    }
}

fn fail(view: &mut AggregateView, card: Option<u64>, error: &str) {
    view.refuse(card, error.to_owned());
}

fn count(view: &mut AggregateView, card: u64, reply: &Reply) {
    let found = match &reply.result {
        Ok(found) => {
            // Of nothing, `$count` gives no document.
            let n = batch(found, "firstBatch").next().map_or(Some(0), |first| number(first, "n"));
            let most = u64::try_from(STAGE_COUNT_MAX).unwrap_or(u64::MAX);
            match n {
                Some(n) if n > most => StageCount::MoreThan(most),
                Some(n) => StageCount::Exactly(n),
                None => return,
            }
        }
        Err(_) if reply.is_late() => StageCount::TookTooLong,
        Err(error) => {
            if reply.code.as_ref().is_some_and(|code| code::is_of_the_query(code.number)) {
                fail(view, Some(card), error);
            }
            StageCount::Failed(error.clone())
        }
    };
    view.learn_count(card, found);
}

fn batch<'d>(found: &'d Document, name: &str) -> impl Iterator<Item = &'d Document> {
    let batch = found.get_document("cursor").and_then(|cursor| cursor.get_array(name));
    batch.map(Vec::as_slice).unwrap_or_default().iter().filter_map(Bson::as_document)
}

fn cursor(found: &Document) -> Option<i64> {
    let id = found.get_document("cursor").ok()?.get_i64("id").ok()?;
    (id != 0).then_some(id)
}

fn take(output: &mut Output, found: &Document, name: &str, micros: u64) {
    output.extend(batch(found, name).cloned().collect(), micros);
    output.cursor = cursor(found);
    output.is_cut |= output.cursor.is_some() && output.is_full();
}

/// A question is answered, or will not be.
pub fn ended(tab: TabId, generation: u64, state: &mut State) {
    with(state, tab, |view| view.running.retain(|of, _| *of != generation));
}

/// A question that will not be answered, because too much was asked at once.
pub fn dropped(tab: TabId, purpose: &Purpose, state: &mut State) {
    with(state, tab, |view| match purpose {
        Purpose::Results { run } if *run == view.run => fail(view, None, TOO_MUCH),
        Purpose::Count { run, card } if *run == view.run => {
            view.learn_count(*card, StageCount::Failed(TOO_MUCH.to_owned()));
        }
        _ => {}
    });
}
