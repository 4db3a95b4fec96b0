use std::cmp::Ordering::{self, Equal, Greater, Less};

use bson::RawDocumentBuf;
use proptest::prelude::*;

use super::{Collation, CollationMistake, TextOrder, has_text, locale};
use crate::value::{Direction, compare_in, key::encode_in, shell};

fn raw(text: &str) -> RawDocumentBuf {
    let document = shell::read_document(text).expect(text);
    RawDocumentBuf::try_from(&document).expect("plain document")
}

fn collation(text: &str) -> Collation {
    let read = Collation::read(&raw(text), "collation");
    read.unwrap_or_else(|error| panic!("{text}: {error}")).expect("not the simple one")
}

#[track_caller]
fn ordered(text: &str, a: &str, b: &str, expected: Ordering) {
    let rules = collation(text);
    assert_eq!(rules.compare(a, b), expected, "{text}: {a} and {b}");
    assert_eq!(rules.sort_key(a).cmp(&rules.sort_key(b)), expected, "keys of {text}: {a}, {b}");
}

#[test]
fn each_option_has_its_effect() {
    ordered("{locale: 'en'}", "a", "B", Less);
    ordered("{locale: 'en'}", "a", "A", Less);
    ordered("{locale: 'en', strength: 2}", "a", "A", Equal);
    ordered("{locale: 'en', strength: 2}", "a", "á", Less);
    ordered("{locale: 'en', strength: 1}", "a", "Á", Equal);
    ordered("{locale: 'de', strength: 1}", "strasse", "Straße", Equal);
    ordered("{locale: 'en', strength: 1, caseLevel: true}", "a", "A", Less);
    ordered("{locale: 'en', strength: 1, caseLevel: true}", "a", "á", Equal);
    ordered("{locale: 'en', caseFirst: 'upper'}", "a", "A", Greater);
    ordered("{locale: 'en', caseFirst: 'lower'}", "a", "A", Less);
    ordered("{locale: 'en'}", "10", "9", Less);
    ordered("{locale: 'en', numericOrdering: true}", "10", "9", Greater);
    ordered("{locale: 'en'}", "a b", "ab", Less);
    ordered("{locale: 'en', alternate: 'shifted'}", "a b", "ab", Equal);
    ordered("{locale: 'en', alternate: 'shifted', strength: 4}", "a b", "ab", Less);
    ordered("{locale: 'en', alternate: 'shifted'}", "a-b", "ab", Equal);
    ordered("{locale: 'en', alternate: 'shifted', maxVariable: 'space'}", "a-b", "ab", Less);
    ordered("{locale: 'ja'}", "ア", "ｱ", Equal);
    ordered("{locale: 'ja', strength: 5}", "ア", "ｱ", Less);
    ordered("{locale: 'fr'}", "coté", "côte", Less);
    ordered("{locale: 'fr', backwards: true}", "coté", "côte", Greater);
    ordered("{locale: 'fr_CA'}", "coté", "côte", Greater);
    ordered("{locale: 'fr_CA', backwards: false}", "coté", "côte", Less);
}

#[test]
fn each_language_has_its_rules() {
    ordered("{locale: 'en'}", "ä", "z", Less);
    ordered("{locale: 'sv'}", "ä", "z", Greater);
    ordered("{locale: 'nb'}", "å", "z", Greater);
    ordered("{locale: 'nn'}", "å", "z", Greater);
    ordered("{locale: 'cs'}", "ch", "h", Greater);
    ordered("{locale: 'es'}", "ñ", "nz", Greater);
    ordered("{locale: 'es'}", "ch", "cz", Less);
    ordered("{locale: 'es@collation=traditional'}", "ch", "cz", Greater);
    ordered("{locale: 'de'}", "ä", "ad", Less);
    ordered("{locale: 'de@collation=phonebook'}", "ä", "ad", Greater);
    ordered("{locale: 'lt'}", "y", "j", Less);
    ordered("{locale: 'zh'}", "一", "丁", Greater);
    ordered("{locale: 'zh@collation=stroke'}", "一", "丁", Less);
    ordered("{locale: 'zh_Hant'}", "一", "丁", Less);
    ordered("{locale: 'en_US_POSIX'}", "B", "a", Less);
}

