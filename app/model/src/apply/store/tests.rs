use bson::{DateTime, Document, doc};
use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_engine::store::WalkProgram;

use super::change::SetRules;
use super::summary::NextHour;
use super::*;
use crate::apply::catalog::Collections;
use crate::apply::question::Question;
use crate::apply::recount::Figures;
use crate::apply::stores::open;
use crate::apply::tabs::Soonest;
use crate::apply::{Apply, Effects, Job};
use crate::job::Dialect;
use crate::job::reply::number;
use crate::source::OpenRequest;
use crate::state::Namespace;
use crate::state::dialogs::{CreateDatabase, DropDialog, DropTarget, Sent, SettingsDraft};
use crate::state::store::{Next, Order};
use crate::state::tabs::TabId;
use crate::worker::{Order as WorkerOrder, Reply};

fn opened_state() -> State {
    let mut state = State::default();
    state.store.phase = Phase::Open;
    state.tree.learn_databases(vec![("demo".to_owned(), 0)]);
    let kind = "collection".to_owned();
    state.tree.learn_collections("demo", vec![("sessions".to_owned(), kind)]);
    state
}

fn reply(db: &str, command: Document, result: Result<Document, String>) -> Reply {
    Reply { db: db.to_owned(), command, result, code: None, micros: 1 }
}

fn sent(effects: &Effects) -> Vec<String> {
    let name = |job: &Job| match job.command() {
        Some((db, command)) => {
            format!("{db}.{}", command.keys().next().map_or("", String::as_str))
        }
        _ => "other".to_owned(),
    };
    effects.jobs.iter().map(name).collect()
}

#[test]
fn files_of_every_store_are_walked_by_the_program_that_was_started() {
    let (mut state, mut effects) = (State::default(), Effects::default());
    let walker = WalkProgram { program: "mayfly".into(), arguments: vec!["walk".into()] };
    let first = OpenRequest { walker: Some(walker.clone()), ..OpenRequest::default() };
    open(first, &mut Apply::new(&mut state, &mut effects));
    apply(StoreAction::CreateStore("other".into()), &mut Apply::new(&mut state, &mut effects));
    open(
        OpenRequest { demo: true, ..OpenRequest::default() },
        &mut Apply::new(&mut state, &mut effects),
    );
    assert_eq!(effects.jobs.len(), 3);
    for job in &effects.jobs {
        let Some(WorkerOrder::Open(request)) = job.order() else { panic!("a store is opened") };
        assert_eq!(request.walker.as_ref(), Some(&walker), "{request:?}");
    }
}

#[test]
fn a_row_on_the_screen_loads_its_summary() {
    let (mut state, mut effects) = (opened_state(), Effects::default());
    let sessions = Namespace::new("demo", "sessions");
    apply(StoreAction::LoadSummary(sessions.clone()), &mut Apply::new(&mut state, &mut effects));
    assert_eq!(sent(&effects), ["demo.collStats", "demo.mayflyExpiring", "demo.mayflyForecast"]);
    let found = state.tree.collection(&sessions);
    assert_eq!(found.map(|found| (found.stale, found.asked_at)), Some((false, Some(state.uptime))));
}

#[test]
fn the_order_by_soonest_asks_about_every_collection_a_few_at_a_time() {
    let (mut state, mut effects) = (opened_state(), Effects::default());
    let names = (0..1_000).map(|number| (format!("c{number}"), "collection".to_owned()));
    state.tree.learn_collections("demo", names.collect());
    apply(StoreAction::Sort(Order::Soonest), &mut Apply::new(&mut state, &mut effects));
    let mut asked = std::collections::BTreeSet::new();
    while !effects.jobs.is_empty() {
        assert!(effects.jobs.len() * 4 < crate::limits::QUEUE_JOBS_MAX, "{}", effects.jobs.len());
        let job = effects.jobs.remove(0);
        let question: &Soonest = job.key.question().expect("the soonest document is asked for");
        let namespace = &question.0;
        assert!(asked.insert(namespace.collection.clone()), "{namespace} is asked about twice");
        let found = reply("demo", doc! {}, Ok(doc! {"documents": []}));
        question.answered(job.generation, found, &mut Apply::new(&mut state, &mut effects));
    }
    assert_eq!(asked.len(), 1_000);
}

