//! A server tells nothing by itself. While the Expiry view of one is on the screen, this opens a change
//! stream of its collection where there are any, and looks again at the soonest documents. Once a minute while a
//! server is attached it takes a sample of the backlog and of the counters of the TTL monitor; nothing else.

use std::time::Duration;

use bson::Document;

use super::question::{Answer, Question, Report, Run};
use super::{Apply, expiry};
use crate::commands::reaper;
use crate::inspect::audit::samples::Sample;
use crate::job::{Cancel, Namespace, TabId, WatchEnd, WatchReport};
use crate::limits::{
    EVENT_WAKE, SERVER_LATE_LOOKS_MAX, SERVER_POLL, SERVER_POLL_CALM, SERVER_SAMPLE_APART,
};
use crate::state::tabs::ViewKind;
use crate::state::watch::Delivery;
use crate::state::{Dialog, open_stream};
use crate::state::{State, Tab};
use crate::worker::audit::take_sample;
use crate::worker::{Desk, Lane, Reply, watch as watching};

/// Asks again if it is time. Returns the time until then.
pub(super) fn settle(cx: &mut Apply<'_>) -> Option<Duration> {
    let greeting = greet(cx);
    let sampling = sample(cx);
    let looking = look(cx);
    greeting.into_iter().chain(sampling).chain(looking).min()
}

/// Greets a server that does not answer, so that it is noticed when it does. Returns the time until the next greeting.
fn greet(cx: &mut Apply<'_>) -> Option<Duration> {
    let uptime = cx.state.uptime;
    let rest = cx.state.store.connection.as_mut()?.greets_in(uptime)?;
    if !rest.is_zero() {
        return Some(rest);
    }
    ask_hello(cx);
    Some(SERVER_POLL)
}

/// Asks the server for facts about itself.
pub(super) fn ask_hello(cx: &mut Apply<'_>) {
    cx.ask(Hello, "admin", bson::doc! { "hello": 1 });
}

/// The server's facts about itself, for the dialog that shows them.
#[derive(Debug, PartialEq)]
struct Hello;

impl Question for Hello {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(Dialog::Server(facts)) = cx.state.dialogs.open_mut() {
            facts.hello = Some(reply.result.unwrap_or_default());
        }
    }

    fn refused(&self, _: u64, _: Reply, _: &mut Apply<'_>) {}
}

/// Looks again at the documents of the view that is shown. Returns the time until the next look.
fn look(cx: &mut Apply<'_>) -> Option<Duration> {
    let shown = shown(cx.state).map(|tab| (tab.id, tab.namespace.clone()));
    follow(shown.as_ref(), cx);
    let (id, _) = shown?;
    let every = every(cx.state);
    let looked = cx.state.tabs.get(id)?.expiry.looked?;
    let age = cx.state.uptime.saturating_sub(looked);
    if age >= every {
        note_news(cx.state);
        expiry::look_again(id, cx);
        return Some(every);
    }
    Some(every.saturating_sub(age))
}

/// The tab whose Expiry view shows documents of a server that answers in time.
fn shown(state: &State) -> Option<&Tab> {
    let is_shown = state.is_open() && !state.view.is_start_shown;
    let is_silent = state.store.connection.is_some() && !state.store.capabilities.reaper_events;
    let tab = state.tabs.active().filter(|tab| tab.view == ViewKind::Expiry)?;
    let is_in_time = tab.expiry.late_looks < SERVER_LATE_LOOKS_MAX;
    (is_shown && is_silent && is_in_time && tab.expiry.loaded).then_some(tab)
}

/// How often the documents are looked at.
pub(super) fn every(state: &State) -> Duration {
    let streams = state.store.connection.as_ref().map(|connection| &connection.streams);
    let is_calm = streams.is_some_and(|streams| streams.is_streamed() && !streams.has_news);
    if state.view.is_away || is_calm { SERVER_POLL_CALM } else { SERVER_POLL }
}

