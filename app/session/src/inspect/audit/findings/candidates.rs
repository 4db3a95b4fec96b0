//! Collections that grow without a TTL, and plain indexes that could carry one.

use bson::doc;
use mayfly_engine::value::shell::write_command;

use crate::commands::{indexes, smallest_int};
use crate::inspect::audit::facts::{CollectionFacts, Facts, FieldFacts};
use crate::inspect::audit::finding::{Finding, FindingId};
use crate::inspect::audit::words;
use crate::job::number;

const DAY_MS: i64 = 86_400_000;

/// Percent of the documents that must have a date.
const DATES_PERCENT: u64 = 95;

/// Documents that a sample needs.
const SAMPLE_MIN: u64 = 20;

/// The age of the oldest date of a candidate.
const OLD_MS: i64 = 365 * DAY_MS;

/// The age of the newest date of a collection that grows.
const GROWS_MS: i64 = 30 * DAY_MS;

const YEAR_SECS: i64 = 365 * 86_400;

pub(super) fn of(facts: &Facts, collection: &CollectionFacts) -> Vec<Finding> {
    let Some(sample) = &collection.sample else { return Vec::new() };
    if !collection.rules.is_empty() || sample.documents < SAMPLE_MIN {
        return Vec::new();
    }
    let has_dates = |field: &&FieldFacts| has_dates(field, sample.documents);
    let old = |field: &&FieldFacts| is_candidate(field, facts.now_ms);
    let mut fields = sample.fields.iter().filter(has_dates);
    if let Some(field) = fields.clone().find(old) {
        return vec![candidate(facts, collection, field, sample.documents)];
    }
    let indexed = fields.find_map(|field| Some((field, field.index.as_ref()?)));
    let unused = indexed.map(|(field, index)| {
        let sentence = format!(
            "The index {} of {} is on a date and could carry a TTL.",
            index.name, collection.namespace
        );
        let set = indexes::set_ttl(&collection.namespace.collection, &index.name, YEAR_SECS);
        Finding::new(FindingId::UnusedCandidate, sentence)
            .at(&collection.namespace, Some(&index.name))
            .evidence(presence(field, sample.documents))
            .sampled(sample.documents)
            .mend("Decide how long to keep the documents. For a year, it is:")
            .command(write_command(&collection.namespace.db, &set))
    });
    unused.into_iter().collect()
}

/// Whether a field of a sample has dates in nearly all documents.
pub fn has_dates(field: &FieldFacts, sampled: u64) -> bool {
    field.dates * 100 >= sampled * DATES_PERCENT
}

/// Whether the dates of a field are old, and new ones come.
pub fn is_candidate(field: &FieldFacts, now_ms: i64) -> bool {
    field.range_ms.is_some_and(|(first_ms, last_ms)| {
        let grows = now_ms.saturating_sub(GROWS_MS)..=now_ms;
        first_ms < now_ms.saturating_sub(OLD_MS) && grows.contains(&last_ms)
    })
}

fn presence(field: &FieldFacts, sampled: u64) -> String {
    format!(
        "{} has a date in {} of {}.",
        field.path,
        number::count(field.dates),
        number::counted(sampled, "sampled document", "sampled documents")
    )
}

fn candidate(
    facts: &Facts,
    collection: &CollectionFacts,
    field: &FieldFacts,
    sampled: u64,
) -> Finding {
    let namespace = &collection.namespace;
    let (first_ms, last_ms) = field.range_ms.unwrap_or((facts.now_ms, facts.now_ms));
    let is_whole =
        collection.is_time_series || collection.sample.as_ref().is_some_and(|it| it.is_whole);
    let seen = if is_whole { "" } else { " seen in the sample" };
    let sentence = format!(
        "{namespace} grows without a TTL; the oldest {}{seen} is from {}.",
        field.path,
        words::instant(first_ms)
    );
    let mut finding = Finding::new(FindingId::Candidate, sentence).at(namespace, None);
    if collection.is_time_series {
        finding = finding.evidence(format!("The newest one is from {}.", words::instant(last_ms)));
    } else {
        finding = finding
            .evidence(presence(field, sampled))
            .evidence(format!("The newest one seen is from {}.", words::instant(last_ms)))
            .sampled(sampled);
    }
    if let Some([month, year]) = field.would_remove {
        finding = finding.about(year).evidence(format!(
            "A TTL of 30 days would remove {}{} now; one of 365 days {}{}.",
            words::share(month, collection.documents),
            words::size(collection, month),
            words::share(year, collection.documents),
            words::size(collection, year)
        ));
    }
    let command = if collection.is_time_series {
        doc! { "collMod": &namespace.collection, "expireAfterSeconds": smallest_int(YEAR_SECS) }
    } else if let Some(index) = &field.index {
        indexes::set_ttl(&namespace.collection, &index.name, YEAR_SECS)
    } else {
        let (key, name) = (doc! { &field.path: 1 }, collection.free_index_name(&field.path));
        let index =
            doc! { "key": key, "name": name, "expireAfterSeconds": smallest_int(YEAR_SECS) };
        indexes::create(&namespace.collection, index)
    };
    let how = if collection.is_time_series {
        "begin with more seconds than the oldest needs, and lower them in steps"
    } else {
        "roll the TTL out in steps"
    };
    finding
        .mend(format!("Decide how long to keep the documents, and {how}. For a year, it is:"))
        .command(write_command(&namespace.db, &command))
}
