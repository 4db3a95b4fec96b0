//! Documents that never expire, and dates in the wrong unit.

use bson::{DateTime, Document, doc};
use mayfly_engine::reply::DocCount;
use mayfly_engine::transfer::{Unconverted, Zone};
use mayfly_engine::ttl::InertReason;
use mayfly_engine::value::date_text::DateForm;

use super::{Ruled, is_more_than_percent};
use crate::commands::{indexes, smallest_int};
use crate::inspect::audit::facts::{FieldFacts, NeverFacts, RuleFacts, RuleKind};
use crate::inspect::audit::finding::{Example, Finding, FindingId, Severity};
use crate::inspect::audit::words;
use crate::inspect::schema::Unit;
use crate::inspect::schema::ttl::NUMBERS_MS;
use crate::job::convert::Conversion;
use crate::job::reasons::{reason_filter, reason_label};
use crate::near;

/// Documents from which on a few of many are worth a warning.
const SOME_DOCS: u64 = 1_000;

/// Percent of the documents from which on they are.
const SOME_PERCENT: u64 = 1;

/// Reasons that the rules intend.
const INTENDED: [&str; 3] = ["outsidePartialFilter", "ownTtlNever", "noDefault"];

pub(super) fn of(ruled: Ruled<'_>) -> Vec<Finding> {
    never(ruled).into_iter().chain(unit(ruled)).collect()
}

/// The reasons that are mistakes, the most frequent first.
fn causes(ruled: Ruled<'_>) -> Vec<&NeverFacts> {
    let is_cause = |never: &&NeverFacts| {
        !INTENDED.contains(&never.code.as_str()) && never.documents != DocCount::Exact(0)
    };
    let mut causes: Vec<&NeverFacts> = ruled.rule.never.iter().filter(is_cause).collect();
    causes.sort_by_key(|never| std::cmp::Reverse(never.documents.likely()));
    causes
}

/// Whether some documents surely have a threshold, though none was found: a server may sort text before dates.
fn is_part(rule: &RuleFacts) -> bool {
    let all = rule.stays();
    all.is_exact() && rule.total.is_exact() && all.likely() < rule.total.likely()
}

fn never(ruled: Ruled<'_>) -> Option<Finding> {
    let rule = ruled.rule;
    let causes = causes(ruled);
    let sum = if causes.len() == rule.never.len() {
        rule.stays()
    } else {
        causes.iter().fold(DocCount::default(), |sum, never| sum.plus(never.documents))
    };
    let is_all = rule.earliest_ms.is_none() && !is_part(rule);
    let is_many = sum.likely() > SOME_DOCS || is_more_than_percent(sum, SOME_PERCENT, rule.total);
    if causes.is_empty() || !is_all && !is_many {
        return None;
    }
    let (id, sentence) = if is_all {
        (FindingId::NeverAll, format!("No document can expire by {}.", ruled.name()))
    } else {
        let share = words::share(sum, rule.total);
        (FindingId::NeverSome, format!("Documents never expire by {}: {share}.", ruled.name()))
    };
    let mut finding = ruled.place(Finding::new(id, sentence)).about(sum);
    if let Some(other) = covering(ruled).filter(|_| id == FindingId::NeverSome) {
        finding.severity = Severity::Info;
        finding = finding.evidence(format!("They expire by {}, as all documents do.", other.name));
    }
    for never in &causes {
        let label = reason_label(&never.code);
        let words = words::documents(never.documents);
        finding = finding.evidence(match inert(&never.code) {
            Some(reason) => reason.sentence().to_owned(),
            None => format!("{}: {label}, {words}.", rule.field),
        });
        let cause = label.to_owned();
        finding.examples.extend(never.example.clone().map(|id| Example { cause, id }));
    }
    Some(mend(ruled, &causes, finding))
}

/// Another rule by which every document expires.
fn covering(ruled: Ruled<'_>) -> Option<&RuleFacts> {
    let is_complete = |rule: &&RuleFacts| {
        rule.earliest_ms.is_some()
            && rule.total.is_exact()
            && rule.never.iter().all(|never| never.documents == DocCount::Exact(0))
    };
    let mut others = ruled.collection.rules.iter().filter(|rule| rule.name != ruled.rule.name);
    others.find(is_complete)
}

