//! `mayfly lesson`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use mayfly_engine::clock::{Clock as _, SystemClock};
use serde_json::json;

use super::lesson_args::{self, LessonCommand, LessonHandout, LessonNew, LessonPlay};
use super::standard_io::is_standard;
use super::{Failure, WindowOutcome, WindowRequest, server, walk};
use super::{lesson_check, lesson_exam, lesson_play, lesson_progress};
use crate::job::OpenRequest;
use crate::job::lesson::{
    Lesson, LessonEntry, LessonList, LessonProgress, LessonSource, Level, Problem, Tour,
};
use crate::lessons::file::keys;
use crate::lessons::progress::{KeptProgress, Progress};
use crate::lessons::{handout, library, paper, template};
use crate::shell::watch::{self, Waited};
use crate::shutdown::ShutdownSignal;
use crate::source::embedded::first_request;
use crate::source::kept_file::data_file;
use crate::state::lesson::{LessonStart, catalog};
use crate::worker::transfer::check_absent;

/// Runs a subcommand.
pub(super) fn run(
    args: &lesson_args::Lesson,
    shutdown: ShutdownSignal,
    window: impl FnOnce(WindowRequest, ShutdownSignal) -> Result<WindowOutcome, Failure>,
) -> Result<ExitCode, Failure> {
    match &args.command {
        LessonCommand::List(args) => list(args),
        LessonCommand::Play(args) => play(args, shutdown, window),
        LessonCommand::Check(args) => return lesson_check::run(args),
        LessonCommand::New(args) => write_new(args),
        LessonCommand::Keys => print(&keys::reference()),
        LessonCommand::Handout(args) => write_handout(args),
        LessonCommand::Progress(args) => lesson_progress::run(args),
        LessonCommand::Exam(args) => {
            let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout().lock());
            lesson_exam::run(args, SystemClock.now_ms(), &mut input, &mut out)
        }
    }
    .map(|()| ExitCode::SUCCESS)
}

