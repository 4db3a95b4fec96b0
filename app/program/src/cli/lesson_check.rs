//! `mayfly lesson check`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use super::Failure;
use super::args::LessonCheck;
use super::lesson::print;
use crate::job::lesson::{LessonSource, Problem};
use crate::lessons::check::{ANSWERS, Answers, CheckReport, CheckedFile, check_all};
use crate::lessons::{handout, library, shipped};

/// The exit code if a lesson does not hold.
const BROKEN: u8 = 1;

/// The exit code if a file can't be read.
const UNREADABLE: u8 = 2;

/// Checks lessons, one line each, and says last how many hold.
pub(super) fn run(args: &LessonCheck) -> Result<ExitCode, Failure> {
    let files = match files(&args.files) {
        Ok(files) if args.record => {
            files.into_iter().map(|file| CheckedFile { answers: BTreeMap::new(), ..file }).collect()
        }
        Ok(files) => files,
        Err(sentence) => {
            eprintln!("{sentence}");
            return Ok(ExitCode::from(UNREADABLE));
        }
    };
    let (mut held, mut broken) = (0_u32, 0_u32);
    let mut printed = Ok(());
    let mut found: BTreeMap<PathBuf, Answers> = BTreeMap::new();
    let mut show = |report: &CheckReport| {
        if args.record && !report.answers.is_empty() {
            let path = Path::new(&report.name);
            let slug = library::slug(&LessonSource::File(path.to_owned()));
            let answers = report.answers.iter().cloned().collect();
            found.entry(path.with_file_name(ANSWERS)).or_default().insert(slug, answers);
        }
        if report.holds() {
            held += 1;
        } else {
            broken += 1;
        }
        let text = if args.json { json(report) } else { lines(report) };
        if printed.is_ok() {
            printed = print(&text);
        }
    };
    check_all(&files, &mut show)
        .map_err(|error| Failure(format!("The system gave no thread for the check: {error}.")))?;
    printed?;
    record(&found)?;
    if !args.json {
        print(&format!("{}\n", total(held, broken)))?;
    }
    Ok(if broken == 0 { ExitCode::SUCCESS } else { ExitCode::from(BROKEN) })
}

/// The last line.
fn total(held: u32, broken: u32) -> String {
    let lessons = |count: u32| if count == 1 { "lesson" } else { "lessons" };
    let holds = if held == 1 { "holds" } else { "hold" };
    match broken {
        0 => format!("{held} {} {holds}", lessons(held)),
        1 => format!("{held} {} {holds}, 1 lesson does not", lessons(held)),
        _ => format!("{held} {} {holds}, {broken} lessons do not", lessons(held)),
    }
}

/// The contents of the named files, or of all lessons of the program.
fn files(named: &[impl AsRef<Path>]) -> Result<Vec<CheckedFile>, String> {
    if named.is_empty() {
        return Ok(shipped::FILES.iter().filter_map(|(slug, _)| shipped::checked(slug)).collect());
    }
    let read = |path: &Path| {
        let source = LessonSource::File(path.to_owned());
        let bytes = library::text(&source)?;
        let slug = library::slug(&source);
        let answers = library::known_answers(&source)?;
        Ok(CheckedFile { slug, name: path.display().to_string(), bytes, answers })
    };
    named.iter().map(|path| read(path.as_ref())).collect()
}

/// Writes the engine's answers into the file next to each lesson.
fn record(found: &BTreeMap<PathBuf, Answers>) -> Result<(), Failure> {
    for (file, answers) in found {
        let mut all = library::recorded(file).map_err(Failure)?;
        all.extend(answers.clone());
        handout::save(&format!("{:#}\n", json!(all)), file).map_err(Failure)?;
    }
    Ok(())
}

/// One line on the lesson, and one for each problem and warning.
fn lines(report: &CheckReport) -> String {
    let CheckReport { name, title, problems, warnings, took, .. } = report;
    let mut text = match problems.len() {
        0 => format!("{name}  {title}  holds ({} ms)\n", took.as_millis()),
        1 => format!("{name}  {title}  1 problem\n"),
        count => format!("{name}  {title}  {count} problems\n"),
    };
    let place = |Problem { line, column, .. }: &Problem| format!("{name}:{line}:{column}");
    // Writing to a String can't fail.
    for problem in problems {
        let _ = writeln!(text, "{}: {}", place(problem), problem.sentence);
    }
    for warning in warnings {
        let _ = writeln!(text, "{}: warning: {}", place(warning), warning.sentence);
    }
    text
}

fn json(report: &CheckReport) -> String {
    let list = |problems: &[Problem]| {
        let one = |Problem { line, column, sentence }: &Problem| json!({ "line": line, "column": column, "problem": sentence });
        problems.iter().map(one).collect::<Vec<_>>()
    };
    let report = json!({
        "file": report.name,
        "title": report.title,
        "holds": report.holds(),
        "problems": list(&report.problems),
        "warnings": list(&report.warnings),
        "millis": u64::try_from(report.took.as_millis()).unwrap_or(u64::MAX),
    });
    format!("{report}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_counts() {
        for (held, broken, expected) in [
            (63, 0, "63 lessons hold"),
            (1, 0, "1 lesson holds"),
            (62, 1, "62 lessons hold, 1 lesson does not"),
            (1, 2, "1 lesson holds, 2 lessons do not"),
            (0, 3, "0 lessons hold, 3 lessons do not"),
        ] {
            assert_eq!(total(held, broken), expected);
        }
    }

    #[test]
    fn a_file_that_is_missing_is_no_problem_of_a_lesson() {
        let refused = files(&["/no/such/lesson.md"]).expect_err("it is missing");
        assert!(refused.contains("/no/such/lesson.md"), "{refused}");
    }

    #[test]
    fn problems_name_file_line_and_column() {
        let problem = |line, sentence: &str| Problem { line, column: 1, sentence: sentence.into() };
        let mut report = CheckReport {
            name: "02-the-pass.md".to_owned(),
            title: "The pass".to_owned(),
            warnings: vec![problem(9, "Look.")],
            ..CheckReport::default()
        };
        let held = "02-the-pass.md  The pass  holds (0 ms)\n02-the-pass.md:9:1: warning: Look.\n";
        assert_eq!(lines(&report), held);
        report.problems.push(problem(30, "Wrong."));
        report.warnings.clear();
        let broken = "02-the-pass.md  The pass  1 problem\n02-the-pass.md:30:1: Wrong.\n";
        assert_eq!(lines(&report), broken);
        let start = r#"{"file":"02-the-pass.md","title":"The pass","holds":false"#;
        assert!(json(&report).starts_with(start));
    }
}
