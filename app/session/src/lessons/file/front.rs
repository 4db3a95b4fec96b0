//! The front matter of a lesson.

use std::time::Duration;

use mayfly_engine::catalog::Dialect;
use toml::de::DeTable;

use super::table::{self, Table};
use super::{Problems, keys};
use crate::job::lesson::{ClockKind, Lesson, LessonKind, Level, MemberStart, ReaperStart, Rules};
use crate::near;

/// The line before and after the front matter.
pub const FENCE: &str = "+++";

const EXAMPLE: &str = "Begin the file with a line +++, the front matter, and another line +++";
const DAY_MS: i64 = 86_400_000;
const MINUTES_MAX: i64 = 120;
const TITLE_CHARS_MAX: usize = 80;
const SHOW_MAX: usize = 4;
const MEMBERS_MAX: usize = 3;
/// The year 9999.
const INSTANT_MAX_MS: i64 = 253_402_300_799_999;

/// Where the front matter and the cards are in a file.
#[derive(Debug, Clone, Copy)]
pub struct Ranges {
    pub front: (usize, usize),
    /// The first byte of the cards.
    pub body: usize,
}

/// Finds the front matter.
pub fn split(text: &str, problems: &Problems<'_>) -> Option<Ranges> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lines = text[start..].split_inclusive('\n');
    let mut at = start;
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != FENCE {
        problems.add(start, format!("There is no front matter. {EXAMPLE}."));
        return None;
    }
    at += first.len();
    let front = at;
    for line in lines {
        if line.trim_end() == FENCE {
            return Some(Ranges { front: (front, at), body: at + line.len() });
        }
        at += line.len();
    }
    problems.add(start, format!("The front matter does not end. {EXAMPLE}."));
    None
}

/// Reads the front matter into a lesson without cards. `None` if it isn't TOML.
///
/// With it are the places of the collections in `show`.
pub fn read(
    slug: &str,
    text: &str,
    base: usize,
    problems: &Problems<'_>,
) -> Option<(Lesson, Vec<usize>)> {
    let parsed = table::parse(text, base, problems)?;
    Some(lesson(slug, parsed.get_ref(), base, problems))
}

fn lesson<'a>(
    slug: &str,
    parsed: &'a DeTable<'a>,
    base: usize,
    problems: &'a Problems<'a>,
) -> (Lesson, Vec<usize>) {
    let front = Table::new(parsed, &keys::FRONT, (0, base), problems);
    let title = front.required_text("title", "title = \"Expired is not deleted\"");
    if title.as_ref().is_some_and(|title| title.chars().count() > TITLE_CHARS_MAX) {
        let at = front.place("title").unwrap_or(base);
        problems.add(at, format!("`title` has more than {TITLE_CHARS_MAX} characters."));
    }
    if front.place("minutes").is_none() {
        front.missing("minutes", "minutes = 4");
    }
    let minutes = front.integer("minutes", &(1..=MINUTES_MAX));
    let level = level(&front);
    let rules = front.one_of("rules", &["both"]).map_or(Rules::One, |_| Rules::Both);
    let (start_ms, rate, clock) = clock(&front, problems);
    let (show, places) = show(&front, rules, problems).into_iter().unzip();
    let lesson = Lesson {
        slug: slug.to_owned(),
        title: title.unwrap_or_default(),
        minutes: minutes.and_then(|minutes| u32::try_from(minutes).ok()).unwrap_or(1),
        level,
        kind: kind(&front, level, problems),
        dialect: dialect(&front),
        rules,
        show,
        after: after(&front, slug, problems),
        start_ms,
        rate,
        clock,
        reaper: reaper(&front),
        members: members(&front, problems),
        cards: Vec::new(),
    };
    // `vary.rs` has read it.
    let _ = front.table("vary", &keys::FREE);
    front.finish();
    (lesson, places)
}

fn level(front: &Table<'_>) -> Level {
    if front.place("level").is_none() {
        front.missing("level", "level = \"core\"");
    }
    front.choice("level", &Level::ALL, Level::name).unwrap_or(Level::Start)
}

fn kind(front: &Table<'_>, level: Level, problems: &Problems<'_>) -> LessonKind {
    match front.choice("kind", &LessonKind::ALL, LessonKind::name) {
        Some(kind) if kind != LessonKind::Lesson => kind,
        Some(_) if level == Level::Challenge => {
            let at = front.place("kind").unwrap_or(front.at());
            problems.add(at, "A lesson of level `challenge` has kind `challenge`. Remove `kind`.");
            LessonKind::Challenge
        }
        _ if level == Level::Challenge => LessonKind::Challenge,
        _ => LessonKind::Lesson,
    }
}

fn dialect(front: &Table<'_>) -> Dialect {
    let name = front.one_of("dialect", &["mongodb", "cosmos", "open"]);
    name.and_then(Dialect::from_name).unwrap_or(Dialect::Mongodb)
}

/// The shown collections, with their places.
fn show(front: &Table<'_>, rules: Rules, problems: &Problems<'_>) -> Vec<(String, usize)> {
    let Some(at) = front.place("show") else {
        front.missing("show", "show = [\"eventlog\"]");
        return Vec::new();
    };
    let Some(names) = front.texts("show") else { return Vec::new() };
    if names.is_empty() || names.len() > SHOW_MAX {
        problems.add(at, format!("`show` must name one to {SHOW_MAX} collections."));
    }
    let mut shown: Vec<(String, usize)> = Vec::new();
    for (name, at) in names {
        if let Some(sentence) = collection_problem(&name, rules) {
            problems.add(at, sentence);
        } else if shown.iter().any(|(other, _)| *other == name) {
            problems.add(at, format!("`show` names `{name}` twice. Remove one."));
        } else {
            shown.push((name, at));
        }
    }
    shown
}

