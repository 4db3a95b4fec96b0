//! `mayfly lesson`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;

use super::args::{self, LessonCommand, LessonHandout, LessonList, LessonPlay};
use super::{Failure, WindowOutcome, WindowRequest, lesson_check, lesson_play, walk};
use crate::job::OpenRequest;
use crate::job::lesson::{Lesson, LessonEntry, LessonProgress, LessonSource, Level, Problem};
use crate::lessons::progress::KeptProgress;
use crate::lessons::{handout, library};
use crate::shell::watch::{self, Waited};
use crate::shutdown::ShutdownSignal;
use crate::source::embedded::first_request;
use crate::source::kept_file::data_file;

/// Runs a subcommand.
pub(super) fn run(
    args: &args::Lesson,
    shutdown: ShutdownSignal,
    window: impl FnOnce(WindowRequest, ShutdownSignal) -> Result<WindowOutcome, Failure>,
) -> Result<ExitCode, Failure> {
    match &args.command {
        LessonCommand::List(args) => list(args),
        LessonCommand::Play(args) => play(args, shutdown, window),
        LessonCommand::Check(args) => return lesson_check::run(args),
        LessonCommand::Handout(args) => write_handout(args),
    }
    .map(|()| ExitCode::SUCCESS)
}

fn list(args: &LessonList) -> Result<(), Failure> {
    let mut kept = KeptProgress::open(data_file("lessons.json"));
    for note in kept.take_notes() {
        eprintln!("{note}.");
    }
    let list = library::list(&args.dir, &kept.progress);
    if args.json {
        let entries: Vec<_> = list.lessons.iter().map(entry_json).collect();
        print(&format!("{:#}\n", json!({ "lessons": entries, "errors": list.errors })))?;
    } else {
        print(&table(&list.lessons))?;
    }
    for error in &list.errors {
        eprintln!("{error}");
    }
    Ok(())
}

/// Prints text. A reader that has enough, such as `head`, isn't an error.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure(format!("Can't write to standard output: {error}.")))
        }
        _ => Ok(()),
    }
}

fn entry_json(entry: &LessonEntry) -> serde_json::Value {
    let problem = |Problem { line, column, sentence }: &Problem| json!({ "line": line, "column": column, "problem": sentence });
    json!({
        "number": number(entry),
        "slug": entry.slug,
        "title": entry.title,
        "minutes": entry.minutes,
        "level": entry.level.name(),
        "kind": format!("{:?}", entry.kind).to_lowercase(),
        "cards": entry.cards,
        "after": entry.after,
        "course": entry.course,
        "file": entry.file(),
        "state": state(entry),
        "problems": entry.problems.iter().map(problem).collect::<Vec<_>>(),
    })
}

/// One line for each lesson, with a heading for each series and course.
fn table(entries: &[LessonEntry]) -> String {
    let mut out = String::new();
    let width = entries.iter().map(|entry| entry.title.chars().count()).max().unwrap_or(0);
    let mut heading = String::new();
    for entry in entries {
        let next = entry.course.clone().unwrap_or_else(|| series(entry));
        if next != heading {
            let gap = if heading.is_empty() { "" } else { "\n" };
            // Writing to a String can't fail.
            let _ = writeln!(out, "{gap}{next}");
            heading = next;
        }
        let (number, title, state) = (number(entry), &entry.title, state(entry));
        let minutes = entry.minutes;
        let _ = writeln!(out, "  {number:<4} {title:<width$}  {minutes:>2} min  {state}");
        for Problem { line, column, sentence } in &entry.problems {
            let _ = writeln!(out, "       {}:{line}:{column}: {sentence}", name(&entry.source));
        }
    }
    out
}

fn series(entry: &LessonEntry) -> String {
    use crate::job::lesson::LessonKind;
    let name = match (entry.kind, entry.level) {
        (LessonKind::Scene, _) => "Scenes",
        (_, Level::Start) => "Start",
        (_, Level::Core) => "Core",
        (_, Level::Cosmos) => "Cosmos DB",
        (_, Level::Operate) => "Operate",
        (_, Level::Challenge) => "Challenges",
    };
    name.to_owned()
}