#[test]
fn summaries_are_loaded() {
    let (mut state, mut effects) = (opened_state(), Effects::default());
    let sessions = Namespace::new("demo", "sessions");
    let cx = &mut Apply::new(&mut state, &mut effects);
    let figures = doc! {"count": 12_408_i64, "size": 3_100_000.0};
    Figures(sessions.clone()).answered(0, reply("demo", doc! {}, Ok(figures)), cx);
    let at = DateTime::from_millis(5_000);
    let row = doc! {
        "_id": 1, "index": "at_1", "field": "at", "base": at, "threshold": at, "source": "index",
        "state": "waiting",
    };
    let batch = doc! {"batch": [row]};
    Soonest(sessions.clone()).answered(0, reply("demo", doc! {}, Ok(batch)), cx);
    let command = doc! {"from": DateTime::from_millis(1), "to": DateTime::from_millis(2)};
    let found = doc! {"counts": [1_i64, 2_i64], "overdue": 3_i64, "beyond": 0_i64, "never": 4};
    NextHour(sessions.clone()).answered(0, reply("demo", command, Ok(found)), cx);
    let Some(known) = state.tree.collection(&sessions) else { panic!("the collection is known") };
    assert_eq!((known.documents, known.bytes), (Some(12_408), Some(3_100_000)));
    assert_eq!(known.next, Next::At(5_000));
    let forecast = known.forecast.clone().unwrap_or_default();
    assert_eq!((forecast.counts, forecast.overdue, forecast.never), (vec![1, 2], 3, 4));
}

#[test]
fn known_counts_stay_while_a_server_does_not_answer() {
    let (mut state, mut effects) = (opened_state(), Effects::default());
    let sessions = Namespace::new("demo", "sessions");
    for result in [Ok(doc! {"count": 7, "size": 100}), Err("no answer".to_owned())] {
        let question = Figures(sessions.clone());
        let reply = reply("demo", doc! {"collStats": "sessions"}, result);
        question.answered(0, reply, &mut Apply::new(&mut state, &mut effects));
        let known = state.tree.collection(&sessions).map(|found| (found.documents, found.bytes));
        assert_eq!(known, Some((Some(7), Some(100))));
    }
}

#[test]
fn a_dropped_collection_takes_its_tab_along() {
    let (mut state, mut effects) = (opened_state(), Effects::default());
    let sessions = Namespace::new("demo", "sessions");
    assert_eq!(state.tabs.show(&sessions), Some(TabId(1)));
    let target = DropTarget::Collection(sessions);
    apply(StoreAction::Drop(target), &mut Apply::new(&mut state, &mut effects));
    assert_eq!(sent(&effects), ["demo.drop"]);
    let question = ChangeStore { done: "Dropped".to_owned(), open: None };
    let gone = reply("demo", doc! {"drop": "sessions"}, Ok(doc! {"ok": 1.0}));
    question.answered(0, gone, &mut Apply::new(&mut state, &mut effects));
    assert!(state.tabs.open().is_empty());
    assert_eq!(state.toasts.list().len(), 1);
}

#[test]
fn a_refused_change_is_said_and_nothing_closes() {
    let (mut state, mut effects) = (opened_state(), Effects::default());
    state.tabs.show(&Namespace::new("demo", "sessions"));
    let question = ChangeStore { done: "Dropped".to_owned(), open: None };
    let refused = reply("demo", doc! {"drop": "sessions"}, Err("no".to_owned()));
    question.answered(0, refused, &mut Apply::new(&mut state, &mut effects));
    assert_eq!(state.tabs.open().len(), 1);
    assert_eq!(state.toasts.list().first().map(|toast| toast.kind), Some(Kind::Error));
}

#[test]
fn counts_have_any_number_type() {
    let document = doc! {"a": 1_i32, "b": 2_i64, "c": 3.0, "d": -1, "e": 1.5, "f": "7"};
    let check = |name, expected| assert_eq!(number(&document, name), expected, "{name}");
    check("a", Some(1));
    check("b", Some(2));
    check("c", Some(3));
    check("d", None);
    check("e", Some(1));
    check("f", None);
    check("g", None);
}