fn inert(code: &str) -> Option<InertReason> {
    InertReason::ALL.into_iter().find(|reason| reason.code() == code)
}

/// Adds how documents that never expire are mended: by a field that has dates, or by dates in this one.
fn mend(ruled: Ruled<'_>, causes: &[&NeverFacts], finding: Finding) -> Finding {
    let (rule, collection) = (ruled.rule, &ruled.namespace().collection);
    let first = causes.first().map_or("", |never| never.code.as_str());
    if inert(first).is_some() {
        let drop = ruled.command(&indexes::drop(collection, &rule.name));
        let mend = "Drop this index, and create a TTL index on one field that holds a date.";
        return finding.mend(mend).command(drop);
    }
    if finding.id == FindingId::NeverAll
        && rule.kind == RuleKind::Date
        && let Some(field) = similar(ruled)
    {
        let set = instead(ruled, field);
        let lines = [set, indexes::drop(collection, &rule.name)];
        let mend = format!(
            "The field {} has dates. Look at what a TTL on it would remove, then index it instead.",
            field.path
        );
        return finding.mend(mend).command(lines.map(|line| ruled.command(&line)).join("\n"));
    }
    let field = field_facts(ruled);
    if let Some(conversion) = conversion(ruled, first, field) {
        let mend = "Convert the values from 2000 to 2040 to dates; others, such as 0, stay as they are. Expired \
                    ones go with the next pass, so count them first.";
        let update = conversion.update_within(collection, NUMBERS_MS, rule.partial.as_ref());
        return finding.mend(mend).command(ruled.command(&update));
    }
    let finding = finding.mend(match first {
        "fieldMissing" | "null" => {
            format!("Set {} to a date when you write the document.", rule.field)
        }
        "document" => format!("Index the date inside {}, such as {0}.at.", rule.field),
        _ => format!("Store a date in {}.", rule.field),
    });
    match reason_filter(first, &rule.field, rule.partial.as_ref()) {
        Some(filter) => {
            let filter = ruled.within(filter);
            finding.command(ruled.command(&doc! { "find": collection, "filter": filter }))
        }
        None => finding,
    }
}

/// The facts of the field of a rule.
fn field_facts(ruled: Ruled<'_>) -> Option<&FieldFacts> {
    let sample = ruled.collection.sample.as_ref()?;
    sample.fields.iter().find(|field| field.path == ruled.rule.field)
}

/// The command that gives the rule's TTL to another field: by its index, if it has one for all documents.
fn instead(ruled: Ruled<'_>, field: &FieldFacts) -> Document {
    let (rule, collection) = (ruled.rule, &ruled.namespace().collection);
    if let Some(index) = field.index.as_ref().filter(|_| rule.partial.is_none()) {
        return indexes::set_ttl(collection, &index.name, rule.secs);
    }
    let mut index = doc! {
        "key": { &field.path: 1 }, "name": ruled.collection.free_index_name(&field.path),
        "expireAfterSeconds": smallest_int(rule.secs),
    };
    if let Some(partial) = &rule.partial {
        index.insert("partialFilterExpression", partial.clone());
    }
    indexes::create(collection, index)
}

/// A field with dates in most documents whose name is like that of the rule's.
fn similar(ruled: Ruled<'_>) -> Option<&FieldFacts> {
    let sample = ruled.collection.sample.as_ref()?;
    let has_dates = |field: &&FieldFacts| field.dates * 2 > sample.documents;
    let is_other =
        |field: &&FieldFacts| !ruled.collection.rules.iter().any(|rule| rule.field == field.path);
    let fields = || sample.fields.iter().filter(has_dates).filter(is_other);
    let names: Vec<&str> = fields().map(|field| field.path.as_str()).collect();
    let alike = near::alike(&ruled.rule.field, &names)?;
    fields().find(|field| field.path == alike)
}

