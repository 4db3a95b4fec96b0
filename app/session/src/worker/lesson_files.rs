//! Files that are lessons, and files that the system has programs for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use crate::job::lesson::{LessonSource, Problem};
use crate::lessons::library;
pub use crate::lessons::sandbox::save;
use crate::limits::COURSE_LESSONS_MAX;
use crate::source::kept_file::hash;

/// The file that makes a folder a course.
const COURSE: &str = "course.toml";

/// Whether a path is a lesson file or a course folder.
pub fn is_lesson(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
        || path.join(COURSE).is_file()
}

/// A number that changes when one of these files is saved, or a file of these folders.
pub fn stamp(paths: &[PathBuf]) -> u64 {
    let mut lines = Vec::new();
    for path in paths {
        lines.push(line(path));
        // A file has no entries.
        let entries = fs::read_dir(path).into_iter().flatten().flatten().take(COURSE_LESSONS_MAX);
        lines.extend(entries.map(|entry| line(&entry.path())));
    }
    lines.sort_unstable();
    hash(lines.concat().as_bytes())
}

/// The path of a file, its length and when it was saved.
fn line(path: &Path) -> String {
    let known = fs::metadata(path).map(|known| (known.len(), known.modified().ok())).ok();
    format!("{} {known:?}\n", path.display())
}

/// Reads a lesson file. Returns the number of its cards.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(file: &Path) -> Result<usize, Vec<Problem>> {
    library::read(&LessonSource::File(file.to_owned())).map(|lesson| lesson.cards.len())
}

/// Opens a file in the program that the system has for it. Nothing waits for that program.
///
/// # Errors
/// The program can't be started.
pub fn open(file: &Path) -> std::io::Result<()> {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut opening = Command::new(opener);
    opening.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = opening.spawn()?;
    // It would stay a zombie.
    let reap = move || drop(child.wait());
    drop(thread::Builder::new().name("mayfly-open-file".to_owned()).spawn(reap));
    Ok(())
}
