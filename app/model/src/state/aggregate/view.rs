//! The Aggregate view of one tab.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bson::{Bson, Document};
use mayfly_engine::value::named;
use serde::{Deserialize, Serialize};

use super::chart::ChartFields;
use super::draft::{PipelineText, Stage, StageError};
use super::stages::writes;
use crate::commands::aggregate;
use crate::job::Namespace;
use crate::limits::{
    COLUMNS_MAX, RESULTS_BYTES_MAX, RESULTS_MAX, STAGE_COUNT_MAX, STAGE_DOCUMENTS_MAX,
};
use crate::state::documents::{Row, estimated_bytes};
use crate::state::fields::KnownFields;

named! {
    /// How results are shown.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    pub enum ResultsMode {
        /// A line for each, a column for each field.
        #[default]
        Table => "Table",
        Json => "JSON",
        Chart => "Chart",
    }
    /// Its name.
    pub fn label;
}

/// The part of the view that is saved for the next start.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedAggregate {
    pub pipeline: PipelineText,
    pub mode: ResultsMode,
    /// Whether the pipeline waits for *Run* after a change.
    pub waits: bool,
}

/// How many documents there are after a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StageCount {
    /// The store has not answered.
    Waiting,
    Exactly(u64),
    /// The limit of the count was reached.
    MoreThan(u64),
    TookTooLong,
    /// The stage was refused, or one before it.
    Failed(String),
    Stopped,
}

/// Where a pipeline writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WritesTo {
    pub namespace: Namespace,
    /// Whether its documents are replaced as a whole (`$out`); else results are merged into them.
    pub replaces: bool,
}

impl WritesTo {
    /// Where a stage writes to, if it does; `db` is that of the pipeline.
    pub fn of(stage: &Document, db: &str) -> Option<Self> {
        let (name, value) = stage.iter().next()?;
        let named = |value: &Bson, inner: &str| match value {
            Bson::String(collection) => Some(Namespace::new(db, collection)),
            Bson::Document(into) => {
                let collection = into.get_str(inner).ok()?;
                Some(Namespace::new(into.get_str("db").unwrap_or(db), collection))
            }
            _ => None,
        };
        match name.as_str() {
            "$out" => named(value, "coll").map(|namespace| Self { namespace, replaces: true }),
            "$merge" => {
                let into = match value {
                    Bson::Document(merge) => merge.get("into")?,
                    other => other,
                };
                named(into, "coll").map(|namespace| Self { namespace, replaces: false })
            }
            _ => None,
        }
    }
}

/// Documents that a pipeline gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output {
    pub rows: Vec<Row>,
    /// The names of their fields, in the order in which they are met.
    pub columns: Vec<String>,
    pub cursor: Option<i64>,
    /// How long the store took, in microseconds.
    pub micros: u64,
    pub is_cut: bool,
    /// Whether the cursor ended before its last document.
    pub is_broken: bool,
    bytes: usize,
}

impl Output {
    /// Adds documents, up to the bounds.
    pub fn extend(&mut self, documents: Vec<Document>, micros: u64) {
        self.micros = self.micros.saturating_add(micros);
        let mut known: BTreeSet<String> = self.columns.iter().cloned().collect();
        for document in documents {
            if self.is_full() {
                self.is_cut = true;
                return;
            }
            for name in document.keys() {
                if self.columns.len() < COLUMNS_MAX && known.insert(name.clone()) {
                    self.columns.push(name.clone());
                }
            }
            self.bytes += estimated_bytes(&document);
            self.rows.push(Row::new(document, None));
        }
    }

    /// Whether no more documents are kept.
    pub fn is_full(&self) -> bool {
        self.rows.len() >= RESULTS_MAX || self.bytes >= RESULTS_BYTES_MAX
    }
}

/// The pane next to the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    #[default]
    Results,
    /// Some of the documents after the stage of a card.
    After(u64),
}

/// The Aggregate view of one tab.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AggregateView {
    /// Whether the view was shown before.
    pub asked: bool,
    /// Whether the data changed since the pipeline ran.
    pub is_old: bool,
    pub run: u64,
    /// The stages that ran, without one that writes.
    pub stages: Vec<Stage>,
    /// The stage that writes, if the last one does.
    pub writer: Option<Document>,
    /// By card: the documents after its stage.
    pub counts: BTreeMap<u64, StageCount>,
    /// A mistake in the text, or the store's error.
    pub error: Option<StageError>,
    /// How long the pipeline had run when the user stopped it.
    pub stopped_after: Option<Duration>,
    /// `None` until they arrive.
    pub results: Option<Output>,
    /// Some documents after the stage that is shown.
    pub after: Option<Output>,
    pub shown: Shown,
    pub mode: ResultsMode,
    /// The fields of the chart. `None` for those that fit best.
    pub chart: Option<ChartFields>,
    /// Whether the pipeline waits for *Run* after a change.
    pub waits: bool,
    /// The fields of the collection and of the results, for completion.
    pub fields: KnownFields,
    /// The questions on their way, by the generation of their job: since when, on the window's
    /// clock.
    pub running: BTreeMap<u64, Duration>,
}

