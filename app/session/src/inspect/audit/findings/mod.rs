//! Findings as pure functions of facts. A file for each subject.

mod candidates;
mod cosmos;
mod late;
#[cfg(test)]
mod line_tests;
mod load;
mod monitor;
mod never;
mod rules;
#[cfg(test)]
mod tests;
mod unused;

use std::cmp::Reverse;

pub use candidates::{has_dates, is_candidate};
pub use load::is_cliff;

use bson::{Document, doc};
use mayfly_engine::reply::DocCount;
use mayfly_engine::value::shell::write_command;

use super::facts::{CollectionFacts, Facts, RuleFacts};
use super::finding::Finding;
use crate::job::Namespace;

/// A rule in its collection.
#[derive(Clone, Copy)]
struct Ruled<'f> {
    facts: &'f Facts,
    collection: &'f CollectionFacts,
    rule: &'f RuleFacts,
}

impl Ruled<'_> {
    fn namespace(&self) -> &Namespace {
        &self.collection.namespace
    }

    /// The rule in a sentence.
    fn name(&self) -> String {
        let Self { collection: CollectionFacts { namespace, .. }, rule, .. } = self;
        format!("{} of {namespace}", rule.name)
    }

    fn place(&self, finding: Finding) -> Finding {
        finding.at(self.namespace(), Some(&self.rule.name))
    }

    /// The filter for those of its documents that also match this one.
    fn within(&self, filter: Document) -> Document {
        match &self.rule.partial {
            Some(partial) => doc! { "$and": [partial.clone(), filter] },
            None => filter,
        }
    }

    /// A command on the collection's database, as mongosh takes it.
    fn command(&self, command: &Document) -> String {
        write_command(&self.namespace().db, command)
    }
}

/// All findings, worst first.
pub(super) fn of(facts: &Facts) -> Vec<Finding> {
    let mut found = monitor::of(facts);
    for collection in &facts.collections {
        for rule in &collection.rules {
            let ruled = Ruled { facts, collection, rule };
            found.extend(late::of(ruled));
            found.extend(never::of(ruled));
            found.extend(rules::of(ruled));
        }
        found.extend(load::of(facts, collection));
        found.extend(rules::two(collection));
        found.extend(unused::of(collection));
        found.extend(cosmos::of(collection));
        found.extend(candidates::of(facts, collection));
    }
    found.sort_by_key(|finding| {
        let documents = finding.documents.map_or(0, DocCount::likely);
        (finding.severity, finding.id, Reverse(documents))
    });
    found
}

/// Whether a part is more than this many of a hundred.
fn is_more_than_percent(part: DocCount, percent: u64, of: DocCount) -> bool {
    u128::from(part.likely()) * 100 > u128::from(of.likely()) * u128::from(percent)
}
