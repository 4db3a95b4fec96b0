//! Every source file is compiled: a folder that no `mod` names looks like code and does nothing.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Expr, Item, Lit, Meta};

use super::source::{APP, ENGINE, rust_files};

#[test]
fn every_file_is_compiled() {
    for root in [ENGINE, APP].concat() {
        let sources = rust_files(&[root]);
        let texts: BTreeMap<&str, &str> =
            sources.iter().map(|source| (source.path.as_str(), source.text.as_str())).collect();
        let mut seen = BTreeSet::new();
        for start in ["lib.rs", "main.rs"] {
            let start = format!("{root}/{start}");
            if texts.contains_key(start.as_str()) {
                walk(&start, &texts, &mut seen);
            }
        }
        let lost: Vec<&&str> = texts.keys().filter(|path| !seen.contains(**path)).collect();
        assert!(lost.is_empty(), "no mod declaration leads to these files: {lost:?}");
    }
}

/// Notes a file and every file that its `mod` declarations lead to.
fn walk(path: &str, texts: &BTreeMap<&str, &str>, seen: &mut BTreeSet<String>) {
    if !seen.insert(path.to_owned()) {
        return;
    }
    let text = texts.get(path).unwrap_or_else(|| panic!("{path} is declared and is not there"));
    let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.trim_end_matches(".rs");
    let own = match stem {
        "mod" | "lib" | "main" => folder.to_owned(),
        stem => format!("{folder}/{stem}"),
    };
    declared(&parsed.items, folder, &own, texts, seen);
}

fn declared(
    items: &[Item],
    folder: &str,
    own: &str,
    texts: &BTreeMap<&str, &str>,
    seen: &mut BTreeSet<String>,
) {
    for item in items {
        let Item::Mod(module) = item else { continue };
        let name = module.ident.to_string();
        if let Some((_, items)) = &module.content {
            declared(items, folder, &format!("{own}/{name}"), texts, seen);
            continue;
        }
        let given = module.attrs.iter().find_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
                Expr::Lit(lit) => match &lit.lit {
                    Lit::Str(text) => Some(text.value()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        });
        let plain = format!("{own}/{name}.rs");
        let file = match given {
            Some(given) => format!("{folder}/{given}"),
            None if texts.contains_key(plain.as_str()) => plain,
            None => format!("{own}/{name}/mod.rs"),
        };
        walk(&file, texts, seen);
    }
}
