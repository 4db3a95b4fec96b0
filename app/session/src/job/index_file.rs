//! Index definitions next to a file of documents.

use std::path::PathBuf;

use bson::Document;
use mayfly_engine::value::extjson;

/// Index definitions next to a file of documents: `<name>.indexes.json`.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexFile {
    /// The file with the definitions.
    pub path: PathBuf,
    /// The definitions, as `createIndexes` takes them, without the one on `_id`. The error is one
    /// sentence.
    pub indexes: Result<Vec<Document>, String>,
    /// How many of the documents each TTL index would remove in the next pass, by its name.
    pub overdue: Vec<(String, u64)>,
    /// How many documents were read for that.
    pub documents: u64,
}

/// Reads the text of such a file: an array of definitions.
///
/// # Errors
/// Why it can't be read, without the name of the file.
pub fn parse(text: &str) -> Result<Vec<Document>, String> {
    const NOT_ONE: &str = "it is not an array of index definitions";
    let value = extjson::read_value(text).map_err(|error| error.to_string())?;
    let bson::Bson::Array(items) = value else { return Err(NOT_ONE.to_owned()) };
    let mut indexes = Vec::new();
    for item in items {
        let bson::Bson::Document(mut index) = item else { return Err(NOT_ONE.to_owned()) };
        let (Ok(key), Ok(name)) = (index.get_document("key"), index.get_str("name")) else {
            return Err("a definition has no key or no name".to_owned());
        };
        if name == "_id_" || key.len() == 1 && key.contains_key("_id") {
            continue;
        }
        // Other programs write these next to the definition.
        index.remove("v");
        index.remove("ns");
        indexes.push(index);
    }
    Ok(indexes)
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn definitions_are_read() {
        let check = |text: &str, expected: Result<Vec<Document>, &str>| {
            let found = parse(text);
            assert_eq!(found, expected.map_err(str::to_owned), "{text}");
        };
        check("[]", Ok(Vec::new()));
        check(
            r#"[{"v": 2, "key": {"_id": 1}, "name": "_id_"},
                {"v": 2, "key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60}]"#,
            Ok(vec![doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60}]),
        );
        check("{}", Err("it is not an array of index definitions"));
        check("[7]", Err("it is not an array of index definitions"));
        check("[{}]", Err("a definition has no key or no name"));
        let error = parse("old indexes").expect_err("no JSON");
        assert!(error.contains("(line 1, column 1)"), "{error}");
    }
}
