//! The project as a whole: what stands at its top, and that it stands alone.

use std::collections::BTreeSet;
use std::fs;

use super::source::{text_files, top};

#[test]
fn the_top_level_holds_exactly_this() {
    let expected = [
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "app",
        "assets",
        "dist",
        "engine",
        "tests",
    ];
    let found: BTreeSet<String> = fs::read_dir(top())
        .expect("the top of the project can be read")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.') && name != "target")
        .collect();
    let expected: BTreeSet<String> = expected.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_project_stands_alone() {
    // Put together from halves, so that this file does not contain what it looks for.
    let foreign = [
        concat!("../sha", "red"),
        concat!("/wo", "rk/"),
        concat!("crates", ".io"),
        concat!("pypi", ".org"),
        concat!("DEVELO", "PERS.md"),
        concat!("HAZ", "ARDS.md"),
        concat!("GOA", "LS.md"),
        concat!("CONTR", "ACTS"),
    ];
    let mut broken = Vec::new();
    for file in text_files(".") {
        if file.path.ends_with("Cargo.lock") {
            continue;
        }
        for word in foreign {
            if file.text.contains(word) {
                broken.push(format!("{} names {word}", file.path));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn readme_names_the_two_commands_and_every_room() {
    let readme = fs::read_to_string(top().join("README.md")).expect("README.md can be read");
    for needed in [
        "cargo run --release",
        "tests/run",
        "engine/README.md",
        "app/README.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
    ] {
        assert!(readme.contains(needed), "README.md does not mention {needed}");
    }
    for (layers, map) in [("engine/src", "engine/README.md"), ("app/src", "app/README.md")] {
        let page = fs::read_to_string(top().join(map)).expect("the code map can be read");
        for entry in fs::read_dir(top().join(layers)).expect("the layers can be listed").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_folder = entry.path().is_dir();
            assert!(!is_folder || page.contains(&format!("{name}/")), "{map} misses {name}/");
        }
    }
}
