//! Documents read for a schema.

use mayfly_engine::value::shell;

use crate::apply::Apply;
use crate::apply::effects::QUEUE_FULL;
use crate::apply::question::{Answer, Question, Report, Run};
use crate::commands::schema;
use crate::job::slow_read::SlowRead;
use crate::limits::SCHEMA_BATCH_DOCUMENTS;
use crate::state::schema::{SchemaView, Stage};
use crate::state::{State, TabId};
use crate::worker::{Desk, Lane, SchemaReport, SchemaStage, SchemaWork};

/// An analysis for a tab. Those of one tab are equal, whatever they read: the newest counts.
#[derive(Debug)]
pub(super) struct Analyze {
    pub tab: TabId,
    pub work: SchemaWork,
}

impl PartialEq for Analyze {
    fn eq(&self, other: &Self) -> bool {
        self.tab == other.tab
    }
}

impl Question for Analyze {
    type Answer = SchemaReport;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.tab, SlowRead::Schema))
    }

    fn answered(&self, generation: u64, report: SchemaReport, cx: &mut Apply<'_>) {
        let now_ms = cx.state.now_ms();
        if report.stage != SchemaStage::Reading {
            log(self.tab, &report, cx.state);
        }
        with(cx.state, self.tab, |view| {
            if view.generation != generation {
                return;
            }
            let SchemaReport { schema, is_sample, read, stage, .. } = report;
            // Keep the previous result; it beats an empty view.
            let is_empty = schema.documents == 0 && view.schema.is_some();
            if !is_empty || stage == SchemaStage::Done {
                (view.schema, view.is_sample) = (Some(schema), is_sample);
            }
            view.read = read;
            view.stage = match stage {
                SchemaStage::Reading => Stage::Reading,
                SchemaStage::Done => Stage::Done(now_ms),
                SchemaStage::Stopped => Stage::Stopped,
                SchemaStage::Failed(sentence) => Stage::Failed(sentence),
            };
        });
    }
}

impl Run for Analyze {
    const LANE: Lane = Lane::Schema;
    const OUTLIVES_STORE: bool = false;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let cancel = desk.cancel.clone().unwrap_or_default();
        self.work.run(desk.source.as_deref(), &cancel, |known| report.send(known));
    }

    fn failed(&self, message: String) -> SchemaReport {
        SchemaReport::failed(message)
    }

    // It sent no command, so none is listed.
    fn full(&self, generation: u64, cx: &mut Apply<'_>) {
        with(cx.state, self.tab, |view| {
            if view.generation == generation {
                view.stage = Stage::Failed(QUEUE_FULL.to_owned());
            }
        });
    }
}

/// Lists the command that read everything, once for all of its batches.
fn log(tab: TabId, report: &SchemaReport, state: &mut State) {
    let Some(open) = state.tabs.get(tab) else { return };
    let namespace = &open.namespace;
    let (filter, collation) = (&open.schema.filter, &open.schema.collation);
    let command = schema::read(&namespace.collection, filter, collation, SCHEMA_BATCH_DOCUMENTS);
    let text = shell::write_command(&namespace.db, &command);
    let error = match &report.stage {
        SchemaStage::Failed(sentence) => Some(sentence.clone()),
        _ => None,
    };
    let at_ms = state.now_ms();
    state.commands.push(at_ms, &text, report.micros, error, true);
}

pub(super) fn with(state: &mut State, tab: TabId, change: impl FnOnce(&mut SchemaView)) {
    if let Some(tab) = state.tabs.get_mut(tab) {
        change(&mut tab.schema);
    }
}
