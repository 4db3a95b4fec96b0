//! Places in a document: the position of the field at each level, or its name at each level. Names
//! survive another version of the document, positions name a field whatever its name holds.

use bson::{Bson, Document};

/// The name of the field at a place and its value.
pub fn at<'d>(document: &'d Document, path: &[usize]) -> Option<(String, &'d Bson)> {
    let (first, rest) = path.split_first()?;
    let (name, mut value) = document.iter().nth(*first)?;
    let mut name = name.clone();
    for step in rest {
        (name, value) = match value {
            Bson::Document(inner) => {
                let (name, value) = inner.iter().nth(*step)?;
                (name.clone(), value)
            }
            Bson::Array(inner) => (step.to_string(), inner.get(*step)?),
            _ => return None,
        };
    }
    Some((name, value))
}

/// The value at a place, to change it.
pub fn at_mut<'d>(value: &'d mut Bson, path: &[usize]) -> Option<&'d mut Bson> {
    let mut value = value;
    for step in path {
        value = match value {
            Bson::Document(inner) => inner.iter_mut().nth(*step)?.1,
            Bson::Array(inner) => inner.get_mut(*step)?,
            _ => return None,
        };
    }
    Some(value)
}

/// The name at each level of a place.
pub fn names(document: &Document, path: &[usize]) -> Option<Vec<String>> {
    (1..=path.len()).map(|end| at(document, &path[..end]).map(|(name, _)| name)).collect()
}

/// The place that has these names.
pub fn position(document: &Document, names: &[String]) -> Option<Vec<usize>> {
    let mut path = Vec::with_capacity(names.len());
    let (first, rest) = names.split_first()?;
    let index = document.keys().position(|name| name == first)?;
    path.push(index);
    let mut value = document.get(first)?;
    for name in rest {
        let (index, next) = match value {
            Bson::Document(inner) => {
                (inner.keys().position(|key| key == name)?, inner.get(name.as_str())?)
            }
            Bson::Array(inner) => {
                let index = name.parse().ok()?;
                (index, inner.get(index)?)
            }
            _ => return None,
        };
        path.push(index);
        value = next;
    }
    Some(path)
}

/// The value that has these names.
pub fn value<'d>(document: &'d Document, names: &[String]) -> Option<&'d Bson> {
    at(document, &position(document, names)?).map(|(_, value)| value)
}

/// The path as a filter or an index has it: `address.city`.
pub fn dotted(names: &[String]) -> String {
    names.join(".")
}

/// Whether a filter reads these names as this path: not if one of them holds a dot or begins with
/// `$`.
pub fn is_plain(names: &[String]) -> bool {
    let plain = |name: &String| !name.is_empty() && !name.contains('.') && !name.starts_with('$');
    !names.is_empty() && names.iter().all(plain)
}

/// The document without the field at a place.
pub fn removed(document: &Document, path: &[usize]) -> Option<Document> {
    changed(document, path, |parent, index| match parent {
        Bson::Document(fields) => {
            let name = fields.keys().nth(index).cloned();
            name.and_then(|name| fields.remove(name)).is_some()
        }
        Bson::Array(items) if index < items.len() => {
            items.remove(index);
            true
        }
        _ => false,
    })
}

/// The document with the field at a place one further up or down. `None` if it is at the end, or
/// would change places with the `_id`.
pub fn moved(document: &Document, path: &[usize], up: bool) -> Option<Document> {
    let is_top = path.len() == 1;
    changed(document, path, |parent, index| {
        let other = if up { index.checked_sub(1) } else { Some(index + 1) };
        let Some(other) = other else { return false };
        match parent {
            Bson::Document(fields) => {
                let is_id = |at: usize| is_top && fields.keys().nth(at).is_some_and(|n| n == "_id");
                if other >= fields.len() || is_id(index) || is_id(other) {
                    return false;
                }
                let mut all: Vec<(String, Bson)> = std::mem::take(fields).into_iter().collect();
                all.swap(index, other);
                fields.extend(all);
                true
            }
            Bson::Array(items) if other < items.len() && index < items.len() => {
                items.swap(index, other);
                true
            }
            _ => false,
        }
    })
}