/// Why a collection can't be shown.
fn collection_problem(name: &str, rules: Rules) -> Option<String> {
    let refused = ["/", "\\", "..", "$", "\0", "\n"].into_iter().find(|part| name.contains(part));
    if let Some(part) = refused {
        return Some(format!("`show` can't name a collection with `{}`.", part.escape_debug()));
    }
    if name.starts_with("system.") || name.chars().count() > 120 {
        return Some(
            "`show` names a collection by at most 120 characters, not a system one.".into(),
        );
    }
    if name.starts_with("cosmos.") && rules == Rules::One {
        return Some(format!("`{name}` is in the second database. Add rules = \"both\"."));
    }
    None
}

/// Slugs of other lessons.
fn after(front: &Table<'_>, slug: &str, problems: &Problems<'_>) -> Vec<String> {
    let mut slugs = Vec::new();
    for (name, at) in front.texts("after").unwrap_or_default() {
        if name == slug {
            problems.add(at, "`after` names this lesson itself. Remove it.");
        } else if is_slug(&name) {
            slugs.push(name);
        } else {
            let sentence = format!("`{name}` is not a slug. Write a file's name without .md.");
            problems.add(at, sentence);
        }
    }
    slugs
}

/// The start, `None` for the build date; the rate, and the kind of clock.
fn clock(front: &Table<'_>, problems: &Problems<'_>) -> (Option<i64>, f64, ClockKind) {
    let Some(clock) = front.table("clock", &keys::CLOCK) else {
        if front.place("clock").is_none() {
            front.missing("clock", "[clock] with start = 2026-01-01T12:00:00Z");
        }
        return (None, 1.0, ClockKind::Simulated);
    };
    let kind = clock.choice("kind", &ClockKind::ALL, ClockKind::name).unwrap_or_default();
    let rate = clock.number("rate", &(0.001..=3_600.0)).unwrap_or(1.0);
    let start = match clock.place("start") {
        None => {
            clock.missing("start", "start = 2026-01-01T12:00:00Z");
            None
        }
        Some(_) if clock.is_text("start", "build") => None,
        Some(at) => clock.instant_ms("start").filter(|ms| {
            let is_possible = (0..=INSTANT_MAX_MS).contains(ms);
            if !is_possible {
                problems.add(at, "`start` must be from 1970 to 9999.");
            }
            is_possible
        }),
    };
    clock.finish();
    (start, rate, kind)
}

fn reaper(front: &Table<'_>) -> ReaperStart {
    let mut start = ReaperStart {
        period: Duration::from_mins(1),
        load: Duration::ZERO,
        parameters: Vec::new(),
    };
    let Some(reaper) = front.table("reaper", &keys::REAPER) else { return start };
    let millis = |ms: i64| Duration::from_millis(ms.unsigned_abs());
    if let Some(ms) = reaper.duration_ms("period", 1_000..=DAY_MS) {
        if ms % 1_000 == 0 {
            start.period = millis(ms);
        } else {
            reaper.problem("period", "`period` is in whole seconds.");
        }
    }
    if let Some(ms) = reaper.duration_ms("load", 0..=3_600_000) {
        start.load = millis(ms);
    }
    if let Some(parameters) = reaper.table("parameters", &keys::FREE) {
        start.parameters = parameters.parameters();
    }
    reaper.finish();
    start
}

fn members(front: &Table<'_>, problems: &Problems<'_>) -> Vec<MemberStart> {
    let mut members: Vec<MemberStart> = Vec::new();
    let tables = front.tables("members", &keys::MEMBER);
    if tables.len() > MEMBERS_MAX {
        front.problem("members", &format!("A replica set has at most {MEMBERS_MAX} members here."));
    }
    for member in tables {
        let skew_ms = member.duration_ms("skew", -3_650 * DAY_MS..=3_650 * DAY_MS).unwrap_or(0);
        if let Some(name) = member.required_text("name", "name = \"A\"") {
            let at = member.place("name").unwrap_or(member.at());
            let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if !is_word || name.len() > 12 {
                problems.add(at, "A member's name has 1 to 12 letters and digits, such as \"A\".");
            } else if members.iter().any(|other| other.name == name) {
                problems.add(at, format!("Two members have the name `{name}`. Rename one."));
            } else {
                members.push(MemberStart { name, skew_ms });
            }
        }
        member.finish();
    }
    members
}

/// The sentence for a missing collection: the nearest name that is used, or all of them.
pub fn unused_collection(name: &str, used: &[&str]) -> String {
    let hint = match (near::nearest(name, used), used) {
        (_, []) => "Create it in a setup block.".to_owned(),
        (Some(near), _) => format!("Did you mean `{near}`?"),
        (None, used) => format!("Use one of: {}.", used.join(", ")),
    };
    format!("`show` names `{name}`, which no block uses. {hint}")
}

/// Whether a text is the name of a lesson: lower-case letters, digits and hyphens.
pub fn is_slug(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty()
        && text.len() <= 100
        && text.bytes().all(is_letter)
        && !text.starts_with('-')
        && !text.ends_with('-')
}
