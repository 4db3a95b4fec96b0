//! The figures of an audit as `OpenMetrics` text, for a system that watches and alerts.
//!
//! Names end with their unit. A number that is a lower bound or an estimate is given as it is; the gauge
//! `mayfly_ttl_collection_exact` says for each collection whether its numbers are exact.

use std::fmt::{Display, Write as _};

use mayfly_engine::reply::DocCount;

use super::super::facts::{CollectionFacts, Facts, MonitorState, RuleFacts};
use super::super::finding::Severity;
use super::super::pace::Pace;
use super::{Audit, ruled};

/// The type of the text.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A sample: its labels, and its value.
type Sample = (Vec<(&'static str, String)>, String);

/// The audit as `OpenMetrics` text.
pub fn metrics(audit: &Audit) -> String {
    let facts = &audit.facts;
    let mut out = String::new();
    let monitor = match facts.monitor.state {
        MonitorState::Works => vec![sample("1")],
        MonitorState::Off | MonitorState::AtRest => vec![sample("0")],
        MonitorState::Unknown => Vec::new(),
    };
    family(&mut out, "mayfly_ttl_monitor_up", "gauge", "Whether the TTL monitor runs.", monitor);
    let held = sample(u8::from(!facts.monitor.holds.is_empty()));
    family(&mut out, "mayfly_ttl_removals_held", "gauge", "Whether removals are on hold.", [held]);
    counters(&mut out, facts);
    let ahead = ahead(facts);
    let about = "Documents that expire by now or within a time, of all rules of a collection.";
    family(&mut out, "mayfly_ttl_due_documents", "gauge", about, ahead);
    rules(&mut out, facts);
    let exact = ruled(facts).map(|found| {
        (vec![("collection", found.namespace.to_string())], u8::from(is_exact(found)).to_string())
    });
    let about = "Whether the numbers of a collection are exact.";
    family(&mut out, "mayfly_ttl_collection_exact", "gauge", about, exact);
    let findings = Severity::ALL.iter().map(|severity| {
        let labels = vec![("severity", severity.word().to_owned())];
        (labels, audit.count(*severity).to_string())
    });
    family(&mut out, "mayfly_audit_findings", "gauge", "Findings of the audit.", findings);
    let took = sample(format!("{:.3}", facts.effort.took.as_secs_f64()));
    let about = "How long the audit took.";
    family(&mut out, "mayfly_audit_duration_seconds", "gauge", about, [took]);
    out.push_str("# EOF\n");
    out
}

fn counters(out: &mut String, facts: &Facts) {
    let about = "Passes of the TTL monitor since the server started.";
    family(out, "mayfly_ttl_passes", "counter", about, facts.monitor.passes.map(sample));
    let about = "Documents that passes have removed since the server started.";
    family(
        out,
        "mayfly_ttl_removed_documents",
        "counter",
        about,
        facts.monitor.removed.map(sample),
    );
    let growth = match facts.pace() {
        Some(Pace::KeepsUp) => Some(0),
        Some(Pace::FallingBehind { a_minute, .. }) => Some(a_minute),
        Some(Pace::NotKnown(_)) | None => None,
    };
    let about = "Whether the TTL monitor keeps up; nothing where that is not known.";
    let keeps_up = growth.map(|a_minute| sample(u8::from(a_minute == 0)));
    family(out, "mayfly_ttl_keeps_up", "gauge", about, keeps_up);
    let about = "Documents by which the backlog grows in a minute, 0 if the TTL monitor keeps up.";
    family(out, "mayfly_ttl_backlog_growth_per_minute", "gauge", about, growth.map(sample));
}

fn ahead(facts: &Facts) -> Vec<Sample> {
    let of = |found: &CollectionFacts| -> Option<Vec<Sample>> {
        let ahead = found.ahead.as_ref()?;
        let counts = [
            ("0s", ahead.overdue),
            ("1h", ahead.hour),
            ("24h", ahead.day),
            ("7d", ahead.week),
            ("30d", ahead.month),
        ];
        let sample = |(within, count): (&str, DocCount)| {
            let labels =
                vec![("collection", found.namespace.to_string()), ("within", within.to_owned())];
            (labels, count.likely().to_string())
        };
        Some(counts.into_iter().map(sample).collect())
    };
    ruled(facts).filter_map(of).flatten().collect()
}

fn rules(out: &mut String, facts: &Facts) {
    let each = |value: &dyn Fn(&RuleFacts) -> Option<String>| -> Vec<Sample> {
        let of = |found: &CollectionFacts| -> Vec<Sample> {
            let labels = |rule: &RuleFacts| {
                vec![("collection", found.namespace.to_string()), ("index", rule.name.clone())]
            };
            found.rules.iter().filter_map(|rule| Some((labels(rule), value(rule)?))).collect()
        };
        ruled(facts).flat_map(of).collect()
    };
    let overdue = each(&|rule| Some(rule.overdue.likely().to_string()));
    let about = "Documents that are past their threshold and still stored.";
    family(out, "mayfly_ttl_overdue_documents", "gauge", about, overdue);
    let oldest = each(&|rule| {
        let late_ms = facts.now_ms.saturating_sub(rule.earliest_ms?).max(0);
        Some(if rule.overdue.is_zero() { 0 } else { late_ms / 1_000 }.to_string())
    });
    let about = "Time since the earliest threshold that is past, 0 without one.";
    family(out, "mayfly_ttl_oldest_overdue_seconds", "gauge", about, oldest);
    let never = each(&|rule| Some(rule.stays().likely().to_string()));
    let about = "Documents that never expire by a rule.";
    family(out, "mayfly_ttl_never_expiring_documents", "gauge", about, never);
}

fn is_exact(found: &CollectionFacts) -> bool {
    let ahead = found.ahead.as_ref().map(|it| [it.overdue, it.hour, it.day, it.week, it.month]);
    let rules = found.rules.iter().flat_map(|rule| [rule.overdue, rule.stays()]);
    found.unfinished.is_none() && ahead.into_iter().flatten().chain(rules).all(DocCount::is_exact)
}

fn sample(value: impl Display) -> Sample {
    (Vec::new(), format!("{value}"))
}

/// A family of samples; nothing without any.
fn family(
    out: &mut String,
    name: &str,
    kind: &str,
    help: &str,
    samples: impl IntoIterator<Item = Sample>,
) {
    let suffix = if kind == "counter" { "_total" } else { "" };
    let mut lines = String::new();
    for (labels, value) in samples {
        let labels: Vec<String> =
            labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escaped(value))).collect();
        let labels =
            if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        // Writing to a String can't fail.
        let _ = writeln!(lines, "{name}{suffix}{labels} {value}");
    }
    if !lines.is_empty() {
        let _ = write!(out, "# TYPE {name} {kind}\n# HELP {name} {help}\n{lines}");
    }
}

