//! Each form of one audit with names that are markup.

use std::time::Duration;

use bson::{Bson, doc};
use mayfly_engine::reply::DocCount::{About, AtLeast, Exact};
use serde_json::Value;

use super::super::facts::{
    Ahead, CollectionFacts, Days, Effort, Facts, Minute, MonitorFacts, MonitorState, NeverFacts,
    RuleFacts, RuleKind,
};
use super::*;
use crate::job::Namespace;

/// 2026-06-01T12:00:00Z.
const NOW_MS: i64 = 1_780_315_200_000;

fn days() -> Days {
    let mut counts = vec![0; 30];
    (counts[0], counts[29]) = (20_000, 1);
    Days { counts, is_exact: false }
}

fn rule() -> RuleFacts {
    RuleFacts {
        kind: RuleKind::Date,
        name: "<at>_1".to_owned(),
        field: "at|b`".to_owned(),
        key: doc! { "at|b`": 1 },
        secs: 3_600,
        is_hidden: true,
        partial: Some(doc! { "kind": "</pre>&" }),
        total: Exact(40_000),
        overdue: Exact(900),
        earliest_ms: Some(NOW_MS - 5_000),
        removable_ms: None,
        days: Some(days()),
        never_in_all: None,
        never: vec![NeverFacts {
            code: "string".to_owned(),
            documents: About { count: 9_000, low: 8_000, high: Some(10_000) },
            example: Some(Bson::from("<script>\u{1b}[2J")),
        }],
        seconds_as_millis: Exact(0),
        millis_as_seconds: Exact(0),
    }
}

fn audit() -> Audit {
    let ahead = Ahead {
        overdue: Exact(900),
        hour: AtLeast(20_000),
        day: AtLeast(20_000),
        week: AtLeast(20_000),
        month: AtLeast(20_001),
        days: days(),
        steepest: Some(Minute { from_ms: NOW_MS + 60_000, documents: AtLeast(19_000) }),
        steepest_rule: None,
    };
    let shop = CollectionFacts {
        documents: Exact(40_000),
        bytes_each: Some(250),
        rules: vec![rule()],
        ahead: Some(ahead),
        ..CollectionFacts::new(Namespace::new("shop", "<carts>_of_the_whole_world"))
    };
    let late = CollectionFacts {
        unfinished: Some("the time was over".to_owned()),
        ..CollectionFacts::new(Namespace::new("shop", "late"))
    };
    Audit::of(Facts {
        name: "<store>".to_owned(),
        now_ms: NOW_MS,
        monitor: MonitorFacts {
            state: MonitorState::Off,
            holds: vec!["The clock \u{202e}jumped".to_owned()],
            ..MonitorFacts::default()
        },
        collections: vec![shop, late],
        effort: Effort {
            took: Duration::from_millis(1_200),
            time_limit: Duration::from_mins(1),
            reads: 41,
            documents: 800,
            end: AuditEnd::TimeOver,
        },
        ..Facts::default()
    })
}

