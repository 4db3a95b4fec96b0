//! Collations as the window offers them: a language, what counts as equal, and numbers by value.

use bson::{Document, doc};
use mayfly_engine::value::{named, whole};

/// The locale that compares bytes.
pub const EXACT: &str = "simple";

/// The languages that are offered, by locale and by their own names. Those whose script needs a
/// font that not every system has are named in English.
pub const LANGUAGES: [(&str, &str); 31] = [
    ("id", "Bahasa Indonesia"),
    ("ca", "Català"),
    ("cs", "Čeština"),
    ("da", "Dansk"),
    ("de", "Deutsch"),
    ("et", "Eesti"),
    ("en", "English"),
    ("es", "Español"),
    ("fr", "Français"),
    ("hr", "Hrvatski"),
    ("it", "Italiano"),
    ("lv", "Latviešu"),
    ("lt", "Lietuvių"),
    ("hu", "Magyar"),
    ("nl", "Nederlands"),
    ("nb", "Norsk bokmål"),
    ("pl", "Polski"),
    ("pt", "Português"),
    ("ro", "Română"),
    ("sk", "Slovenčina"),
    ("fi", "Suomi"),
    ("sv", "Svenska"),
    ("vi", "Tiếng Việt"),
    ("tr", "Türkçe"),
    ("el", "Ελληνικά"),
    ("ru", "Русский"),
    ("uk", "Українська"),
    ("ar", "العربية"),
    ("zh", "Chinese"),
    ("ja", "Japanese"),
    ("ko", "Korean"),
];

named! {
    /// Which differences of letters count.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Letters {
        #[default]
        All => "Accents and case matter",
        /// Accents do, upper and lower case does not.
        NoCase => "Case does not matter",
        Base => "Neither matters",
    }
    /// In words.
    pub fn label;
}

impl Letters {
    const fn strength(self) -> i32 {
        match self {
            Self::All => 3,
            Self::NoCase => 2,
            Self::Base => 1,
        }
    }
}

/// A collation as it is chosen. Other fields of a collation are not offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollationChoice {
    /// The locale, such as `de`.
    pub locale: String,
    pub letters: Letters,
    /// Whether digits compare as numbers: 2 before 10.
    pub is_numeric: bool,
}

impl CollationChoice {
    /// A locale with everything as usual.
    pub fn of_locale(locale: &str) -> Self {
        Self { locale: locale.to_owned(), letters: Letters::All, is_numeric: false }
    }

    /// The choice that a collation is; `None` for an empty one.
    pub fn of(collation: &Document) -> Option<Self> {
        let locale = collation.get_str("locale").ok()?.to_owned();
        let letters = match collation.get("strength").and_then(whole) {
            Some(1) => Letters::Base,
            Some(2) => Letters::NoCase,
            _ => Letters::All,
        };
        let is_numeric = collation.get_bool("numericOrdering").unwrap_or(false);
        Some(Self { locale, letters, is_numeric })
    }

    /// The collation, with the fields that are not as usual. Exact bytes have no others.
    pub fn document(&self) -> Document {
        let mut collation = doc! { "locale": &self.locale };
        if self.locale == EXACT {
            return collation;
        }
        if self.letters != Letters::All {
            collation.insert("strength", self.letters.strength());
        }
        if self.is_numeric {
            collation.insert("numericOrdering", true);
        }
        collation
    }

    /// The language by its own name, or the locale.
    pub fn language(&self) -> &str {
        if self.locale == EXACT {
            return "Exact bytes";
        }
        let known = LANGUAGES.iter().find(|(locale, _)| *locale == self.locale);
        known.map_or(&self.locale, |(_, name)| name)
    }

    /// In a few words.
    pub fn in_words(&self) -> String {
        let letters = match self.letters {
            Letters::All => "",
            Letters::NoCase => ", any case",
            Letters::Base => ", any case and accent",
        };
        let numbers = if self.is_numeric { ", 2 before 10" } else { "" };
        format!("{}{letters}{numbers}", self.language())
    }
}

/// Whether an index of this definition can be used for text of this collation.
pub fn serves(index: &Document, collation: &CollationChoice) -> bool {
    let of_index = index.get_document("collation").ok().and_then(CollationChoice::of);
    let is_exact = collation.locale == EXACT;
    of_index.map_or(is_exact, |of_index| of_index == *collation)
}

#[cfg(test)]
mod tests {
    use bson::RawDocumentBuf;
    use mayfly_engine::value::Collation;

    use super::*;

    #[test]
    fn the_engine_knows_every_language_that_is_offered() {
        for (locale, name) in LANGUAGES {
            for letters in Letters::ALL {
                let choice =
                    CollationChoice { locale: locale.to_owned(), letters, is_numeric: true };
                let document = choice.document();
                assert_eq!(CollationChoice::of(&document), Some(choice), "{name}");
                let raw = RawDocumentBuf::try_from(&document).expect("a document");
                let known = Collation::read(&raw, "collation").expect(name).expect("not bytes");
                // Servers list indexes with every field.
                assert!(serves(
                    &doc! { "collation": known.spec().clone() },
                    &CollationChoice::of(&document).expect("a choice")
                ));
            }
        }
        let mut names = LANGUAGES.map(|(_, name)| name.to_lowercase());
        names.sort();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }

    #[test]
    fn usual_fields_are_left_out() {
        let exact = CollationChoice { is_numeric: true, ..CollationChoice::of_locale(EXACT) };
        assert_eq!(exact.document(), doc! { "locale": "simple" });
        assert_eq!(CollationChoice::of_locale("de").document(), doc! { "locale": "de" });
        let choice = CollationChoice::of(&doc! { "locale": "sv", "strength": 1_i64 });
        let choice = choice.expect("a choice");
        assert_eq!(choice.in_words(), "Svenska, any case and accent");
        assert_eq!(choice.document(), doc! { "locale": "sv", "strength": 1 });
        assert_eq!(CollationChoice::of(&doc! {}), None);
        assert_eq!(CollationChoice::of_locale("fr_CA").in_words(), "fr_CA");
    }

    #[test]
    fn an_index_serves_the_collation_that_it_has() {
        let german = CollationChoice::of_locale("de");
        let index = doc! { "collation": { "locale": "de", "strength": 3, "version": "57.1" } };
        assert!(serves(&index, &german));
        assert!(!serves(&index, &CollationChoice { letters: Letters::Base, ..german.clone() }));
        assert!(!serves(&doc! {}, &german));
        assert!(serves(&doc! {}, &CollationChoice::of_locale(EXACT)));
        assert!(!serves(&index, &CollationChoice::of_locale(EXACT)));
    }
}
