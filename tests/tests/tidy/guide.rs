//! The user guide names the window's labels as the window has them: whatever is in `*…*` is a text of `app`.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

use super::source::{APP, Source, rust_files, text_files};

/// Between the entries of a path through menus: `*Menu → Help → Guide*`.
const STEP: &str = " → ";

/// The labels in the prose of a page: code left out, and strong words, which are no labels.
fn labels(page: &str) -> Vec<String> {
    let prose: String = page.split("```").step_by(2).collect();
    let prose: String = prose.split('`').step_by(2).collect();
    let prose = prose.replace("**", "");
    let marked = prose.split('*').skip(1).step_by(2);
    let joined = marked.map(|label| label.split_whitespace().collect::<Vec<_>>().join(" "));
    joined.flat_map(|path| path.split(STEP).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The string literals of a file above its tests.
fn collect(tokens: TokenStream, last_line: usize, found: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect(group.stream(), last_line, found),
            TokenTree::Literal(literal) if literal.span().start().line <= last_line => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    found.insert(text.value());
                }
            }
            _ => {}
        }
    }
}

fn texts(file: &Source, found: &mut BTreeSet<String>) {
    let tokens: TokenStream =
        file.text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.path));
    collect(tokens, file.lines_above_tests(), found);
}

#[test]
fn every_label_of_the_guide_is_in_the_window() {
    let mut known = BTreeSet::new();
    for file in rust_files(APP).iter().filter(|file| !file.is_tests()) {
        texts(file, &mut known);
    }
    let (mut count, mut missing) = (0, Vec::new());
    for page in text_files("assets/guide") {
        for label in labels(&page.text) {
            count += 1;
            if !known.contains(&label) {
                missing.push(format!("{}: *{label}*", page.path));
            }
        }
    }
    assert!(count > 150, "only {count} labels");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn labels_are_found_in_prose_alone() {
    let page = "Press *Run pass*, a **pass**, `*no*`.\n```\n*no*\n```\n*Menu → Help →\nGuide*";
    assert_eq!(labels(page), ["Run pass", "Menu", "Help", "Guide"]);
}

#[test]
fn texts_of_tests_are_no_labels() {
    let text =
        "const A: &str = \"Run\";\n\n#[cfg(test)]\nmod tests { const B: &str = \"Walk\"; }\n";
    let mut found = BTreeSet::new();
    texts(&Source { path: "a.rs".to_owned(), text: text.to_owned() }, &mut found);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["Run"]);
}