#[test]
fn every_locale_can_be_read() {
    for name in locale::all() {
        assert_eq!(collation(&format!("{{locale: '{name}'}}")).compare("a", "b"), Less, "{name}");
    }
}

#[test]
fn all_fields_are_shown() {
    let spec = |text: &str| collation(text).spec().to_string();
    let expected = raw(
        "{locale: 'fr_CA', caseLevel: false, caseFirst: 'off', strength: 2, numericOrdering: false, \
         alternate: 'non-ignorable', maxVariable: 'punct', normalization: false, backwards: true, \
         version: '57.1'}",
    );
    let expected = bson::Document::try_from(expected).expect("a document").to_string();
    assert_eq!(spec("{locale: 'fr_CA', strength: 2.9}"), expected);
    assert_eq!(spec("{strength: 2, locale: 'fr_CA', version: '57.1', caseLevel: null}"), expected);
    assert_eq!(collation("{locale: 'en', strength: 3}"), collation("{locale: 'en'}"));
    assert_ne!(collation("{locale: 'en', strength: 2}"), collation("{locale: 'en'}"));
    assert_ne!(collation("{locale: 'en_US'}"), collation("{locale: 'en'}"));
}

#[test]
fn the_simple_one_is_none() {
    for text in ["{locale: 'simple'}", "{locale: 'simple', strength: 2}"] {
        assert_eq!(Collation::read(&raw(text), "collation"), Ok(None), "{text}");
    }
}

#[test]
fn refusals() {
    use CollationMistake::{
        BadValue, NoLocale, OtherVersion, UnknownField, Unsupported, WrongType,
    };
    let refused = |text: &str, kind, words: &str| {
        let error = Collation::read(&raw(text), "collation").expect_err(text);
        assert_eq!(error.kind, kind, "{text}: {error}");
        assert!(error.message.contains(words), "{text}: {error}");
    };
    refused("{}", NoLocale, "BSON field 'collation.locale' is missing but a required field");
    refused("{locale: null}", NoLocale, "missing");
    refused("{strength: 2}", NoLocale, "missing");
    refused("{locale: 5}", WrongType, "'collation.locale' is the wrong type 'int'");
    refused("{locale: 'en', caseLevel: 1}", WrongType, "'int', expected type 'bool'");
    refused("{locale: 'en', strength: '1'}", WrongType, "types '[double, decimal, long, int]'");
    refused("{locale: 'en', strength: true}", WrongType, "wrong type 'bool'");
    refused("{locale: 'en', backwards: 1}", WrongType, "should be a boolean value, but found: int");
    refused("{locale: 'en', x: 1}", UnknownField, "BSON field 'collation.x' is an unknown field.");
    refused("{locale: 'en', strength: 0}", BadValue, "Enumeration value '0'");
    refused("{locale: 'en', strength: 6}", BadValue, "value must be <= 5, actual value '6'");
    refused("{locale: 'en', strength: -1}", BadValue, "value must be >= 0, actual value '-1'");
    refused("{locale: 'en', caseFirst: 'x'}", BadValue, "Enumeration value 'x'");
    refused("{locale: 'en', alternate: 'x'}", BadValue, "'collation.alternate'");
    refused("{locale: 'en', maxVariable: 'x'}", BadValue, "'collation.maxVariable'");
    refused("{locale: ''}", BadValue, "cannot be the empty string");
    refused("{locale: 'xx'}", BadValue, "Field 'locale' is invalid in: { locale: \"xx\" }");
    refused("{locale: 'EN'}", BadValue, "Did you mean 'en'?");
    refused("{locale: 'en-us'}", BadValue, "Did you mean 'en_US'?");
    refused("{locale: 'de_CH'}", BadValue, "Did you mean 'de'?");
    refused("{locale: 'de@collation=x'}", BadValue, "Did you mean 'de'?");
    refused("{locale: 'root'}", BadValue, "invalid");
    refused("{locale: 'fr', strength: 1, backwards: true}", BadValue, "'backwards' is invalid");
    refused("{locale: 'en', strength: 1, caseFirst: 'upper'}", BadValue, "'caseFirst' is invalid");
    refused("{locale: 'en', version: '58'}", OtherVersion, "Requested collation version 58");
    refused("{locale: 'se'}", Unsupported, "no rules for it");
    refused("{locale: 'sv', backwards: true}", Unsupported, "no rules for it");
    refused("{locale: 'en@collation=search'}", Unsupported, "no rules for it");
}

