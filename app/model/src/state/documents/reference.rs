//! The document that a value refers to: one in another collection that has it as its `_id`.

use bson::Bson;

use crate::job::Namespace;

/// A value whose document is looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    pub value: Bson,
    /// The collections that have not answered yet.
    pub waiting: Vec<String>,
    /// How many collections were asked.
    pub asked: usize,
    /// Those that have a document with this `_id`.
    pub found: Vec<Namespace>,
}

/// The collections in the order in which they are likely to be meant: `userId` means `users`.
pub fn likely_first(mut collections: Vec<String>, field: &str) -> Vec<String> {
    let stem = |name: &str| {
        let plain: String =
            name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let plain = plain.strip_suffix("id").unwrap_or(&plain).to_owned();
        plain.strip_suffix('s').unwrap_or(&plain).to_owned()
    };
    let wanted = stem(field);
    collections.sort_by_key(|name| {
        let name = stem(name);
        match () {
            () if wanted.is_empty() => 3,
            () if name == wanted => 0,
            () if name.ends_with(&wanted) || wanted.ends_with(&name) => 1,
            () if name.contains(&wanted) || wanted.contains(&name) => 2,
            () => 3,
        }
    });
    collections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_field_says_what_it_means() {
        let check = |field: &str, expected: &str| {
            let names = ["orders", "users", "app_users", "logs"].map(ToOwned::to_owned).to_vec();
            assert_eq!(likely_first(names, field)[0], expected, "{field}");
        };
        check("userId", "users");
        check("user_id", "users");
        check("order", "orders");
        check("_id", "orders");
        check("log", "logs");
    }
}
