//! How the store answers a query.

use bson::{Document, doc};

use super::query::Query;

/// Runs a query to its end and explains how it was answered. Nothing is returned.
pub fn find(collection: &str, query: &Query) -> Document {
    let mut command = query.find(collection, 0, query.limit.unwrap_or_default());
    command.remove("batchSize");
    if query.limit.is_none() {
        command.remove("limit");
    }
    explain(command)
}

/// The same for a pipeline. A stage at its end that writes does not write.
pub fn pipeline(collection: &str, pipeline: Vec<Document>) -> Document {
    explain(doc! { "aggregate": collection, "pipeline": pipeline, "cursor": {} })
}

fn explain(command: Document) -> Document {
    doc! { "explain": command, "verbosity": "executionStats" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_the_list_are_no_part_of_the_query() {
        let query = Query { filter: doc! {"a": 1}, skip: 3, ..Query::default() };
        let expected = doc! {"find": "c", "filter": {"a": 1}, "skip": 3_i64};
        assert_eq!(find("c", &query).get_document("explain").ok(), Some(&expected));
        let query = Query { limit: Some(7), ..query };
        let explained = find("c", &query);
        let limit = explained.get_document("explain").and_then(|command| command.get_i64("limit"));
        assert_eq!(limit.ok(), Some(7));
    }
}
