//! Each TTL rule is taught: its lesson notices when the engine breaks it.
//!
//! `cargo test -p mayfly --lib --features broken_rules broken_rules -- --nocapture` prints what each lesson
//! says. Without the feature there is nothing to break.

use mayfly_engine::broken_rules::{BrokenRule, break_rule};

use super::{CheckedFile, check_all};
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
        BrokenRule::CreateIndexAgain => "13-create-index-changes-nothing",
        BrokenRule::CompoundIndexes => "14-what-cannot-be-ttl",
        BrokenRule::CosmosAnyField => "33-only-on-ts",
        BrokenRule::CosmosShows => "31-hidden-or-visible",
        BrokenRule::MongodbHides => "03-overdue-is-still-found",
        BrokenRule::WritesKeepTs => "26-every-write-restarts",
        BrokenRule::TsMilliseconds => "32-ten-seconds-can-be-nine",
        BrokenRule::OwnTtlIgnored => "27-its-own-ttl",
        BrokenRule::OwnTtlOfAnyType => "28-stored-but-not-honored",
        BrokenRule::MinusOne | BrokenRule::OwnTtlZero => "29-minus-one-is-never",
        BrokenRule::HiddenIdTaken => "50-the-id-is-free-again",
        BrokenRule::GuardOff => "39-a-clock-that-jumps",
        BrokenRule::NoTrash => "c10-undo-a-typo",
        BrokenRule::SecondaryPasses => "40-secondaries-delete-nothing",
    }
}

/// What a lesson says of the engine: its first problem, else its answers.
fn seen(slug: &str) -> Result<Vec<(String, String)>, String> {
    let text = shipped::text(slug).unwrap_or_else(|| panic!("there is no lesson {slug}"));
    let (slug, name) = (slug.to_owned(), format!("{slug}.md"));
    let file = CheckedFile { slug, name, bytes: text.as_bytes().to_vec() };
    let mut seen = Ok(Vec::new());
    check_all(&[file], &mut |report| {
        // How long a play takes depends on the machine.
        let mut problems = report.problems.iter();
        let problem = problems.find(|problem| !problem.sentence.starts_with("A play takes"));
        seen = match problem {
            Some(problem) => Err(format!("line {}: {}", problem.line, problem.sentence)),
            None => Ok(report.answers.clone()),
        };
    })
    .unwrap();
    seen
}

/// A question has no wrong answer by itself: its lesson notices by another answer.
#[test]
fn the_lesson_about_a_rule_notices_when_the_rule_is_broken() {
    let mut unnoticed = Vec::new();
    for rule in BrokenRule::ALL {
        let slug = lesson_about(rule);
        break_rule(None);
        let sound = seen(slug);
        break_rule(Some(rule));
        let broken = seen(slug);
        break_rule(None);
        println!("{rule:?}: {slug}: {broken:?}");
        if let Err(problem) = &sound {
            unnoticed.push(format!("{rule:?}: {slug} fails without it: {problem}"));
        } else if broken == sound {
            unnoticed.push(format!("{rule:?}: {slug} notices nothing: {sound:?}"));
        }
    }
    assert!(unnoticed.is_empty(), "{}", unnoticed.join("\n"));
}