#[test]
fn a_drop_that_is_refused_keeps_the_name_that_was_typed() {
    let (mut state, mut effects) = (opened_state(), Effects::default());
    let target = DropTarget::Collection(Namespace::new("demo", "sessions"));
    let draft =
        DropDialog { target: target.clone(), typed: "sessions".into(), sent: Sent::default() };
    state.dialogs.show(Dialog::Drop(draft.clone()));
    for _ in 0..2 {
        apply(StoreAction::Drop(target.clone()), &mut Apply::new(&mut state, &mut effects));
    }
    assert_eq!(sent(&effects), ["demo.drop"], "a second press sends nothing");
    let generation = only(&mut effects);
    let question = ChangeStore { done: "Dropped".to_owned(), open: None };
    let refused = reply("demo", doc! {"drop": "sessions"}, Err("no".to_owned()));
    question.answered(generation, refused, &mut Apply::new(&mut state, &mut effects));
    let error = Some("no".to_owned());
    let expected = DropDialog { sent: Sent { generation: None, error }, ..draft };
    assert_eq!(state.dialogs.open(), Some(&Dialog::Drop(expected)));
    effects = Effects::default();
    apply(StoreAction::Drop(target), &mut Apply::new(&mut state, &mut effects));
    let generation = only(&mut effects);
    let gone = reply("demo", doc! {"drop": "sessions"}, Ok(doc! {"ok": 1.0}));
    question.answered(generation, gone, &mut Apply::new(&mut state, &mut effects));
    assert_eq!(state.dialogs.open(), None);
}

#[test]
fn nothing_of_one_store_is_answered_or_asked_in_the_next() {
    let (mut state, mut effects) = (opened_state(), Effects::default());
    state.store.shown = Some("/one".into());
    let sessions = Namespace::new("demo", "sessions");
    let old = state.tabs.show(&sessions);
    state.dialogs.show(Dialog::Settings(SettingsDraft::default()));
    let target = DropTarget::Collection(sessions.clone());
    let typed = String::new();
    state.dialogs.show(Dialog::Drop(DropDialog { target, typed, sent: Sent::default() }));
    state.reaper.died = Some("it stopped".to_owned());
    let source: std::sync::Arc<dyn crate::source::Source> = std::sync::Arc::new(Nothing);
    let another = Opened {
        source,
        name: "two".to_owned(),
        folder: Some("/two".into()),
        clock: SystemClock.status(),
        warnings: Vec::new(),
        advice: Vec::new(),
        attached: None,
    };
    opened(Ok(another.clone()), &mut Apply::new(&mut state, &mut effects));
    assert_ne!(state.tabs.show(&sessions), old);
    assert_eq!(state.dialogs.open(), Some(&Dialog::Settings(SettingsDraft::default())));
    state.dialogs.close();
    assert_eq!(state.dialogs.open(), None);
    (state.reaper.died, state.reaper.running) = (Some("it stopped".to_owned()), true);
    opened(Ok(another), &mut Apply::new(&mut state, &mut effects));
    assert_eq!((state.reaper.died, state.reaper.running), (None, false), "it is opened again");
}

#[test]
fn the_demo_store_shows_its_sessions_first() {
    for (demo, expected) in [(false, "carts"), (true, "sessions")] {
        let (mut state, mut effects) = (State::default(), Effects::default());
        state.store.demo = demo;
        state.tree.learn_databases(vec![("demo".to_owned(), 0)]);
        let question = Collections("demo".to_owned());
        let batch = vec![doc! {"name": "carts"}, doc! {"name": "sessions"}];
        let found = doc! {"cursor": {"firstBatch": batch}};
        let found = reply("demo", doc! {"listCollections": 1}, Ok(found));
        question.answered(0, found, &mut Apply::new(&mut state, &mut effects));
        assert_eq!(state.first_tab, Some(Namespace::new("demo", expected)));
    }
}

