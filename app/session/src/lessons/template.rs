//! A new lesson file, which holds as it is.

use std::io::Write as _;
use std::path::Path;

use mayfly_engine::store::create_chosen;

use super::file;

const TEMPLATE: &str = include_str!("template.md");

/// The title in the template.
const TITLE: &str = "My lesson";

/// Writes a new file.
///
/// # Errors
/// One sentence: it exists, its name is not that of a lesson, or it can't be written.
pub fn create(path: &Path) -> Result<(), String> {
    let shown = path.display();
    let is_markdown = path.extension().is_some_and(|extension| extension == "md");
    let slug = path.file_stem().unwrap_or_default().to_string_lossy();
    if !is_markdown || !file::is_slug(&slug) {
        return Err(format!(
            "{shown} is not a name for a lesson. Use lower-case letters, digits and hyphens, and end it in .md."
        ));
    }
    if path.exists() {
        return Err(format!("{shown} exists. Choose another name, or delete it first."));
    }
    let text = TEMPLATE.replace(TITLE, &title(&slug));
    let failed = |error: std::io::Error| format!("Can't write {shown}: {error}.");
    let mut file = create_chosen(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)
}

/// The words of a file's name.
fn title(slug: &str) -> String {
    let words = slug.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::lessons::check::{CheckedFile, check_all};

    #[test]
    fn a_new_file_holds_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("late-tokens.md");
        create(&path).expect("written");
        let file = CheckedFile {
            slug: "late-tokens".to_owned(),
            name: "late-tokens.md".to_owned(),
            bytes: std::fs::read(&path).expect("a file"),
            answers: BTreeMap::new(),
        };
        check_all(&[file], &mut |report| {
            assert_eq!(report.problems, []);
            assert_eq!(report.warnings, []);
            assert_eq!(report.title, "Late tokens");
        })
        .expect("a thread");
        let said = create(&path).expect_err("it exists");
        assert!(said.ends_with("exists. Choose another name, or delete it first."), "{said}");
        let said = create(&folder.path().join("My Lesson.md")).expect_err("its name");
        assert!(said.contains("is not a name for a lesson"), "{said}");
    }
}
