//! A course on paper: one HTML page to print, with lines and boxes for the guesses, timelines to draw into,
//! and the hints at the back. The answers, drawn timelines and solutions come after them on request.
//!
//! Nothing in it needs a screen: it has no script, no link and nothing folded. `record.rs` plays each lesson,
//! because only the engine knows its documents and its answers.

mod html;
mod record;
mod timeline;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

pub use record::guess_words;

use self::html::{blocks, code, escape, line};
use self::record::{AskedQuestion, Recording, ids_words};
use crate::job::Zone;
use crate::job::lesson::{
    Block, BlockKind, Lesson, LessonKind, LessonSource, Part, Question, QuestionKind,
};
use crate::lessons::library;
use crate::lessons::progress::Progress;
use crate::lessons::runner::recorded;
use crate::shell::watch::{self, Waited};

const STYLE: &str = include_str!("paper.css");

/// The words on the first page.
const HOW: &str = "Guess before you play: tick a box, fill in a line, or draw into the timeline. Then play the \
    lesson in Mayfly and compare. `T(\"-90s\")` is the start of the lesson minus 90 seconds, as a date. All \
    times are those of the lesson's own clock.";

/// Writes the course of the program, or that of a folder, as HTML.
///
/// # Errors
/// One sentence: a lesson can't be read or played.
pub fn course(folder: Option<PathBuf>, has_answers: bool) -> Result<String, String> {
    match watch::run("mayfly-paper", move || written(folder, has_answers)) {
        Ok(Waited::Answer(page)) => page,
        Ok(Waited::Ended) => Err("The handout ended by a bug".to_owned()),
        Ok(Waited::Stuck(stuck)) => Err(stuck.to_string()),
        Err(error) => Err(format!("The handout could not start: {error}")),
    }
}

/// A lesson with its number: that of the program, or its place in a folder.
struct Printed {
    number: String,
    lesson: Arc<Lesson>,
    recording: Recording,
    /// The number of its first question.
    first: usize,
}

fn written(folder: Option<PathBuf>, has_answers: bool) -> Result<String, String> {
    let opened: Vec<PathBuf> = folder.into_iter().collect();
    let list = library::list(&opened, &Progress::default());
    if let Some(error) = list.errors.first() {
        return Err(error.clone());
    }
    let is_printed = |entry: &&crate::job::lesson::LessonEntry| {
        entry.file().is_some() != opened.is_empty() && entry.kind != LessonKind::Scene
    };
    let mut lessons: Vec<Printed> = Vec::new();
    let mut title = library::shipped_title();
    let mut first = 1;
    for entry in list.lessons.iter().filter(is_printed) {
        if let Some(course) = &entry.course {
            title.clone_from(course);
        }
        let place = || (lessons.len() + 1).to_string();
        let number = if opened.is_empty() { list.number(entry) } else { place() };
        let printed = print(&entry.source, number, first)?;
        first += library::questions(&printed.lesson).count();
        lessons.push(printed);
    }
    if lessons.is_empty() {
        return Err("The folder has no lessons. Add a file that ends with .md".to_owned());
    }
    Ok(page(&title, &lessons, has_answers))
}

fn print(source: &LessonSource, number: String, first: usize) -> Result<Printed, String> {
    let slug = library::slug(source);
    let lesson = library::read(source).map_err(|problems| {
        let problem = problems.into_iter().next();
        problem.map_or_else(String::new, |found| {
            format!("{slug}.md:{}: {}", found.line, found.sentence)
        })
    })?;
    let recording = record::record(&lesson, source.clone())
        .map_err(|sentence| format!("{slug}: {sentence}"))?;
    Ok(Printed { number, lesson, recording, first })
}

