//! Files that are lessons, and files that the system has programs for.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

pub use crate::lessons::sandbox::save;

/// The file that makes a folder a course.
const COURSE: &str = "course.toml";

/// Whether a path is a lesson file or a course folder.
pub fn is_lesson(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
        || path.join(COURSE).is_file()
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
