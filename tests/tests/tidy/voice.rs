//! Plain English: phrases that mark translated prose are in no comment, no page and no text that a user can meet.

use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

use super::source::{Source, rust_files, text_files};

/// `CONTRIBUTING.md` has the replacements.
const PHRASES: &[&str] = &[
    "anew",
    "a person",
    "are told",
    "be told",
    "behind",
    "beside",
    "gave back",
    "give back",
    "given back",
    "gives back",
    "go on",
    "goes on",
    "going on",
    "heeded",
    "heeding",
    "heeds",
    "is no",
    "is told",
    "let in",
    "let fall",
    "lets in",
    "lies",
    "meanwhile",
    "nobody",
    "not heed",
    "of its own",
    "of ours",
    "put back",
    "puts back",
    "shall",
    "so many",
    "somebody",
    "stand at",
    "stand for",
    "stand in",
    "stands at",
    "stands for",
    "stands in",
    "tell of",
    "tells of",
    "to heed",
    "was told",
    "went on",
    "what is not",
    "whoever",
];

/// Where `is no` and `behind` are good English.
const GOOD: &[&str] =
    &["there is no", "is no longer", "is no more", "is no less", "falling behind"];

/// Beginnings of a gloss that should be a sentence: "`None` if the file is missing."
const GLOSSES: &[&str] = &["`None`:", "; empty:"];

/// Comments that begin with *What* among 1,000 lines of comments, at most. They put a clause where
/// the subject should be.
const WHAT_MAX: usize = 10;

/// One piece of prose: the line that it begins at, and its text.
type Prose = (usize, String);

#[test]
fn comments_pages_and_texts_are_in_plain_english() {
    let mut broken = Vec::new();
    let mut check = |path: &str, prose: Vec<Prose>| {
        for (line, text) in prose {
            for phrase in found(&text) {
                if !is_allowed(path, phrase) {
                    broken.push(format!("{path}:{line} `{phrase}`"));
                }
            }
        }
    };
    let rust = rust_files(&["engine", "app", "tests"]);
    for file in &rust {
        check(&file.path, comments(&file.text, "//"));
        if !file.is_tests() {
            check(&file.path, strings(file));
        }
    }
    let mut pages = 0;
    for file in text_files(".") {
        let name = Path::new(&file.path);
        let extension = name.extension().and_then(|extension| extension.to_str());
        match extension {
            Some("md") => {
                pages += 1;
                check(&file.path, paragraphs(&file.text));
            }
            Some("toml" | "sh" | "py" | "yml") => check(&file.path, comments(&file.text, "#")),
            None if file.text.starts_with("#!") => check(&file.path, comments(&file.text, "#")),
            Some("c" | "h" | "js" | "mjs" | "java") => {
                check(&file.path, comments(&file.text, "//"));
            }
            _ => {}
        }
    }
    assert!(rust.len() > 500 && pages > 3, "{} sources and {pages} pages", rust.len());
    assert!(broken.is_empty(), "{} places\n{}", broken.len(), broken.join("\n"));
}

/// Lessons may say with emphasis that sixty seconds `is no promise`.
fn is_allowed(path: &str, phrase: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it == "md") && phrase == "is no"
}

