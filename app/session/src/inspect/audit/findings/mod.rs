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
    found.iter_mut().for_each(leave_out_refused);
    found.sort_by_key(|finding| {
        let documents = finding.documents.map_or(0, DocCount::likely);
        (finding.severity, finding.id, Reverse(documents))
    });
    found
}

/// Characters of a database's name that mongosh refuses and some servers don't.
const REFUSED: [char; 12] = ['/', '\\', '.', ' ', '"', '$', '*', '<', '>', ':', '|', '?'];

/// Leaves out lines that mongosh could not run, and says so.
fn leave_out_refused(finding: &mut Finding) {
    let namespace = finding.place.namespace.as_ref();
    let db = namespace.map_or("", |namespace| namespace.db.as_str());
    // A filter doesn't name the database.
    let is_line = finding.mend.command.as_ref().is_some_and(|lines| lines.contains("db."));
    if is_line && db.contains(REFUSED) {
        finding.mend.command = None;
        finding.evidence.push(format!(
            "mongosh refuses the name of the database {db}, so there are no lines for it."
        ));
    }
}

/// Whether a part is more than this many of a hundred.
fn is_more_than_percent(part: DocCount, percent: u64, of: DocCount) -> bool {
    u128::from(part.likely()) * 100 > u128::from(of.likely()) * u128::from(percent)
}
