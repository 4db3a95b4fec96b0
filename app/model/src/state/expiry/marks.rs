//! The marks of TTL indexes, where a collection has several.

use crate::state::indexes::TtlIndex;

/// The mark of a TTL index: a letter, and a color of the theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexMark {
    /// `A` for the first index.
    pub letter: char,
    /// The place of the color among those of the theme; colors repeat, letters hardly do.
    pub color: usize,
}

/// The mark of an index among the TTL indexes of its collection; `None` if it is the only one, or
/// none of them.
pub fn mark(indexes: &[TtlIndex], name: &str) -> Option<IndexMark> {
    let color = indexes.iter().position(|index| index.name == name);
    let color = color.filter(|_| indexes.len() > 1)?;
    let letter = u8::try_from(color % 26).map_or('A', |at| char::from(b'A' + at));
    Some(IndexMark { letter, color })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_indexes_have_letters_and_one_has_none() {
        let index = |name: &str| TtlIndex { name: name.to_owned(), ..TtlIndex::default() };
        let indexes: Vec<TtlIndex> = ["a_1", "b_1", "c_1"].map(index).to_vec();
        let letter = |indexes: &[TtlIndex], name| mark(indexes, name).map(|mark| mark.letter);
        assert_eq!(letter(&indexes, "a_1"), Some('A'));
        assert_eq!(letter(&indexes, "c_1"), Some('C'));
        assert_eq!(letter(&indexes, "gone"), None);
        assert_eq!(letter(&indexes[..1], "a_1"), None);
    }
}
