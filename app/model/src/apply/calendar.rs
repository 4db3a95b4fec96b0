//! The expiry calendar.

use mayfly_engine::reply::Forecast;

use super::question::Question;
use super::{Apply, tabs};
use crate::action::{CalendarAction, TabsAction};
use crate::commands;
use crate::limits::CALENDAR_ASKED_MAX;
use crate::state::calendar::{Calendar, Unit};
use crate::state::expiry::Mode;
use crate::state::store::Next;
use crate::state::tabs::ViewKind;
use crate::state::{Dialog, Namespace, State, TabId};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: CalendarAction, cx: &mut Apply<'_>) {
    match action {
        CalendarAction::Open => {
            let calendar = calendar(Unit::default(), cx.state);
            cx.state.dialogs.show(Dialog::Calendar(calendar));
            ask(cx);
        }
        CalendarAction::Show(unit) => {
            let next = calendar(unit, cx.state);
            if let Some(shown) = shown(cx.state) {
                *shown = next;
            }
            ask(cx);
        }
        CalendarAction::Visit { namespace, from_ms, to_ms } => {
            cx.state.dialogs.close();
            let now_ms = cx.state.now_ms();
            tabs::apply(TabsAction::ShowView(namespace, ViewKind::Expiry), cx);
            if let Some(tab) = cx.state.tabs.active_mut() {
                tab.expiry.show_range(from_ms, to_ms, now_ms);
                // Also where the mode of the last start is yet to be taken over.
                if tab.expiry.mode == Mode::Calendar || tab.saved_expiry.mode == Mode::Calendar {
                    (tab.expiry.mode, tab.saved_expiry.mode) = (Mode::Timeline, Mode::Timeline);
                }
            }
        }
    }
}

/// Shows the calendar in a tab, for the columns that it had before.
pub(super) fn show_in(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let unit = open.expiry.calendar.as_ref().map_or_else(Unit::default, |last| last.unit);
    let next = Some(Box::new(calendar(unit, cx.state)));
    if let Some(open) = cx.state.tabs.get_mut(tab) {
        open.expiry.calendar = next;
    }
    ask(cx);
}

/// The calendar on the screen: that of the dialog, or that of the tab.
fn shown(state: &mut State) -> Option<&mut Calendar> {
    match state.dialogs.open_mut() {
        Some(Dialog::Calendar(shown)) => Some(shown),
        _ => state.tabs.active_mut()?.expiry.calendar.as_deref_mut(),
    }
}

/// The calendar of every collection that may have a TTL index.
fn calendar(unit: Unit, state: &State) -> Calendar {
    let mut of = Vec::new();
    for database in state.tree.databases.iter().filter(|db| db.dialect_error.is_none()) {
        let expires = database
            .collections
            .iter()
            .filter(|collection| collection.kind != "view" && collection.next != Next::NoTtl);
        of.extend(expires.map(|collection| {
            let bytes = collection.bytes.zip(collection.documents.filter(|count| *count > 0));
            let document_bytes = bytes.map(|(bytes, documents)| bytes / documents);
            (Namespace::new(&database.name, &collection.name), document_bytes)
        }));
    }
    Calendar::new(unit, state.now_ms(), state.clock.zone(), of)
}

/// Asks about as many collections as may be asked about at once.
fn ask(cx: &mut Apply<'_>) {
    for _ in 0..CALENDAR_ASKED_MAX {
        ask_next(cx);
    }
}

fn ask_next(cx: &mut Apply<'_>) {
    let Some(calendar) = shown(cx.state) else { return };
    let Some((from_ms, to_ms, slices)) = calendar.slices() else { return };
    let Some(namespace) = calendar.take_waiting() else { return };
    let collection = &namespace.collection;
    let command = commands::expiry::forecast(collection, from_ms, to_ms, slices, None);
    let db = namespace.db.clone();
    cx.ask(Months(namespace), &db, command);
}

/// The months ahead of a collection.
#[derive(Debug, PartialEq)]
struct Months(Namespace);

impl Question for Months {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(calendar) = shown(cx.state) else { return };
        let from = reply.command.get_datetime("from").map(|date| date.timestamp_millis());
        match (from, reply.ok().and_then(Forecast::from_document)) {
            (Ok(from_ms), Some(found)) => {
                let outside = [found.overdue, found.beyond];
                calendar.take(&self.0, from_ms, &found.counts, outside);
            }
            _ => calendar.take_failure(),
        }
        ask_next(cx);
    }
}
