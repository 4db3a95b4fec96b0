//! The arguments of `mayfly lesson`.

use std::path::PathBuf;

use clap::Subcommand;

/// Arguments of `lesson`.
#[derive(Debug, clap::Args)]
pub struct Lesson {
    /// The task.
    #[command(subcommand)]
    pub command: LessonCommand,
}

/// A subcommand of `lesson`.
#[derive(Debug, Subcommand)]
pub enum LessonCommand {
    /// List lessons with title, minutes, series and progress.
    List(LessonList),
    /// Play a lesson in the window; without a display, in the terminal.
    Play(LessonPlay),
    /// Play lessons without a window and check that everything they say is true.
    Check(LessonCheck),
    /// Write a new lesson file that passes the check, to be changed in an editor.
    New(LessonNew),
    /// Print every key, block, option and link that a lesson file can have.
    Keys,
    /// Write a lesson as Markdown, with its answers folded, or a course as a page to print.
    Handout(LessonHandout),
    /// Print your progress, write it to a file, or make a table of the files of a class.
    Progress(LessonProgress),
    /// Take an exam in the terminal: twenty questions, with other numbers each time.
    Exam(LessonExam),
}

/// Arguments of `lesson list`.
#[derive(Debug, clap::Args)]
pub struct LessonList {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Folder with lessons of your own, in the order of its course.toml. May be repeated.
    #[arg(long, value_name = "DIR")]
    pub dir: Vec<PathBuf>,
}

/// Arguments of `lesson play`.
#[derive(Debug, clap::Args)]
pub struct LessonPlay {
    /// Number, name or file of the lesson, such as 2, the-pass or my-lesson.md.
    #[arg(value_name = "LESSON", required_unless_present = "sheet")]
    pub lesson: Option<String>,
    /// Card to begin with, from 1.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub card: u8,
    /// Begin as a presentation: full screen, in large text.
    #[arg(long)]
    pub present: bool,
    /// Present a run sheet in place of a lesson: its title, such as "45 minutes".
    #[arg(long, value_name = "TITLE", conflicts_with_all = ["lesson", "card", "present"])]
    pub sheet: Option<String>,
    /// Folder of a course of your own that has the run sheet.
    #[arg(long, value_name = "DIR", requires = "sheet", conflicts_with = "lesson")]
    pub dir: Option<PathBuf>,
}

/// Arguments of `lesson check`.
#[derive(Debug, clap::Args)]
pub struct LessonCheck {
    /// Lesson files, or folders of them with their course.toml. Defaults to all lessons that come with the
    /// program, and its exam.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print one line of JSON for each lesson.
    #[arg(long)]
    pub json: bool,
    /// Write the engine's answers to answers.json next to the files. Later checks compare with them.
    #[arg(long, requires = "files")]
    pub record: bool,
}

/// Arguments of `lesson new`.
#[derive(Debug, clap::Args)]
pub struct LessonNew {
    /// File to write, such as my-lesson.md. It must not exist.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// Arguments of `lesson handout`.
#[derive(Debug, clap::Args)]
pub struct LessonHandout {
    /// Number, name or file of the lesson.
    #[arg(value_name = "LESSON", required_unless_present = "course", conflicts_with = "course")]
    pub lesson: Option<String>,
    /// Write the whole course as one HTML page to print, with boxes and timelines for the guesses.
    #[arg(long)]
    pub course: bool,
    /// Folder of a course of your own. Defaults to the course that comes with the program.
    #[arg(long, value_name = "DIR", requires = "course")]
    pub dir: Option<PathBuf>,
    /// Add the answers and solutions at the back of the course.
    #[arg(long, requires = "course")]
    pub answers: bool,
    /// File to write. Defaults to standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the output file if it exists.
    #[arg(long, requires = "output")]
    pub overwrite: bool,
}

/// Arguments of `lesson progress`.
#[derive(Debug, clap::Args)]
pub struct LessonProgress {
    /// Files that learners wrote with --export. Prints the table of the class.
    #[arg(value_name = "FILE", conflicts_with_all = ["export", "dir"])]
    pub files: Vec<PathBuf>,
    /// Write your progress to this file: your name, lessons and first guesses.
    #[arg(long, value_name = "FILE")]
    pub export: Option<PathBuf>,
    /// Your name in that file. Defaults to the name of your account on this computer.
    #[arg(long, requires = "export")]
    pub name: Option<String>,
    /// Replace that file if it exists.
    #[arg(long, requires = "export")]
    pub overwrite: bool,
    /// Folder with lessons of your own, whose progress is added. May be repeated.
    #[arg(long, value_name = "DIR")]
    pub dir: Vec<PathBuf>,
}

/// Arguments of `lesson exam`.
#[derive(Debug, clap::Args)]
pub struct LessonExam {
    /// Number that the exam is drawn from. The same number gives the same exam. Defaults to another one
    /// each time.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Print the questions and ask nothing.
    #[arg(long)]
    pub print: bool,
    /// Print the answers after the questions.
    #[arg(long, requires = "print")]
    pub answers: bool,
}
