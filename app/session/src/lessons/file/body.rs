//! The cards of a lesson: Markdown whose fenced blocks, notes and handles have a meaning.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag};

use super::info::{self, Info};
use super::keys::LINKS;
use super::{Problems, duration, goal, question};
use crate::job::lesson::{Block, BlockKind, Card, Handle, Part, Traffic};
use crate::near;

/// The Markdown of a lesson, for all who read it.
pub const MARKDOWN: Options = Options::ENABLE_TABLES;

/// A top-level part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TopLevel {
    Heading(HeadingLevel),
    Fence,
    Quote,
    Paragraph,
    Other,
}

/// Reads the cards of `text` from `start` on. The flag is `false` if the kind of a block is unknown.
pub fn read(
    text: &str,
    start: usize,
    show: &[String],
    problems: &Problems<'_>,
) -> (Vec<Card>, bool) {
    let mut reader = Reader {
        text,
        show,
        problems,
        cards: Vec::new(),
        prose: start,
        is_known: true,
        has_first_problem: false,
    };
    for (kind, range) in blocks(text, start, problems) {
        reader.block(kind, range);
    }
    reader.end_prose(text.len());
    (reader.cards, reader.is_known)
}

/// The blocks of the top level, with their places. HTML, pictures and unknown links are problems.
fn blocks(text: &str, start: usize, problems: &Problems<'_>) -> Vec<(TopLevel, Range<usize>)> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(&text[start..], MARKDOWN).into_offset_iter() {
        let range = start + range.start..start + range.end;
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    found.push((top_level(&tag), range.clone()));
                }
                depth += 1;
                nested(&tag, depth, range.start, problems);
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Html(_) | Event::InlineHtml(_) => {
                problems.add(range.start, "A lesson has no HTML. Use Markdown, or `code`.");
            }
            Event::Rule if depth == 0 => found.push((TopLevel::Other, range)),
            _ => {}
        }
    }
    found
}

fn top_level(tag: &Tag<'_>) -> TopLevel {
    match tag {
        Tag::Heading { level, .. } => TopLevel::Heading(*level),
        Tag::CodeBlock(CodeBlockKind::Fenced(_)) => TopLevel::Fence,
        Tag::BlockQuote(_) => TopLevel::Quote,
        Tag::Paragraph => TopLevel::Paragraph,
        _ => TopLevel::Other,
    }
}

/// Refuses parts that no prose may have.
fn nested(tag: &Tag<'_>, depth: usize, at: usize, problems: &Problems<'_>) {
    match tag {
        Tag::Image { .. } => problems.add(at, "A lesson has no pictures. Remove it."),
        Tag::Link { dest_url, .. } => link(dest_url, at, problems),
        Tag::CodeBlock(CodeBlockKind::Fenced(info)) if depth > 1 => {
            let mut words = info.split_whitespace();
            let name = [words.next().unwrap_or_default(), words.next().unwrap_or_default()];
            if info::BLOCKS.contains(&name.join(" ").as_str()) {
                let sentence = "A block in a list or a quote does nothing. Begin it at the margin.";
                problems.add(at, sentence);
            }
        }
        _ => {}
    }
}

fn link(to: &str, at: usize, problems: &Problems<'_>) {
    if let Some(name) = to.strip_prefix("mayfly:") {
        let names = LINKS.map(|(name, _)| name);
        if !names.contains(&name) {
            let hint = near::hint(name, &names);
            problems.add(at, format!("Unknown link `mayfly:{name}`. {hint}"));
        }
    } else if !to.starts_with("https://") {
        let sentence = format!("A link begins with https:// or mayfly:, not `{to}`.");
        problems.add(at, sentence);
    }
}

struct Reader<'a> {
    text: &'a str,
    show: &'a [String],
    problems: &'a Problems<'a>,
    cards: Vec<Card>,
    prose: usize,
    /// Whether the kind of every block was understood.
    is_known: bool,
    /// Whether the missing title of the first card was reported.
    has_first_problem: bool,
}