#[test]
fn comments_say_in_sentences_when_a_value_is_missing() {
    let mut broken = Vec::new();
    for file in rust_files(&["engine", "app", "tests"]) {
        for (line, text) in comments(&file.text, "//") {
            for gloss in GLOSSES.iter().filter(|gloss| text.contains(**gloss)) {
                broken.push(format!("{}:{line} {gloss}", file.path));
            }
        }
    }
    assert!(broken.is_empty(), "{} places\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn comments_lead_with_the_subject() {
    for folder in ["engine", "app", "tests"] {
        let (mut lines, mut what) = (0, Vec::new());
        for file in rust_files(&[folder]) {
            lines += file.text.lines().filter(|line| line.trim_start().starts_with("//")).count();
            for (line, text) in comments(&file.text, "//") {
                if text.split_whitespace().next() == Some("What") {
                    what.push(format!("{}:{line}", file.path));
                }
            }
        }
        let found = what.len() * 1_000;
        assert!(found <= WHAT_MAX * lines, "{} in {lines} lines\n{}", what.len(), what.join("\n"));
    }
}

/// The phrases that a text holds, code in backquotes left out.
fn found(text: &str) -> Vec<&'static str> {
    let prose: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" \u{0} ");
    let words: Vec<String> = prose
        .split_whitespace()
        .map(|word| {
            word.trim_matches(|letter: char| {
                !letter.is_alphanumeric() && !matches!(letter, '\u{0}' | '{' | '}')
            })
            .to_lowercase()
        })
        .collect();
    let mut text = format!(" {} ", words.join(" "));
    for good in GOOD {
        text = text.replace(good, "\u{0}");
    }
    PHRASES.iter().copied().filter(|phrase| text.contains(&format!(" {phrase} "))).collect()
}

/// Comments, those on lines that follow each other joined.
fn comments(text: &str, mark: &str) -> Vec<Prose> {
    let mut found: Vec<Prose> = Vec::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        let whole = line.trim_start().starts_with(mark);
        let comment = if whole {
            Some(line.trim_start().trim_start_matches(['/', '!', '#']))
        } else {
            trailing(line, mark)
        };
        match (comment, found.last_mut()) {
            (Some(comment), Some((_, joined))) if open && whole => {
                joined.push(' ');
                joined.push_str(comment);
            }
            (Some(comment), _) => found.push((number + 1, comment.to_owned())),
            (None, _) => {}
        }
        open = whole;
    }
    found
}

/// A comment after code on the same line.
fn trailing<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let (code, comment) = line.split_once(&format!(" {mark} "))?;
    code.matches('"').count().is_multiple_of(2).then_some(comment)
}

/// The paragraphs of a page, code blocks left out.
fn paragraphs(text: &str) -> Vec<Prose> {
    let mut found: Vec<Prose> = vec![(1, String::new())];
    let mut is_code = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if line.trim().is_empty() || line.starts_with(['|', '#']) {
            found.push((number + 1, line.to_owned()));
        } else if !is_code && let Some((_, joined)) = found.last_mut() {
            joined.push(' ');
            joined.push_str(line);
        }
    }
    found
}

/// The string literals of a file above its tests.
fn strings(file: &Source) -> Vec<Prose> {
    let end = file.lines_above_tests();
    let tokens: TokenStream =
        file.text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.path));
    let mut found = Vec::new();
    collect(tokens, &mut found);
    found.retain(|(line, _)| *line <= end);
    found
}

fn collect(tokens: TokenStream, found: &mut Vec<Prose>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&text) {
                    found.push((literal.span().start().line, text.value()));
                }
            }
            _ => {}
        }
    }
}

#[test]
fn phrases_are_found_where_they_are_prose() {
    let check = |text: &str, expected: &[&str]| assert_eq!(found(text), expected, "{text}");
    check("It is stored anew.", &["anew"]);
    check("The work goes on,", &["goes on"]);
    check("`anew` is a word, `heed` a crate", &[]);
    check("renewed, and nobodyʼs", &[]);
    check("A month is no fixed time", &["is no"]);
    check("There is no month. It is no longer open.", &[]);
    check("Falling behind by 300 a minute", &[]);
    check("One waits behind another", &["behind"]);
    let rust = "/// It goes\n/// on here.\nlet a = 1; // anew\nlet b = \"// whoever\";";
    let prose = comments(rust, "//");
    assert_eq!(
        prose.iter().flat_map(|(_, text)| found(text)).collect::<Vec<_>>(),
        ["goes on", "anew"]
    );
    let page = "One\nline goes\non\n\n```\nanew\n```\n| whoever |";
    let prose = paragraphs(page);
    assert_eq!(
        prose.iter().flat_map(|(_, text)| found(text)).collect::<Vec<_>>(),
        ["goes on", "whoever"]
    );
}
