//! Layers: a folder names only folders below it, in whatever form the import is written.

use std::collections::BTreeMap;

use super::imports::{CrateImports, Form};
use super::source::{APP, ENGINE, Source, rust_files};

/// Each layer, and the layers that its files may name, separated by spaces.
type Layers = [(&'static str, &'static str)];

/// The engine, bottom to top. Each row lists every layer it may name, because siblings such as `archive` and `plan` don't
/// know each other.
const ENGINE_LAYERS: &Layers = &[
    ("broken_rules", ""),
    ("interrupt", ""),
    ("held_bytes", "limits"),
    ("limits", ""),
    ("supervised", ""),
    ("clock", "limits"),
    ("value", "interrupt limits"),
    ("reply", "value"),
    ("ttl", "broken_rules value limits"),
    ("query", "value interrupt held_bytes limits"),
    ("store", "value clock interrupt limits supervised"),
    ("catalog", "broken_rules value clock ttl query store interrupt limits"),
    ("event", "clock ttl store catalog limits"),
    ("collection", "broken_rules value clock ttl query store catalog event interrupt limits"),
    ("replication", "store catalog collection limits"),
    ("plan", "value clock ttl query store catalog collection interrupt held_bytes limits"),
    ("pipeline", "value clock ttl query store catalog collection plan interrupt held_bytes limits"),
    ("archive", "value clock ttl query store catalog collection interrupt limits"),
    (
        "reaper",
        "broken_rules value reply clock ttl query store catalog event collection plan \
         archive interrupt limits supervised",
    ),
    ("transfer", "value clock ttl query store catalog collection plan archive interrupt limits"),
    (
        "command",
        "value reply clock ttl query store catalog event collection plan pipeline \
         archive reaper replication transfer interrupt limits",
    ),
    ("wire", "value clock query command interrupt limits supervised"),
    (
        "engine",
        "value clock ttl query store catalog event collection plan pipeline archive \
         reaper replication transfer command wire interrupt limits supervised",
    ),
];

/// The app, bottom to top.
const APP_LAYERS: &Layers = &[
    ("limits", ""),
    ("shutdown", "limits"),
    ("pace", "limits"),
    ("quoted", ""),
    ("near", ""),
    ("renderer", ""),
    ("display", ""),
    ("job", "limits"),
    ("commands", "job limits"),
    ("guide", "limits"),
    ("inspect", "job commands guide near limits"),
    ("state", "job commands inspect guide limits quoted"),
    ("action", "job commands inspect guide state limits"),
    ("demo", "job limits"),
    ("source", "job demo limits"),
    ("shell", "job source limits"),
    ("lessons", "job source shell near limits"),
    ("worker", "job commands inspect demo source shell lessons limits"),
    ("apply", "job commands inspect guide state action demo source worker limits"),
    ("theme", "limits"),
    ("widgets", "job theme limits quoted"),
    ("panels", "job commands inspect guide state action shell theme widgets limits"),
    ("dialogs", "job commands inspect guide state action theme widgets panels limits"),
    ("keys", "action state"),
    ("window", "app job source state theme worker display limits shutdown"),
    (
        "app",
        "job commands state action source worker apply theme keys \
         widgets panels dialogs limits pace renderer shutdown",
    ),
    ("cli", "job commands inspect state demo source shell lessons worker theme limits shutdown"),
    ("program", "app cli job lessons source window worker limits shutdown"),
];

fn layer(module: &[String]) -> &str {
    module.first().map_or("", String::as_str)
}

/// Whether a row of the table lists a layer.
fn names(below: &str, layer: &str) -> bool {
    below.split(' ').any(|name| name == layer)
}

/// Every import that the table does not allow, and every layer that it lacks.
fn upward(layers: &Layers, imports: &CrateImports) -> Vec<String> {
    let allowed: BTreeMap<&str, &str> = layers.iter().copied().collect();
    let mut broken = Vec::new();
    // The import of the module has been looked at; a public name in it may come from farther down.
    for import in imports.imports.iter().filter(|import| import.form != Form::Through) {
        let (from, to) = (layer(&imports.modules[import.from]), layer(&import.path));
        if from.is_empty() || from == to {
            continue;
        }
        let at = format!("{}:{}", imports.files[import.from], import.line);
        match allowed.get(from) {
            None => broken.push(format!("{at}: the layer {from} is not in the table")),
            Some(_) if to.is_empty() => broken.push(format!("{at} names the whole crate")),
            Some(below) if !names(below, to) => {
                broken.push(format!("{at} names {}", import.path.join("::")));
            }
            Some(_) => {}
        }
    }
    broken
}

#[test]
fn layers_name_only_layers_below() {
    for (roots, layers) in [(ENGINE, ENGINE_LAYERS), (APP, APP_LAYERS)] {
        let imports = CrateImports::read(roots, &rust_files(roots));
        let between = imports
            .imports
            .iter()
            .filter(|import| layer(&import.path) != layer(&imports.modules[import.from]));
        assert!(between.count() > 500, "this test no longer sees the imports of {roots:?}");
        let broken = upward(layers, &imports);
        assert!(broken.is_empty(), "{} upward imports\n{}", broken.len(), broken.join("\n"));
    }
}

