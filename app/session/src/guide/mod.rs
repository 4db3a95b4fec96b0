//! The user guide: the chapters of `assets/guide`, cut into sections. The same files are read in the
//! repository, so links and anchors are those of GitHub.
//!
//! `assets/guide` is the user guide, one file a chapter, which `build.rs` embeds with its pictures. `guide/`
//! cuts it into sections; links and anchors are those of GitHub. `View::guide` is where it is open;
//! `dialogs/guide.rs` draws it in the place of an open dialog, which stays as it is and still gets its
//! answers. F1 opens it at what is on the screen (`State::guide_topic`), also over a dialog. `guide::Topic`
//! is the table of what the window leads to. `Dialog::topic` gives each dialog its section, and
//! `widgets/modal.rs` draws the link *Help* next to its buttons; `panels/guide_link.rs` draws *Learn more* where
//! there is nothing yet. A label of the window is written `*Label*`, which `tidy` looks for in `app`.

mod chapter;
mod chapters;
mod parse;
mod topic;

pub use chapter::{Chapter, Part, Place, Section};
pub use chapters::{chapters, section};
pub use topic::{Topic, resolve};

/// The pictures. `build.rs` writes the list.
const PICTURES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/guide_pictures.rs"));

/// The bytes of a picture.
pub fn picture(file: &str) -> Option<&'static [u8]> {
    PICTURES.iter().find(|(name, _)| *name == file).map(|(_, bytes)| *bytes)
}

/// The sections that have every word, those with all of them in the title first.
pub fn search(words: &str) -> Vec<Place> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let has_all = |text: &str| words.iter().all(|word| text.contains(word.as_str()));
    let (mut in_title, mut in_text) = (Vec::new(), Vec::new());
    for (at, chapter) in chapters().iter().enumerate() {
        for (number, section) in chapter.sections.iter().enumerate() {
            let place = Place { chapter: at, section: number };
            let title = section.title.to_lowercase();
            let text = section.parts.iter().fold(title.clone(), |text, part| match part {
                Part::Text(more) | Part::Picture { words: more, .. } => {
                    text + "\n" + &more.to_lowercase()
                }
            });
            if has_all(&title) {
                in_title.push(place);
            } else if has_all(&text) {
                in_text.push(place);
            }
        }
    }
    in_title.extend(in_text);
    in_title
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The most bytes that the pictures may add to the program.
    const PICTURE_BYTES_MAX: usize = 1024 * 1024;

    /// The addresses of links and pictures in a text: what is between `](` and `)`.
    fn addresses(text: &str) -> impl Iterator<Item = &str> {
        text.split("](").skip(1).filter_map(|rest| rest.split(')').next())
    }

    #[test]
    fn every_link_leads_somewhere() {
        let mut count = 0;
        for (at, (file, text)) in chapters::FILES.iter().enumerate() {
            let prose: String = text.split("```").step_by(2).collect();
            for link in addresses(&prose) {
                let is_found = resolve(link, at).is_some() || picture(link).is_some();
                assert!(is_found, "{file}: {link}");
                count += 1;
            }
        }
        assert!(count > 20, "only {count} links");
    }

    #[test]
    fn anchors_are_unique_in_a_chapter() {
        for chapter in chapters() {
            let mut seen = BTreeSet::new();
            for section in &chapter.sections {
                assert!(seen.insert(&section.anchor), "{}#{}", chapter.file, section.anchor);
                assert!(!section.title.is_empty() && !section.anchor.is_empty());
            }
            assert!(!chapter.title().is_empty(), "{} has no title", chapter.file);
        }
    }

    #[test]
    fn the_guide_refers_to_every_picture() {
        let shown: BTreeSet<&str> = chapters()
            .iter()
            .flat_map(|chapter| &chapter.sections)
            .flat_map(|section| &section.parts)
            .filter_map(|part| match part {
                Part::Picture { file, .. } => Some(*file),
                Part::Text(_) => None,
            })
            .collect();
        let there: BTreeSet<&str> = PICTURES.iter().map(|(name, _)| *name).collect();
        assert_eq!(shown, there);
        let bytes: usize = PICTURES.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(bytes < PICTURE_BYTES_MAX, "the pictures have {bytes} bytes");
    }

    #[test]
    fn words_find_sections() {
        let titles = |words: &str| -> Vec<&str> {
            search(words).into_iter().filter_map(section).map(|it| it.title.as_str()).collect()
        };
        assert_eq!(titles("TRASH").first(), Some(&"Trash"));
        assert!(titles("mongodump manifest").contains(&"Whole databases and mongodump"));
        assert!(titles("xyzzy").is_empty() && titles("  ").is_empty());
    }
}
