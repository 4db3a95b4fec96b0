//! No knot of files that can only be understood together.

use std::collections::BTreeSet;

use super::imports::{CrateImports, Form};
use super::source::{APP, ENGINE, rust_files};

/// Files that may import each other in a circle.
const CYCLE_FILES_MAX: usize = 6;

#[test]
fn no_import_cycle_of_more_than_six_files() {
    let mut broken = Vec::new();
    for roots in [ENGINE, APP] {
        let imports = CrateImports::read(roots, &rust_files(roots));
        assert!(imports.imports.len() > 1_000, "only {} imports seen", imports.imports.len());
        for cycle in cycles(imports.files.len(), &edges(&imports)) {
            if cycle.len() > CYCLE_FILES_MAX {
                let names: Vec<&str> =
                    cycle.iter().map(|file| imports.files[*file].as_str()).collect();
                broken.push(format!("{} files:\n  {}", cycle.len(), names.join("\n  ")));
            }
        }
    }
    assert!(broken.is_empty(), "import cycles\n{}", broken.join("\n"));
}

/// Who names whom. A name that is reached through an imported module counts, not the module.
fn edges(imports: &CrateImports) -> BTreeSet<(usize, usize)> {
    imports
        .imports
        .iter()
        .filter(|import| import.form != Form::Module)
        .filter_map(|import| Some((import.from, import.to?)))
        .collect()
}

/// The strongly connected components of more than one file (Tarjan's algorithm).
fn cycles(files: usize, edges: &BTreeSet<(usize, usize)>) -> Vec<Vec<usize>> {
    let mut walk = Walk {
        next: vec![Vec::new(); files],
        order: vec![None; files],
        low: vec![0; files],
        open: Vec::new(),
        seen: 0,
        found: Vec::new(),
    };
    for (from, to) in edges {
        walk.next[*from].push(*to);
    }
    for file in 0..files {
        if walk.order[file].is_none() {
            walk.visit(file);
        }
    }
    walk.found
}

struct Walk {
    next: Vec<Vec<usize>>,
    order: Vec<Option<usize>>,
    low: Vec<usize>,
    open: Vec<usize>,
    seen: usize,
    found: Vec<Vec<usize>>,
}

impl Walk {
    fn visit(&mut self, file: usize) {
        let order = self.seen;
        self.seen += 1;
        self.order[file] = Some(order);
        self.low[file] = order;
        self.open.push(file);
        for to in self.next[file].clone() {
            match self.order[to] {
                None => {
                    self.visit(to);
                    self.low[file] = self.low[file].min(self.low[to]);
                }
                Some(earlier) if self.open.contains(&to) => {
                    self.low[file] = self.low[file].min(earlier);
                }
                Some(_) => {}
            }
        }
        if self.low[file] == order {
            let at = self.open.iter().position(|open| *open == file).unwrap_or_default();
            let cycle = self.open.split_off(at);
            if cycle.len() > 1 {
                self.found.push(cycle);
            }
        }
    }
}

#[test]
fn a_cycle_is_found_and_a_chain_is_not() {
    let chain = BTreeSet::from([(0, 1), (1, 2), (2, 3)]);
    assert!(cycles(4, &chain).is_empty());
    let ring = BTreeSet::from([(0, 1), (1, 2), (2, 0), (2, 3)]);
    assert_eq!(cycles(4, &ring), [vec![0, 1, 2]]);
}
