//! Effects of a rule that its owner may not expect.

use bson::{Document, doc};
use mayfly_engine::reply::DocCount;
use mayfly_engine::value::Layout;
use mayfly_engine::value::shell::write_value;

use super::Ruled;
use crate::commands::indexes;
use crate::inspect::audit::facts::{CollectionFacts, NeverFacts, RuleKind};
use crate::inspect::audit::finding::{Example, Finding, FindingId};
use crate::inspect::audit::words;
use crate::job::number;

/// Documents of a sample from which on most of them say something.
const SAMPLE_MIN: u64 = 20;

pub(super) fn of(ruled: Ruled<'_>) -> Vec<Finding> {
    let found = [partial(ruled), hidden(ruled), zero_and_past(ruled), reads_expired(ruled)];
    found.into_iter().flatten().collect()
}

/// Several rules in one collection.
pub(super) fn two(collection: &CollectionFacts) -> Option<Finding> {
    let count = collection.rules.len();
    if count < 2 {
        return None;
    }
    let names: Vec<String> = collection
        .rules
        .iter()
        .map(|rule| format!("{} ({} + {})", rule.name, rule.field, words::secs(rule.secs)))
        .collect();
    let sentence = format!(
        "{} has {count} TTL rules; each document goes at its earliest threshold.",
        collection.namespace
    );
    let finding = Finding::new(FindingId::TwoRules, sentence)
        .at(&collection.namespace, None)
        .evidence(format!("The rules: {}.", names.join(", ")))
        .mend("Drop the rule that you do not mean.");
    let Some(sample) = &collection.sample else { return Some(finding) };
    let wins = sample.winners.iter().map(|(name, documents)| {
        format!("{name} removes {} first", number::counted(*documents, "document", "documents"))
    });
    let wins: Vec<String> = wins.collect();
    if wins.is_empty() {
        return Some(finding);
    }
    let of = number::counted(sample.documents, "document", "documents");
    if sample.is_whole {
        let all = if sample.documents == 1 { "" } else { "all " };
        return Some(finding.evidence(format!("Of {all}{of}, {}.", wins.join(", "))));
    }
    let finding = finding.evidence(format!("Of a sample of {of}, {}.", wins.join(", ")));
    Some(finding.sampled(sample.documents))
}

fn partial(ruled: Ruled<'_>) -> Option<Finding> {
    let rule = ruled.rule;
    let filter = rule.partial.as_ref()?;
    let outside = |never: &&NeverFacts| never.code == "outsidePartialFilter";
    let left_out = rule.never.iter().find(outside)?;
    if left_out.documents == DocCount::Exact(0) {
        return None;
    }
    let sentence = format!(
        "The partial filter of {} never removes {}.",
        ruled.name(),
        words::share(left_out.documents, rule.total)
    );
    let filter_text = write_value(&filter.clone().into(), Layout::OneLine);
    let rest = doc! { "$nor": [filter.clone()] };
    let find = doc! { "find": &ruled.namespace().collection, "filter": rest };
    let mut finding = Finding::new(FindingId::PartialLeavesOut, sentence)
        .about(left_out.documents)
        .evidence(format!("Only documents that match {filter_text} expire."))
        .mend("Nothing, if that is meant. These are the others:")
        .command(ruled.command(&find));
    let cause = "outside the partial filter".to_owned();
    finding.examples.extend(left_out.example.clone().map(|id| Example { cause, id }));
    Some(ruled.place(finding))
}

fn hidden(ruled: Ruled<'_>) -> Option<Finding> {
    let sentence =
        format!("{} is hidden from queries and removes documents all the same.", ruled.name());
    let collection = &ruled.namespace().collection;
    let finding = Finding::new(FindingId::Hidden, sentence)
        .mend("To end the removals, drop the index. To use it in queries again, show it.")
        .command(ruled.command(&indexes::set_hidden(collection, &ruled.rule.name, false)));
    ruled.rule.is_hidden.then(|| ruled.place(finding))
}

fn zero_and_past(ruled: Ruled<'_>) -> Option<Finding> {
    let rule = ruled.rule;
    let sample = ruled.collection.sample.as_ref().filter(|_| rule.secs == 0)?;
    let seen = sample.past_at_insertion.iter().find(|seen| seen.index == rule.name)?;
    if seen.known < SAMPLE_MIN || seen.past * 2 <= seen.known {
        return None;
    }
    let sentence = format!(
        "{} has 0 seconds, and most dates in {} are not after the insertion of their document.",
        ruled.name(),
        rule.field
    );
    let evidence = format!(
        "{} of {} whose _id tells when they were inserted.",
        number::count(seen.past),
        number::counted(seen.known, "sampled document", "sampled documents")
    );
    let collection = &ruled.namespace().collection;
    let finding = Finding::new(FindingId::ZeroAndPast, sentence)
        .evidence(evidence)
        .sampled(seen.known)
        .mend("If the field holds the time of insertion, give the index the seconds to keep it, a day for \
               example.")
        .command(ruled.command(&indexes::set_ttl(collection, &rule.name, 86_400)));
    Some(ruled.place(finding))
}

fn reads_expired(ruled: Ruled<'_>) -> Option<Finding> {
    let rule = ruled.rule;
    // Cosmos DB hides an expired document at once.
    if rule.overdue.likely() == 0 || rule.kind == RuleKind::LastModified {
        return None;
    }
    let sentence = format!(
        "Queries of {} still find overdue documents: {}.",
        ruled.namespace(),
        words::documents(rule.overdue)
    );
    let since = match rule.secs {
        0 => "new Date()".to_owned(),
        secs => format!("new Date(Date.now() - {secs} * 1000)"),
    };
    let field = name(&rule.field);
    let test = format!("{{ {field}: {{ $not: {{ $lte: {since} }} }} }}");
    let filter = match &rule.partial {
        Some(partial) => {
            let rest: Document = doc! { "$nor": [partial.clone()] };
            format!("{{ $or: [ {}, {test} ] }}", write_value(&rest.into(), Layout::OneLine))
        }
        None => test,
    };
    let finding = Finding::new(FindingId::ReadsExpired, sentence)
        .about(rule.overdue)
        .mend("Where that matters, add this to the filter of a query:")
        .command(filter);
    Some(ruled.place(finding))
}

/// A field's name as the shell writes it before a value, in quotes where it needs them.
fn name(field: &str) -> String {
    let text = write_value(&doc! { field: 0 }.into(), Layout::OneLine);
    let name = text.strip_prefix("{ ").and_then(|rest| rest.strip_suffix(": 0 }"));
    name.unwrap_or(field).to_owned()
}