/// Documents are looked at again: what a stream reported is known.
fn note_news(state: &mut State) {
    if let Some(connection) = &mut state.store.connection {
        connection.streams.has_news = false;
    }
}

/// Turns the change stream to the collection that is shown.
fn follow(shown: Option<&(TabId, Namespace)>, cx: &mut Apply<'_>) {
    let wanted = shown.map(|(_, namespace)| namespace);
    if !open_stream::turn_to(cx.state, wanted) {
        return;
    }
    let Some((tab, namespace)) = shown else { return };
    let (namespace, cancel) = (namespace.clone(), Cancel::default());
    let stream =
        FollowDeletions { tab: *tab, namespace: namespace.clone(), cancel: cancel.clone() };
    let generation = cx.run(stream);
    open_stream::begin(cx.state, namespace, generation, cancel);
}

/// The deletions of a collection of a server, in parallel to everything else.
#[derive(Debug)]
struct FollowDeletions {
    tab: TabId,
    namespace: Namespace,
    cancel: Cancel,
}

impl PartialEq for FollowDeletions {
    fn eq(&self, other: &Self) -> bool {
        self.tab == other.tab
    }
}

impl Question for FollowDeletions {
    type Answer = WatchReport;

    fn answered(&self, generation: u64, answer: WatchReport, cx: &mut Apply<'_>) {
        report(generation, answer, cx);
    }
}

impl Run for FollowDeletions {
    const LANE: Lane = Lane::Read;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let Some(source) = desk.source.clone() else { return };
        let heard = report.clone();
        let hear = move |answer| heard.send_within(EVENT_WAKE, answer);
        if let Err(why) = watching::start(source, self.namespace.clone(), self.cancel.clone(), hear)
        {
            report.send(self.failed(why));
        }
    }

    fn failed(&self, message: String) -> WatchReport {
        WatchReport::Ended(WatchEnd::Broken(message))
    }
}

fn report(generation: u64, report: WatchReport, cx: &mut Apply<'_>) {
    let Some(namespace) = open_stream::namespace_of(cx.state, generation) else { return };
    let uptime = cx.state.uptime;
    let Some(connection) = &mut cx.state.store.connection else { return };
    match report {
        WatchReport::Begun { has_pre_images } => {
            connection.streams.delivery = Delivery::Streamed { has_pre_images };
        }
        WatchReport::Deleted { documents, missed } => {
            expiry::deleted(&namespace, documents, missed, cx.state);
        }
        WatchReport::Ended(end) => {
            connection.streams.end(end, uptime);
            cx.state.stream = None;
        }
    }
}

/// Asks for a sample of the backlog and for the parameters of the monitor if it is time. Returns the time until the
/// next sample. A server whose looks were late is left alone.
fn sample(cx: &mut Apply<'_>) -> Option<Duration> {
    let state = &mut *cx.state;
    let uptime = state.uptime;
    let is_in_time = |tab: &Tab| tab.expiry.late_looks < SERVER_LATE_LOOKS_MAX;
    let is_told = state.store.capabilities.reaper_events;
    if !state.is_open() || is_told || !state.tabs.active().is_none_or(is_in_time) {
        return None;
    }
    let connection = state.store.connection.as_mut().filter(|it| !it.is_silent)?;
    let rest = connection.sampling.asks_in(uptime)?;
    if !rest.is_zero() {
        return Some(rest);
    }
    let work = TakeSample {
        namespaces: connection.sampling.collections(&state.tree),
        has_counters: connection.attached.pass_job.is_none(),
        before: connection.sampling.samples.last().cloned(),
    };
    if connection.monitor.ask_parameters(uptime) {
        cx.ask(ServerParameters, "admin", reaper::server_parameters());
    }
    cx.run(work);
    Some(SERVER_SAMPLE_APART)
}

