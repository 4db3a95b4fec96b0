//! The names of CSV columns: each cell of a header leads to a field, whatever it holds.
//!
//! A name with dots is a path. `tags[0]`, `tags[1]` are the elements of an array if no index is
//! left out. A cell without a name becomes `field` and its index from 0, as mongoimport names
//! excess cells, and a repeated name gets a number.

use std::collections::{HashMap, HashSet};

use crate::value::scan::DEPTH_MAX;

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::transfer) enum PathStep {
    Name(String),
    Index(usize),
}

/// Where the values of a column go.
pub(in crate::transfer) type ColumnPath = Vec<PathStep>;

/// A path as text: `a.b`, `tags[0].n`.
pub(in crate::transfer) fn path_text(path: &[PathStep]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            PathStep::Name(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(name);
            }
            PathStep::Index(index) => {
                text.push('[');
                text.push_str(&index.to_string());
                text.push(']');
            }
        }
    }
    text
}

/// The names on a path. Values in arrays have the path of their array.
pub(in crate::transfer) fn names(path: &[PathStep]) -> Vec<String> {
    let name = |step: &PathStep| match step {
        PathStep::Name(name) => Some(name.clone()),
        PathStep::Index(_) => None,
    };
    path.iter().filter_map(name).collect()
}

/// The path that a header means, as long as no other column means it too.
pub(in crate::transfer) fn meant(header: &str) -> Option<ColumnPath> {
    path(&clean(header.trim()))
}

/// The path of each column; no two are the same.
pub(in crate::transfer) fn paths(headers: &[&str]) -> Vec<ColumnPath> {
    let clean: Vec<String> = headers.iter().map(|header| clean(header)).collect();
    let mut found: Vec<Option<ColumnPath>> = clean.iter().map(|text| path(text)).collect();
    let broken = broken_arrays(&found);
    for (path, text) in found.iter_mut().zip(&clean) {
        let is_broken = |path: &ColumnPath| arrays(path).any(|(array, _)| broken.contains(array));
        if path.as_ref().is_some_and(is_broken) {
            *path = Some(literal(text));
        }
    }
    let mut taken: HashSet<ColumnPath> = HashSet::new();
    for path in found.iter_mut().flatten() {
        make_unique(path, &taken);
        taken.insert(path.clone());
    }
    let unnamed = |(index, path): (usize, Option<ColumnPath>)| {
        path.unwrap_or_else(|| {
            let mut path = unnamed(index);
            make_unique(&mut path, &taken);
            taken.insert(path.clone());
            path
        })
    };
    found.into_iter().enumerate().map(unnamed).collect()
}

/// The path of the column with this index, which has no name.
pub(in crate::transfer) fn unnamed(index: usize) -> ColumnPath {
    vec![PathStep::Name(format!("field{index}"))]
}

/// The column as a field of the document itself: `a.b` becomes `a_b`.
pub(in crate::transfer) fn flat(path: &[PathStep], taken: &HashSet<ColumnPath>) -> ColumnPath {
    let mut flat = vec![PathStep::Name(path_text(path).replace('.', "_"))];
    make_unique(&mut flat, taken);
    flat
}

/// The path that a name means; `None` if it has no part that can be one.
pub(in crate::transfer) fn path(name: &str) -> Option<ColumnPath> {
    let trimmed = name.trim_matches('.');
    if trimmed.is_empty() {
        return None;
    }
    let parts: Vec<&str> = trimmed.split('.').collect();
    if parts.iter().any(|part| part.is_empty()) || parts.len() > DEPTH_MAX {
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        return Some(vec![PathStep::Name(parts.collect::<Vec<_>>().join("_"))]);
    }
    let steps: ColumnPath = parts.into_iter().flat_map(indexed).collect();
    if steps.len() > DEPTH_MAX { Some(literal(trimmed)) } else { Some(steps) }
}

/// A path whose brackets are part of the names.
fn literal(name: &str) -> ColumnPath {
    let parts = name.split('.').filter(|part| !part.is_empty());
    parts.take(DEPTH_MAX).map(|part| PathStep::Name(part.to_owned())).collect()
}

/// `tags[0][1]` as a name and its indexes.
fn indexed(part: &str) -> ColumnPath {
    let (mut rest, mut indexes) = (part, Vec::new());
    while let Some((before, index)) =
        rest.strip_suffix(']').and_then(|inside| inside.rsplit_once('['))
    {
        let is_index = !index.is_empty()
            && index.bytes().all(|byte| byte.is_ascii_digit())
            && (index == "0" || !index.starts_with('0'));
        let Some(index) = index.parse().ok().filter(|_| is_index) else { break };
        indexes.push(PathStep::Index(index));
        rest = before;
    }
    if rest.is_empty() {
        return vec![PathStep::Name(part.to_owned())];
    }
    indexes.push(PathStep::Name(rest.to_owned()));
    indexes.reverse();
    indexes
}

/// The arrays on a path, each with the index in it.
fn arrays(path: &[PathStep]) -> impl Iterator<Item = (&[PathStep], usize)> {
    path.iter().enumerate().filter_map(|(at, step)| match step {
        PathStep::Index(index) => Some((path.get(..at)?, *index)),
        PathStep::Name(_) => None,
    })
}

