use bson::{Bson, Document, doc};

use super::*;
use crate::action::ExpiryAction;
use crate::apply::indexes::reads::TtlWhatIf;
use crate::apply::{Apply, Effects};
use crate::job::number_draft::{NumberDraft, Unit};
use crate::state::indexes::CreateIndex;
use crate::state::indexes::IndexRow;
use crate::state::{Namespace, Phase};

/// A window whose tab shows a collection.
fn bench() -> (State, TabId, Effects) {
    let mut state = State::default();
    state.store.phase = Phase::Open;
    let tab = state.tabs.show(&Namespace::new("d", "c")).expect("a tab");
    (state, tab, Effects::default())
}

fn creating(field: &str, ttl_minutes: Option<&str>) -> Dialog {
    Dialog::Create(CreateIndex {
        fields: vec![(field.to_owned(), false)],
        has_ttl: ttl_minutes.is_some(),
        ttl: NumberDraft { text: ttl_minutes.unwrap_or_default().to_owned(), unit: Unit::Minutes },
        ..CreateIndex::default()
    })
}

fn show(dialog: Dialog, tab: TabId, state: &mut State) {
    state.dialogs.replace(AnyDialog::Indexes(tab, dialog));
}

/// The names of the commands that were sent, with their generations.
fn sent(effects: &mut Effects) -> Vec<(String, u64, Document)> {
    let jobs = std::mem::take(&mut effects.jobs).into_iter();
    jobs.filter_map(|job| {
        let (_, command) = job.command()?;
        Some((command.keys().next()?.clone(), job.generation, command.clone()))
    })
    .collect()
}

fn reply(command: Document, result: Result<Document, String>) -> Reply {
    Reply { db: "d".to_owned(), command, result, code: None, micros: 1 }
}

#[test]
fn a_second_press_sends_nothing() {
    let (mut state, tab, mut effects) = bench();
    show(creating("a", None), tab, &mut state);
    apply(tab, IndexesAction::Send, &mut Apply::new(&mut state, &mut effects));
    apply(tab, IndexesAction::Send, &mut Apply::new(&mut state, &mut effects));
    let sent = sent(&mut effects);
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(dialog(tab, &mut state).and_then(|dialog| dialog.sent()), Some(sent[0].1));
}

#[test]
fn only_its_own_answer_ends_a_dialog() {
    let (mut state, tab, mut effects) = bench();
    show(creating("a", None), tab, &mut state);
    apply(tab, IndexesAction::Send, &mut Apply::new(&mut state, &mut effects));
    let (_, generation, command) = sent(&mut effects).remove(0);
    // Closed while it waits, and another is open when the answer comes.
    let row = IndexRow { name: "b_1".to_owned(), ..IndexRow::default() };
    let other = Dialog::Drop(Box::new(DropIndex { index: row, sent: None, error: None }));
    show(other.clone(), tab, &mut state);
    let change = ChangeIndex { tab, done: "done".to_owned() };
    for result in [Err("no".to_owned()), Ok(doc! {"ok": 1.0})] {
        let reply = reply(command.clone(), result);
        change.answered(generation, reply, &mut Apply::new(&mut state, &mut effects));
        assert_eq!(dialog(tab, &mut state), Some(&mut other.clone()));
    }
    assert_eq!(state.toasts.list().len(), 2, "both are reported");
    apply(tab, IndexesAction::Send, &mut Apply::new(&mut state, &mut effects));
    let dropping = dialog(tab, &mut state).and_then(|dialog| dialog.sent()).expect("it is sent");
    let refused = reply(doc! {"dropIndexes": "c"}, Err("no index".to_owned()));
    change.answered(dropping, refused, &mut Apply::new(&mut state, &mut effects));
    let Some(Dialog::Drop(shown)) = dialog(tab, &mut state) else { panic!("it stays") };
    assert_eq!((shown.sent, shown.error.as_deref()), (None, Some("no index")));
}

