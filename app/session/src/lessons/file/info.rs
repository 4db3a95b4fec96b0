//! The line that opens a fenced block, such as `js run Create the index fails=85`.

use std::time::Duration;

use super::Problems;
use super::duration::{EXAMPLES, parse_ms};
use crate::near;

/// The blocks that do something.
pub const BLOCKS: [&str; 7] =
    ["js setup", "js run", "js play", "js solution", "js traffic", "toml predict", "toml goal"];

const LABEL_CHARS_MAX: usize = 48;
/// How a text of the reply is written.
const SHOWS: &str = "`shows` is a text of the reply. Write shows=\"numIndexesAfter: 2\".";

const EVERY_MAX_MS: i64 = 365 * 86_400_000;

/// The words after the fence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Info {
    Code,
    /// `js setup`
    Setup,
    /// `js run`
    Run {
        label: String,
        fails: Option<i32>,
        shows: Vec<String>,
    },
    /// `js play`
    Play {
        label: String,
    },
    /// `js solution`
    Solution,
    /// `js traffic`
    Traffic {
        /// Its name; empty if it has none.
        name: String,
        every: Duration,
        /// Whether it continues after its card.
        stays: bool,
    },
    /// `toml predict`
    Predict,
    /// `toml goal`
    Goal,
}

/// A word and its offset in the file.
type Word<'a> = (usize, &'a str);

/// The words of a line. White space between quotes belongs to a word.
fn words(text: &str, at: usize) -> Vec<Word<'_>> {
    let mut is_quoted = false;
    let is_between = |letter: char| {
        is_quoted ^= letter == '"';
        letter.is_whitespace() && !is_quoted
    };
    let words = text.split(is_between).filter(|word| !word.is_empty());
    words.map(|word| (at + word.as_ptr() as usize - text.as_ptr() as usize, word)).collect()
}

/// Reads the words after the fence. `at` is the offset of their text. `None` for an unknown block.
pub fn read(text: &str, at: usize, problems: &Problems<'_>) -> Option<Info> {
    let words = words(text, at);
    let Some(((_, language), rest)) = words.split_first() else { return Some(Info::Code) };
    let Some(((_, kind), options)) = rest.split_first() else {
        return single(language, at, problems);
    };
    let name = format!("{language} {kind}");
    match name.as_str() {
        "js setup" => Some(plain(Info::Setup, &name, options, problems)),
        "js solution" => Some(plain(Info::Solution, &name, options, problems)),
        "toml predict" => Some(plain(Info::Predict, &name, options, problems)),
        "toml goal" => Some(plain(Info::Goal, &name, options, problems)),
        "js run" => {
            let (mut fails, mut shows) = (None, Vec::new());
            let label = label(options, &["fails", "shows"], problems, |at, key, value| {
                if key == "fails" {
                    fails = value.parse().ok();
                    if fails.is_none() {
                        problems.add(at, "`fails` is the code of an error. Write fails=85.");
                    }
                    return;
                }
                match value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) {
                    Some(text) if !text.trim().is_empty() => shows.push(text.to_owned()),
                    _ => problems.add(at, SHOWS),
                }
            });
            Some(Info::Run { label, fails, shows })
        }
        "js play" => Some(Info::Play { label: label(options, &[], problems, |_, _, _| {}) }),
        "js traffic" => Some(traffic(options, at, problems)),
        _ => {
            problems.add(at, format!("Unknown block `{name}`. {}", near::hint(&name, &BLOCKS)));
            None
        }
    }
}

/// A block with one word: a language, unless it is the name of a block.
fn single(word: &str, at: usize, problems: &Problems<'_>) -> Option<Info> {
    let block = BLOCKS.iter().find(|block| block.split(' ').next_back() == Some(word));
    let Some(block) = block else { return Some(Info::Code) };
    problems.add(at, format!("Unknown block `{word}`. Did you mean `{block}`?"));
    None
}

/// A block without a label.
fn plain(info: Info, name: &str, options: &[Word<'_>], problems: &Problems<'_>) -> Info {
    if let Some((at, word)) = options.first() {
        problems.add(*at, format!("`{name}` has no label. Remove `{word}`."));
    }
    info
}

/// The words that are no options; options go to `option` with place, key and value.
fn label(
    words: &[Word<'_>],
    known: &[&str],
    problems: &Problems<'_>,
    mut option: impl FnMut(usize, &str, &str),
) -> String {
    let mut label: Vec<&str> = Vec::new();
    for (at, word) in words {
        match word.split_once('=') {
            Some((key, value)) if known.contains(&key) => option(*at, key, value),
            Some((key, _))
                if !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase()) =>
            {
                let hint = match known {
                    [] => "Remove it.".to_owned(),
                    known => near::hint(key, known),
                };
                problems.add(*at, format!("Unknown option `{key}`. {hint}"));
            }
            _ => label.push(word),
        }
    }
    let text = label.join(" ");
    if text.chars().count() > LABEL_CHARS_MAX {
        let at = words.first().map_or(0, |(at, _)| *at);
        problems.add(at, format!("The label has more than {LABEL_CHARS_MAX} characters."));
    }
    text
}

fn traffic(options: &[Word<'_>], at: usize, problems: &Problems<'_>) -> Info {
    let (mut name, mut every, mut stays) = (String::new(), None, false);
    let known = ["every", "name"];
    let words = label(options, &known, problems, |at, key, value| match key {
        "name" if super::is_slug(value) => value.clone_into(&mut name),
        "name" => problems.add(at, "`name` has lower-case letters, digits and hyphens."),
        _ => {
            let ms = parse_ms(value).filter(|ms| (1..=EVERY_MAX_MS).contains(ms));
            every = Some(ms.unwrap_or(EVERY_MAX_MS));
            if ms.is_none() {
                problems.add(at, format!("`every` must be a duration. {EXAMPLES}."));
            }
        }
    });
    for word in words.split_whitespace() {
        if word == "stay" {
            stays = true;
        } else {
            let hint = near::hint(word, &["stay", "every", "name"]);
            problems.add(at, format!("Unknown word `{word}` in `js traffic`. {hint}"));
        }
    }
    if every.is_none() {
        problems.add(at, "`js traffic` needs an interval. Write js traffic every=2s.");
    }
    let every = Duration::from_millis(every.unwrap_or(EVERY_MAX_MS).unsigned_abs());
    Info::Traffic { name, every, stays }
}