fn page(title: &str, lessons: &[Printed], has_answers: bool) -> String {
    let title = escape(title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <p class=\"fill\">Name <span class=\"line\"></span> Date <span class=\"line\"></span></p>\n\
         <p>{}</p>\n<ul class=\"contents\">\n",
        line(HOW)
    );
    for printed in lessons {
        // Writing to a String can't fail.
        let _ = writeln!(out, "<li>{}</li>", heading(printed));
    }
    out.push_str("</ul>\n");
    for printed in lessons {
        lesson(&mut out, printed);
    }
    back(&mut out, "Hints", lessons, hints);
    if has_answers {
        back(&mut out, "Answers", lessons, answers);
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn heading(printed: &Printed) -> String {
    format!("{}. {}", printed.number, escape(&printed.lesson.title))
}

fn lesson(out: &mut String, printed: &Printed) {
    let (lesson, start) = (&printed.lesson, time(printed.recording.start_ms));
    let _ = write!(
        out,
        "<section class=\"lesson\">\n<h2>{}</h2>\n<p class=\"about\">{} minutes. It begins at {start}.</p>\n",
        heading(printed),
        lesson.minutes
    );
    let mut number = printed.first;
    for card in &lesson.cards {
        let _ = writeln!(out, "<h3>{}</h3>", escape(&card.title));
        for part in &card.parts {
            match part {
                Part::Prose(text) => out.push_str(&blocks(text)),
                Part::Notes(_) => {}
                Part::Handle(handle) => {
                    let (min, max) = (handle.min_secs, handle.max_secs);
                    let _ = writeln!(
                        out,
                        "<p>Try other seconds for the TTL index of <code>{}</code>: {min} to {max}.</p>",
                        escape(&handle.collection)
                    );
                }
                Part::Block(Block { kind: BlockKind::Question(question), .. }) => {
                    let asked = printed.recording.questions.get(&question.id);
                    ask(out, number, question, asked);
                    number += 1;
                }
                Part::Block(Block { kind, .. }) => block(out, kind),
            }
        }
    }
    out.push_str("</section>\n");
}

fn block(out: &mut String, kind: &BlockKind) {
    let step = |label: &str, default: &str| {
        format!(
            "<p class=\"step\">{}</p>\n",
            escape(if label.is_empty() { default } else { label })
        )
    };
    match kind {
        BlockKind::Setup(script) => *out += &(step("Before it begins", "") + &code(script)),
        BlockKind::Run { label, script, .. } => *out += &(step(label, "Run") + &code(script)),
        BlockKind::Play { label, script } => {
            *out += &(step(label, "Let time pass") + &code(script));
        }
        BlockKind::Traffic(traffic) => {
            let every = format!("Every {} seconds", traffic.every.as_secs_f64());
            *out += &(step(&every, "") + &code(&traffic.script));
        }
        BlockKind::Goal(goal) => {
            let _ = writeln!(
                out,
                "<div class=\"question\"><p><strong>Your turn.</strong> {}</p>\n{LINES}</div>",
                line(&goal.task)
            );
        }
        BlockKind::Question(_) | BlockKind::Solution(_) => {}
    }
}

/// Lines to write commands on.
const LINES: &str = "<p class=\"write\"></p>\n<p class=\"write\"></p>\n<p class=\"write\"></p>\n";

/// A question with room for its answer.
fn ask(out: &mut String, number: usize, question: &Question, asked: Option<&AskedQuestion>) {
    let _ = writeln!(
        out,
        "<div class=\"question\"><p><strong>Question {number}.</strong> {}</p>",
        line(&question.text)
    );
    let choice = |words: &str| format!("<li><span class=\"box\"></span> {words}</li>\n");
    match &question.kind {
        QuestionKind::Choose => {
            let choices = question.choices.iter().map(|it| choice(&line(&it.text)));
            let _ = writeln!(out, "<ul class=\"choices\">\n{}</ul>", choices.collect::<String>());
        }
        QuestionKind::Which { .. } => {
            let documents = asked.map(|asked| asked.documents.as_slice()).unwrap_or_default();
            let documents = documents.iter().map(|(_, document)| {
                let id = escape(&ids_words(std::slice::from_ref(&document.id)));
                choice(&format!("<code>{id}</code> <code>{}</code>", escape(&document.fields)))
            });
            let _ = writeln!(out, "<ul class=\"choices\">\n{}</ul>", documents.collect::<String>());
        }
        QuestionKind::Count { min, max } => {
            let _ = writeln!(
                out,
                "<p class=\"fill\">Your number, {min} to {max}: <span class=\"line\"></span></p>"
            );
        }
        QuestionKind::Pin => {
            out.push_str("<p class=\"fill\">Your time: <span class=\"line\"></span></p>\n");
        }
    }
    if let Some(drawn) = asked.and_then(|asked| timeline::svg(asked, true)) {
        out.push_str(&drawn);
        more(out, asked);
    }
    out.push_str("<p class=\"fill\">Because <span class=\"long line\"></span></p>\n</div>\n");
}

fn more(out: &mut String, asked: Option<&AskedQuestion>) {
    if let Some(more) = asked.map(|asked| asked.more).filter(|more| *more > 0) {
        let _ = writeln!(out, "<p class=\"about\">… and {more} more documents</p>");
    }
}

/// A part at the back: what each lesson has for it.
fn back(out: &mut String, title: &str, lessons: &[Printed], write: fn(&mut String, &Printed)) {
    let _ = write!(out, "<section class=\"back\">\n<h1>{title}</h1>\n");
    for printed in lessons {
        let mut found = String::new();
        write(&mut found, printed);
        if !found.is_empty() {
            let _ = write!(out, "<h2>{}</h2>\n{found}", heading(printed));
        }
    }
    out.push_str("</section>\n");
}

fn hints(out: &mut String, printed: &Printed) {
    for card in &printed.lesson.cards {
        for part in &card.parts {
            let Part::Block(Block { kind: BlockKind::Goal(goal), .. }) = part else { continue };
            let hints = goal.hints.iter().map(|hint| format!("<li>{}</li>\n", line(hint)));
            let hints: String = hints.collect();
            let _ = write!(out, "<p>{}</p>\n<ol>\n{hints}</ol>\n", escape(&card.title));
        }
    }
}

fn answers(out: &mut String, printed: &Printed) {
    let mut number = printed.first;
    for part in printed.lesson.cards.iter().flat_map(|card| &card.parts) {
        match part {
            Part::Block(Block { kind: BlockKind::Question(question), .. }) => {
                let asked = printed.recording.questions.get(&question.id);
                answer(out, number, question, asked, printed.recording.start_ms);
                number += 1;
            }
            Part::Block(Block { kind: BlockKind::Solution(script), .. }) => {
                let _ = write!(out, "<p class=\"step\">One solution</p>\n{}", code(script));
            }
            _ => {}
        }
    }
}

fn answer(
    out: &mut String,
    number: usize,
    question: &Question,
    asked: Option<&AskedQuestion>,
    start_ms: i64,
) {
    let words = asked.map(|asked| answer_words(question, asked, start_ms)).unwrap_or_default();
    let _ = writeln!(
        out,
        "<div class=\"answer\"><p><strong>Question {number}.</strong> {}</p>",
        line(&words)
    );
    let right = asked.and_then(|asked| question.choices.get(asked.true_choice?));
    let right = right.filter(|_| question.kind == QuestionKind::Choose);
    let because = right.map(|choice| choice.because.as_str()).into_iter();
    for because in because.chain([question.because.as_str()]).filter(|it| !it.is_empty()) {
        let _ = writeln!(out, "<p>{}</p>", line(because));
    }
    if let Some(drawn) = asked.and_then(|asked| timeline::svg(asked, false)) {
        out.push_str(&drawn);
        more(out, asked);
    }
    out.push_str("</div>\n");
}

/// An answer in words.
fn answer_words(question: &Question, asked: &AskedQuestion, start_ms: i64) -> String {
    match (&question.kind, &asked.answer) {
        (QuestionKind::Which { .. }, Some(bson::Bson::Array(ids))) => ids_words(ids),
        (QuestionKind::Pin, Some(answer)) => match crate::lessons::equality::double(answer) {
            #[expect(clippy::cast_possible_truncation, reason = "saturates, which is wanted")]
            Some(secs) => time(start_ms.saturating_add((secs * 1_000.0).round() as i64)),
            None => "never".to_owned(),
        },
        (_, answer) => recorded(question, asked.true_choice, answer.as_ref()),
    }
}

/// The time of day of an instant, in the zone of lessons.
fn time(at_ms: i64) -> String {
    Zone::Utc.time_of_day(at_ms)
}

/// The month and the day of an instant.
fn day(at_ms: i64) -> String {
    Zone::Utc.wall(at_ms).map(|wall| wall.format("%b %-d").to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LESSON: &str = r#"+++
title = "Two & three"
minutes = 2
level = "core"
show = ["tickets"]
[clock]
start = 2026-01-01T12:00:00Z
+++

## Asked

See [the view](mayfly:removed).

```js setup
db.tickets.createIndex({ at: 1 }, { expireAfterSeconds: 0 })
db.tickets.insertMany([{ _id: "a", at: T("30s") }, { _id: "b", at: "text" }])
```
```toml predict
id = "when"
kind = "pin"
question = "When is `a` removed?"
ask = 'removedAfter("tickets", "a")'
because = "By the next pass."
```
```js play
play("next pass")
```

## Which

```toml predict
id = "which"
kind = "which"
among = "tickets"
question = "Which stay?"
ask = 'db.tickets.find().toArray().map((it) => it._id)'
because = "Text never expires."
```
```js play
play("next pass")
```

## Your turn

```toml goal
task = "Insert c."
when = 'db.tickets.countDocuments({ _id: "c" }) === 1'
hints = ["Use insertOne."]
```
```js solution
db.tickets.insertOne({ _id: "c" })
```
"#;

    fn paper(has_answers: bool) -> String {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.md"), LESSON).unwrap();
        course(Some(folder.path().to_owned()), has_answers).unwrap()
    }

    #[test]
    fn a_page_has_room_for_guesses_and_nothing_folded_or_told() {
        let page = paper(false);
        for part in [
            "<li>1. Two &amp; three</li>",
            "See the view.",
            "Your time: <span class=\"line\">",
            "<span class=\"box\"></span> <code>b</code> <code>at: &#39;text&#39;</code>",
            "<p class=\"write\"></p>",
            "Use insertOne.",
            "aria-label=\"Timeline\"",
        ] {
            let part = part.replace("&#39;", "'");
            assert!(page.contains(&part), "no {part} in {page}");
        }
        for part in [
            "<details",
            "mayfly:",
            "By the next pass",
            "class=\"removed\"",
            "insertOne({ _id: \"c\"",
        ] {
            assert!(!page.contains(part), "{part} in {page}");
        }
        assert!(!page.contains("insertOne({ _id: &quot;c&quot;"), "the page has the solution");
    }

    #[test]
    fn the_answers_are_at_the_back_as_the_engine_gave_them() {
        let page = paper(true);
        let (_, back) = page.split_once("<h1>Answers</h1>").expect("answers");
        for part in [
            "<strong>Question 1.</strong> 12:01:00",
            "By the next pass.",
            "<strong>Question 2.</strong> b",
            "class=\"removed\"",
            "insertOne({ _id: &quot;c&quot; })",
        ] {
            assert!(back.contains(part), "no {part} in {back}");
        }
    }

    #[test]
    fn the_timeline_has_the_document_that_the_question_is_about() {
        let folder = tempfile::tempdir().unwrap();
        let insert = "db.tickets.insertMany(Array.from({ length: 20 }, (_, i) => ({ _id: `n-${i}` })))\n\
            db.tickets.insertOne({ _id: \"late\", at: T(\"30s\") })";
        let (before, rest) = LESSON.split_once("## Which").expect("a card");
        let (_, rest) = rest.split_once("## Your turn").expect("a card");
        let play = "```js play\nplay(";
        let text = format!("{before}## Your turn{rest}")
            .replace(play, &format!("```js run Insert\n{insert}\n```\n{play}"))
            .replace("When is `a` removed?", "When is `late` removed?")
            .replace("(\"tickets\", \"a\")", "(\"tickets\", \"late\")");
        std::fs::write(folder.path().join("a.md"), text).unwrap();
        let page = course(Some(folder.path().to_owned()), true).unwrap();
        for svg in page.split("<svg").skip(1) {
            let names =
                svg.split("<text x=\"0\"").skip(1).map(|name| name.split(['>', '<']).nth(1));
            let names: Vec<_> = names.flatten().collect();
            assert_eq!((names.len(), names[0]), (12, "late"), "{svg}");
        }
        assert!(page.contains("… and 11 more documents"), "{page}");
        assert_eq!(page.matches("class=\"removed\"").count(), 2, "a and late: {page}");
    }

    #[test]
    fn a_folder_without_lessons_and_a_broken_file_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        assert!(course(Some(path.clone()), false).unwrap_err().contains("has no lessons"));
        std::fs::write(path.join("a.md"), LESSON.replace("show = [\"tickets\"]", "")).unwrap();
        let problem = course(Some(path), false).unwrap_err();
        assert!(problem.starts_with("a.md:1: ") && problem.contains("`show`"), "{problem}");
    }
}