#[test]
fn a_ttl_is_sent_when_it_is_known_what_it_removes() {
    let (mut state, tab, mut effects) = bench();
    show(creating("a", Some("10")), tab, &mut state);
    apply(tab, IndexesAction::AskWhatIf, &mut Apply::new(&mut state, &mut effects));
    let (name, generation, of_a) = sent(&mut effects).remove(0);
    assert_eq!(name, "mayflyWhatIf");
    apply(tab, IndexesAction::Send, &mut Apply::new(&mut state, &mut effects));
    assert_eq!(sent(&mut effects), [], "nothing is known yet");
    // Another field with the same TTL: the answer is not for it.
    let mut learn = |of: &Document, state: &mut State| {
        let known = reply(of.clone(), Ok(doc! {"overdueNow": 7_i64, "ok": 1.0}));
        let cx = &mut Apply::new(state, &mut effects);
        TtlWhatIf(tab).answered(generation, known, cx);
        let Some(Dialog::Create(create)) = dialog(tab, state) else { panic!("it stays") };
        (create.is_ready(), create.known().map(|figures| figures.overdue_now.likely()))
    };
    show(creating("b", Some("10")), tab, &mut state);
    assert_eq!(learn(&of_a, &mut state), (false, None));
    show(creating("a", Some("11")), tab, &mut state);
    assert_eq!(learn(&of_a, &mut state), (false, None));
    show(creating("a", Some("10")), tab, &mut state);
    assert_eq!(learn(&of_a, &mut state), (true, Some(7)));
    let index = of_a.get_document("index").expect("an index");
    assert_eq!(index.get("expireAfterSeconds"), Some(&Bson::Int64(600)));
}

/// A tab whose collection has three documents and a TTL index.
fn with_index() -> (State, TabId, Effects) {
    let (mut state, tab, effects) = bench();
    state.tree.learn_databases(vec![("d".to_owned(), 1)]);
    state.tree.learn_collections("d", vec![("c".to_owned(), "collection".to_owned())]);
    let found = state.tree.collection_mut(&Namespace::new("d", "c")).expect("a collection");
    found.documents = Some(3);
    let index = doc! { "name": "at_1", "key": { "at": 1 }, "expireAfterSeconds": 60 };
    let list = doc! { "cursor": { "firstBatch": [index] } };
    with(&mut state, tab, |view| view.take_list(&list));
    (state, tab, effects)
}

#[test]
fn opening_a_ttl_asks_for_all_ages_at_once() {
    let (mut state, tab, mut effects) = with_index();
    open_change_ttl(tab, "at_1", &mut Apply::new(&mut state, &mut effects));
    let names: Vec<String> = sent(&mut effects).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["mayflyWhatIf", "mayflyWhatIf"]);
}

#[test]
fn a_ttl_that_another_one_replaces_fits_the_axis_again() {
    let (mut state, tab, mut effects) = with_index();
    let now_ms = state.now_ms();
    let listed = |secs: i64, state: &mut State, effects: &mut Effects| {
        let index = doc! { "name": "at_1", "key": { "at": 1 }, "expireAfterSeconds": secs };
        let list = doc! { "cursor": { "firstBatch": [index] } };
        let answer = reply(doc! { "listIndexes": "c" }, Ok(list));
        list::ListIndexes(tab).answered(1, answer, &mut Apply::new(state, effects));
    };
    let came = |wait_ms: i64, state: &mut State| {
        let date = |ms| bson::DateTime::from_millis(ms);
        let row = doc! {
            "_id": 1, "index": "at_1", "field": "at", "base": date(now_ms),
            "threshold": date(now_ms + wait_ms), "source": "index", "state": "waiting",
        };
        let view = &mut state.tabs.get_mut(tab).expect("a tab").expiry;
        view.take_expiring(&doc! {}, &doc! { "batch": [row] }, now_ms);
        view.axis.position(now_ms + wait_ms, now_ms)
    };
    let year_ms = 365 * 86_400_000;
    let first = came(20 * year_ms, &mut state);
    assert!((0.5..1.0).contains(&first), "{first}");
    // Each step of a rollout is such a change.
    for wait_ms in [year_ms, 86_400_000, 300_000] {
        assert!(came(wait_ms, &mut state) < 0.5, "the axis stays while the TTL does");
        listed(wait_ms / 1_000, &mut state, &mut effects);
        assert!((0.5..1.0).contains(&came(wait_ms, &mut state)), "{wait_ms} ms");
    }
}

