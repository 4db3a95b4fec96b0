//! Two documents side by side: each path with what both have there.

use bson::{Bson, Document};

use crate::limits::COMPARED_LINES_MAX;

/// Two documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Compare {
    /// The `_id` of each.
    pub ids: [Bson; 2],
    /// The lines, in the order of the first document.
    pub lines: Vec<Line>,
    /// Lines were left out because the documents are long.
    pub cut: bool,
    /// Whether lines with the same value are shown too.
    pub shows_same: bool,
}

/// A path and the value that each document has there.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The name at each level.
    pub names: Vec<String>,
    /// The values; `None` where a document has none.
    pub values: [Option<Bson>; 2],
}

impl Line {
    /// Whether both have the same value, of the same type.
    pub fn is_same(&self) -> bool {
        match &self.values {
            [Some(one), Some(other)] => is_same(one, other),
            _ => false,
        }
    }
}

impl Compare {
    /// Compares two documents.
    pub fn new(one: &Document, other: &Document) -> Self {
        let id = |document: &Document| document.get("_id").cloned().unwrap_or(Bson::Null);
        let mut lines = Vec::new();
        let whole = [one, other].map(|document| Bson::Document(document.clone()));
        let is_whole = compare(&mut Vec::new(), Some(&whole[0]), Some(&whole[1]), &mut lines);
        let ids = [id(one), id(other)];
        Self { ids, lines, cut: !is_whole, shows_same: false }
    }

    /// How many lines differ.
    pub fn differences(&self) -> usize {
        self.lines.iter().filter(|line| !line.is_same()).count()
    }
}

/// Adds the lines of two values. Returns whether there was room for all.
fn compare(
    names: &mut Vec<String>,
    one: Option<&Bson>,
    other: Option<&Bson>,
    lines: &mut Vec<Line>,
) -> bool {
    let both = match (one, other) {
        (Some(Bson::Document(one)), Some(Bson::Document(other))) => {
            let mut keys: Vec<&String> = one.keys().collect();
            keys.extend(other.keys().filter(|key| !one.contains_key(key.as_str())));
            let pairs = keys.into_iter().map(|key| (key.clone(), one.get(key), other.get(key)));
            Some(pairs.collect::<Vec<_>>())
        }
        (Some(Bson::Array(one)), Some(Bson::Array(other))) => {
            let pairs = (0..one.len().max(other.len()).min(COMPARED_LINES_MAX + 1))
                .map(|at| (at.to_string(), one.get(at), other.get(at)));
            Some(pairs.collect())
        }
        _ => None,
    };
    let Some(pairs) = both.filter(|pairs| !pairs.is_empty()) else {
        if lines.len() >= COMPARED_LINES_MAX {
            return false;
        }
        let values = [one.cloned(), other.cloned()];
        lines.push(Line { names: names.clone(), values });
        return true;
    };
    for (name, one, other) in pairs {
        names.push(name);
        let is_whole = compare(names, one, other, lines);
        names.pop();
        if !is_whole {
            return false;
        }
    }
    true
}

fn is_same(one: &Bson, other: &Bson) -> bool {
    let whole = |value: &Bson| bson::serialize_to_vec(&bson::doc! {"": value.clone()}).ok();
    whole(one) == whole(other)
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn each_path_has_both_values() {
        let one = doc! {"_id": 1, "a": {"x": 1, "y": [1, 2]}, "b": "only"};
        let other = doc! {"_id": 2, "a": {"x": 1_i64, "y": [1]}, "c": 3};
        let compared = Compare::new(&one, &other);
        let lines: Vec<(String, bool)> =
            compared.lines.iter().map(|line| (line.names.join("."), line.is_same())).collect();
        let expected = [
            ("_id", false),
            ("a.x", false),
            ("a.y.0", true),
            ("a.y.1", false),
            ("b", false),
            ("c", false),
        ];
        assert_eq!(lines, expected.map(|(path, same)| (path.to_owned(), same)));
        assert_eq!(compared.differences(), 5);
        assert_eq!(compared.lines[3].values, [Some(Bson::Int32(2)), None]);
        assert_eq!(Compare::new(&one, &one).differences(), 0);
    }

    #[test]
    fn long_documents_are_cut() {
        let items: Vec<i32> = (0..100_000).collect();
        let long = doc! {"_id": 1, "items": items};
        let compared = Compare::new(&long, &long);
        assert!(compared.cut);
        assert_eq!(compared.lines.len(), COMPARED_LINES_MAX);
    }
}
