use bson::{Document, doc};

use super::answers::{Count, More, Results};
use super::*;
use crate::apply::Effects;
use crate::apply::effects::TOO_MUCH;
use crate::apply::question::Question;
use crate::state::Phase;
use crate::state::aggregate::StageCount;
use crate::worker::Reply;

/// A window whose tab shows a pipeline of one stage.
fn bench() -> (State, TabId, Effects) {
    let mut state = State::default();
    state.store.phase = Phase::Open;
    let tab = state.tabs.show(&Namespace::new("d", "c")).expect("a tab");
    let mut effects = Effects::default();
    refresh(tab, &mut Apply::new(&mut state, &mut effects));
    apply(tab, AggregateAction::Add("$match"), &mut Apply::new(&mut state, &mut effects));
    effects.jobs.clear();
    (state, tab, effects)
}

fn sent(effects: &mut Effects) -> Vec<String> {
    let jobs = std::mem::take(&mut effects.jobs).into_iter();
    jobs.filter_map(|job| job.command()?.1.keys().next().cloned()).collect()
}

fn answered(
    question: &impl Question<Answer = Reply>,
    result: Result<Document, &str>,
    code: Option<i32>,
    (state, _, effects): &mut (State, TabId, Effects),
) {
    let result = result.map_err(str::to_owned);
    let name = String::new();
    let code = code.map(|number| crate::worker::ErrorCode { number, name });
    let reply = Reply { db: "d".to_owned(), command: doc! {}, result, code, micros: 1 };
    question.answered(0, reply, &mut Apply::new(state, effects));
}

fn batch(cursor: i64) -> Document {
    doc! {"cursor": {"id": cursor, "firstBatch": [{"_id": 1}], "ns": "d.c"}}
}

#[test]
fn what_comes_late_is_dropped_and_its_cursor_closed() {
    let mut bench = bench();
    let tab = bench.1;
    let run = bench.0.tabs.active().expect("a tab").aggregate.run;
    answered(&Results { tab, run: run - 1 }, Ok(batch(7)), None, &mut bench);
    assert_eq!(bench.0.tabs.active().and_then(|tab| tab.aggregate.results.clone()), None);
    assert_eq!(sent(&mut bench.2), ["killCursors"]);
    answered(&Results { tab, run }, Ok(batch(0)), None, &mut bench);
    let results = bench.0.tabs.active().and_then(|tab| tab.aggregate.results.clone());
    assert_eq!(results.map(|results| results.rows.len()), Some(1));
    assert!(sent(&mut bench.2).is_empty());
}

#[test]
fn another_run_closes_the_cursor_of_the_one_before() {
    let mut bench = bench();
    let tab = bench.1;
    let run = bench.0.tabs.active().expect("a tab").aggregate.run;
    answered(&Results { tab, run }, Ok(batch(7)), None, &mut bench);
    apply(bench.1, AggregateAction::Run, &mut Apply::new(&mut bench.0, &mut bench.2));
    assert_eq!(sent(&mut bench.2), ["killCursors", "aggregate", "aggregate"]);
}

#[test]
fn a_count_that_takes_too_long_is_no_error() {
    let mut bench = bench();
    let tab = bench.1;
    let (run, card) = {
        let view = &bench.0.tabs.active().expect("a tab").aggregate;
        (view.run, view.stages[0].card)
    };
    answered(&Count { tab, run, card }, Err("late"), Some(50), &mut bench);
    let view = bench.0.tabs.active().expect("a tab").aggregate.clone();
    assert_eq!((view.counts[&card].clone(), view.error), (StageCount::TookTooLong, None));
    let many = doc! {"cursor": {"id": 0_i64, "firstBatch": [{"n": 100_001}]}};
    answered(&Count { tab, run, card }, Ok(many), None, &mut bench);
    let view = &bench.0.tabs.active().expect("a tab").aggregate;
    assert_eq!(view.counts[&card], StageCount::MoreThan(100_000));
}

#[test]
fn results_whose_cursor_ended_are_not_all() {
    let mut bench = bench();
    let tab = bench.1;
    let run = bench.0.tabs.active().expect("a tab").aggregate.run;
    answered(&Results { tab, run }, Ok(batch(7)), None, &mut bench);
    answered(&More { tab, run }, Err("Cursor 7 was not found"), Some(43), &mut bench);
    let results = bench.0.tabs.active().and_then(|tab| tab.aggregate.results.clone());
    assert!(results.is_some_and(|results| results.cursor.is_none() && results.is_broken));
}

#[test]
fn an_unchanged_pipeline_does_not_run_again() {
    let (mut state, tab, mut effects) = bench();
    apply(tab, AggregateAction::Changed, &mut Apply::new(&mut state, &mut effects));
    assert!(sent(&mut effects).is_empty());
}

#[test]
fn two_cursors_are_both_closed() {
    let mut bench = bench();
    let tab = bench.1;
    let run = bench.0.tabs.active().expect("a tab").aggregate.run;
    for cursor in [7, 8] {
        answered(&Results { tab, run: run - 1 }, Ok(batch(cursor)), None, &mut bench);
    }
    let [one, other] = &bench.2.jobs[..] else { panic!("two cursors are open") };
    assert!(one.key != other.key, "none takes the place of the other");
}

#[test]
fn results_that_were_not_asked_for_keep_their_cursor() {
    let mut bench = bench();
    let tab = bench.1;
    let run = bench.0.tabs.active().expect("a tab").aggregate.run;
    answered(&Results { tab, run }, Ok(batch(7)), None, &mut bench);
    answered(&More { tab, run }, Err(TOO_MUCH), None, &mut bench);
    let results = bench.0.tabs.active().and_then(|tab| tab.aggregate.results.clone());
    assert_eq!(results.and_then(|results| results.cursor), Some(7));
}
