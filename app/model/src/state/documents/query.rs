//! A query: a filter and its options, as typed and as read.

use std::time::Duration;

use bson::{Bson, Document};
use mayfly_engine::value::{TextError, shell};
use serde::{Deserialize, Serialize};

use super::relative_time;
pub use crate::commands::query::Query;
use crate::limits::QUERY_SECS_MAX;

/// A query as typed, in mongosh's syntax or as Extended JSON. Empty text asks for nothing special.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct QueryText {
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
    /// How long it may take, in seconds.
    pub time_limit: String,
    /// How text compares, as a document.
    pub collation: String,
}

/// A part of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryField {
    Filter,
    Project,
    /// In which order.
    Sort,
    /// How many to leave out at the start.
    Skip,
    /// How many at most.
    Limit,
    /// With which index.
    Hint,
    /// How long it may take.
    TimeLimit,
    /// How text compares.
    Collation,
}

/// A mistake in the text, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryError {
    /// Where it was typed.
    pub field: QueryField,
    /// One sentence.
    pub message: String,
    /// The byte at which reading stopped.
    pub offset: usize,
}

/// A query that can be read and that the store refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The query as typed.
    pub text: QueryText,
    /// Why, and as far as the store's sentence tells, where.
    pub error: QueryError,
}

impl Refusal {
    /// The store's error about a query. An operator that its sentence names shows the place.
    pub fn new(text: QueryText, message: String) -> Self {
        let is_delimiter = |c: char| !(c.is_alphanumeric() || c == '$' || c == '_');
        let mut named = message.split(is_delimiter).filter(|word| word.len() > 1);
        let operator = named.find(|word| word.starts_with('$'));
        let find = |text: &str| operator.and_then(|operator| text.find(operator));
        let parts = [
            (QueryField::Filter, &text.filter, "filter"),
            (QueryField::Project, &text.project, "projection"),
            (QueryField::Sort, &text.sort, "sort"),
            (QueryField::Hint, &text.hint, "hint"),
            (QueryField::Collation, &text.collation, "collation"),
        ];
        let lower = message.to_lowercase();
        let place = parts.iter().find_map(|(field, text, _)| Some((*field, find(text)?)));
        let (field, offset) = place.unwrap_or_else(|| {
            let mut typed = parts.iter().filter(|(_, text, _)| !text.trim().is_empty());
            // Servers name the locale, and not always the collation that it is in.
            let lower = lower.replace("'locale'", "collation");
            let field = typed.find(|(_, _, name)| lower.contains(name)).map(|(field, ..)| *field);
            (field.unwrap_or(QueryField::Filter), 0)
        });
        Self { text, error: QueryError { field, message, offset } }
    }
}

impl QueryText {
    /// A query with this filter alone.
    pub fn of_filter(filter: impl Into<String>) -> Self {
        Self { filter: filter.into(), ..Self::default() }
    }

    /// Bytes of all parts.
    pub fn bytes(&self) -> usize {
        self.parts().iter().map(|(_, text)| text.len()).sum()
    }

    /// The parts that are typed, in one line.
    pub fn in_words(&self) -> String {
        let typed = self.parts().into_iter().filter(|(_, text)| !text.trim().is_empty());
        let parts = typed.map(|(name, text)| {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if name.is_empty() { text } else { format!("{name} {text}") }
        });
        parts.collect::<Vec<_>>().join(" · ")
    }