/// The conversion of the field's values, if they look like dates.
fn conversion(ruled: Ruled<'_>, code: &str, field: Option<&FieldFacts>) -> Option<Conversion> {
    // An `_id` can't be changed.
    let field = field.filter(|field| field.path != "_id")?;
    let form = match code {
        "string" if field.texts > 0 => DateForm::Iso,
        "number" => match field.instants?.unit {
            Unit::Seconds => DateForm::Seconds,
            Unit::Millis => DateForm::Millis,
        },
        _ => return None,
    };
    Some(Conversion {
        path: ruled.rule.field.clone(),
        forms: vec![form],
        zone: Zone::UTC,
        unconverted: Unconverted::Keep,
    })
}

fn unit(ruled: Ruled<'_>) -> Option<Finding> {
    let rule = ruled.rule;
    let wrong = rule.seconds_as_millis.plus(rule.millis_as_seconds);
    if wrong.likely() == 0 {
        return None;
    }
    let sentence = format!(
        "Seconds and milliseconds were mixed up in the field {} of {}: {}.",
        rule.field,
        ruled.namespace(),
        words::share(wrong, rule.total)
    );
    let mut finding = ruled.place(Finding::new(FindingId::Unit, sentence)).about(wrong);
    let is_many = wrong.likely() > SOME_DOCS || is_more_than_percent(wrong, 1, rule.total);
    if !is_many {
        finding.severity = Severity::Warning;
    }
    let (seconds, millis) = (rule.seconds_as_millis, rule.millis_as_seconds);
    if seconds.likely() > 0 {
        let words = words::documents(seconds);
        finding = finding.evidence(format!(
            "In January 1970, as seconds that were read as milliseconds are: {words}. They expire at once."
        ));
    }
    if millis.likely() > 0 {
        let words = words::documents(millis);
        finding = finding.evidence(format!(
            "After the year 30000, as milliseconds that were read as seconds are: {words}. They never go."
        ));
    }
    let mend = "Turn the monitor off, correct the dates, and correct the program that writes them.";
    let finding = finding.mend(mend);
    // An `_id` can't be changed.
    if rule.field == "_id" {
        return Some(finding);
    }
    let is_seconds = seconds.likely() >= millis.likely();
    Some(finding.command(ruled.command(&corrected(ruled, is_seconds))))
}

/// The command that corrects the dates of one wrong unit, also those in arrays.
fn corrected(ruled: Ruled<'_>, is_seconds: bool) -> Document {
    let field = &ruled.rule.field;
    let [from, to] = [NUMBERS_MS.start, NUMBERS_MS.end]
        .map(|ms| if is_seconds { ms / 1_000 } else { ms * 1_000 })
        .map(DateTime::from_millis);
    let correct = |date: &str| {
        let number = doc! { "$toLong": date };
        let ms = if is_seconds {
            doc! { "$multiply": [number, 1_000] }
        } else {
            doc! { "$toLong": { "$divide": [number, 1_000] } }
        };
        let is_wrong = doc! { "$and": [{ "$gte": [date, from] }, { "$lt": [date, to] }] };
        doc! { "$cond": [is_wrong, { "$toDate": ms }, date] }
    };
    let path = format!("${field}");
    let each = doc! { "$map": { "input": &path, "as": "one", "in": correct("$$one") } };
    let value = doc! { "$cond": [{ "$isArray": &path }, each, correct(&path)] };
    let mut filter = ruled.within(doc! { field: { "$gte": from, "$lt": to } });
    // A path through an array would set the whole array in each of its elements.
    let above = field.match_indices('.').filter_map(|(at, _)| field.get(..at));
    let arrays: Vec<Document> =
        above.map(|above| doc! { "$isArray": format!("${above}") }).collect();
    if !arrays.is_empty() {
        filter = doc! { "$and": [filter, { "$expr": { "$not": [{ "$or": arrays }] } }] };
    }
    let update = doc! { "q": filter, "u": [{ "$set": { field: value } }], "multi": true };
    doc! { "update": &ruled.namespace().collection, "updates": [update] }
}
