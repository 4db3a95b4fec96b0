//! The project's own source files, as text.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the sources of the engine's crates are, bottom to top. Together they are one tree of modules.
pub const ENGINE: &[&str] = &["engine/value/src", "engine/store/src", "engine/core/src"];
/// The same of the app.
pub const APP: &[&str] = &["app/session/src", "app/model/src", "app/window/src", "app/program/src"];

/// One source file: its path from the top of the project, and its text.
pub struct Source {
    /// With forward slashes, such as `engine/core/src/lib.rs`.
    pub path: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// The text up to its unit tests, comments cut off: `(line number, code)`.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .take(self.lines_above_tests())
            .enumerate()
            .map(|(number, line)| (number + 1, without_comment(line)))
            .filter(|(_, line)| !line.trim().is_empty())
    }

    /// The number of lines above its unit tests, or of all lines.
    pub fn lines_above_tests(&self) -> usize {
        let next = self.text.lines().skip(1).chain([""]);
        // A line that only names another file is followed by code.
        let is_above = |(line, next): &(&str, &str)| !begins_tests(line) || next.ends_with(';');
        self.text.lines().zip(next).take_while(is_above).count()
    }

    /// Whether the file holds nothing but tests.
    pub fn is_tests(&self) -> bool {
        self.path.starts_with("tests/")
            || self.path.ends_with("tests.rs")
            || self.path.contains("/tests/")
            || self.path.contains("/benches/")
    }
}

/// Whether a file's own tests begin at this line. What is for tests alone within a function is indented.
fn begins_tests(line: &str) -> bool {
    line == "#[cfg(test)]" || line.starts_with("#[cfg(all(test,")
}

fn without_comment(line: &str) -> &str {
    let text = line.trim_start();
    if text.starts_with("//") {
        return "";
    }
    line.find(" // ").map_or(line, |at| &line[..at])
}

/// The top of the project.
pub fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every Rust file below the given folders, sorted by path.
pub fn rust_files(folders: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    for folder in folders {
        collect(&top().join(folder), folder, &mut found);
    }
    found.retain(|source| {
        Path::new(&source.path).extension().is_some_and(|extension| extension == "rs")
    });
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "no source files below {folders:?}");
    found
}

/// Every text file below the given folder.
pub fn text_files(folder: &str) -> Vec<Source> {
    let mut found = Vec::new();
    collect(&top().join(folder), folder, &mut found);
    found
}

fn collect(folder: &Path, name: &str, found: &mut Vec<Source>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let file_name = entry.file_name().to_string_lossy().into_owned();
        let path = if name == "." { file_name.clone() } else { format!("{name}/{file_name}") };
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if file_name == ".git" {
            continue;
        }
        if is_folder && !matches!(file_name.as_str(), "target" | "artefacts") {
            collect(&entry.path(), &path, found);
        } else if !is_folder && let Ok(text) = fs::read_to_string(entry.path()) {
            found.push(Source { path, text });
        }
    }
}
