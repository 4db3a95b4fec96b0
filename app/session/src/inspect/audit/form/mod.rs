//! The forms of an audit. All of them say the same sentences.

mod html;
mod json;
mod markdown;
mod metrics;
mod svg;
mod text;

pub use html::html;
pub use json::json;
pub use markdown::markdown;
pub use metrics::{CONTENT_TYPE, metrics};
pub use text::{Paint, text};

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use mayfly_engine::reply::DocCount;
use mayfly_engine::value::Layout;
use mayfly_engine::value::shell::write_value;

use super::facts::{Ahead, AuditEnd, CollectionFacts, Facts, MonitorState};
use super::finding::{Example, Finding, Severity};
use super::report::Audit;
use super::words;
use crate::guide;
use crate::job::number;

/// The heading of all.
pub fn title(audit: &Audit) -> String {
    format!("TTL audit of {}", audit.facts.name)
}

/// Names in a line of collections.
const NAMED_MAX: usize = 12;

/// Collections in a form for people, in its table and in its charts. The JSON form has all.
const SHOWN_MAX: usize = 40;

/// Characters of an example's `_id`; the JSON form has it whole.
const EXAMPLE_CHARS: usize = 200;

/// How many findings of each severity there are, and how much was left out: `2 errors, 1 warning, no notes`.
pub fn counts(audit: &Audit) -> String {
    let words = [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Info, "note", "notes"),
    ];
    let counts = words.map(|(severity, one, many)| {
        let count = audit.count(severity) as u64;
        if count == 0 { format!("no {many}") } else { number::counted(count, one, many) }
    });
    let left = audit.facts.collections.iter().filter(|it| it.unfinished.is_some()).count() as u64;
    let left = match left {
        0 => String::new(),
        left => format!("; {} not read", number::counted(left, "collection", "collections")),
    };
    counts.join(", ") + &left
}

/// The monitor, in one sentence.
pub fn monitor(facts: &Facts) -> String {
    let state = match facts.monitor.state {
        MonitorState::Works => "The TTL monitor is on",
        MonitorState::Off => "The TTL monitor is off",
        MonitorState::AtRest => "No program has the store open, so nothing is removed now",
        MonitorState::Unknown => "Whether the TTL monitor is on is not known",
    };
    let holds = if facts.monitor.holds.is_empty() { "" } else { "; removals are on hold" };
    let period = match facts.monitor.sleep_secs {
        Some(secs) if facts.monitor.state == MonitorState::Works => {
            format!("; a pass runs every {}", words::span(secs.saturating_mul(1_000)))
        }
        _ => String::new(),
    };
    format!("{state}{period}{holds}.")
}

/// Whether the monitor keeps up, and what that was seen from. `None` where nothing was looked at.
pub fn pace(facts: &Facts) -> Option<String> {
    let pace = facts.pace()?;
    let seen = facts.samples.sentence().map(|seen| format!(" {seen}."));
    Some(format!("{pace}.{}", seen.unwrap_or_default()))
}

/// How much was read, and whether that was all.
pub fn effort(facts: &Facts) -> String {
    let effort = facts.effort;
    let ms = |time: std::time::Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    let end = match effort.end {
        AuditEnd::Complete => "complete".to_owned(),
        AuditEnd::TimeOver => {
            let limit = words::span(ms(effort.time_limit));
            format!(
                "ended by the time limit of {limit}, and mayfly audit --time-limit sets another"
            )
        }
        AuditEnd::Canceled => "canceled".to_owned(),
    };
    format!(
        "Read at {} in {}: {}, {}; {end}. A number without a word is exact.",
        words::instant(facts.now_ms),
        words::span(ms(effort.took)),
        number::counted(effort.reads, "command", "commands"),
        number::counted(effort.documents, "sampled document", "sampled documents"),
    )
}

/// The collections that were not read to the end, in a line for each reason, without those that a finding
/// names as unreadable.
pub fn not_finished(facts: &Facts) -> Vec<String> {
    let unreadable: BTreeSet<&str> = facts.unreadable.iter().map(|it| it.place.as_str()).collect();
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for collection in &facts.collections {
        let name = collection.namespace.to_string();
        if let Some(why) = collection.unfinished.as_deref()
            && !unreadable.contains(name.as_str())
        {
            reasons.entry(why).or_default().push(name);
        }
    }
    let line = |(why, names): (&str, Vec<String>)| {
        let named = names.iter().take(NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
        match names.len().saturating_sub(NAMED_MAX) as u64 {
            0 => format!("{named}: {why}."),
            more => format!("{named} and {} more: {why}.", number::count(more)),
        }
    };
    reasons.into_iter().map(line).collect()
}

/// The sentence for no findings, without a period.
pub fn nothing_found(facts: &Facts) -> &'static str {
    let is_cut = facts.effort.end != AuditEnd::Complete;
    if is_cut && facts.collections.iter().all(|it| it.unfinished.is_some()) {
        "Nothing was read, so nothing is known to be fine"
    } else {
        "Nothing is wrong with the TTL rules that were read"
    }
}

