//! A copy of a collection into another store, as drafted, and how it ended.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use bson::Document;

use super::export::{ExportDraft, ShownDocuments};
use super::import::{Loadable, WHOLE_PATH, typed_path};
use crate::job::{CopyEnded, CopyLook, CopyPart, CopyPlan, CopyReport, CopyTarget, OpenRequest};
use crate::limits::COPY_SAMPLE_MAX;
use crate::state::connect::ConnectDraft;
use crate::state::documents::query::QueryText;
use crate::state::operations::OperationId;
use crate::state::{Namespace, number};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CopiedPart {
    #[default]
    Whole,
    Filter,
    Sample,
}

/// The kind of store that a copy goes into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyTo {
    Sandbox,
    Folder,
    Server,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CopyDraft {
    pub from: Namespace,
    /// The filter of the view, as typed.
    pub filter: String,
    /// The time of `now` in the filter, in milliseconds since 1970.
    pub now_ms: i64,
    pub part: CopiedPart,
    /// How many documents a sample has, as typed.
    pub sample: String,
    pub to: CopyTo,
    /// The server, as typed.
    pub server: ConnectDraft,
    /// The name of the collection, typed to confirm a change of a production server.
    pub confirm: String,
    /// The folder, as typed.
    pub path: String,
    /// The database there, as typed.
    pub db: String,
    /// The collection there, as typed.
    pub collection: String,
    /// Whether the indexes without a TTL are copied.
    pub others: bool,
    /// The TTL indexes that are copied, by name.
    pub ttl: BTreeSet<String>,
    pub look: Loadable<CopyLook>,
    /// The filter that the look is for.
    pub looked_for: Option<Document>,
    pub error: Option<String>,
}

impl CopyDraft {
    /// A draft for a collection. `filter` is that of the view.
    pub fn new(from: Namespace, to: CopyTo, filter: &str, now_ms: i64) -> Self {
        let filter = filter.trim();
        let filter = if filter == "{}" { "" } else { filter };
        let own = OpenRequest::default().data_folder().unwrap_or_default();
        Self {
            filter: filter.to_owned(),
            now_ms,
            part: if filter.is_empty() { CopiedPart::Whole } else { CopiedPart::Filter },
            sample: "1000".to_owned(),
            to,
            server: ConnectDraft::default(),
            confirm: String::new(),
            path: own.display().to_string(),
            db: from.db.clone(),
            collection: from.collection.clone(),
            others: true,
            ttl: BTreeSet::new(),
            look: Loadable::Nothing,
            looked_for: None,
            error: None,
            from,
        }
    }

    pub fn used_filter(&self) -> Result<Document, String> {
        if self.part != CopiedPart::Filter {
            return Ok(Document::new());
        }
        let query = QueryText::of_filter(&self.filter);
        let shown = ShownDocuments { query, ..ShownDocuments::default() };
        let read = ExportDraft::new(self.from.clone(), shown, self.now_ms).query();
        read.map(|query| query.filter)
    }

    /// How many documents the sample has.
    pub fn sample_size(&self) -> Result<u64, String> {
        let size = self.sample.trim().replace([',', ' '], "").parse::<u64>().ok();
        size.filter(|size| (1..=COPY_SAMPLE_MAX).contains(size)).ok_or_else(|| {
            let most = number::count(COPY_SAMPLE_MAX);
            format!("Enter how many documents, from 1 to {most}")
        })
    }

    /// Where it goes.
    pub fn target(&self) -> Result<CopyTarget, String> {
        match self.to {
            CopyTo::Sandbox => return Ok(CopyTarget::Sandbox),
            CopyTo::Server => {
                let server = self.server.server()?;
                return Ok(CopyTarget::Server(Box::new(server.string)));
            }
            CopyTo::Folder => {}
        }
        let folder = typed_path(&self.path).ok_or("Enter the folder of a store")?;
        if folder.is_relative() {
            Err(WHOLE_PATH.to_owned())
        } else {
            Ok(CopyTarget::Folder(folder))
        }
    }

