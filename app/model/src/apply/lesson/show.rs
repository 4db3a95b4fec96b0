//! The parts of a lesson that are shown next to its card: time, collections, documents to choose
//! from.

use bson::doc;

use super::play::{AMONG_MAX, answers};
use super::{files, play};
use crate::action::{ConsoleAction, ExpiryAction, TabsAction, ViewAction};
use crate::apply::question::Question;
use crate::apply::{Apply, console, expiry, tabs, view};
use crate::commands;
use crate::job::lesson::{DocumentAmong, LessonSource, LessonView, QuestionKind};
use crate::job::reply::batch;
use crate::state::clock::Mode as ClockMode;
use crate::state::dialogs::{Confirm, Dialog, HelpPage, Tone};
use crate::state::expiry::{ExpiryView, Mode};
use crate::state::lesson::{Way, namespace, steps};
use crate::state::offer::Offer;
use crate::state::tabs::ViewKind;
use crate::state::view::Activity;
use crate::state::{Namespace, Reaper};
use crate::worker::Reply;

/// The periods of the TTL monitor that the time axis of a lesson shows at first.
const PERIODS_SHOWN: i64 = 4;

/// The longest play that is shown as a whole with its verdict, in milliseconds. After a longer one,
/// such as a clock that jumped, lanes would be a point each.
const EVIDENCE_MS_MAX: i64 = 6 * 3_600_000;

/// The lesson's time is the window's.
pub(super) fn clock(view: &LessonView, cx: &mut Apply<'_>) {
    let time = view.time;
    let mode = ClockMode::Simulated { rate: time.rate, paused: time.is_paused };
    cx.state.clock.learn(mode, time.now_ms, cx.state.uptime);
    cx.state.clock.stop_at(time.until_ms);
}

/// Time went back: what was seen after it has not happened.
pub(super) fn forget_future(cx: &mut Apply<'_>) {
    let now_ms = cx.state.now_ms();
    cx.state.reaper = Reaper::default();
    cx.state.reaper.reopened(now_ms);
    for tab in cx.state.tabs.open_mut() {
        let axis = tab.expiry.axis;
        let mode = tab.expiry.mode;
        tab.expiry = ExpiryView::default();
        (tab.expiry.axis, tab.expiry.mode) = (axis, mode);
        tab.documents.asked = false;
        tab.indexes.asked = false;
    }
    cx.state.tree.stale = true;
    crate::apply::reaper::ask(cx);
    tabs::data_changed(None, cx);
}

/// Opens the collections that the lesson shows.
pub(super) fn collections(view: &LessonView, is_first: bool, cx: &mut Apply<'_>) {
    if !is_first {
        return;
    }
    let period = i64::try_from(view.lesson.reaper.period.as_millis()).unwrap_or(i64::MAX);
    let mut first = None;
    for shown in &view.lesson.show {
        let id = cx.state.tabs.show(&namespace(shown));
        first = first.or(id);
        let Some(tab) = cx.state.tabs.active_mut() else { continue };
        tab.view = ViewKind::Expiry;
        tab.is_view_chosen = true;
        tab.expiry.axis.set_span_ms(period.saturating_mul(PERIODS_SHOWN));
    }
    if let Some(first) = first {
        cx.state.tabs.activate(first);
    }
    tabs::freshen(cx);
}

/// Shows the parts that an open question needs: the documents it is about, a place for the pin.
pub(super) fn question(view: &LessonView, cx: &mut Apply<'_>) {
    let Some((_, question)) = steps::open_question(view) else { return };
    let now_ms = view.time.now_ms;
    let mut is_new = false;
    answers(cx, |answers| is_new = answers.asked_ms.replace(now_ms) != Some(now_ms));
    match &question.kind {
        QuestionKind::Which { among } => {
            let about = namespace(among);
            let Some(playing) = &cx.state.lessons.playing else { return };
            if playing.answers.among.as_ref().is_some_and(|(of, _)| *of == about) {
                return;
            }
            answers(cx, |answers| answers.among = Some((about.clone(), Vec::new())));
            let command = commands::documents::read(&about.collection, doc! {}, AMONG_MAX);
            let db = about.db.clone();
            cx.ask(DocumentsAmong(about), &db, command);
        }
        QuestionKind::Pin => {
            let Some(ahead) = question.axis.filter(|_| is_new) else { return };
            let ahead_ms = i64::try_from(ahead.as_millis()).unwrap_or(i64::MAX);
            for tab in cx.state.tabs.open_mut() {
                // Some of the past, so that the pin at now can be seen and moved.
                let from_ms = now_ms.saturating_sub(ahead_ms / 6);
                tab.expiry.show_range(from_ms, now_ms.saturating_add(ahead_ms), now_ms);
            }
        }
        QuestionKind::Choose | QuestionKind::Count { .. } => {}
    }
}