/// A sample of a server's backlog, with the reply that has the counters of its monitor.
#[derive(Debug)]
struct TakeSample {
    namespaces: Vec<Namespace>,
    has_counters: bool,
    before: Option<Sample>,
}

impl PartialEq for TakeSample {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for TakeSample {
    type Answer = Result<(Sample, Document), String>;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, taken: Self::Answer, cx: &mut Apply<'_>) {
        let now_ms = cx.state.now_ms();
        let (Ok((sample, status)), Some(connection)) = (taken, &mut cx.state.store.connection)
        else {
            return;
        };
        if self.has_counters {
            connection.monitor.take_status(&status, now_ms);
        }
        connection.sampling.take(sample);
    }
}

impl Run for TakeSample {
    const LANE: Lane = Lane::Read;
    const OUTLIVES_STORE: bool = false;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let cancel = Cancel::default();
        let stop = cancel.clone();
        let taken = desk.at_close.stopping(
            move || stop.cancel(),
            || {
                let source = desk.open_source()?;
                let before = self.before.as_ref();
                Ok(take_sample(
                    source.as_ref(),
                    &cancel,
                    &self.namespaces,
                    self.has_counters,
                    before,
                ))
            },
        );
        report.send(taken);
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}

/// The parameters of a server's monitor.
#[derive(Debug, PartialEq)]
struct ServerParameters;

