//! Each TTL rule is taught: its lesson fails when the engine breaks it.
//!
//! `cargo test -p mayfly-session --lib --features broken_rules broken_rules -- --nocapture` prints what each lesson
//! says. Without the feature there is nothing to break.

use mayfly_engine::broken_rules::{BrokenRule, break_rule};

use super::check_all;
use crate::lessons::shipped;

/// The lesson that teaches a rule.
fn lesson_about(rule: BrokenRule) -> &'static str {
    match rule {
        BrokenRule::Equality => "04-to-the-millisecond",
        BrokenRule::LatestOfArray => "05-earliest-of-an-array",
        BrokenRule::NestedArrays => "06-arrays-without-a-date",
        BrokenRule::Texts | BrokenRule::Numbers => "07-not-a-date",
        BrokenRule::ZeroIsOff => "08-zero-seconds",
        BrokenRule::SecondsIgnored => "01-the-threshold",
        BrokenRule::NegativeDates => "09-past-and-future",
        BrokenRule::HiddenIndexes => "21-a-hidden-index-still-deletes",
        BrokenRule::DescendingIndexes => "43-the-other-direction",
        BrokenRule::PartialFilters => "23-partial-ttl",
        BrokenRule::AllRulesMustAgree => "24-two-rules",
        BrokenRule::NoPeriod => "02-the-pass",
        BrokenRule::MonitorSwitch => "36-a-switch-is-not-an-undo",
        BrokenRule::ClockPerDocument => "35-sixty-seconds-is-no-promise",
        BrokenRule::NoTurns => "34-fair-turns",
        BrokenRule::CollModNan => "16-bad-numbers",
        BrokenRule::CreateIndexAgain => "13-what-create-index-refuses",
        BrokenRule::CompoundIndexes => "13-what-create-index-refuses",
        BrokenRule::CosmosAnyField => "33-only-on-ts",
        BrokenRule::CosmosShows => "31-hidden-or-visible",
        BrokenRule::MongodbHides => "03-overdue-is-still-found",
        BrokenRule::WritesKeepTs => "26-every-write-restarts",
        BrokenRule::TsMilliseconds => "32-ten-seconds-can-be-nine",
        BrokenRule::OwnTtlIgnored => "27-its-own-ttl",
        BrokenRule::OwnTtlOfAnyType => "27-its-own-ttl",
        BrokenRule::MinusOne | BrokenRule::OwnTtlZero => "29-minus-one-is-never",
        BrokenRule::HiddenIdTaken => "50-the-id-is-free-again",
        BrokenRule::GuardOff => "39-a-clock-that-jumps",
        BrokenRule::NoTrash => "c10-undo-a-typo",
        BrokenRule::SecondaryPasses => "40-secondaries-delete-nothing",
    }
}

/// The first problem of a lesson.
fn problem(slug: &str) -> Option<String> {
    let mut found = None;
    check_all(&[shipped::checked(slug).expect("it comes with the program")], &mut |report| {
        // How long a play takes depends on the machine.
        let mut problems = report.problems.iter();
        let problem = problems.find(|problem| !problem.sentence.starts_with("A play takes"));
        found = problem.map(|problem| format!("line {}: {}", problem.line, problem.sentence));
    })
    .unwrap();
    found
}

#[test]
fn the_lesson_about_a_rule_fails_when_the_rule_is_broken() {
    let mut wrong = Vec::new();
    for rule in BrokenRule::ALL {
        let slug = lesson_about(rule);
        break_rule(None);
        if let Some(problem) = problem(slug) {
            wrong.push(format!("{slug} fails while nothing is broken: {problem}"));
        }
        break_rule(Some(rule));
        let broken = problem(slug);
        break_rule(None);
        println!("{rule:?}: {slug}: {}", broken.as_deref().unwrap_or("holds"));
        if broken.is_none() {
            wrong.push(format!("{rule:?}: {slug} holds"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
