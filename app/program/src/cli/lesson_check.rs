//! `mayfly lesson check`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use super::Failure;
use super::lesson::print;
use super::lesson_args::LessonCheck;
use crate::job::lesson::{LessonSource, Problem};
use crate::lessons::check::{ANSWERS, Answers, CheckReport, CheckedFile, check_all};
use crate::lessons::{handout, library, shipped};

/// The exit code if a lesson does not hold.
const BROKEN: u8 = 1;

/// The exit code if a file can't be read.
const UNREADABLE: u8 = 2;

/// Checks lessons, one line each, and says last how many hold.
pub(super) fn run(args: &LessonCheck) -> Result<ExitCode, Failure> {
    let Named { mut files, courses } = match named(&args.files) {
        Ok(named) => named,
        Err(sentence) => {
            eprintln!("{sentence}");
            return Ok(ExitCode::from(UNREADABLE));
        }
    };
    if args.record {
        for file in &mut files {
            file.answers.clear();
        }
    }
    if args.files.is_empty() && !args.json {
        print(OWN)?;
    }
    let (mut held, mut broken) = (0_u32, 0_u32);
    let mut printed = Ok(());
    for report in &courses {
        print(&if args.json { json(report) } else { lines(report) })?;
    }
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
    let is_well = broken == 0 && courses.is_empty();
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::from(BROKEN) })
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

/// The first line without names.
const OWN: &str = "Checking the lessons that come with Mayfly, and its exam. To check yours, name files or folders.\n";

/// The files and folders of the command line.
#[derive(Debug)]
struct Named {
    files: Vec<CheckedFile>,
    /// A report for each course with problems.
    courses: Vec<CheckReport>,
}

/// The contents of the named files and folders, or of all lessons of the program and its exam.
fn named(named: &[impl AsRef<Path>]) -> Result<Named, String> {
    let mut courses = Vec::new();
    if named.is_empty() {
        let shipped = shipped::FILES.iter().chain(shipped::EXAM);
        let files = shipped.filter_map(|(slug, _)| shipped::checked(slug)).collect();
        return Ok(Named { files, courses });
    }
    let mut paths = Vec::new();
    for path in named.iter().map(AsRef::as_ref) {
        if !path.is_dir() {
            paths.push(path.to_owned());
            continue;
        }
        let (found, problems) = library::files_in(path)?;
        if found.is_empty() {
            return Err(format!(
                "{} has no lesson. A lesson is a file that ends in .md.",
                path.display()
            ));
        }
        paths.extend(found);
        if !problems.is_empty() {
            let name = path.join(library::COURSE_FILE).display().to_string();
            courses.push(CheckReport {
                name,
                title: "The course".to_owned(),
                problems,
                ..CheckReport::default()
            });
        }
    }
    let read = |path: &Path| {
        let source = LessonSource::File(path.to_owned());
        let bytes = library::text(&source)?;
        let slug = library::slug(&source);
        let answers = library::known_answers(&source)?;
        Ok(CheckedFile { slug, name: path.display().to_string(), bytes, answers })
    };
    let files = paths.iter().map(|path| read(path)).collect::<Result<_, String>>()?;
    Ok(Named { files, courses })
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
        let refused = named(&["/no/such/lesson.md"]).expect_err("it is missing");
        assert!(refused.contains("/no/such/lesson.md"), "{refused}");
    }

    #[test]
    fn a_folder_is_checked_with_its_course() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("written");
        };
        let refused = named(&[folder.path()]).expect_err("it is empty");
        assert!(refused.contains("has no lesson"), "{refused}");
        write("b.md", "x");
        write("a.md", "x");
        write("README.md", "x");
        write("course.toml", "title = \"Mine\"\norder = [\n  \"b\",\n  \"gone\",\n]\n");
        let found = named(&[folder.path()]).expect("it is read");
        let slugs: Vec<_> = found.files.iter().map(|file| file.slug.as_str()).collect();
        assert_eq!(slugs, ["b", "a"]);
        let [course] = found.courses.as_slice() else { panic!("{:?}", found.courses) };
        let said = lines(course);
        assert!(
            said.contains("course.toml:4:3: `gone` has no file gone.md in this folder."),
            "{said}"
        );
        write("gone.md", "x");
        assert!(named(&[folder.path()]).expect("it is read").courses.is_empty());
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
