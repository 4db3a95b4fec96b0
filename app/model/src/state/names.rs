//! Which names databases and collections may have, as sentences for a form. The rules
//! themselves are the engine's.

use crate::job::Namespace;

/// Bytes in a name of a database, as MongoDB has it.
const DATABASE_NAME_BYTES_MAX: usize = 63;

/// Why a database can't have this name.
pub fn database_problem(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("Enter a name")
    } else if name.len() > DATABASE_NAME_BYTES_MAX {
        Some("At most 63 bytes")
    } else if Namespace::checked(name, "c").is_err() {
        Some("Names can't contain spaces, dots, slashes, quotes or dollar signs")
    } else {
        None
    }
}

/// Why a collection of this database can't have this name. A problem of the database's own name is
/// not looked at.
pub fn collection_problem(db: &str, name: &str) -> Option<&'static str> {
    let db = if database_problem(db).is_none() { db } else { "d" };
    if name.is_empty() {
        Some("Enter a name")
    } else if name.starts_with("system.") {
        Some("Names starting with system. are reserved")
    } else if Namespace::checked(db, name).is_ok() {
        None
    } else if name.contains(['$', '\0']) {
        Some("Names can't contain dollar signs")
    } else if name.starts_with('.') || name.ends_with('.') {
        Some("A name does not begin or end with a dot")
    } else {
        Some("Too long: the namespace is limited to 255 bytes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_databases() {
        let check = |name: &str, part: &str| {
            let problem = database_problem(name);
            assert!(problem.unwrap_or_default().contains(part), "{name}: {problem:?}");
            assert_eq!(problem.is_some(), Namespace::checked(name, "c").is_err(), "{name}");
        };
        assert_eq!(database_problem("shop"), None);
        assert_eq!(database_problem(&"d".repeat(63)), None);
        check("", "Enter a name");
        check(&"d".repeat(64), "63 bytes");
        for wrong in ["a b", "a.b", "a/b", "a\\b", "a\"b", "a$b", "a\0b"] {
            check(wrong, "spaces");
        }
    }

    #[test]
    fn names_of_collections() {
        let check = |db: &str, name: &str, part: &str| {
            let problem = collection_problem(db, name);
            assert!(problem.is_some_and(|words| words.contains(part)), "{name}: {problem:?}");
        };
        assert_eq!(collection_problem("shop", "a.b.c"), None);
        assert_eq!(collection_problem("shop", &"c".repeat(250)), None);
        check("shop", &"c".repeat(251), "Too long");
        check("shop", "", "Enter a name");
        check("shop", "a$b", "dollar");
        check("shop", ".a", "dot");
        check("shop", "a.", "dot");
        check("shop", "system.x", "reserved");
        check("not a name", "a$b", "dollar");
    }
}