#[test]
fn the_strip_and_the_dialog_have_one_computation() {
    let (mut state, tab, mut effects) = with_index();
    let act = |action: ExpiryAction, state: &mut State, effects: &mut Effects| {
        crate::apply::expiry::apply(tab, action, &mut Apply::new(state, effects));
    };
    act(ExpiryAction::WhatIf, &mut state, &mut effects);
    assert!(state.dialogs.open().is_none(), "it covers nothing");
    let opened: Vec<Document> = sent(&mut effects).into_iter().map(|sent| sent.2).collect();
    assert_eq!(opened.len(), 2, "the ages, and the TTL of the index: {opened:?}");
    let ttl = NumberDraft { text: "10".to_owned(), unit: Unit::Seconds };
    act(ExpiryAction::TryTtl(ttl), &mut state, &mut effects);
    assert_eq!(sent(&mut effects), [], "nothing is asked while it is dragged");
    act(ExpiryAction::RefreshDensity, &mut state, &mut effects);
    let is_asked = |sent: &(String, u64, Document)| sent.0 == "mayflyWhatIf";
    assert!(!sent(&mut effects).iter().any(is_asked), "nor by the time that passes");
    act(ExpiryAction::CountWhatIf, &mut state, &mut effects);
    let asked = sent(&mut effects).remove(0).2;
    act(ExpiryAction::RefreshDensity, &mut state, &mut effects);
    let again = sent(&mut effects).into_iter().any(|sent| sent.2 == asked);
    assert!(again, "time has made more documents overdue");
    let answer = reply(asked, Ok(doc! { "total": 3_i64, "overdueNow": 2_i64 }));
    TtlWhatIf(tab).answered(1, answer, &mut Apply::new(&mut state, &mut effects));
    let ages = opened.into_iter().find(|command| command.contains_key("edges")).expect("ages");
    let counts = vec![0_i64; ages.get_array("edges").expect("edges").len() + 1];
    let answer = reply(ages, Ok(doc! { "total": 3_i64, "counts": counts }));
    reads::DocumentAges(tab).answered(1, answer, &mut Apply::new(&mut state, &mut effects));
    act(ExpiryAction::ApplyWhatIf, &mut state, &mut effects);
    assert_eq!(sent(&mut effects), [], "all of it is known");
    let Some(Dialog::ChangeTtl(change)) = dialog(tab, &mut state) else {
        panic!("the dialog is open")
    };
    let removed = change.known().map(|known| known.overdue_now.likely());
    assert_eq!((change.secs(), removed, change.ages.is_some()), (Ok(10), Some(2), true));
}

#[test]
fn a_change_is_followed_by_one_refresh() {
    let (mut state, tab, mut effects) = with_index();
    let change = ChangeIndex { tab, done: "done".to_owned() };
    let changed = reply(doc! { "collMod": "c" }, Ok(doc! { "ok": 1.0 }));
    change.answered(1, changed, &mut Apply::new(&mut state, &mut effects));
    assert_eq!(sent(&mut effects), [], "the store's event comes too");
    // The event of the same change.
    state.changes.note(None);
    crate::apply::event::settle(&mut Apply::new(&mut state, &mut effects));
    let names: Vec<String> = sent(&mut effects).into_iter().map(|(name, ..)| name).collect();
    let lists = names.iter().filter(|name| *name == "listIndexes").count();
    assert!(lists <= 1, "{names:?}");
}