/// The place of a finding: `shop.carts, index expireAt_1`; nothing for the whole store.
pub fn place(finding: &Finding) -> String {
    let namespace = finding.place.namespace.as_ref().map(ToString::to_string);
    let index = finding.place.index.as_ref().map(|index| format!("index {index}"));
    namespace.into_iter().chain(index).collect::<Vec<_>>().join(", ")
}

/// `_id 5 (missing)`
pub fn example(example: &Example) -> String {
    let id = write_value(&example.id, Layout::OneLine);
    let shown: String = id.chars().take(EXAMPLE_CHARS).collect();
    let rest = if shown.len() < id.len() { "…" } else { "" };
    format!("_id {shown}{rest} ({})", example.cause)
}

/// How large the sample was that a finding rests on.
pub fn sample(finding: &Finding) -> Option<String> {
    let documents = finding.sample?;
    Some(format!("Seen in a sample of {}.", number::counted(documents, "document", "documents")))
}

/// The title of the section of the guide.
fn guide_title(finding: &Finding) -> &'static str {
    let place = guide::resolve(finding.id.guide(), 0);
    place.and_then(guide::section).map_or("", |section| section.title.as_str())
}

/// The lesson and the section of the guide.
fn learn(finding: &Finding) -> String {
    let guide = format!("guide, “{}”", guide_title(finding));
    match finding.id.lesson() {
        Some(lesson) => format!("mayfly lesson play {lesson}; {guide}"),
        None => guide,
    }
}

/// The documents of the rules ahead, as columns of a table.
pub const AHEAD: [&str; 6] = ["overdue", "1 h", "24 h", "7 d", "30 d", "never"];

/// The cells of a collection under [`AHEAD`].
pub fn ahead(collection: &CollectionFacts) -> Option<[String; 6]> {
    let ahead = collection.ahead.as_ref()?;
    let never = never(collection).map_or_else(|| "?".to_owned(), number::short_documents);
    let counts = [ahead.overdue, ahead.hour, ahead.day, ahead.week, ahead.month];
    let [overdue, hour, day, week, month] = counts.map(number::short_documents);
    Some([overdue, hour, day, week, month, never])
}

/// Documents of a collection with one rule that never expire. With several rules, each has its own.
fn never(collection: &CollectionFacts) -> Option<DocCount> {
    let [rule] = collection.rules.as_slice() else { return None };
    Some(rule.never.iter().fold(DocCount::default(), |sum, never| sum.plus(never.documents)))
}

/// The collections with a rule, those that lose most within 30 days first.
fn largest(facts: &Facts) -> Vec<&CollectionFacts> {
    let mut all: Vec<_> = ruled(facts).collect();
    let documents = |ahead: &Ahead| ahead.overdue.plus(ahead.month).likely();
    all.sort_by_key(|it| Reverse(it.ahead.as_ref().map(documents)));
    all
}

/// The rows of the table of collections, the largest first: the name, and the cells under [`AHEAD`]. The
/// number of those that are left out comes with them.
pub fn table(facts: &Facts) -> (Vec<(String, [String; 6])>, u64) {
    let mut all = largest(facts);
    all.retain(|it| it.ahead.is_some());
    let rows = all.iter().take(SHOWN_MAX);
    let rows = rows.filter_map(|it| Some((it.namespace.to_string(), ahead(it)?)));
    (rows.collect(), all.len().saturating_sub(SHOWN_MAX) as u64)
}

/// A line below a table or charts for the collections that they leave out.
pub fn further(collections: u64) -> Option<String> {
    let words = number::counted(collections, "more collection", "more collections");
    (collections > 0).then(|| format!("{words} with fewer; the JSON form has all."))
}

/// The collections with a rule.
pub fn ruled(facts: &Facts) -> impl Iterator<Item = &CollectionFacts> {
    facts.collections.iter().filter(|collection| !collection.rules.is_empty())
}

#[cfg(test)]
mod tests;