    /// The folder it goes into.
    pub fn folder(&self) -> Option<PathBuf> {
        match self.target() {
            Ok(CopyTarget::Folder(folder)) => Some(folder),
            _ => None,
        }
    }

    /// Ready for the worker.
    ///
    /// # Errors
    /// One sentence that says what is missing.
    pub fn plan(&self) -> Result<(CopyPlan, CopyTarget), String> {
        let to = self.target()?;
        let filter = self.used_filter()?;
        let part = if self.part == CopiedPart::Sample {
            CopyPart::Sample { filter, size: self.sample_size()? }
        } else {
            CopyPart::Matching(filter)
        };
        if self.needs_confirmation() && self.confirm != self.collection.trim() {
            return Err("Enter the collection name to confirm the change".to_owned());
        }
        let into = if self.to == CopyTo::Sandbox {
            self.from.clone()
        } else {
            Namespace::checked(self.db.trim(), self.collection.trim())
                .map_err(|error| error.to_string())?
        };
        let Loadable::Here(look) = &self.look else {
            return Err("The collection's indexes are not known yet".to_owned());
        };
        let is_chosen = |index: &&Document| {
            let name = index.get_str("name").unwrap_or_default();
            if is_ttl(index) { self.ttl.contains(name) } else { self.others }
        };
        let indexes = look.indexes.iter().filter(is_chosen).cloned().collect();
        let past_validators = self.to != CopyTo::Server;
        Ok((CopyPlan { from: self.from.clone(), part, into, past_validators, indexes }, to))
    }

    /// Whether the name of the collection must be typed: the server is one that others depend on.
    pub fn needs_confirmation(&self) -> bool {
        self.to == CopyTo::Server && self.server.is_production()
    }

    /// Documents that it copies, as far as is known; 0: this is not known.
    pub fn total(&self) -> u64 {
        let known = self.look.here().map_or(0, |look| look.documents);
        match (self.part, self.sample_size()) {
            (CopiedPart::Sample, Ok(size)) => size.min(known),
            _ => known,
        }
    }

    /// The effect of the first pass on the copy by a TTL index, in words.
    pub fn rehearsal(&self, name: &str) -> Option<String> {
        let look = self.look.here()?;
        let (_, overdue) = look.overdue.iter().find(|(index, _)| index == name)?;
        let Some(overdue) = *overdue else {
            return Some("What it would remove can't be counted on this server".to_owned());
        };
        if overdue.is_zero() {
            return Some("The first pass would remove none of the copied documents".to_owned());
        }
        let total = self.total();
        let of = number::counted(total, "document", "documents");
        if self.part != CopiedPart::Sample || look.documents == 0 {
            let overdue = number::documents(overdue);
            return Some(format!("The first pass would remove {overdue} of {of} copied"));
        }
        let share = |count: u64| {
            let share = u128::from(count) * u128::from(total) / u128::from(look.documents);
            u64::try_from(share).unwrap_or(u64::MAX)
        };
        let least = if overdue.is_exact() { "" } else { "at least " };
        let share = number::count(share(overdue.least()));
        Some(format!("The first pass would remove about {least}{share} of {of} copied"))
    }

    /// The name of the copy's operation.
    pub fn title(&self) -> String {
        match self.target() {
            Ok(CopyTarget::Folder(folder)) => format!("Copy {} to {}", self.from, folder.display()),
            Ok(CopyTarget::Server(string)) => format!("Copy {} to {}", self.from, string.name()),
            _ => format!("Copy {} into a sandbox", self.from),
        }
    }
}

pub fn is_ttl(index: &Document) -> bool {
    index.contains_key("expireAfterSeconds")
}

/// How a copy ended.
#[derive(Debug, Clone, PartialEq)]
pub struct CopyResult {
    pub operation: OperationId,
    pub title: String,
    pub ended: CopyEnded,
    pub took: Duration,
    /// The folder that it went into.
    pub folder: Option<PathBuf>,
}