/// Arrays whose indexes don't begin at 0, or leave one out, or that are a field or a document too.
pub(in crate::transfer) fn broken_arrays(paths: &[Option<ColumnPath>]) -> HashSet<ColumnPath> {
    let mut lengths: HashMap<&[PathStep], usize> = HashMap::new();
    let mut broken = HashSet::new();
    for path in paths.iter().flatten() {
        for (array, index) in arrays(path) {
            let length = lengths.entry(array).or_insert(0);
            if index == *length {
                *length += 1;
            } else if index > *length || path.len() == array.len() + 1 {
                broken.insert(array.to_vec());
            }
        }
    }
    for path in paths.iter().flatten() {
        for end in 1..=path.len() {
            let (before, next) = path.split_at(end);
            if lengths.contains_key(before) && !matches!(next.first(), Some(PathStep::Index(_))) {
                broken.insert(before.to_vec());
            }
        }
    }
    broken
}

/// Makes names of brackets whose array lost an element to another name.
pub(in crate::transfer) fn mend_arrays<'p>(paths: impl Iterator<Item = &'p mut ColumnPath>) {
    let mut paths: Vec<&mut ColumnPath> = paths.collect();
    let known: Vec<Option<ColumnPath>> = paths.iter().map(|path| Some((*path).clone())).collect();
    let broken = broken_arrays(&known);
    for path in &mut paths {
        if arrays(path).any(|(array, _)| broken.contains(array)) {
            **path = literal(&path_text(path));
        }
    }
}

/// Gives the last name a number if there is such a path already.
pub(in crate::transfer) fn make_unique(path: &mut ColumnPath, taken: &HashSet<ColumnPath>) {
    if !taken.contains(path) {
        return;
    }
    let text = path_text(path);
    if !matches!(path.last(), Some(PathStep::Name(_))) {
        *path = literal(&text);
    }
    let base = match path.last() {
        Some(PathStep::Name(name)) => name.clone(),
        _ => text,
    };
    for number in 2_usize.. {
        if let Some(last) = path.last_mut() {
            *last = PathStep::Name(format!("{base}_{number}"));
        }
        if !taken.contains(path) {
            return;
        }
    }
}

/// A header without the line breaks that spreadsheets put into it, and without what no name can
/// have.
fn clean(header: &str) -> String {
    let lines = header.split(['\r', '\n']).map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ").replace('\0', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(headers: &[&str], expected: &[&str]) {
        let paths = paths(headers);
        let found: Vec<String> = paths.iter().map(|path| path_text(path)).collect();
        assert_eq!(found, expected, "{headers:?}");
        let unique: HashSet<_> = paths.iter().collect();
        assert_eq!(unique.len(), headers.len(), "{headers:?}");
        let is_name = |step: &PathStep| !matches!(step, PathStep::Name(name) if name.is_empty());
        assert!(paths.iter().all(|path| !path.is_empty() && path.iter().all(is_name)));
    }

    #[test]
    fn each_column_has_a_name() {
        check(&["", "x", "y"], &["field0", "x", "y"]);
        check(&["x", "", "y", " "], &["x", "field1", "y", "field3"]);
        check(&["field1", "", "."], &["field1", "field1_2", "field2"]);
        check(
            &["No.", ".x", "a..b", "Price..USD.", "..."],
            &["No", "x", "a_b", "Price_USD", "field4"],
        );
        check(&["a", "a", "a", "a_2"], &["a", "a_2", "a_3", "a_2_2"]);
        check(&["a.b", "a.b", "a.c"], &["a.b", "a.b_2", "a.c"]);
        check(&["a\nb", " c ", "d\r\n e", "f\0g"], &["a b", "c", "d e", "fg"]);
        check(&[&"a.".repeat(500)], &[&vec!["a"; 500].join("_")]);
    }

    #[test]
    fn brackets_are_arrays_if_no_index_is_left_out() {
        let shape = |headers: &[&str]| -> Vec<usize> {
            let indexes = |path: &ColumnPath| arrays(path).count();
            paths(headers).iter().map(indexes).collect()
        };
        assert_eq!(shape(&["_id", "tags[0]", "tags[1]", "items[0].n"]), [0, 1, 1, 1]);
        assert_eq!(shape(&["a[0].x", "a[0].y", "a[1].x"]), [1, 1, 1]);
        assert_eq!(shape(&["a[0][0]", "a[0][1]", "a[1][0]"]), [2, 2, 2]);
        for headers in [
            &["w[kg]", "x[1]", "[0]", "y[]", "z[00]"][..],
            &["a[0]", "a[2]"],
            &["a[0]", "a[0]"],
            &["a", "a[0]"],
            &["a[0]", "a.x"],
            &["a[1]", "a[0]"],
        ] {
            assert!(shape(headers).iter().all(|count| *count == 0), "{headers:?}");
        }
        check(&["a[0]", "a[0]"], &["a[0]", "a[0]_2"]);
        check(&["tags[0]", "tags[1]"], &["tags[0]", "tags[1]"]);
    }
}