/// Keeps the evidence for a verdict on screen: everything since its question was asked.
pub(super) fn evidence(view: &LessonView, cx: &mut Apply<'_>) {
    let Some(playing) = &mut cx.state.lessons.playing else { return };
    let now_ms = view.time.now_ms;
    let is_known = steps::blocks(view)
        .any(|(_, _, state)| state.question.as_ref().is_some_and(|it| it.verdict.is_some()));
    let asked_ms = playing.answers.asked_ms.take_if(|_| is_known);
    let Some(asked_ms) = asked_ms.filter(|asked_ms| now_ms - asked_ms <= EVIDENCE_MS_MAX) else {
        return;
    };
    for tab in cx.state.tabs.open_mut() {
        tab.expiry.axis.reach_back_to(asked_ms, now_ms);
    }
}

/// The documents that a question is about.
#[derive(Debug, PartialEq)]
struct DocumentsAmong(Namespace);

impl Question for DocumentsAmong {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Ok(found) = reply.result else { return };
        let among: Vec<_> = batch(&found).filter_map(DocumentAmong::of).collect();
        answers(cx, |answers| answers.among = Some((self.0.clone(), among)));
    }
}

/// Follows a link of the prose. One that leads out of the program is shown, and not opened.
pub(super) fn follow(link: &str, cx: &mut Apply<'_>) {
    let Some(place) = link.strip_prefix("mayfly:") else {
        return cx.state.dialogs.show(Dialog::Confirm(Confirm {
            title: "Address outside of Mayfly".to_owned(),
            text: link.to_owned(),
            command: None,
            button: "Copy address".to_owned(),
            tone: Tone::Normal,
            offer: Offer::Copy(link.to_owned()),
            name: None,
        }));
    };
    let show_expiry = |mode, cx: &mut Apply<'_>| {
        tabs::apply(TabsAction::View(ViewKind::Expiry), cx);
        if let Some(tab) = cx.state.tabs.active().map(|tab| tab.id) {
            expiry::apply(tab, ExpiryAction::Show(mode), cx);
        }
    };
    let activity = |filter, cx: &mut Apply<'_>| view::apply(ViewAction::ShowActivity(filter), cx);
    match place.split_once('/').unwrap_or((place, "")) {
        ("expiry", "") => show_expiry(Mode::Timeline, cx),
        ("table", "") => show_expiry(Mode::Table, cx),
        ("removed", "") => show_expiry(Mode::Removed, cx),
        ("documents", "") => tabs::apply(TabsAction::View(ViewKind::Documents), cx),
        ("indexes", "") => tabs::apply(TabsAction::View(ViewKind::Indexes), cx),
        ("console", "") => console::apply(ConsoleAction::Open, cx),
        ("glossary", "") => cx.state.dialogs.show(Dialog::Help(HelpPage::Glossary)),
        ("commands", "") => activity(Activity::Commands, cx),
        ("log", "") => activity(Activity::Passes, cx),
        ("lessons", "") => files::show_page(true, cx),
        ("lesson", slug) if !slug.is_empty() => {
            play::resume(LessonSource::Shipped(slug.to_owned()), Way::Series, cx);
        }
        ("collection", name) if !name.is_empty() => {
            let show = TabsAction::ShowView(namespace(name), ViewKind::Expiry);
            tabs::apply(show, cx);
        }
        _ => {}
    }
}