/// The document with another name for the field at a place. `None` if it is not in a document, or
/// another field has the name.
pub fn renamed(document: &Document, path: &[usize], name: &str) -> Option<Document> {
    changed(document, path, |parent, index| {
        let Bson::Document(fields) = parent else { return false };
        let has_other = fields.keys().enumerate().any(|(at, key)| at != index && key == name);
        if has_other || index >= fields.len() {
            return false;
        }
        let all = std::mem::take(fields).into_iter().enumerate();
        fields.extend(all.map(
            |(at, (old, value))| {
                if at == index { (name.to_owned(), value) } else { (old, value) }
            },
        ));
        true
    })
}

/// The document with a value added at the end of the value at the place. An empty place is the
/// document itself. `None` if nothing can be added there, or the name is taken.
pub fn added(document: &Document, parent: &[usize], name: &str, value: Bson) -> Option<Document> {
    let mut whole = Bson::Document(document.clone());
    match at_mut(&mut whole, parent)? {
        Bson::Document(fields) if !fields.contains_key(name) => {
            fields.insert(name, value);
        }
        Bson::Array(items) => items.push(value),
        _ => return None,
    }
    into_document(whole)
}

fn changed(
    document: &Document,
    path: &[usize],
    change: impl FnOnce(&mut Bson, usize) -> bool,
) -> Option<Document> {
    let (last, parent) = path.split_last()?;
    let mut whole = Bson::Document(document.clone());
    let is_done = change(at_mut(&mut whole, parent)?, *last);
    is_done.then(|| into_document(whole)).flatten()
}

/// The document again, after a change inside.
pub fn into_document(value: Bson) -> Option<Document> {
    match value {
        Bson::Document(document) => Some(document),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn strings(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_and_positions_say_the_same() {
        let document = doc! {"_id": 1, "a": {"b": [1, {"c.d": 2}]}};
        let check = |path: &[usize], expected: &[&str]| {
            let found = names(&document, path).expect("a place");
            assert_eq!(found, strings(expected));
            assert_eq!(position(&document, &found).as_deref(), Some(path));
        };
        check(&[1], &["a"]);
        check(&[1, 0, 1, 0], &["a", "b", "1", "c.d"]);
        assert_eq!(position(&document, &strings(&["a", "x"])), None);
        assert_eq!(position(&document, &strings(&["a", "b", "7"])), None);
        assert!(is_plain(&strings(&["a", "b"])) && !is_plain(&strings(&["a.b"])));
    }

    #[test]
    fn fields_are_removed_moved_renamed_and_added() {
        let document = doc! {"_id": 1, "a": 1, "b": {"x": 1, "y": 2}, "c": [1, 2]};
        let check = |found: Option<Document>, expected: Document| {
            let found = found.expect("it can be done");
            let keys = |document: &Document| document.keys().cloned().collect::<Vec<_>>();
            assert_eq!((keys(&found), &found), (keys(&expected), &expected));
        };
        check(removed(&document, &[1]), doc! {"_id": 1, "b": {"x": 1, "y": 2}, "c": [1, 2]});
        check(
            removed(&document, &[3, 0]),
            doc! {"_id": 1, "a": 1, "b": {"x": 1, "y": 2}, "c": [2]},
        );
        check(
            moved(&document, &[2, 1], true),
            doc! {"_id": 1, "a": 1, "b": {"y": 2, "x": 1}, "c": [1, 2]},
        );
        check(
            moved(&document, &[1], false),
            doc! {"_id": 1, "b": {"x": 1, "y": 2}, "a": 1, "c": [1, 2]},
        );
        assert_eq!(moved(&document, &[1], true), None, "the _id stays first");
        assert_eq!(moved(&document, &[3], false), None, "it is the last one");
        check(
            renamed(&document, &[2, 0], "z"),
            doc! {"_id": 1, "a": 1, "b": {"z": 1, "y": 2}, "c": [1, 2]},
        );
        assert_eq!(renamed(&document, &[1], "b"), None, "b is taken");
        check(
            added(&document, &[2], "z", Bson::Int32(3)),
            doc! {"_id": 1, "a": 1, "b": {"x": 1, "y": 2, "z": 3}, "c": [1, 2]},
        );
        check(
            added(&document, &[3], "", Bson::Int32(3)),
            doc! {"_id": 1, "a": 1, "b": {"x": 1, "y": 2}, "c": [1, 2, 3]},
        );
        assert_eq!(added(&document, &[], "a", Bson::Null), None, "a is taken");
    }
}