    fn parts(&self) -> [(&'static str, &str); 8] {
        [
            ("", &self.filter),
            ("projection", &self.project),
            ("sort", &self.sort),
            ("skip", &self.skip),
            ("limit", &self.limit),
            ("hint", &self.hint),
            ("time limit", &self.time_limit),
            ("collation", &self.collation),
        ]
    }

    /// Whether an option other than the filter is in use.
    pub fn has_options(&self) -> bool {
        self.parts().iter().any(|(name, text)| !name.is_empty() && !text.trim().is_empty())
    }

    /// Reads every part. `new Date()`, and `now` in the filter, are the time that is passed in.
    ///
    /// # Errors
    /// The first part that can't be read.
    pub fn read(&self, now_ms: i64) -> Result<Query, QueryError> {
        Ok(Query {
            filter: filter(&self.filter, now_ms)?,
            projection: document(&self.project, QueryField::Project, now_ms)?,
            sort: document(&self.sort, QueryField::Sort, now_ms)?,
            skip: number(&self.skip, QueryField::Skip)?.unwrap_or(0),
            limit: number(&self.limit, QueryField::Limit)?.filter(|limit| *limit > 0),
            hint: hint(&self.hint, now_ms)?,
            max_time_ms: max_time_ms(&self.time_limit)?,
            collation: document(&self.collation, QueryField::Collation, now_ms)?,
        })
    }
}

fn document(text: &str, field: QueryField, now_ms: i64) -> Result<Document, QueryError> {
    if text.trim().is_empty() {
        return Ok(Document::new());
    }
    shell::read_document_at(text, now_ms).map_err(|error| failed(field, &error))
}

fn filter(text: &str, now_ms: i64) -> Result<Document, QueryError> {
    if text.trim().is_empty() {
        return Ok(Document::new());
    }
    relative_time::read_document(text, now_ms).map_err(|error| {
        let relative_time::Unreadable { message, offset } = error;
        QueryError { field: QueryField::Filter, message, offset }
    })
}

fn max_time_ms(text: &str) -> Result<Option<u64>, QueryError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let range = 0.001..=QUERY_SECS_MAX;
    let secs = text.parse::<f64>().ok().filter(|secs| range.contains(secs));
    let message = "Enter seconds, such as 10 or 0.5".to_owned();
    let error = QueryError { field: QueryField::TimeLimit, message, offset: 0 };
    let ms = |secs| u64::try_from(Duration::from_secs_f64(secs).as_millis()).unwrap_or(u64::MAX);
    secs.map(|secs| Some(ms(secs))).ok_or(error)
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

fn hint(text: &str, now_ms: i64) -> Result<Option<Bson>, QueryError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if text.starts_with('{') {
        return document(text, QueryField::Hint, now_ms).map(|keys| Some(Bson::Document(keys)));
    }
    Ok(Some(Bson::String(text.trim_matches(['"', '\'']).to_owned())))
}

#[cfg(test)]
mod tests {
    use bson::doc;

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
    fn a_time_limit_is_in_seconds() {
        let read = |time_limit: &str| {
            let text = QueryText { time_limit: time_limit.to_owned(), ..QueryText::default() };
            text.read(0).map(|query| query.max_time_ms).map_err(|error| error.field)
        };
        assert_eq!(read(""), Ok(None));
        assert_eq!(read(" 2.5 "), Ok(Some(2_500)));
        for wrong in ["0", "-1", "soon", "1e99", "NaN"] {
            assert_eq!(read(wrong), Err(QueryField::TimeLimit), "{wrong}");
        }
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
    fn a_refusal_points_at_the_operator_that_the_store_names() {
        let check = |text: &QueryText, message: &str, field, offset| {
            let error = Refusal::new(text.clone(), message.to_owned()).error;
            assert_eq!((error.field, error.offset), (field, offset), "{message}");
        };
        let text = QueryText {
            sort: "{ at: 7 }".to_owned(),
            hint: "at_9".to_owned(),
            ..QueryText::of_filter("{ _id: { $nope: 1 } }")
        };
        check(&text, "unknown operator: $nope (BadValue)", QueryField::Filter, 9);
        check(&text, "$sort key ordering must be 1 or -1", QueryField::Sort, 0);
        check(&text, "hint provided does not exist (BadValue)", QueryField::Hint, 0);
        check(&text, "no reason", QueryField::Filter, 0);
        let text = QueryText { collation: "{ locale: \"xx\" }".to_owned(), ..text };
        let words = "the collation { locale: \"xx\" } is not known";
        check(&text, words, QueryField::Collation, 0);
        let words = "Field 'locale' is invalid in: { locale: \"xx\" } (BadValue)";
        check(&text, words, QueryField::Collation, 0);
    }

    #[test]
    fn a_collation_is_an_option_like_the_others() {
        let collation = "{ locale: \"de\", strength: 2 }".to_owned();
        let text = QueryText { collation, ..QueryText::of_filter("{ w: \"a\" }") };
        assert!(text.has_options());
        assert_eq!(text.in_words(), "{ w: \"a\" } · collation { locale: \"de\", strength: 2 }");
        let query = text.read(0).expect("readable");
        let expected = doc! { "locale": "de", "strength": 2 };
        for command in [query.find("c", 0, 9), query.count("c"), query.find_all("c")] {
            assert_eq!(command.get_document("collation").ok(), Some(&expected), "{command}");
        }
        let all = Query { collation: expected, ..Query::default() };
        assert!(!all.count("c").contains_key("collation"), "the store knows it");
        let old = serde_json::from_str::<QueryText>("{\"filter\": \"{}\"}");
        assert_eq!(old.expect("settings before it").collation, "");
    }

    #[test]
    fn a_hint_is_a_name_or_keys() {
        assert_eq!(hint("at_1", 0), Ok(Some(Bson::String("at_1".to_owned()))));
        assert_eq!(hint("{at: 1}", 0), Ok(Some(Bson::Document(doc! {"at": 1}))));
        assert_eq!(hint(" ", 0), Ok(None));
    }
}