fn list(args: &lesson_args::LessonList) -> Result<(), Failure> {
    let mut kept = KeptProgress::open(data_file("lessons.json"));
    for note in kept.take_notes() {
        eprintln!("{note}.");
    }
    let list = library::list(&args.dir, &kept.progress);
    if args.json {
        let entries: Vec<_> = list.lessons.iter().map(|entry| entry_json(&list, entry)).collect();
        print(&format!("{:#}\n", json!({ "lessons": entries, "errors": list.errors })))?;
    } else {
        print(&table(&list))?;
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

fn entry_json(list: &LessonList, entry: &LessonEntry) -> serde_json::Value {
    let problem = |Problem { line, column, sentence }: &Problem| json!({ "line": line, "column": column, "problem": sentence });
    json!({
        "number": list.number(entry),
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
fn table(list: &LessonList) -> String {
    let entries = &list.lessons;
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
        let (number, title, state) = (list.number(entry), &entry.title, state(entry));
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
    let start = match (&args.sheet, &args.lesson) {
        (Some(title), _) => sheet(title, args.dir.as_deref())?,
        (None, lesson) => {
            let card = Some(usize::from(args.card - 1));
            LessonStart { card, ..LessonStart::new(find(lesson.as_deref().unwrap_or_default())?) }
        }
    };
    let (source, card) = (start.source.clone(), start.card.unwrap_or(0));
    let lesson = read(&source)?;
    if card >= lesson.cards.len() {
        let count = lesson.cards.len();
        return Err(Failure(format!("The lesson has {count} cards; there is no {}.", args.card)));
    }
    let walker = walk::itself();
    let store = first_request(OpenRequest { walker, ..OpenRequest::default() });
    let request = WindowRequest {
        store,
        open_last: true,
        present: args.present || args.sheet.is_some(),
        lesson: Some(start),
        beginning: None,
    };
    match (window(request, shutdown)?, &args.sheet) {
        (WindowOutcome::Closed, _) => Ok(()),
        (WindowOutcome::NoDisplay, None) => in_terminal(lesson, source, card),
        (WindowOutcome::NoDisplay, Some(_)) => Err(Failure(
            "No display found. To play a lesson without a window, use mayfly lesson play LESSON."
                .to_owned(),
        )),
    }
}

/// The beginning of a run sheet, by the title on the Lessons page. Of a course of the user, the
/// title in `course.toml` is enough.
fn sheet(title: &str, course: Option<&Path>) -> Result<LessonStart, Failure> {
    let opened = course.map(|folder| vec![folder.to_owned()]).unwrap_or_default();
    let list = library::list(&opened, &Progress::default());
    for error in &list.errors {
        eprintln!("{error}");
    }
    let is_file = |tour: &Tour| {
        tour.stops.first().is_some_and(|stop| matches!(stop.source, LessonSource::File(_)))
    };
    let sheets = list.sheets.iter().filter(|tour| is_file(tour) == course.is_some());
    let sheets: Vec<_> = sheets.collect();
    let wanted = title.to_lowercase();
    let is_meant = |tour: &&&Arc<Tour>| {
        let title = tour.title.to_lowercase();
        title == wanted || course.is_some() && title.ends_with(&format!(": {wanted}"))
    };
    let found = sheets.iter().find(is_meant).and_then(|tour| catalog::stop(tour, 0));
    found.ok_or_else(|| {
        let titles: Vec<_> = sheets.iter().map(|tour| format!("{:?}", tour.title)).collect();
        let there = match titles.as_slice() {
            [] => "The folder's course.toml has no [[sheet]]".to_owned(),
            titles => format!("There are {}", titles.join(", ")),
        };
        Failure(format!("There is no run sheet {title:?}. {there}."))
    })
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

/// Writes a template, and says what to do with it.
fn write_new(args: &LessonNew) -> Result<(), Failure> {
    template::create(&args.file).map_err(Failure)?;
    let file = args.file.display();
    print(&format!(
        "Wrote {file}. Open it in the window with mayfly {file}, and save it to see your changes.\n\
         Check it with mayfly lesson check {file}. mayfly lesson keys prints what it can have.\n"
    ))
}

fn write_handout(args: &LessonHandout) -> Result<(), Failure> {
    check_absent(args.output.clone(), args.overwrite).map_err(server::sentence)?;
    let text = match &args.lesson {
        Some(lesson) => {
            let source = find(lesson)?;
            let answers = library::known_answers(&source).map_err(Failure)?;
            handout::write(&*read(&source)?, &answers)
        }
        None => paper::course(args.dir.clone(), args.answers)
            .map_err(|sentence| Failure(format!("{}.", sentence.trim_end_matches('.'))))?,
    };
    match args.output.as_deref().filter(|path| !is_standard(path)) {
        None => print(&text),
        Some(path) => handout::save(&text, path).map_err(Failure),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::args::Args;
    use crate::state::lesson::Way;

    #[test]
    fn a_run_sheet_is_named_by_its_title() {
        let shipped = sheet("AN HOUR", None).expect("it comes with the program");
        assert!(matches!(&shipped.way, Way::Tour { tour, at: 0 } if tour.title == "An hour"));
        let folder = tempfile::tempdir().expect("a temporary folder");
        let course = folder.path();
        let failed = |title| sheet(title, Some(course)).expect_err("no sheet").0;
        assert!(failed("An hour").ends_with("has no [[sheet]]."), "{}", failed("An hour"));
        let text = "title = \"Mine\"\n[[sheet]]\ntitle = \"Week 1\"\nlessons = [\"b\"]\n";
        std::fs::write(course.join(library::COURSE_FILE), text).expect("a course");
        template::create(&course.join("b.md")).expect("a lesson");
        for title in ["week 1", "Mine: Week 1"] {
            let start = sheet(title, Some(course)).expect(title);
            assert_eq!(start.source, LessonSource::File(course.join("b.md")));
        }
        assert_eq!(
            failed("Week 2"),
            "There is no run sheet \"Week 2\". There are \"Mine: Week 1\"."
        );
    }

    #[test]
    fn a_run_sheet_takes_the_place_of_a_lesson() {
        let parses = |options: &str| {
            let arguments = format!("mayfly lesson play {options}");
            Args::try_parse_from(arguments.split(' ')).is_ok()
        };
        assert!(parses("--sheet Week") && parses("--sheet Week --dir mine") && parses("2"));
        for refused in ["2 --sheet Week", "--sheet Week --card 2", "2 --dir mine", "--present"] {
            assert!(!parses(refused), "{refused}");
        }
    }
}
