//! The questions of the Aggregate view, and the changes that their answers make.

use bson::Document;

use super::tab::with;
use crate::apply::effects::TOO_MUCH;
use crate::apply::question::Question;
use crate::apply::{Apply, cursor};
use crate::job::reply::number;
use crate::job::reply::{batch, cursor};
use crate::job::slow_read::SlowRead;
use crate::limits::STAGE_COUNT_MAX;
use crate::state::TabId;
use crate::state::aggregate::{AggregateView, Output, Shown, StageCount, StageError};
use crate::worker::{Reply, code};

/// Results whose fields are offered in completion.
const FIELDS_ROWS: usize = 20;

/// The first results of this run of the pipeline.
#[derive(Debug, PartialEq)]
pub(super) struct Results {
    pub tab: TabId,
    pub run: u64,
}

impl Question for Results {
    type Answer = Reply;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.tab, SlowRead::Pipeline))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if is_late(self.tab, self.run, &reply, cx) {
            return;
        }
        with(cx.state, self.tab, |view| match &reply.result {
            Ok(found) => {
                let mut results = Output::default();
                take(&mut results, found, reply.micros);
                let first = results.rows.iter().take(FIELDS_ROWS).map(|row| &row.document);
                view.learn_fields(first);
                view.results = Some(results);
            }
            Err(error) => view.refuse(None, error.clone()),
        });
    }
}

/// The next results of this run.
#[derive(Debug, PartialEq)]
pub(super) struct More {
    pub tab: TabId,
    pub run: u64,
}

impl Question for More {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.tab, SlowRead::Pipeline))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if is_late(self.tab, self.run, &reply, cx) {
            return;
        }
        with(cx.state, self.tab, |view| match (&reply.result, &mut view.results) {
            (Ok(found), Some(results)) => take(results, found, reply.micros),
            // The cursor was not asked, so it can be asked again.
            (Err(error), _) if error == TOO_MUCH => {}
            (Err(error), results) => {
                if let Some(results) = results {
                    results.cursor = None;
                    results.is_broken = true;
                }
                let message = format!("{error}; run the pipeline again");
                view.error = Some(StageError { card: None, offset: None, message });
            }
            (Ok(_), None) => {}
        });
    }
}

/// How many documents there are after the stage of a card.
#[derive(Debug, PartialEq)]
pub(super) struct Count {
    pub tab: TabId,
    pub run: u64,
    pub card: u64,
}

impl Question for Count {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.tab, SlowRead::Pipeline))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        with(cx.state, self.tab, |view| {
            if view.run == self.run {
                count(view, self.card, &reply);
            }
        });
    }
}

/// Some documents after the stage of a card.
#[derive(Debug, PartialEq)]
pub(super) struct After {
    pub tab: TabId,
    pub run: u64,
    pub card: u64,
}

impl Question for After {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.tab, SlowRead::Pipeline))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        with(cx.state, self.tab, |view| {
            if view.run != self.run || view.shown != Shown::After(self.card) {
                return;
            }
            let mut after = Output::default();
            match &reply.result {
                Ok(found) => take(&mut after, found, reply.micros),
                Err(error) => view.refuse(Some(self.card), error.clone()),
            }
            view.after = Some(after);
        });
    }
}

/// A sample of documents, for the names of their fields.
#[derive(Debug, PartialEq)]
pub(super) struct Fields(pub TabId);

impl Question for Fields {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let found = reply.ok().into_iter().flat_map(batch);
        with(cx.state, self.0, |view| view.learn_fields(found));
    }
}

/// Whether results are of an earlier run. Their cursor would stay open, so it is closed.
fn is_late(tab: TabId, run: u64, reply: &Reply, cx: &mut Apply<'_>) -> bool {
    let Some(open) = cx.state.tabs.get(tab) else { return true };
    if open.aggregate.run == run {
        return false;
    }
    if let Some(cursor) = reply.ok().and_then(cursor) {
        cursor::close(&open.namespace.clone(), cursor, cx);
    }
    true
}

fn count(view: &mut AggregateView, card: u64, reply: &Reply) {
    let found = match &reply.result {
        Ok(found) => {
            // Of nothing, `$count` gives no document.
            let n = batch(found).next().map_or(Some(0), |first| number(first, "n"));
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
                view.refuse(Some(card), error.clone());
            }
            StageCount::Failed(error.clone())
        }
    };
    view.learn_count(card, found);
}

fn take(output: &mut Output, found: &Document, micros: u64) {
    output.extend(batch(found).cloned().collect(), micros);
    output.cursor = cursor(found);
    output.is_cut |= output.cursor.is_some() && output.is_full();
}
