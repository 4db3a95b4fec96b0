//! The words of expiration, each explained in one sentence. The sentences are in
//! `assets/glossary.md`, one list item each.

use mayfly_engine::value::named;

const TEXT: &str = include_str!("../../../../assets/glossary.md");

named! {
    /// A word that the window explains where the pointer rests on it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Term {
        Ttl => "TTL",
        TtlIndex => "TTL index",
        Threshold => "threshold",
        Overdue => "overdue",
        Pass => "pass",
        Monitor => "TTL monitor",
        Lag => "lag",
        NeverExpires => "never expires",
        TtlField => "ttl field",
        Ts => "_ts",
    }
    /// The word, as the file writes it.
    pub fn word;
}

impl Term {
    /// Its meaning.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        let word = self.word();
        rows().find(|(known, _)| *known == word).map_or("", |(_, sentence)| sentence)
    }
}

/// Words and sentences of the file. It is short: ten lines are read whenever a tooltip is shown.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXT.lines().filter_map(|line| line.strip_prefix("- **")?.split_once("**: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_its_sentence_in_the_file() {
        let words: Vec<&str> = rows().map(|(word, _)| word).collect();
        assert_eq!(words, Term::ALL.map(Term::word));
        for term in Term::ALL {
            let sentence = term.sentence();
            assert!(sentence.ends_with('.') && sentence.len() < 120, "{}: {sentence}", term.word());
        }
        let items = TEXT.lines().filter(|line| line.starts_with("- ")).count();
        assert_eq!(items, Term::ALL.len(), "a line that is not read");
    }
}
