//! A list of named values in order, whose names are found without a search through all of them.

use std::collections::BTreeMap;

/// Up to this length a search is as fast as a tree.
const SEARCHED_MAX: usize = 16;

/// Named values in the order in which they came. Names are different.
#[derive(Debug, Clone)]
pub(super) struct NamedList<T> {
    list: Vec<(String, T)>,
    /// The positions by name, once the list is longer than [`SEARCHED_MAX`].
    positions: Option<BTreeMap<String, usize>>,
}

impl<T> Default for NamedList<T> {
    fn default() -> Self {
        Self { list: Vec::new(), positions: None }
    }
}

impl<T> NamedList<T> {
    pub(super) fn push(&mut self, name: String, value: T) {
        self.list.push((name, value));
        if self.list.len() > SEARCHED_MAX {
            let positions = self.positions.get_or_insert_default();
            let known = positions.len();
            for (at, (name, _)) in self.list.iter().enumerate().skip(known) {
                positions.insert(name.clone(), at);
            }
        }
    }

    pub(super) fn position(&self, name: &str) -> Option<usize> {
        match &self.positions {
            Some(positions) => positions.get(name).copied(),
            None => self.list.iter().position(|(other, _)| other == name),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&T> {
        self.at(self.position(name)?)
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        let at = self.position(name)?;
        self.list.get_mut(at).map(|(_, value)| value)
    }

    pub(super) fn at(&self, position: usize) -> Option<&T> {
        self.list.get(position).map(|(_, value)| value)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.list.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_short_and_long_lists() {
        let mut list = NamedList::default();
        for at in 0..100 {
            assert_eq!(list.get(&at.to_string()), None);
            list.push(at.to_string(), at);
            for (at, (name, value)) in list.iter().enumerate() {
                assert_eq!((list.position(name), list.get(name)), (Some(at), Some(value)));
            }
        }
        *list.get_mut("70").expect("there") = 7;
        assert_eq!((list.at(70), list.len()), (Some(&7), 100));
    }
}
