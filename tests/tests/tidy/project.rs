//! The project as a whole: its top level, and that it is self-contained.

use std::collections::BTreeSet;
use std::fs;

use super::source::{APP, ENGINE, text_files, top};

#[test]
fn the_top_level_holds_exactly_this() {
    let expected = [
        "CONTRIBUTING.md",
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
    let maps = [(ENGINE, "engine/README.md"), (APP, "app/README.md")];
    for (layers, map) in
        maps.iter().flat_map(|(roots, map)| roots.iter().map(move |root| (root, map)))
    {
        let page = fs::read_to_string(top().join(map)).expect("the code map can be read");
        for entry in fs::read_dir(top().join(layers)).expect("the layers can be listed").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_folder = entry.path().is_dir();
            assert!(!is_folder || page.contains(&format!("{name}/")), "{map} misses {name}/");
        }
    }
}

/// The compiled code is the code that was read: nothing comes from elsewhere, or without its sum.
#[test]
fn every_dependency_is_pinned_by_its_sum() {
    // With the C sources of LMDB in it: change this only after reading what is new in them.
    const LMDB: &str = "aaeb9bd22e73bd1babffff614994b341e9b2008de7bb73bf1f7e9154f1978f8b";
    for (file, own) in [
        (
            "Cargo.lock",
            vec![
                "mayfly",
                "mayfly-engine",
                "mayfly-model",
                "mayfly-session",
                "mayfly-store",
                "mayfly-tests",
                "mayfly-value",
                "mayfly-window",
            ],
        ),
        (
            "tests/fuzz/Cargo.lock",
            vec!["mayfly-engine", "mayfly-fuzz", "mayfly-store", "mayfly-value"],
        ),
    ] {
        let lock = fs::read_to_string(top().join(file)).expect("the lock file can be read");
        let mut ours = Vec::new();
        let mut lmdb = None;
        for package in lock.split("[[package]]").skip(1) {
            let value = |key: &str| {
                let line = package.lines().find_map(|line| line.strip_prefix(key));
                Some(line?.strip_prefix(" = ")?.trim_matches('"'))
            };
            let name = value("name").expect("a name");
            let Some(source) = value("source") else {
                ours.push(name);
                continue;
            };
            assert!(source.starts_with("registry+https://"), "{file}: {name} is from {source}");
            let sum = value("checksum").unwrap_or_default();
            assert_eq!(sum.len(), 64, "{file}: {name} has no sum");
            if name == "lmdb-master-sys" {
                lmdb = Some(sum);
            }
        }
        assert_eq!(ours, own, "{file}");
        assert_eq!(lmdb, Some(LMDB), "{file}");
    }
}
