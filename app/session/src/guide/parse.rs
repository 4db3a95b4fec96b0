//! Markdown to sections.

use super::{Chapter, Part, Section};

/// Reads a chapter.
pub(super) fn chapter(file: &'static str, text: &'static str) -> Chapter {
    let mut sections = Vec::new();
    let mut fence = Fence::default();
    let (mut heading, mut begin, mut at) = (None, 0, 0);
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        if let Some(found) = heading_of(line).filter(|_| !fence.is_open()) {
            sections.extend(heading.replace(found).map(|title| section(title, &text[begin..at])));
            begin = next;
        }
        fence.take(line);
        at = next;
    }
    sections.extend(heading.map(|title| section(title, &text[begin..])));
    Chapter { file, sections }
}

/// Whether lines are in a block of code.
#[derive(Default)]
struct Fence(Option<usize>);

impl Fence {
    fn is_open(&self) -> bool {
        self.0.is_some()
    }

    fn take(&mut self, line: &str) {
        let line = line.trim();
        let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
        self.0 = match self.0 {
            Some(open) if ticks >= open && ticks == line.len() => None,
            None if ticks >= 3 => Some(ticks),
            other => other,
        };
    }
}

fn heading_of(line: &str) -> Option<&str> {
    let words = line.trim_start_matches('#');
    let depth = line.len() - words.len();
    words.strip_prefix(' ').filter(|_| (1..=3).contains(&depth)).map(str::trim)
}

fn section(title: &str, text: &'static str) -> Section {
    let mut parts = Vec::new();
    let mut fence = Fence::default();
    let (mut begin, mut at) = (0, 0);
    let push = |parts: &mut Vec<Part>, text: &'static str| {
        let text = text.trim_matches('\n');
        parts.extend((!text.trim().is_empty()).then_some(Part::Text(text)));
    };
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        if let Some(picture) = picture_of(line).filter(|_| !fence.is_open()) {
            push(&mut parts, &text[begin..at]);
            parts.push(picture);
            begin = next;
        }
        fence.take(line);
        at = next;
    }
    push(&mut parts, &text[begin..]);
    Section { title: title.replace('`', ""), anchor: anchor(title), parts }
}

/// A picture alone on a line.
fn picture_of(line: &'static str) -> Option<Part> {
    let (words, file) = line.trim().strip_prefix("![")?.strip_suffix(')')?.split_once("](")?;
    Some(Part::Picture { words, file })
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(title: &str) -> String {
    let letters = title.chars().flat_map(char::to_lowercase).filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then_some(letter),
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_cut_at_its_headings_but_not_within_code() {
        let found = chapter(
            "a.md",
            "# One\n\nIntro.\n\n## Two `_ts`: it\n\n````md\n# no\n```\n## no\n```\n````\n\
             ![A view](a.png)\nEnd.\n",
        );
        let titles: Vec<_> =
            found.sections.iter().map(|it| (it.title.as_str(), it.anchor.as_str())).collect();
        assert_eq!(titles, [("One", "one"), ("Two _ts: it", "two-_ts-it")]);
        assert_eq!(found.sections[0].parts, [Part::Text("Intro.")]);
        assert_eq!(
            found.sections[1].parts,
            [
                Part::Text("````md\n# no\n```\n## no\n```\n````"),
                Part::Picture { words: "A view", file: "a.png" },
                Part::Text("End."),
            ]
        );
    }
}