impl Question for ServerParameters {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(connection) = &mut cx.state.store.connection {
            connection.monitor.take_parameters(&reply.result.unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;
    use crate::apply::{Effects, Job};
    use crate::job::{Attached, ServerMark};
    use crate::limits::{SERVER_DENSITY_APART_MS, WATCH_AWAIT};
    use crate::state::Phase;
    use crate::state::connect::Connection;
    use crate::state::store::Next;
    use crate::worker::Reply;

    /// Minutes that the view is left alone.
    const MINUTES: u64 = 10;

    fn shown() -> (State, TabId) {
        let mut state = State::default();
        state.store.phase = Phase::Open;
        state.store.connection = Some(Connection::new(Box::new(Attached {
            address: "mongodb://h/".to_owned(),
            name: "h".to_owned(),
            mark: ServerMark::default(),
            topology: "standalone".to_owned(),
            version: String::new(),
            ahead_ms: 0,
            pass_job: None,
            is_replica_set: false,
            slow_down: crate::job::server::SlowDown::default(),
            stored: crate::job::Stored::default(),
        })));
        let id = state.tabs.show(&Namespace::new("d", "c")).expect("a tab");
        state.tabs.get_mut(id).expect("a tab").view = ViewKind::Expiry;
        expiry::refresh(id, &mut Apply::new(&mut state, &mut Effects::default()));
        let page = doc! { "batch": [], "rules": 1_i64 };
        let view = &mut state.tabs.get_mut(id).expect("a tab").expiry;
        view.take_expiring(&doc! { "mayflyExpiring": "c" }, &page, 0);
        state.tree.learn_databases(vec![("d".to_owned(), 1)]);
        state.tree.learn_collections("d", vec![("c".to_owned(), "collection".to_owned())]);
        if let Some(collection) = state.tree.collection_mut(&Namespace::new("d", "c")) {
            collection.next = Next::At(5);
        }
        (state, id)
    }

    fn followed(job: &Job) -> Option<&FollowDeletions> {
        job.key.question()
    }

    /// The generation of the change stream that was asked for.
    fn stream(effects: &Effects) -> Option<u64> {
        effects.jobs.iter().find(|job| followed(job).is_some()).map(|job| job.generation)
    }

    /// Commands of the protocol in a minute, with what the view and the driver ask in addition.
    fn idle_commands(state: &mut State, is_streamed: bool) -> u64 {
        let mut effects = Effects::default();
        for second in 0..MINUTES * 60 {
            state.uptime += Duration::from_secs(1);
            settle(&mut Apply::new(state, &mut effects));
            if let (0, Some(generation)) = (second, stream(&effects)) {
                let begun = WatchReport::Begun { has_pre_images: false };
                let none = WatchReport::Ended(WatchEnd::Unsupported("none".to_owned()));
                let heard = if is_streamed { begun } else { none };
                report(generation, heard, &mut Apply::new(state, &mut Effects::default()));
            }
        }
        let jobs = effects.jobs.iter().filter(|job| followed(job).is_none());
        // A sample is a command for the counters, and two for each collection.
        let commands = |job: &Job| {
            let sample: Option<&TakeSample> = job.key.question();
            sample.map_or(1, |sample| 1 + 2 * sample.namespaces.len())
        };
        let asked: usize = jobs.map(commands).sum();
        let awaits = if is_streamed { 60 / WATCH_AWAIT.as_secs() } else { 0 };
        // The density of a large collection is five commands and its steepest minute two, and rules are
        // listed once a minute.
        let density = MINUTES * 60_000 / SERVER_DENSITY_APART_MS.unsigned_abs() * 7;
        (asked as u64 + density).div_ceil(MINUTES) + awaits + 1
    }

    #[test]
    fn an_idle_view_asks_a_server_little() {
        for (is_streamed, is_away, expected) in [
            (false, false, 14..=16),
            (false, true, 9..=12),
            (true, false, 12..=16),
            (true, true, 12..=16),
        ] {
            let (mut state, _) = shown();
            state.view.is_away = is_away;
            let sent = idle_commands(&mut state, is_streamed);
            assert!(expected.contains(&sent), "{is_streamed} {is_away}: {sent}");
        }
    }

    #[test]
    fn a_server_that_is_late_is_left_alone() {
        let (mut state, id) = shown();
        let mut effects = Effects::default();
        let late = doc! { "ok": 0.0, "errmsg": "late", "code": 50, "codeName": "MaxTimeMSExpired" };
        for _ in 0..SERVER_LATE_LOOKS_MAX {
            let reply = Reply::new("d".to_owned(), doc! {}, Ok(late.clone()), 1);
            let cx = &mut Apply::new(&mut state, &mut effects);
            expiry::Soonest(id).answered(1, reply, cx);
        }
        state.uptime += SERVER_POLL_CALM * 2;
        assert_eq!(settle(&mut Apply::new(&mut state, &mut effects)), None);
        assert!(effects.jobs.is_empty());
    }

    #[test]
    fn deletions_of_a_stream_bring_the_next_look_forward() {
        let (mut state, _) = shown();
        let mut effects = Effects::default();
        settle(&mut Apply::new(&mut state, &mut effects));
        let generation = stream(&effects).expect("a stream");
        let mut hear = |heard| {
            report(generation, heard, &mut Apply::new(&mut state, &mut Effects::default()));
            every(&state)
        };
        assert_eq!(hear(WatchReport::Begun { has_pre_images: true }), SERVER_POLL_CALM);
        let some = WatchReport::Deleted { documents: Vec::new(), missed: 1 };
        assert_eq!(hear(some), SERVER_POLL);
        let broken = WatchReport::Ended(WatchEnd::Broken("it broke".to_owned()));
        assert_eq!(hear(broken), SERVER_POLL);
        // Nothing of a stream that has ended counts.
        assert_eq!(hear(WatchReport::Begun { has_pre_images: true }), SERVER_POLL);
    }

    #[test]
    fn a_stream_ends_with_the_view() {
        let (mut state, id) = shown();
        let mut effects = Effects::default();
        settle(&mut Apply::new(&mut state, &mut effects));
        let stream = effects.jobs.iter().find_map(followed);
        let cancel = stream.map(|stream| stream.cancel.clone());
        state.tabs.get_mut(id).expect("a tab").view = ViewKind::Documents;
        settle(&mut Apply::new(&mut state, &mut effects));
        assert!(cancel.expect("a stream").is_cancelled() && state.stream.is_none());
    }
}