/// How much was copied, in words.
pub fn counts(report: &CopyReport) -> String {
    let mut words = number::counted(report.copied, "document copied", "documents copied");
    for (count, what) in [
        (report.skipped, "already there"),
        (report.refused, "refused"),
        (report.unknown, "of which it is not known"),
    ] {
        if count > 0 {
            words = format!("{words}, {} {what}", number::count(count));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;
    use crate::job::connection_string::Secret;

    fn draft() -> CopyDraft {
        let mut draft =
            CopyDraft::new(Namespace::new("shop", "carts"), CopyTo::Sandbox, "{a: 1}", 0);
        draft.look = Loadable::Here(CopyLook {
            documents: 10_000,
            indexes: vec![
                doc! { "name": "at_1", "key": { "at": 1 }, "expireAfterSeconds": 60 },
                doc! { "name": "n_1", "key": { "n": 1 } },
            ],
            overdue: vec![("at_1".to_owned(), Some(2_500.into())), ("b_1".to_owned(), None)],
        });
        draft
    }

    #[test]
    fn a_ttl_index_is_copied_only_when_it_is_chosen() {
        let names = |draft: &CopyDraft| {
            let (plan, _) = draft.plan().expect("a plan");
            let names = plan.indexes.iter().map(|index| index.get_str("name").map(str::to_owned));
            names.collect::<Result<Vec<_>, _>>().expect("names")
        };
        let mut draft = draft();
        assert_eq!(names(&draft), ["n_1"]);
        draft.ttl.insert("at_1".to_owned());
        draft.others = false;
        assert_eq!(names(&draft), ["at_1"]);
        draft.look = Loadable::Nothing;
        assert!(draft.plan().is_err());
    }

    #[test]
    fn what_the_first_pass_removes_is_scaled_to_a_sample() {
        let mut draft = draft();
        let said = |draft: &CopyDraft| draft.rehearsal("at_1").expect("words");
        assert_eq!(said(&draft), "The first pass would remove 2,500 of 10,000 documents copied");
        draft.part = CopiedPart::Sample;
        let words = "The first pass would remove about 250 of 1,000 documents copied";
        assert_eq!(said(&draft), words);
        assert!(draft.rehearsal("b_1").is_some_and(|said| said.contains("can't be counted")));
        assert_eq!(draft.rehearsal("n_1"), None);
    }

    #[test]
    fn what_is_missing_is_said() {
        let mut draft = draft();
        assert_eq!(draft.plan().expect("a plan").1, CopyTarget::Sandbox);
        draft.part = CopiedPart::Sample;
        for wrong in ["", "0", "x", "99999999999"] {
            wrong.clone_into(&mut draft.sample);
            assert!(draft.plan().is_err(), "{wrong}");
        }
        draft.part = CopiedPart::Filter;
        draft.filter = "{a:".to_owned();
        assert!(draft.plan().is_err_and(|error| error.contains("filter")));
        draft.part = CopiedPart::Whole;
        draft.to = CopyTo::Folder;
        draft.path = "shop".to_owned();
        assert!(draft.plan().is_err());
        draft.path = "/tmp/shop".to_owned();
        assert_eq!(draft.plan().expect("a plan").1, CopyTarget::Folder("/tmp/shop".into()));
        draft.db = "sh op".to_owned();
        assert!(draft.plan().is_err());
        draft.db = "shop".to_owned();
        draft.to = CopyTo::Server;
        assert!(draft.plan().is_err());
        draft.server.text = Secret::new("mongodb://203.0.113.7".to_owned());
        assert!(draft.plan().is_err_and(|error| error.contains("confirm")));
        draft.confirm = "carts".to_owned();
        assert!(draft.plan().is_ok_and(|(plan, _)| !plan.past_validators));
        draft.server.text = Secret::new("mongodb://localhost".to_owned());
        draft.confirm.clear();
        assert!(draft.plan().is_ok());
    }
}