/// A layer that allows another is never allowed by it: the tables describe an order.
#[test]
fn the_tables_have_no_circle() {
    for layers in [ENGINE_LAYERS, APP_LAYERS] {
        let mut left: BTreeMap<&str, &str> = layers.iter().copied().collect();
        while !left.is_empty() {
            let free: Vec<&str> = left
                .iter()
                .filter(|(_, below)| !below.split(' ').any(|name| left.contains_key(name)))
                .map(|(name, _)| *name)
                .collect();
            assert!(!free.is_empty(), "a circle among {:?}", left.keys());
            left.retain(|name, _| !free.contains(name));
        }
    }
}

/// Each layer, each layer that it may not name, in each form that an import can have.
#[test]
fn an_upward_import_is_seen_in_every_form() {
    for (roots, layers) in [(ENGINE, ENGINE_LAYERS), (APP, APP_LAYERS)] {
        for (from, below) in layers {
            let forbidden = layers.iter().map(|(name, _)| *name);
            for to in forbidden.filter(|to| to != from && !names(below, to)) {
                for text in forms(to) {
                    check_seen(roots[0], layers, (from, to), &text);
                }
            }
        }
    }
}

/// The forms in which a file of a layer, two folders deep, can name the layer `to`.
fn forms(to: &str) -> [String; 12] {
    [
        format!("use crate::{to}::Item;"),
        format!("use crate::{{{to}::{{inner::Other, Item}}}};"),
        format!("use crate::{to};"),
        format!("use crate::{to} as renamed;"),
        format!("use crate::{to}::*;"),
        format!("pub(crate) use crate::{to}::Item as Renamed;"),
        format!("use super::super::{to}::Item;"),
        format!("use {{std::fmt, super::{{super::{to}::Item}}}};"),
        format!("fn f() {{ crate::{to}::f(); }}"),
        format!("fn f(item: &dyn crate::{to}::Item) {{}}"),
        format!("fn f() {{ println!(\"{{}}\", crate::{to}::NAME); }}"),
        "use crate::Exported;".to_owned(),
    ]
}

fn check_seen(root: &str, layers: &Layers, (from, to): (&str, &str), text: &str) {
    let file =
        |path: String, text: &str| Source { path: format!("{root}/{path}"), text: text.into() };
    let sources = [
        file("lib.rs".into(), &format!("pub mod {from}; pub mod {to}; pub use {to}::Exported;")),
        file(format!("{from}/mod.rs"), "mod file;"),
        file(format!("{from}/file.rs"), text),
        file(format!("{to}/mod.rs"), "pub mod inner;"),
        file(format!("{to}/inner.rs"), ""),
    ];
    let broken = upward(layers, &CrateImports::read(&[root], &sources));
    assert!(!broken.is_empty(), "{from} naming {to} is not seen: {text}");
    assert!(broken.iter().all(|line| line.contains(&format!("{root}/{from}/file.rs:1 "))));
}

#[test]
fn the_whole_crate_under_another_name_is_refused() {
    for text in ["use crate as root;", "use crate::*;", "use super::super as root;"] {
        let source = |path: &str, text: &str| Source {
            path: format!("app/model/src/{path}"),
            text: text.into(),
        };
        let sources = [source("state/mod.rs", "mod file;"), source("state/file.rs", text)];
        let broken = upward(APP_LAYERS, &CrateImports::read(&["app/model/src"], &sources));
        assert_eq!(broken, ["app/model/src/state/file.rs:1 names the whole crate"], "{text}");
    }
}

/// Crates that only some folders may name: crate, folders, why.
const FOREIGN: [(&str, &[&str], &str); 5] = [
    ("heed", &["engine/store/src/store/"], "only the store knows LMDB"),
    // Cargo keeps egui in the window's crate.
    (
        "eframe",
        &["app/window/src/app.rs", "app/window/src/renderer.rs", "app/window/src/window.rs"],
        "only the native window knows its frame",
    ),
    (
        "rfd",
        &["app/session/src/worker/", "app/window/src/app.rs"],
        "the system's dialogs block: a thread of their own",
    ),
    (
        "tokio",
        &[
            "engine/core/src/archive/s3/",
            "app/session/src/source/remote/runtime.rs",
            "app/session/src/source/remote/relay",
        ],
        "a runtime stays in one place",
    ),
    ("keyring", &["app/session/src/source/secrets.rs"], "secrets have one door"),
];

#[test]
fn some_crates_are_named_in_one_place() {
    for roots in [ENGINE, APP] {
        let imports = CrateImports::read(roots, &rust_files(roots));
        let mut broken = Vec::new();
        for (file, line, name) in &imports.foreign {
            let path = &imports.files[*file];
            for (crate_name, folders, why) in FOREIGN {
                if name == crate_name && !folders.iter().any(|folder| path.starts_with(folder)) {
                    broken.push(format!("{path}:{line} names {name}: {why}"));
                }
            }
        }
        assert!(broken.is_empty(), "{}", broken.join("\n"));
        let named = if roots == ENGINE { "heed" } else { "egui" };
        assert!(imports.foreign.iter().any(|(_, _, name)| name == named));
    }
}