/// The part of the slug before its name, such as `02`; empty if there is none.
fn number(entry: &LessonEntry) -> &str {
    let (number, _) = entry.slug.split_once('-').unwrap_or_default();
    if number.ends_with(|last: char| last.is_ascii_digit()) { number } else { "" }
}

fn state(entry: &LessonEntry) -> String {
    match (&entry.problems[..], entry.progress) {
        ([], LessonProgress::NotStarted) => "not started".to_owned(),
        ([], LessonProgress::Card(card)) => format!("card {} of {}", card + 1, entry.cards),
        ([], LessonProgress::Done) => "done".to_owned(),
        ([_], _) => "1 problem".to_owned(),
        (problems, _) => format!("{} problems", problems.len()),
    }
}

fn name(source: &LessonSource) -> String {
    match source {
        LessonSource::Shipped(slug) => format!("{slug}.md"),
        LessonSource::File(path) => path.display().to_string(),
    }
}

/// The lesson that the command line names.
fn find(lesson: &str) -> Result<LessonSource, Failure> {
    library::find(lesson, &[]).ok_or_else(|| {
        let is_file = Path::new(lesson).extension().is_some_and(|extension| extension == "md");
        let reason = if is_file { "There is no file" } else { "There is no lesson" };
        Failure(format!("{reason} {lesson}. Run mayfly lesson list for their names."))
    })
}

fn read(source: &LessonSource) -> Result<Arc<Lesson>, Failure> {
    library::read(source).map_err(|problems| {
        let line = |Problem { line, column, sentence }: &Problem| {
            format!("{}:{line}:{column}: {sentence}", name(source))
        };
        Failure(problems.iter().map(line).collect::<Vec<_>>().join("\n"))
    })
}

fn play(
    args: &LessonPlay,
    shutdown: ShutdownSignal,
    window: impl FnOnce(WindowRequest, ShutdownSignal) -> Result<WindowOutcome, Failure>,
) -> Result<(), Failure> {
    let source = find(&args.lesson)?;
    let lesson = read(&source)?;
    let card = usize::from(args.card - 1);
    if card >= lesson.cards.len() {
        let count = lesson.cards.len();
        return Err(Failure(format!("The lesson has {count} cards; there is no {}.", args.card)));
    }
    let walker = walk::itself();
    let store = first_request(OpenRequest { walker, ..OpenRequest::default() });
    let lesson_at = Some((source.clone(), card));
    let request = WindowRequest {
        store,
        open_last: true,
        present: args.present,
        lesson: lesson_at,
        beginning: None,
    };
    match window(request, shutdown)? {
        WindowOutcome::Closed => Ok(()),
        WindowOutcome::NoDisplay => in_terminal(lesson, source, card),
    }
}

/// Plays on a thread with the stack that JavaScript needs.
fn in_terminal(lesson: Arc<Lesson>, source: LessonSource, card: usize) -> Result<(), Failure> {
    let play = move || {
        let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout().lock());
        lesson_play::run(&lesson, source, card, &mut input, &mut out)
    };
    match watch::run("mayfly-lesson", play).map_err(Failure::from_error)? {
        Waited::Answer(result) => result,
        Waited::Ended => Err(Failure("The lesson ended by a bug.".to_owned())),
        Waited::Stuck(stuck) => Err(Failure(format!("{stuck}."))),
    }
}

fn write_handout(args: &LessonHandout) -> Result<(), Failure> {
    let source = find(&args.lesson)?;
    let answers = library::known_answers(&source).map_err(Failure)?;
    let lesson = read(&source)?;
    let text = handout::write(&lesson, &answers);
    match &args.output {
        None => print(&text),
        Some(path) => handout::save(&text, path).map_err(Failure),
    }
}
