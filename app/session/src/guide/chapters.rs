//! The chapters, in the order of their files.

use std::sync::LazyLock;

use super::chapter::{Chapter, Place, Section};
use super::parse;

/// The files, in the order of their names. `build.rs` writes the list.
pub(super) const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/guide.rs"));

/// The page of the lessons' folder. The guide links to it, and a package has no such folder.
pub(super) const LESSON_FILES: (&str, &str) =
    ("../lessons/README.md", include_str!("../../../../assets/lessons/README.md"));

pub fn chapters() -> &'static [Chapter] {
    static CHAPTERS: LazyLock<Vec<Chapter>> = LazyLock::new(|| {
        let files = FILES.iter().copied().chain([LESSON_FILES]);
        let mut chapters: Vec<_> = files.map(|(file, text)| parse::chapter(file, text)).collect();
        // The page is called as the chapter about lessons, because each is read where it is.
        if let Some(title) = chapters.last_mut().and_then(|last| last.sections.first_mut()) {
            "Lesson files".clone_into(&mut title.title);
        }
        chapters
    });
    &CHAPTERS
}

pub fn section(at: Place) -> Option<&'static Section> {
    chapters().get(at.chapter)?.sections.get(at.section)
}