#[test]
fn traffic_runs_as_it_was_chosen_and_in_the_demo_store_alone() {
    let source: std::sync::Arc<dyn crate::source::Source> = std::sync::Arc::new(Nothing);
    let (warnings, advice) = (Vec::new(), Vec::new());
    let (name, clock) = ("store".to_owned(), SystemClock.status());
    let store = Opened { source, name, folder: None, clock, warnings, advice, attached: None };
    let switched = |effects: Effects| -> Vec<bool> {
        let switch = |job: &Job| match job.order() {
            Some(WorkerOrder::SetTraffic(on)) => Some(*on),
            _ => None,
        };
        effects.jobs.iter().filter_map(switch).collect()
    };
    for (demo, traffic, expected) in
        [(true, true, &[true][..]), (true, false, &[false]), (false, true, &[])]
    {
        let (mut state, mut effects) = (State::default(), Effects::default());
        state.store.request.demo = demo;
        state.settings.traffic = traffic;
        opened(Ok(store.clone()), &mut Apply::new(&mut state, &mut effects));
        assert_eq!(switched(effects), expected);
        let mut effects = Effects::default();
        let other = StoreAction::SetTraffic(!traffic);
        apply(other, &mut Apply::new(&mut state, &mut effects));
        assert_eq!(state.settings.traffic, !traffic);
        let expected = if demo { vec![!traffic] } else { Vec::new() };
        assert_eq!(switched(effects), expected, "demo: {demo}");
    }
}

struct Nothing;

impl crate::source::Source for Nothing {
    fn run(&self, _: &str, _: &Document) -> Document {
        doc! {"ok": 1.0}
    }

    fn subscribe(&self) -> crate::source::Events {
        panic!("nobody listens")
    }

    fn capabilities(&self) -> crate::source::Capabilities {
        crate::source::Capabilities::default()
    }
}

/// The generation of the only job.
fn only(effects: &mut Effects) -> u64 {
    let jobs = std::mem::take(&mut effects.jobs);
    let [job] = jobs.as_slice() else { panic!("{jobs:?}") };
    job.generation
}

/// The open dialog of a database with Cosmos DB's rules.
fn cloud(state: &mut State) -> CreateDatabase {
    let draft = CreateDatabase {
        name: "cloud".to_owned(),
        collection: "carts".to_owned(),
        dialect: Dialect::Cosmos,
        ..CreateDatabase::default()
    };
    state.dialogs.show(Dialog::CreateDatabase(draft.clone()));
    draft
}

#[test]
fn a_database_whose_rules_are_refused_is_not_made() {
    let (mut state, mut effects) = (opened_state(), Effects::default());
    let draft = cloud(&mut state);
    for _ in 0..2 {
        apply(
            StoreAction::CreateDatabase(draft.clone()),
            &mut Apply::new(&mut state, &mut effects),
        );
    }
    assert_eq!(sent(&effects), ["cloud.mayflyDialect"], "a second press sends nothing");
    let generation = only(&mut effects);
    let question = SetRules(Namespace::new("cloud", "carts"));
    let refused = reply("cloud", doc! {"mayflyDialect": "cosmos"}, Err("no".to_owned()));
    question.answered(generation, refused, &mut Apply::new(&mut state, &mut effects));
    assert_eq!(sent(&effects), ["admin.listDatabases"]);
    let error = Some("no".to_owned());
    let expected = CreateDatabase { sent: Sent { generation: None, error }, ..draft };
    assert_eq!(state.dialogs.open(), Some(&Dialog::CreateDatabase(expected)));
}

#[test]
fn a_database_is_made_after_its_rules() {
    let (mut state, mut effects) = (opened_state(), Effects::default());
    let draft = cloud(&mut state);
    apply(StoreAction::CreateDatabase(draft), &mut Apply::new(&mut state, &mut effects));
    let rules = only(&mut effects);
    let carts = Namespace::new("cloud", "carts");
    let done = reply("cloud", doc! {"mayflyDialect": "cosmos"}, Ok(doc! {"ok": 1.0}));
    let question = SetRules(carts.clone());
    question.answered(rules, done, &mut Apply::new(&mut state, &mut effects));
    assert_eq!(sent(&effects), ["cloud.create"]);
    assert!(state.dialogs.open().is_some(), "it waits for the collection too");
    let generation = only(&mut effects);
    let question = ChangeStore { done: "Created".to_owned(), open: Some(carts) };
    let made = reply("cloud", doc! {"create": "carts"}, Ok(doc! {"ok": 1.0}));
    question.answered(generation, made, &mut Apply::new(&mut state, &mut effects));
    assert!(state.dialogs.open().is_none());
}