impl Reader<'_> {
    fn block(&mut self, kind: TopLevel, range: Range<usize>) {
        let slice = &self.text[range.clone()];
        match kind {
            TopLevel::Heading(HeadingLevel::H2) => self.card(range),
            TopLevel::Heading(HeadingLevel::H1) => {
                let sentence = "Each card begins with ## and its title. Write ## instead of #.";
                self.problems.add(range.start, sentence);
                self.has_first_problem = true;
            }
            TopLevel::Fence => self.fence(range),
            TopLevel::Quote => self.quote(range),
            TopLevel::Paragraph if slice.starts_with("{{") => self.handle(range),
            _ => {}
        }
    }

    fn card(&mut self, range: Range<usize>) {
        self.end_prose(range.start);
        let slice = self.text[range.clone()].trim();
        let title = slice.strip_prefix("##").map(|title| title.trim().trim_end_matches('#').trim());
        if title.is_none() {
            self.problems.add(range.start, "Write a card's title as ## Title, not underlined.");
        }
        if title == Some("") {
            self.problems.add(range.start, "The card has no title. Write ## Title.");
        }
        self.cards.push(Card {
            title: title.unwrap_or_default().to_owned(),
            line: self.problems.line(range.start),
            parts: Vec::new(),
        });
        self.prose = range.end;
    }

    /// Ends the prose before something else.
    fn end_prose(&mut self, end: usize) {
        let prose = self.text.get(self.prose..end).unwrap_or_default();
        let trimmed = prose.trim();
        if !trimmed.is_empty() {
            let at = self.prose + prose.len() - prose.trim_start().len();
            self.part(Part::Prose(trimmed.replace("\r\n", "\n")), at);
        }
    }

    fn part(&mut self, part: Part, at: usize) {
        match self.cards.last_mut() {
            Some(card) => card.parts.push(part),
            None if self.has_first_problem => {}
            None => {
                self.has_first_problem = true;
                self.problems.add(at, "This is before the first card. Begin with ## Title.");
            }
        }
    }

    /// A fenced block: a separate part, or code of the prose.
    fn fence(&mut self, range: Range<usize>) {
        let slice = &self.text[range.clone()];
        let first = slice.lines().next().unwrap_or_default();
        let words = first.trim_start_matches(['`', '~']);
        let fence = &first[..first.len() - words.len()];
        let words_at = range.start + first.len() - words.trim_start().len();
        let info = info::read(words, words_at, self.problems);
        let last = slice.trim_end().lines().next_back().unwrap_or_default();
        let is_closed = slice.trim_end().lines().count() > 1
            && last.trim_start().starts_with(fence)
            && last.trim().trim_matches(['`', '~']).is_empty();
        self.is_known &= is_closed && info.is_some();
        if !is_closed {
            let sentence = format!("The block does not end. Add a line {fence} after it.");
            self.problems.add(range.start, sentence);
            return;
        }
        let Some(info) = info.filter(|info| *info != Info::Code) else { return };
        self.end_prose(range.start);
        self.prose = range.end;
        let base = (range.start + first.len() + 1).min(self.text.len());
        let base = if self.text[..base].ends_with('\r') { base + 1 } else { base };
        let end = range.start + slice.trim_end().len() - last.len();
        let code = self.text.get(base..end).unwrap_or_default();
        if code.trim().is_empty() {
            self.problems.add(range.start, "The block is empty. Write its lines, or remove it.");
        }
        let kind = self.kind(info, code, (range.start, base));
        let line = self.problems.line(range.start);
        self.part(Part::Block(Block { kind, line }), range.start);
    }

    fn kind(&self, info: Info, code: &str, place: (usize, usize)) -> BlockKind {
        let script = code.replace("\r\n", "\n").trim_end().to_owned();
        match info {
            Info::Setup | Info::Code => BlockKind::Setup(script),
            Info::Run { label, fails, shows } => BlockKind::Run { label, fails, shows, script },
            Info::Play { label } => BlockKind::Play { label, script },
            Info::Solution => BlockKind::Solution(script),
            Info::Traffic { name, every, stays } => {
                BlockKind::Traffic(Traffic { name, every, stays, script })
            }
            Info::Predict => {
                BlockKind::Question(question::read(code, place, self.show, self.problems))
            }
            Info::Goal => BlockKind::Goal(goal::read(code, place, self.problems)),
        }
    }

    /// A block quote: notes, or prose.
    fn quote(&mut self, range: Range<usize>) {
        let slice = &self.text[range.clone()];
        let lines: Vec<&str> = slice
            .lines()
            .map(|line| line.trim_start().trim_start_matches('>').trim_start_matches(' '))
            .collect();
        let text = lines.join("\n");
        let Some((word, notes)) = text.split_once(':') else { return };
        match word.to_ascii_lowercase().as_str() {
            "notes" => {
                self.end_prose(range.start);
                self.prose = range.end;
                self.part(Part::Notes(notes.trim().to_owned()), range.start);
            }
            "note" => {
                self.problems.add(range.start, "Did you mean `> notes:`, for the presenter?");
            }
            _ => {}
        }
    }

    /// A paragraph that begins with `{{`.
    fn handle(&mut self, range: Range<usize>) {
        let slice = self.text[range.clone()].trim();
        self.end_prose(range.start);
        self.prose = range.end;
        match handle(slice, self.show) {
            Ok(handle) => self.part(Part::Handle(handle), range.start),
            Err(sentence) => self.problems.add(range.start, sentence),
        }
    }
}

/// `{{ttl:60s..2h}}` or `{{ttl eventlog: 60s..2h}}`.
fn handle(text: &str, show: &[String]) -> Result<Handle, String> {
    const EXAMPLE: &str = "Write {{ttl eventlog: 60s..2h}} as a separate paragraph";
    let inner = text.strip_prefix("{{").and_then(|text| text.strip_suffix("}}"));
    let (head, bounds) = inner
        .filter(|inner| !inner.contains(['{', '}', '\n']))
        .and_then(|inner| inner.split_once(':'))
        .ok_or_else(|| format!("This is not a handle. {EXAMPLE}."))?;
    let (name, collection) = head.trim().split_once(' ').unwrap_or((head.trim(), ""));
    if name != "ttl" {
        return Err(format!("Unknown handle `{name}`. {EXAMPLE}."));
    }
    let collection = match collection.trim() {
        "" => show.first().cloned().unwrap_or_default(),
        name if show.is_empty() || show.iter().any(|shown| shown == name) => name.to_owned(),
        name => {
            let names: Vec<&str> = show.iter().map(String::as_str).collect();
            let hint = near::hint(name, &names);
            return Err(format!("The handle names `{name}`, which `show` lacks. {hint}"));
        }
    };
    let secs = |text: &str| {
        duration::parse_ms(text)
            .filter(|ms| ms % 1_000 == 0)
            .map(|ms| ms / 1_000)
            .filter(|secs| (0..=i64::from(i32::MAX)).contains(secs))
    };
    let bounds = bounds.split_once("..").and_then(|(min, max)| Some((secs(min)?, secs(max)?)));
    let (min_secs, max_secs) = bounds
        .filter(|(min, max)| min < max)
        .ok_or_else(|| format!("The handle has no bounds in whole seconds. {EXAMPLE}."))?;
    Ok(Handle { collection, min_secs, max_secs })
}
