//! File names for collections.

use xxhash_rust::xxh3::xxh3_64;

use crate::transfer::limits::FILE_NAME_BYTES_MAX;

/// Device names on Windows, which are reserved with any extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
/// Device names with a digit.
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// Converts a name to a file name without extension that is valid on every system. Letters, digits
/// and `-_.` are kept. Other characters become percent-encoded bytes, and so does one that would
/// hide the file, leave the folder or name a device. A long name is cut and gets a hash of the
/// whole. Different names stay different, except for letter case.
pub fn file_name(name: &str) -> String {
    let mut kept = String::new();
    let first_is_odd = is_device(name);
    let mut is_cut = false;
    for (at, c) in name.char_indices() {
        let is_odd_dot = c == '.' && (kept.is_empty() || kept.ends_with('.'));
        let is_kept =
            (c.is_alphanumeric() || "-_.".contains(c)) && !is_odd_dot && !(at == 0 && first_is_odd);
        let before = kept.len();
        if is_kept {
            kept.push(c);
        } else {
            encode(c, &mut kept);
        }
        if kept.len() > FILE_NAME_BYTES_MAX {
            kept.truncate(before);
            is_cut = true;
            break;
        }
    }
    if is_cut {
        kept = format!("{kept}~{:016x}", xxh3_64(name.as_bytes()));
    }
    kept
}

fn encode(c: char, out: &mut String) {
    let digit =
        |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0').to_ascii_uppercase();
    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
        out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
    }
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_lowercase();
    let is_numbered = || {
        let mut chars = stem.chars();
        let is_digit =
            chars.next_back().is_some_and(|last| last.is_ascii_digit() || "¹²³".contains(last));
        is_digit && NUMBERED_DEVICES.contains(&chars.as_str())
    };
    DEVICES.contains(&&*stem) || is_numbered()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_readable_where_they_can_be() {
        let check = |name: &str, expected: &str| assert_eq!(file_name(name), expected);
        check("shop.carts", "shop.carts");
        check("Shop.Müll", "Shop.Müll");
        check("shop.a/b c", "shop.a%2Fb%20c");
        check("shop.50%", "shop.50%25");
        check("..x", "%2E.x");
        check("a...b", "a.%2E.b");
        check("con.x", "%63on.x");
        check("NUL", "%4EUL");
        check("com1.x", "%63om1.x");
        check("LPT³.x", "%4CPT³.x");
        check("com.x", "com.x");
        check("console.x", "console.x");
        check("d.\u{202e}gpj", "d.%E2%80%AEgpj");
        let long = "ü".repeat(200);
        let name = file_name(&long);
        assert!(name.starts_with(&"ü".repeat(60)) && name.contains('~'), "{name}");
        assert_ne!(name, file_name(&"ü".repeat(201)));
        assert_eq!(file_name(&"x".repeat(FILE_NAME_BYTES_MAX)).len(), FILE_NAME_BYTES_MAX);
    }

    fn names() -> impl Strategy<Value = String> {
        let odd =
            prop::sample::select(vec![".", "..", "/", "\\", "con", "NUL", "com1", "%", "\0", "~"]);
        prop_oneof![
            any::<String>(),
            prop::collection::vec(odd, 0..6).prop_map(|parts| parts.concat()),
            prop::collection::vec(any::<char>(), 0..300).prop_map(String::from_iter),
        ]
    }

    proptest! {
        #[test]
        fn every_name_is_one_of_a_file_on_every_system(name in names()) {
            let found = file_name(&name);
            prop_assert!(found.len() <= FILE_NAME_BYTES_MAX + 17, "{found}");
            let is_good = |c: char| c.is_alphanumeric() || "-_.%~".contains(c);
            prop_assert!(found.chars().all(is_good), "{found}");
            prop_assert!(!found.starts_with('.') && !found.contains(".."), "{found}");
            prop_assert!(!is_device(&found), "{found}");
            prop_assert_eq!(found.is_empty(), name.is_empty());
        }

        #[test]
        fn different_names_have_different_files(a in names(), b in names()) {
            prop_assert_eq!(a == b, file_name(&a) == file_name(&b));
        }
    }
}
