//! What is asked: a filter and its options, as typed and as read.

use bson::{Bson, Document, doc};
use mayfly_engine::value::{TextError, shell};
use serde::{Deserialize, Serialize};

/// A query as typed, in mongosh's syntax or as Extended JSON. Empty text asks for nothing special.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct QueryText {
    /// Which documents.
    pub filter: String,
    /// Which of their fields.
    pub project: String,
    /// In which order.
    pub sort: String,
    /// How many to leave out at the start.
    pub skip: String,
    /// How many at most.
    pub limit: String,
    /// With which index: its name or its keys.
    pub hint: String,
}

/// A part of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryField {
    /// Which documents.
    Filter,
    /// Which of their fields.
    Project,
    /// In which order.
    Sort,
    /// How many to leave out at the start.
    Skip,
    /// How many at most.
    Limit,
    /// With which index.
    Hint,
}

/// A query that was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// Which documents.
    pub filter: Document,
    /// Which of their fields.
    pub projection: Document,
    /// In which order.
    pub sort: Document,
    /// How many to leave out at the start.
    pub skip: u64,
    /// How many at most.
    pub limit: Option<u64>,
    /// With which index.
    pub hint: Option<Bson>,
}

/// What can't be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryError {
    /// Where it was typed.
    pub field: QueryField,
    /// One sentence.
    pub message: String,
    /// The byte at which reading stopped.
    pub offset: usize,
}

impl QueryText {
    /// A query with this filter alone.
    pub fn of_filter(filter: impl Into<String>) -> Self {
        Self { filter: filter.into(), ..Self::default() }
    }

    /// Whether an option other than the filter is in use.
    #[must_use]
    pub fn has_options(&self) -> bool {
        [&self.project, &self.sort, &self.skip, &self.limit, &self.hint]
            .iter()
            .any(|text| !text.trim().is_empty())
    }

    /// Reads every part. In the filter, `new Date()` is the time that is passed in.
    ///
    /// # Errors
    /// The first part that can't be read.
    pub fn read(&self, now_ms: i64) -> Result<Query, QueryError> {
        Ok(Query {
            filter: filter(&self.filter, now_ms)?,
            projection: document(&self.project, QueryField::Project)?,
            sort: document(&self.sort, QueryField::Sort)?,
            skip: number(&self.skip, QueryField::Skip)?.unwrap_or(0),
            limit: number(&self.limit, QueryField::Limit)?.filter(|limit| *limit > 0),
            hint: hint(&self.hint)?,
        })
    }
}

impl Query {
    /// The command that reads `count` documents from row `first` on.
    ///
    /// A page far down is reached with `skip`: the store walks over what it leaves out, in the
    /// order of the plan, without keeping it; a page at the end of a million documents costs some
    /// tenths of a second on a reading thread and nothing in the window. With a sort that no index
    /// gives, each page costs a sort of all that match.
    #[must_use]
    pub fn find(&self, collection: &str, first: u64, count: u64) -> Document {
        let left = self.limit.map_or(count, |limit| limit.saturating_sub(first).min(count));
        let mut command = doc! { "find": collection, "filter": self.filter.clone() };
        let mut put = |name: &str, part: &Document| {
            if !part.is_empty() {
                command.insert(name, part.clone());
            }
        };
        put("projection", &self.projection);
        put("sort", &self.sort);
        if let Some(hint) = &self.hint {
            command.insert("hint", hint.clone());
        }
        let skip = self.skip.saturating_add(first);
        if skip > 0 {
            command.insert("skip", long(skip));
        }
        command.insert("limit", long(left));
        command.insert("batchSize", long(left));
        command
    }

    /// The command that counts.
    #[must_use]
    pub fn count(&self, collection: &str) -> Document {
        let mut command = doc! { "count": collection, "query": self.filter.clone() };
        if self.skip > 0 {
            command.insert("skip", long(self.skip));
        }
        if let Some(limit) = self.limit {
            command.insert("limit", long(limit));
        }
        if let Some(hint) = &self.hint {
            command.insert("hint", hint.clone());
        }
        command
    }

