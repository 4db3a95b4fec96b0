//! Commands as every server takes them.

use bson::{Bson, Document};

/// Parts of a command that mean nothing when they are empty. MongoDB takes them so; others refuse them.
const PARTS: [&str; 6] = ["sort", "projection", "collation", "hint", "let", "fields"];

/// Parts of a statement of `update` or `delete` of the same kind.
const STATEMENT_PARTS: [&str; 4] = ["collation", "arrayFilters", "hint", "sort"];

/// The command without its empty parts. Every command to a server goes through this.
pub fn without_empty_parts(mut command: Document) -> Document {
    remove_empty(&mut command, &PARTS);
    for list in ["updates", "deletes"] {
        for statement in command.get_array_mut(list).into_iter().flatten() {
            if let Bson::Document(statement) = statement {
                remove_empty(statement, &STATEMENT_PARTS);
            }
        }
    }
    if let Ok(explained) = command.get_document_mut("explain") {
        *explained = without_empty_parts(std::mem::take(explained));
    }
    command
}

fn remove_empty(document: &mut Document, parts: &[&str]) {
    for part in parts {
        let is_empty = match document.get(part) {
            Some(Bson::Document(part)) => part.is_empty(),
            Some(Bson::Array(part)) => part.is_empty(),
            _ => false,
        };
        if is_empty {
            document.remove(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn only_empty_parts_are_left_out() {
        let check = |command: Document, expected: Document| {
            assert_eq!(without_empty_parts(command), expected);
        };
        check(
            doc! { "find": "c", "filter": {}, "sort": {}, "projection": {}, "collation": {}, "hint": {} },
            doc! { "find": "c", "filter": {} },
        );
        let whole = doc! { "find": "c", "sort": { "a": 1 }, "hint": "a_1", "let": { "x": 1 } };
        check(whole.clone(), whole.clone());
        check(
            doc! { "explain": { "find": "c", "sort": {} }, "verbosity": "queryPlanner" },
            doc! { "explain": { "find": "c" }, "verbosity": "queryPlanner" },
        );
        check(
            doc! { "update": "c", "updates": [{ "q": {}, "u": {}, "collation": {}, "arrayFilters": [] }] },
            doc! { "update": "c", "updates": [{ "q": {}, "u": {} }] },
        );
    }
}