impl AggregateView {
    /// Begins a run of a pipeline.
    pub fn begin(&mut self, mut stages: Vec<Stage>) {
        let name = |stage: &Stage| stage.document.keys().next().cloned().unwrap_or_default();
        self.writer = None;
        if stages.last().is_some_and(|stage| writes(&name(stage))) {
            self.writer = stages.pop().map(|stage| stage.document);
        }
        self.run += 1;
        self.counts = stages.iter().map(|stage| (stage.card, StageCount::Waiting)).collect();
        self.stages = stages;
        (self.error, self.stopped_after) = (None, None);
        self.is_old = false;
        self.results = None;
        self.after = None;
        self.running.clear();
        if let Shown::After(card) = self.shown
            && !self.counts.contains_key(&card)
        {
            self.shown = Shown::Results;
        }
    }

    /// The stages up to that of a card, which is one of them.
    pub fn up_to(&self, card: u64) -> Vec<Document> {
        let end = self.stages.iter().position(|stage| stage.card == card).map_or(0, |at| at + 1);
        self.stages.iter().take(end).map(|stage| stage.document.clone()).collect()
    }

    /// The stages that ran.
    pub fn pipeline(&self) -> Vec<Document> {
        self.stages.iter().map(|stage| stage.document.clone()).collect()
    }

    /// The whole pipeline, with the stage that writes.
    pub fn whole(&self) -> Vec<Document> {
        self.pipeline().into_iter().chain(self.writer.clone()).collect()
    }

    /// The output that is shown.
    pub fn output(&self) -> Option<&Output> {
        match self.shown {
            Shown::Results => self.results.as_ref(),
            Shown::After(_) => self.after.as_ref(),
        }
    }

    /// How many results there are, if it is known.
    pub fn total(&self) -> Option<&StageCount> {
        self.counts.get(&self.stages.last()?.card)
    }

    /// Learns how many documents there are after a stage.
    pub fn learn_count(&mut self, card: u64, count: StageCount) {
        self.counts.insert(card, count);
    }

    /// Learns the fields of documents: those of the collection come first.
    pub fn learn_fields<'d>(&mut self, documents: impl Iterator<Item = &'d Document>) {
        documents.for_each(|document| self.fields.add(document));
    }

    /// The store refuses a stage: that of the first card that fails.
    pub fn refuse(&mut self, card: Option<u64>, message: String) {
        let place =
            |card: Option<u64>| self.stages.iter().position(|stage| Some(stage.card) == card);
        let known = self.error.as_ref().map(|error| place(error.card).unwrap_or(usize::MAX));
        if known.is_none_or(|known| place(card).is_some_and(|at| at < known)) {
            self.error = Some(StageError { card, offset: None, message });
        }
    }

    /// The part that is saved for the next start.
    pub fn saved(&self, pipeline: &PipelineText) -> SavedAggregate {
        SavedAggregate { pipeline: pipeline.clone(), mode: self.mode, waits: self.waits }
    }

    /// The command that counts the documents after the stage of a card.
    pub fn count(&self, collection: &str, card: u64) -> Document {
        aggregate::count(collection, self.up_to(card), STAGE_COUNT_MAX)
    }

    /// The command that reads some documents after the stage of a card.
    pub fn first_after(&self, collection: &str, card: u64) -> Document {
        aggregate::first(collection, self.up_to(card), STAGE_DOCUMENTS_MAX)
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn view(stages: &[Document]) -> AggregateView {
        let mut view = AggregateView::default();
        let stages = (1..).zip(stages).map(|(card, stage)| Stage { card, document: stage.clone() });
        view.begin(stages.collect());
        view
    }

    #[test]
    fn a_stage_that_writes_never_runs_with_the_others() {
        let view = view(&[doc! {"$match": {}}, doc! {"$out": "x"}]);
        assert_eq!(view.pipeline(), [doc! {"$match": {}}]);
        assert_eq!(view.whole().len(), 2);
        assert_eq!(view.counts.len(), 1);
        let sent = [view.count("c", 1), view.first_after("c", 1)];
        assert!(sent.iter().all(|command| !command.to_string().contains("$out")));
    }

    #[test]
    fn a_stage_names_its_target() {
        let check = |stage: Document, namespace: &str, replaces: bool| {
            let found = WritesTo::of(&stage, "d").expect("a target");
            assert_eq!(
                (found.namespace.to_string().as_str(), found.replaces),
                (namespace, replaces)
            );
        };
        check(doc! {"$out": "x"}, "d.x", true);
        check(doc! {"$out": {"db": "e", "coll": "x"}}, "e.x", true);
        check(doc! {"$merge": "x"}, "d.x", false);
        check(doc! {"$merge": {"into": "x"}}, "d.x", false);
        check(doc! {"$merge": {"into": {"db": "e", "coll": "x"}}}, "e.x", false);
        assert_eq!(WritesTo::of(&doc! {"$match": {}}, "d"), None);
    }

    #[test]
    fn the_first_stage_that_fails_has_the_error() {
        let mut view = view(&[doc! {"$match": {}}, doc! {"$nope": 1}, doc! {"$limit": 1}]);
        view.refuse(None, "whole".to_owned());
        view.refuse(Some(3), "third".to_owned());
        view.refuse(Some(2), "second".to_owned());
        view.refuse(Some(3), "third".to_owned());
        let error = view.error.expect("an error");
        assert_eq!((error.card, error.message.as_str()), (Some(2), "second"));
    }

    #[test]
    fn results_are_bounded() {
        let mut output = Output::default();
        let many: Vec<Document> =
            (0..RESULTS_MAX + 5).map(|n| doc! {"_id": n.to_string()}).collect();
        output.extend(many, 1);
        assert_eq!(output.rows.len(), RESULTS_MAX);
        assert!(output.is_full() && output.is_cut);
        assert_eq!(output.columns, ["_id"]);
    }
}