/// The value of a label, between quotes.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::inspect::audit::facts::{Ahead, NeverFacts, RuleKind};
    use crate::inspect::audit::samples;
    use crate::job::Namespace;

    fn rule() -> RuleFacts {
        RuleFacts {
            kind: RuleKind::Date,
            name: "at \"1\"".to_owned(),
            field: "at".to_owned(),
            key: bson::doc! { "at": 1 },
            secs: 60,
            is_hidden: false,
            partial: None,
            total: DocCount::Exact(9),
            overdue: DocCount::AtLeast(4),
            earliest_ms: Some(30_000),
            removable_ms: None,
            days: None,
            never_in_all: None,
            never: vec![NeverFacts {
                code: "null".to_owned(),
                documents: DocCount::Exact(2),
                example: None,
            }],
            seconds_as_millis: DocCount::default(),
            millis_as_seconds: DocCount::default(),
        }
    }

    #[test]
    fn figures_have_names_units_and_labels() {
        let mut found = CollectionFacts::new(Namespace::new("shop", "carts"));
        found.rules.push(rule());
        found.ahead = Some(Ahead {
            overdue: DocCount::AtLeast(4),
            hour: DocCount::Exact(5),
            ..Ahead::default()
        });
        let mut audit = Audit::default();
        audit.facts.now_ms = 90_500;
        audit.facts.monitor.state = MonitorState::Works;
        (audit.facts.monitor.passes, audit.facts.monitor.removed) = (Some(4), Some(70));
        audit.facts.is_server = true;
        let seen = |at_ms, documents| samples::Sample {
            at_ms,
            passes: Some(4),
            removed: Some(70),
            collections: vec![samples::CollectionBacklog {
                namespace: Namespace::new("shop", "carts"),
                overdue: DocCount::Exact(documents),
                since_ms: Some(-900_000),
                arrived: None,
            }],
        };
        audit.facts.samples = [seen(0, 4_000), seen(90_000, 4_450)].into_iter().collect();
        audit.facts.effort.took = Duration::from_millis(1_250);
        audit.facts.collections.push(found);
        let text = metrics(&audit);
        for line in [
            "mayfly_ttl_monitor_up 1",
            "mayfly_ttl_removals_held 0",
            "# TYPE mayfly_ttl_passes counter",
            "mayfly_ttl_passes_total 4",
            "# TYPE mayfly_ttl_removed_documents counter",
            "mayfly_ttl_removed_documents_total 70",
            "mayfly_ttl_keeps_up 0",
            "mayfly_ttl_backlog_growth_per_minute 300",
            "mayfly_ttl_due_documents{collection=\"shop.carts\",within=\"0s\"} 4",
            "mayfly_ttl_due_documents{collection=\"shop.carts\",within=\"1h\"} 5",
            "mayfly_ttl_overdue_documents{collection=\"shop.carts\",index=\"at \\\"1\\\"\"} 4",
            "mayfly_ttl_oldest_overdue_seconds{collection=\"shop.carts\",index=\"at \\\"1\\\"\"} 60",
            "mayfly_ttl_never_expiring_documents{collection=\"shop.carts\",index=\"at \\\"1\\\"\"} 2",
            "mayfly_ttl_collection_exact{collection=\"shop.carts\"} 0",
            "mayfly_audit_findings{severity=\"error\"} 0",
            "mayfly_audit_duration_seconds 1.250",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\nis not in\n{text}");
        }
        assert!(text.ends_with("\n# EOF\n"));
    }

    #[test]
    fn a_collection_is_exact_only_if_each_of_its_numbers_is() {
        let about = DocCount::About { count: 2, low: 1, high: Some(9) };
        let check = |change: &dyn Fn(&mut RuleFacts), expected| {
            let mut rule = RuleFacts { overdue: DocCount::Exact(4), ..rule() };
            change(&mut rule);
            let mut found = CollectionFacts::new(Namespace::new("shop", "carts"));
            found.rules.push(rule);
            assert_eq!(is_exact(&found), expected);
        };
        check(&|_| {}, true);
        check(&|rule| rule.overdue = about, false);
        check(&|rule| rule.never[0].documents = about, false);
        check(
            &|rule| {
                rule.never[0].documents = about;
                rule.never_in_all = Some(DocCount::Exact(2));
            },
            true,
        );
    }

    #[test]
    fn an_unknown_monitor_has_no_sample() {
        let text = metrics(&Audit::default());
        for unknown in
            ["mayfly_ttl_monitor_up", "_passes", "_removed_documents", "_keeps_up", "_growth"]
        {
            assert!(!text.contains(unknown), "{text}");
        }
    }
}