#[test]
fn the_text_fits_a_terminal_and_sends_it_nothing() {
    let text = text(&audit(), Paint::Plain);
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let strange = text.chars().find(|c| *c != '\n' && crate::job::invisible::mark(*c).is_some());
    assert_eq!(strange, None, "{text}");
    for words in [
        "TTL audit of <store>: 2 errors, 3 warnings, 2 notes; 1 collection not read.",
        "ERROR    monitor-off",
        "WARNING  cliff  shop.<carts>_of_the_whole_world",
        "Not finished, so nothing is known to be fine there:\n  - shop.late: the time was over.",
        "ended by the time",
        "more lines; --markdown and --html have them",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let first = text.find("ERROR").expect("an error");
    assert!(first < text.find("WARNING").expect("a warning"), "{text}");
    let colored = super::text(&audit(), Paint::Colors);
    assert!(colored.contains("\u{1b}[1;31mERROR"), "{colored}");
}

#[test]
fn long_names_are_broken_and_long_ids_cut() {
    let Facts { mut collections, .. } = audit().facts;
    collections[0].namespace = Namespace::new("shop", "n".repeat(300));
    collections[0].rules[0].name = "i".repeat(100);
    collections[0].rules[0].never[0].example = Some(Bson::from("x".repeat(5_000)));
    let audit = Audit::of(Facts { collections, now_ms: NOW_MS, ..Facts::default() });
    let text = text(&audit, Paint::Plain);
    // A command stays one that can be copied.
    let is_command = |line: &&str| line.starts_with("             ");
    for line in text.lines().filter(|line| !is_command(line)) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(text.contains(&"n".repeat(70)) && text.len() < 20_000, "{text}");
    let json = json(&audit).to_string();
    assert!(json.contains(&"x".repeat(5_000)), "it has all");
}

#[test]
fn a_thousand_collections_fit_on_a_page() {
    let rule = || RuleFacts {
        is_hidden: false,
        partial: None,
        overdue: Exact(0),
        earliest_ms: Some(NOW_MS),
        never: Vec::new(),
        never_in_all: None,
        days: Some(Days { counts: vec![1; 30], is_exact: true }),
        ..rule()
    };
    let collection = |n: u64| CollectionFacts {
        rules: vec![rule()],
        ahead: Some(Ahead { month: Exact(n), ..Ahead::default() }),
        documents: Exact(1_000_000),
        unfinished: n.is_multiple_of(2).then(|| "the time was over".to_owned()),
        ..CollectionFacts::new(Namespace::new("d", format!("c{n:04}")))
    };
    let collections = (0..1_000).map(collection).collect();
    let facts = Facts { collections, now_ms: NOW_MS, ..Facts::default() };
    let audit = Audit::of(facts);
    let text = text(&audit, Paint::Plain);
    let most = text.find("d.c0999 ").expect("the largest");
    assert!(most < text.find("d.c0998 ").expect("the next"), "{text}");
    for words in ["500 collections not read", "960 more collections", "d.c0022 and 488 more: the"] {
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(one_line.contains(words), "{words}\n{text}");
    }
    assert!(text.lines().count() < 60, "{text}");
    let page = html(&audit);
    assert_eq!(page.matches("<svg").count(), 40, "one chart for each collection that is shown");
    assert_eq!(page.matches("960 more collections").count(), 2, "below the table and the charts");
}

#[test]
fn a_store_without_findings_says_so() {
    let fine = Audit::of(Facts { name: "fine".to_owned(), ..Facts::default() });
    let words = "Nothing is wrong with the TTL rules that were read.";
    assert!(text(&fine, Paint::Plain).contains(words) && html(&fine).contains(words));
    let mut cut = fine.clone();
    cut.facts.effort.end = AuditEnd::TimeOver;
    let unread = CollectionFacts {
        unfinished: Some("the time was over".to_owned()),
        ..CollectionFacts::new(Namespace::new("d", "c"))
    };
    cut.facts.collections = vec![unread.clone()];
    let words = "Nothing was read, so nothing is known to be fine.";
    assert!(text(&cut, Paint::Plain).contains(words) && html(&cut).contains(words));
    cut.facts.collections.push(CollectionFacts { unfinished: None, ..unread });
    assert!(!text(&cut, Paint::Plain).contains(words), "one was read");
}

#[test]
fn markdown_has_every_command_whole_and_no_markup_of_names() {
    let page = markdown(&audit());
    for words in [
        "## warning: cliff: shop.\\<carts\\>\\_of\\_the\\_whole\\_world",
        "while (secs > target) {",
        "| shop.\\<carts\\>\\_of\\_the\\_whole\\_world | 900 | ≥ 20,000 |",
        "## Not finished",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
    assert!(!page.contains('\u{1b}') && !page.contains("<script>\u{1b}"), "{page}");
}

#[test]
fn html_refers_to_nothing_outside_and_takes_no_name_for_markup() {
    let page = html(&audit());
    for outside in
        ["://", "src=", "href=", "url(", "@import", "<script", "<carts>", "<store>", "</pre>&"]
    {
        assert!(!page.contains(outside), "{outside}\n{page}");
    }
    for words in
        ["<svg", "&lt;carts&gt;", "about 20,000", "2026-06-30", "<article class=\"error\">"]
    {
        assert!(page.contains(words), "{words}\n{page}");
    }
    assert_eq!(page.matches("<td").count() - page.matches("</td>").count(), 0);
    assert_eq!(page.matches("<tr>").count(), page.matches("</tr>").count());
}

#[test]
fn each_rule_with_documents_ahead_has_a_chart() {
    let mut facts = audit().facts;
    let rules = &mut facts.collections[0].rules;
    let charts = |facts: &Facts| html(&Audit::of(facts.clone())).matches("<figure>").count();
    let second = RuleFacts { name: "second".to_owned(), ..rules[0].clone() };
    let quiet = RuleFacts { days: Some(Days::default()), ..second.clone() };
    let inert = RuleFacts { days: None, ..second.clone() };
    rules.extend([second, quiet, inert]);
    assert_eq!(charts(&facts), 2);
    assert!(
        html(&Audit::of(facts))
            .contains("<figcaption>shop.&lt;carts&gt;_of_the_whole_world: second<")
    );
}

#[test]
fn examples_are_left_out_of_every_form() {
    let mut audit = audit();
    let has = |audit: &Audit| {
        let forms =
            [text(audit, Paint::Plain), markdown(audit), html(audit), json(audit).to_string()];
        forms.map(|form| form.contains("[2J"))
    };
    assert_eq!(has(&audit), [true; 4]);
    audit.leave_out_examples();
    assert_eq!(has(&audit), [false; 4]);
}

/// The JSON Schema that the guide prints.
fn schema() -> Value {
    let page = include_str!("../../../../../../assets/guide/11-audit.md");
    let text = page.split("```json").last().and_then(|rest| rest.split("```").next());
    serde_json::from_str(text.expect("a block of JSON")).expect("JSON")
}

/// Why a value does not fit a schema, as far as the guide's has keywords.
fn misfit(schema: &Value, root: &Value, value: &Value, at: &str) -> Option<String> {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.strip_prefix("#/$defs/").expect("a definition");
        return misfit(&root["$defs"][name], root, value, at);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let fits = choices.iter().any(|one| misfit(one, root, value, at).is_none());
        return (!fits).then(|| format!("{at}: {value} is none of {choices:?}"));
    }
    if let Some(choices) = schema["enum"].as_array() {
        return (!choices.contains(value)).then(|| format!("{at}: {value} is not in {choices:?}"));
    }
    if let Some(constant) = schema.get("const") {
        return (constant != value).then(|| format!("{at}: {value} is not {constant}"));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = match &schema["type"] {
        Value::String(one) => one == kind,
        Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        _ => true,
    };
    if !fits {
        return Some(format!("{at}: {value} is a {kind}, not a {}", schema["type"]));
    }
    if let (Some(items), Value::Array(values)) = (schema.get("items"), value) {
        return values.iter().find_map(|value| misfit(items, root, value, &format!("{at}[]")));
    }
    let (Some(properties), Value::Object(fields)) = (schema["properties"].as_object(), value)
    else {
        return None;
    };
    let required = schema["required"].as_array().expect("required fields");
    let missing = required.iter().find(|name| !fields.contains_key(name.as_str().expect("a name")));
    if let Some(name) = missing {
        return Some(format!("{at}: {name} is missing"));
    }
    fields.iter().find_map(|(name, value)| match properties.get(name) {
        Some(inner) => misfit(inner, root, value, &format!("{at}.{name}")),
        None => Some(format!("{at}.{name} is not in the schema")),
    })
}

#[test]
fn the_json_fits_the_schema_of_the_guide() {
    let schema = schema();
    let whole = json(&audit());
    assert_eq!(misfit(&schema, &schema, &whole, "audit"), None);
    assert_eq!(whole["audit"], 1);
    let empty = json(&Audit::default());
    assert_eq!(misfit(&schema, &schema, &empty, "audit"), None);
    // The check can fail.
    for broken in ["findings", "collections", "monitor"] {
        let mut whole = whole.clone();
        whole[broken] = Value::from(5);
        assert!(misfit(&schema, &schema, &whole, "audit").is_some(), "{broken}");
    }
    let listed = &schema["$defs"]["finding"]["properties"]["id"]["enum"];
    let listed: Vec<&str> =
        listed.as_array().expect("ids").iter().filter_map(Value::as_str).collect();
    let mut known = super::super::FindingId::ALL.map(super::super::FindingId::code);
    let mut sorted = listed.clone();
    known.sort_unstable();
    sorted.sort_unstable();
    assert_eq!(sorted, known);
}