#[test]
fn only_text_is_collated_at_any_depth() {
    let lower = collation("{locale: 'en', strength: 2}");
    let same = |a: &str, b: &str| {
        let (a, b) = (raw(&format!("{{v: {a}}}")), raw(&format!("{{v: {b}}}")));
        let [a, b] = [&a, &b].map(|one| one.get("v").expect("valid").expect("a value"));
        let order = compare_in(a, b, Some(&lower));
        let key = |value| encode_in(Some(value), Direction::Descending, Some(&lower)).bytes;
        assert_eq!(order, key(b).cmp(&key(a)), "{a:?} and {b:?}");
        order == Equal
    };
    assert!(same("'a'", "'A'"));
    assert!(same("['x', {b: 'a'}]", "['X', {b: 'A'}]"));
    assert!(!same("{b: 'a'}", "{B: 'a'}"));
    assert!(!same("['a', 'b']", "['A']"));
    assert!(!same("'a'", "1"));
    assert!(!same("Code('a')", "Code('A')"));
}

#[test]
fn text_is_found_at_any_depth() {
    for (text, expected) in [
        ("{v: 1}", false),
        ("{v: 'a'}", true),
        ("{v: {a: 'x'}}", true),
        ("{v: [[], {}, [1, {a: []}]]}", false),
        ("{v: [[], {b: {}}, [1, {a: ['x']}]]}", true),
        ("{v: Code('x')}", false),
    ] {
        let document = raw(text);
        let value = document.get("v").expect("valid").expect("a value");
        assert_eq!(has_text(value), expected, "{text}");
    }
}

/// Indexes store these bytes. If this fails after an update of `icu_collator`, raise
/// [`super::SORT_KEY_FORM`].
#[test]
fn sort_keys_stay_the_same() {
    let text = ["", "a", "A", "é", "Straße", "10", "日本", "ア", "😀", "a b", "ch", "ñ"];
    let specs = [
        "{locale: 'en'}",
        "{locale: 'de', strength: 1}",
        "{locale: 'sv', strength: 5}",
        "{locale: 'ja', strength: 4}",
        "{locale: 'zh'}",
        "{locale: 'cs', numericOrdering: true, caseFirst: 'upper'}",
        "{locale: 'es', alternate: 'shifted', caseLevel: true}",
    ];
    let keys: Vec<u8> = specs
        .iter()
        .flat_map(|spec| text.iter().flat_map(|text| collation(spec).sort_key(text)))
        .collect();
    assert_eq!(
        format!("{:032x}", xxhash_rust::xxh3::xxh3_128(&keys)),
        "641572021da29091f3a660779c4210f6"
    );
}

proptest! {
    #[test]
    fn keys_sort_as_the_text(a in "\\PC{0,12}", b in "\\PC{0,12}", which in 0_usize..6) {
        let rules = collation([
            "{locale: 'en'}",
            "{locale: 'de', strength: 1}",
            "{locale: 'fr_CA'}",
            "{locale: 'ja', strength: 5}",
            "{locale: 'cs', numericOrdering: true, caseFirst: 'upper'}",
            "{locale: 'en', alternate: 'shifted', strength: 4}",
        ][which]);
        prop_assert_eq!(rules.compare(&a, &b), rules.sort_key(&a).cmp(&rules.sort_key(&b)));
    }
}
