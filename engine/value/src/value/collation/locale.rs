//! The locales that MongoDB has, and which of them ICU4X has rules for.

use icu_locale_core::Locale;

/// Every locale of MongoDB's, as ICU 57.1 has collations for them.
const LOCALES: &[&str] = &[
    "af",
    "am",
    "ar",
    "as",
    "az",
    "be",
    "bg",
    "bn",
    "bo",
    "bs",
    "bs_Cyrl",
    "ca",
    "chr",
    "cs",
    "cy",
    "da",
    "de",
    "de_AT",
    "dsb",
    "dz",
    "ee",
    "el",
    "en",
    "en_US",
    "en_US_POSIX",
    "eo",
    "es",
    "et",
    "fa",
    "fa_AF",
    "fi",
    "fil",
    "fo",
    "fr",
    "fr_CA",
    "ga",
    "gl",
    "gu",
    "ha",
    "haw",
    "he",
    "hi",
    "hr",
    "hsb",
    "hu",
    "hy",
    "id",
    "ig",
    "is",
    "it",
    "ja",
    "ka",
    "kk",
    "kl",
    "km",
    "kn",
    "ko",
    "kok",
    "ky",
    "lb",
    "lkt",
    "ln",
    "lo",
    "lt",
    "lv",
    "mk",
    "ml",
    "mn",
    "mr",
    "ms",
    "mt",
    "my",
    "nb",
    "ne",
    "nl",
    "nn",
    "om",
    "or",
    "pa",
    "pl",
    "ps",
    "pt",
    "ro",
    "ru",
    "se",
    "si",
    "sk",
    "sl",
    "smn",
    "sq",
    "sr",
    "sr_Latn",
    "sv",
    "sw",
    "ta",
    "te",
    "th",
    "to",
    "tr",
    "ug",
    "uk",
    "ur",
    "vi",
    "wae",
    "yi",
    "yo",
    "zh",
    "zh_Hant",
    "zu",
];

/// Locales whose rules are not in ICU4X's data, which would sort them as English.
const WITHOUT_DATA: &[&str] =
    &["bo", "dz", "fa_AF", "haw", "kl", "lkt", "ln", "se", "smn", "wae", "yi"];

/// Locales without rules of their own: all of Unicode's default order.
const OF_ROOT: &[&str] = &[
    "ca", "de", "de_AT", "en", "en_US", "fr", "ga", "id", "it", "lb", "ms", "nl", "pt", "sw", "zu",
];

/// Other orders of a locale, `locale@collation=name`: the locale, MongoDB's name, and the name of
/// Unicode's locales. The list has those that ICU4X has.
const VARIANTS: &[(&str, &str, &str)] = &[
    ("ar", "compat", "compat"),
    ("bn", "traditional", "trad"),
    ("de", "phonebook", "phonebk"),
    ("de_AT", "phonebook", "phonebk"),
    ("es", "traditional", "trad"),
    ("fi", "traditional", "trad"),
    ("ja", "unihan", "unihan"),
    ("kn", "traditional", "trad"),
    ("ko", "unihan", "unihan"),
    ("si", "dictionary", "dict"),
    ("vi", "traditional", "trad"),
    ("zh", "stroke", "stroke"),
    ("zh", "unihan", "unihan"),
    ("zh", "zhuyin", "zhuyin"),
    ("zh_Hant", "pinyin", "pinyin"),
    ("zh_Hant", "unihan", "unihan"),
    ("zh_Hant", "zhuyin", "zhuyin"),
];

/// Variants that MongoDB has for some locales, and Mayfly for none.
const UNSUPPORTED_VARIANTS: &[&str] =
    &["big5han", "emoji", "eor", "gb2312han", "phonetic", "search", "searchjl", "standard"];

/// The support for a locale's name.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum KnownLocale {
    Rules(Locale),
    /// MongoDB has it, and ICU4X has no rules for it.
    WithoutData,
    /// MongoDB has none with this name. It may have this one.
    Unknown(Option<String>),
}

/// The locale of a collation. `backwards`: its accents are to compare from the end.
pub(super) fn find(name: &str, backwards: bool) -> KnownLocale {
    let (base, variant) = match name.split_once('@') {
        Some((base, keyword)) => (base, Some(keyword)),
        None => (name, None),
    };
    if !LOCALES.contains(&base) {
        return KnownLocale::Unknown(nearest(base));
    }
    let mut tag = base.replace('_', "-");
    if let Some(keyword) = variant {
        let variant = keyword.strip_prefix("collation=").unwrap_or_default();
        let known = |(of, name, _): &&(&str, &str, &str)| *of == base && *name == variant;
        match VARIANTS.iter().find(known) {
            Some((_, _, code)) => tag = format!("{tag}-u-co-{code}"),
            None if UNSUPPORTED_VARIANTS.contains(&variant) => return KnownLocale::WithoutData,
            None => return KnownLocale::Unknown(Some(base.to_owned())),
        }
    }
    if WITHOUT_DATA.contains(&base) {
        return KnownLocale::WithoutData;
    }
    match (is_backwards(name), backwards) {
        (true, false) => "fr".clone_into(&mut tag),
        // Canadian French has the default order but for its accents.
        (false, true) if OF_ROOT.contains(&name) => "fr-CA".clone_into(&mut tag),
        (false, true) => return KnownLocale::WithoutData,
        _ => {}
    }
    Locale::try_from_str(&tag).map_or(KnownLocale::Unknown(None), KnownLocale::Rules)
}

/// Whether its accents compare from the end unless the collation says otherwise.
pub(super) fn is_backwards(name: &str) -> bool {
    name == "fr_CA"
}

/// A locale of almost this name: in other letters, or of the language alone.
fn nearest(name: &str) -> Option<String> {
    let mut parts: Vec<String> = name
        .split(['_', '-'])
        .enumerate()
        .map(|(at, part)| match (at, part.len()) {
            (0, _) => part.to_ascii_lowercase(),
            (_, 4) => {
                part.chars().take(1).flat_map(char::to_uppercase).collect::<String>()
                    + &part.chars().skip(1).collect::<String>().to_ascii_lowercase()
            }
            _ => part.to_ascii_uppercase(),
        })
        .collect();
    while !parts.is_empty() {
        let wanted = parts.join("_");
        if LOCALES.contains(&wanted.as_str()) {
            return Some(wanted);
        }
        parts.pop();
    }
    None
}

#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    LOCALES.iter().copied().filter(|name| !WITHOUT_DATA.contains(name))
}