    /// Whether documents come with all their fields.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.projection.is_empty()
    }
}

fn long(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn document(text: &str, field: QueryField) -> Result<Document, QueryError> {
    if text.trim().is_empty() {
        return Ok(Document::new());
    }
    shell::read_document(text).map_err(|error| failed(field, &error))
}

fn filter(text: &str, now_ms: i64) -> Result<Document, QueryError> {
    if text.trim().is_empty() {
        return Ok(Document::new());
    }
    shell::read_document_at(text, now_ms).map_err(|error| failed(QueryField::Filter, &error))
}

fn failed(field: QueryField, error: &TextError) -> QueryError {
    QueryError { field, message: error.to_string(), offset: error.offset }
}

fn number(text: &str, field: QueryField) -> Result<Option<u64>, QueryError> {
    let digits: String = text.trim().chars().filter(|c| *c != ',').collect();
    if digits.is_empty() {
        return Ok(None);
    }
    let message = "Enter an integer, such as 100".to_owned();
    digits.parse().map(Some).map_err(|_| QueryError { field, message, offset: 0 })
}

fn hint(text: &str) -> Result<Option<Bson>, QueryError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if text.starts_with('{') {
        return document(text, QueryField::Hint).map(|keys| Some(Bson::Document(keys)));
    }
    Ok(Some(Bson::String(text.trim_matches(['"', '\'']).to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_may_name_the_present_time() {
        let now = bson::DateTime::from_millis(5);
        let read = |text: &str| QueryText::of_filter(text).read(5).map(|query| query.filter);
        assert_eq!(read("{at: {$lt: new Date()}}"), Ok(doc! { "at": { "$lt": now } }));
        assert_eq!(read("{at: ISODate()}"), Ok(doc! { "at": now }));
        assert_eq!(read("{ms: Date.now()}"), Ok(doc! { "ms": 5_i64 }));
    }

    #[test]
    fn filters_are_read_in_both_syntaxes() {
        let check = |text: &str, expected: Document| {
            let read = QueryText::of_filter(text).read(0).map(|query| query.filter);
            assert_eq!(read, Ok(expected), "{text}");
        };
        check("", doc! {});
        check("  ", doc! {});
        check("{a: 1}", doc! {"a": 1});
        check(r#"{"a": {"$numberLong": "5"}}"#, doc! {"a": 5_i64});
    }

    #[test]
    fn an_error_names_the_field_and_the_place() {
        let check = |text: QueryText, field, offset| match text.read(0) {
            Ok(query) => panic!("{query:?}"),
            Err(error) => assert_eq!((error.field, error.offset), (field, offset)),
        };
        check(QueryText::of_filter("{a: }"), QueryField::Filter, 4);
        let limit = QueryText { limit: "many".to_owned(), ..QueryText::default() };
        check(limit, QueryField::Limit, 0);
    }

    #[test]
    fn a_page_stays_within_skip_and_limit() {
        let query = Query { skip: 10, limit: Some(120), ..Query::default() };
        let page = query.find("c", 100, 50);
        assert_eq!(page.get("skip"), Some(&Bson::Int64(110)));
        assert_eq!(page.get("limit"), Some(&Bson::Int64(20)));
        assert_eq!(query.count("c").get("limit"), Some(&Bson::Int64(120)));
        assert!(!Query::default().find("c", 0, 50).contains_key("skip"));
    }

    #[test]
    fn a_hint_is_a_name_or_keys() {
        assert_eq!(hint("at_1"), Ok(Some(Bson::String("at_1".to_owned()))));
        assert_eq!(hint("{at: 1}"), Ok(Some(Bson::Document(doc! {"at": 1}))));
        assert_eq!(hint(" "), Ok(None));
    }
}
