//! Every built-in part may be passed on under the project's licenses.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::source::top;

/// Licences that ask for no more than that their text goes along, and a few that ask for a little more.
const ALLOWED: [&str; 14] = [
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    // The list of certificate authorities.
    "CDLA-Permissive-2.0",
    // The arithmetic of Decimal128.
    "ICU",
    "ISC",
    "MIT",
    // Asks for the source of the files under it, which are used as they are published.
    "MPL-2.0",
    // The window library's own typefaces.
    "OFL-1.1",
    "Ubuntu-font-1.0",
    "Unicode-3.0",
    "Zlib",
];

/// Whether a licence expression can be met with licences that `allows` takes.
fn can_be_met(expression: &str, allows: &dyn Fn(&str) -> bool) -> bool {
    // An older form has a stroke for OR.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut left = words.as_slice();
    any(&mut left, allows) && left.is_empty()
}

fn any(left: &mut &[&str], allows: &dyn Fn(&str) -> bool) -> bool {
    let mut met = all(left, allows);
    while let ["OR", rest @ ..] = *left {
        *left = rest;
        met |= all(left, allows);
    }
    met
}

fn all(left: &mut &[&str], allows: &dyn Fn(&str) -> bool) -> bool {
    let mut met = one(left, allows);
    while let ["AND", rest @ ..] = *left {
        *left = rest;
        met &= one(left, allows);
    }
    met
}

fn one(left: &mut &[&str], allows: &dyn Fn(&str) -> bool) -> bool {
    match *left {
        ["(", rest @ ..] => {
            *left = rest;
            let met = any(left, allows);
            let Some((&")", rest)) = left.split_first() else { return false };
            *left = rest;
            met
        }
        // An exception allows more, but what it adds to has to be known too.
        [licence, "WITH", exception, rest @ ..] => {
            *left = rest;
            allows(&format!("{licence} WITH {exception}"))
        }
        [licence, rest @ ..] => {
            *left = rest;
            allows(licence)
        }
        [] => false,
    }
}

#[test]
fn expressions_are_read_as_they_are_meant() {
    type Case = (&'static str, &'static [&'static str], bool);
    const CASES: [Case; 15] = [
        ("MIT", &["MIT"], true),
        ("MIT", &["ISC"], false),
        ("MIT OR GPL-3.0-only", &["MIT"], true),
        ("MIT/Apache-2.0", &["Apache-2.0"], true),
        ("Apache-2.0 / MIT", &["MIT"], true),
        ("MIT AND GPL-3.0-only", &["MIT"], false),
        ("MIT AND ISC", &["MIT", "ISC"], true),
        ("(MIT OR GPL-2.0-only) AND ISC", &["MIT", "ISC"], true),
        ("(MIT OR GPL-2.0-only) AND ISC", &["MIT"], false),
        ("ISC OR MIT AND GPL-2.0-only", &["ISC"], true),
        ("GPL-2.0-only WITH some-exception", &["GPL-2.0-only"], false),
        ("(MIT", &["MIT"], false),
        ("MIT)", &["MIT"], false),
        ("MIT ISC", &["MIT", "ISC"], false),
        ("", &["MIT"], false),
    ];
    for (expression, allowed, met) in CASES {
        let found = can_be_met(expression, &|licence| allowed.contains(&licence));
        assert_eq!(found, met, "{expression:?} with {allowed:?}");
    }
}

/// The names and licence expressions of all that this machine builds, the tests' needs too.
fn dependencies() -> Vec<(String, String)> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let run = |arguments: &[&str]| {
        let output = Command::new(&cargo).args(arguments).current_dir(top()).output();
        let output = output.expect("cargo starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        String::from_utf8(output.stdout).expect("text")
    };
    let about = run(&["-vV"]);
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
    let metadata =
        run(&["metadata", "--locked", "--format-version", "1", "--filter-platform", host]);
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let text = |package: &Value, key: &str| package[key].as_str().unwrap_or_default().to_owned();
    let packages = metadata["packages"].as_array().expect("packages");
    packages.iter().map(|package| (text(package, "name"), text(package, "license"))).collect()
}

#[test]
fn every_dependency_may_be_passed_on() {
    let dependencies = dependencies();
    let refused = |allows: &dyn Fn(&str) -> bool| -> Vec<String> {
        let refused = dependencies.iter().filter(|(_, licence)| !can_be_met(licence, allows));
        refused.map(|(name, licence)| format!("{name} is under {licence:?}")).collect()
    };
    let found = refused(&|licence| ALLOWED.contains(&licence));
    assert!(found.is_empty(), "{}", found.join("\n"));
    for allowed in ALLOWED {
        let found = refused(&|licence| licence != allowed && ALLOWED.contains(&licence));
        assert!(!found.is_empty(), "nothing is under {allowed} alone: take it off the list");
    }
}

#[test]
fn every_typeface_has_its_licence_beside_it() {
    let folder = top().join("assets/fonts");
    let licence = fs::read_to_string(folder.join("OFL.txt")).expect("the licence can be read");
    for entry in fs::read_dir(folder).expect("the folder can be read").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let family = name.split(['-', '.']).next().unwrap_or_default();
        assert!(name == "OFL.txt" || licence.contains(family), "OFL.txt does not name {family}");
    }
    let own = fs::read_to_string(top().join("Cargo.toml")).expect("the manifest can be read");
    assert!(own.contains("license = \"MIT OR Apache-2.0\""));
}
