//! `$out` and `$merge`: where results are written. The writing itself is the command's.

use bson::{
    Document, RawDocumentBuf,
    raw::{RawBsonRef, RawDocument},
};

use super::{
    ParseContext, PipelineError,
    edit::FieldPath,
    parse_context::{stages_of, variables},
    text::kind,
};
use crate::{
    catalog::Namespace,
    pipeline::error::fail,
    query::{Code, Expression, VariableNames},
};

/// Where results are written.
#[derive(Debug, Clone)]
pub enum Output {
    /// `$out`
    Out(Out),
    /// `$merge`
    Merge(Box<Merge>),
}

/// `$out`: the results become the collection.
#[derive(Debug, Clone)]
pub struct Out {
    pub into: Namespace,
    /// The options of the time series that it becomes.
    pub time_series: Option<Document>,
}

/// `$merge`: the results go into a collection.
#[derive(Debug, Clone)]
pub struct Merge {
    pub into: Namespace,
    /// The fields that identify the document. Empty for `_id`.
    pub on: Vec<String>,
    pub when_matched: WhenMatched,
    pub when_not_matched: WhenNotMatched,
    /// The variables of a pipeline, computed from the result; `new` is the result itself.
    pub variables: Vec<(String, Expression)>,
}

/// The action of `$merge` on an existing document.
#[derive(Debug, Clone, PartialEq)]
pub enum WhenMatched {
    Replace,
    /// It stays as it is.
    KeepExisting,
    /// The fields of the result are set in it.
    Merge,
    Fail,
    Pipeline(Vec<RawDocumentBuf>),
}

/// The action of `$merge` if there is no such document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenNotMatched {
    Insert,
    Discard,
    Fail,
}

impl WhenMatched {
    fn name(&self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::KeepExisting => "keepExisting",
            Self::Merge => "merge",
            Self::Fail => "fail",
            Self::Pipeline(_) => "pipeline",
        }
    }
}

impl WhenNotMatched {
    fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Discard => "discard",
            Self::Fail => "fail",
        }
    }
}

impl Output {
    pub(super) fn parse(
        stage: &str,
        value: RawBsonRef<'_>,
        reading: &ParseContext<'_>,
    ) -> Result<Self, PipelineError> {
        if stage == "$out" {
            return out(value, reading).map(Self::Out);
        }
        Ok(Self::Merge(Box::new(merge(value, reading)?)))
    }
}

fn is_internal(db: &str) -> bool {
    ["admin", "config", "local"].contains(&db)
}

fn out(value: RawBsonRef<'_>, reading: &ParseContext<'_>) -> Result<Out, PipelineError> {
    let mut time_series = None;
    let into = match value {
        RawBsonRef::String(name) => Namespace::checked(reading.db, name)?,
        RawBsonRef::Document(options) => {
            let (mut db, mut collection) = (None, None);
            for element in options {
                let (name, value) = element?;
                match (name.as_str(), value) {
                    ("db", RawBsonRef::String(text)) => db = Some(text),
                    ("coll", RawBsonRef::String(text)) => collection = Some(text),
                    ("timeseries", RawBsonRef::Null) => {}
                    ("timeseries", RawBsonRef::Document(options)) => {
                        time_series = Some(Document::try_from(options)?);
                    }
                    (name @ ("db" | "coll" | "timeseries"), other) => {
                        let expected = if name == "timeseries" { "object" } else { "string" };
                        let message = format!(
                            "BSON field '$out.{name}' is the wrong type '{}', expected type \
                             '{expected}'",
                            kind(other)
                        );
                        return fail(Code::TYPE_MISMATCH, message);
                    }
                    (other, _) => {
                        let message = format!("BSON field '$out.{other}' is an unknown field.");
                        return fail(Code::IDL_UNKNOWN_FIELD, message);
                    }
                }
            }
            let missing = |name: &str| {
                let message = format!("BSON field '$out.{name}' is missing but a required field");
                PipelineError::stage(Code::IDL_FAILED_TO_PARSE, message)
            };
            let db = db.ok_or_else(|| missing("db"))?;
            Namespace::checked(db, collection.ok_or_else(|| missing("coll"))?)?
        }
        other => {
            let message = format!(
                "$out only supports a string or object argument, but found {}",
                kind(other)
            );
            return fail(16990, message);
        }
    };
    if into.is_system() {
        let message = format!("Can't $out to special collection: {}", into.collection);
        return fail(17385, message);
    }
    if is_internal(&into.db) {
        return fail(31321, format!("Can't $out to internal database: {}", into.db));
    }
    Ok(Out { into, time_series })
}

fn merge(value: RawBsonRef<'_>, reading: &ParseContext<'_>) -> Result<Merge, PipelineError> {
    let options = match value {
        RawBsonRef::String(name) => {
            return checked(
                Merge {
                    into: Namespace::checked(reading.db, name)?,
                    on: Vec::new(),
                    when_matched: WhenMatched::Merge,
                    when_not_matched: WhenNotMatched::Insert,
                    variables: Vec::new(),
                },
                None,
            );
        }
        RawBsonRef::Document(options) => options,
        other => {
            let message =
                format!("$merge requires a string or object argument, but found {}", kind(other));
            return fail(Code::TYPE_MISMATCH, message);
        }
    };
    let mut merge = Merge {
        into: Namespace { db: String::new(), collection: String::new() },
        on: Vec::new(),
        when_matched: WhenMatched::Merge,
        when_not_matched: WhenNotMatched::Insert,
        variables: Vec::new(),
    };
    let mut given = None;
    for element in options {
        let (name, value) = element?;
        match (name.as_str(), value) {
            // An option that is null counts as missing. Routers of a sharded cluster send the last
            // two, which change nothing on one server.
            ("on" | "let" | "whenMatched" | "whenNotMatched", RawBsonRef::Null)
            | ("targetCollectionVersion" | "allowMergeOnNullishValues", _) => {}
            ("into", value) => merge.into = into(value, reading)?,
            ("on", value) => merge.on = on(value)?,
            ("whenMatched", value) => merge.when_matched = when_matched(value)?,
            ("whenNotMatched", RawBsonRef::String(mode)) => {
                merge.when_not_matched = when_not_matched(mode)?;
            }
            ("let", RawBsonRef::Document(variables)) => given = Some(variables),
            (name @ ("whenNotMatched" | "let"), other) => {
                let message =
                    format!("BSON field '$merge.{name}' is the wrong type '{}'", kind(other));
                return fail(Code::TYPE_MISMATCH, message);
            }
            (other, _) => {
                let message = format!("BSON field '$merge.{other}' is an unknown field.");
                return fail(Code::IDL_UNKNOWN_FIELD, message);
            }
        }
    }
    if merge.into.collection.is_empty() {
        let message = "BSON field '$merge.into' is missing but a required field";
        return fail(Code::IDL_FAILED_TO_PARSE, message);
    }
    // Read after the loop, because `let` may be given before the pipeline that uses it.
    merge.variables = variables(given, &reading.names, &mut VariableNames::default())?;
    checked(merge, given)
}

fn checked(merge: Merge, variables: Option<&RawDocument>) -> Result<Merge, PipelineError> {
    let (matched, not_matched) = (&merge.when_matched, merge.when_not_matched);
    let is_possible = match matched {
        // With the other combinations nothing would ever be written, so MongoDB doesn't have them.
        WhenMatched::KeepExisting | WhenMatched::Fail => not_matched == WhenNotMatched::Insert,
        _ => true,
    };
    if !is_possible {
        let message = format!(
            "Combination of $merge modes 'whenMatched: {}' and 'whenNotMatched: {}' is not supported",
            matched.name(),
            not_matched.name()
        );
        return fail(51181, message);
    }
    if merge.into.is_system() {
        let message = format!("Cannot $merge to special collection: {}", merge.into.collection);
        return fail(31319, message);
    }
    if is_internal(&merge.into.db) {
        let message = format!("Cannot $merge to internal database: {}", merge.into.db);
        return fail(31320, message);
    }
    if let Some(variables) = variables {
        if !matches!(matched, WhenMatched::Pipeline(_)) {
            let message =
                format!("Cannot use 'let' variables with 'whenMatched: {}' mode", matched.name());
            return fail(51199, message);
        }
        // `new` is the result itself. MongoDB accepts it only where it says exactly that.
        if !matches!(variables.get("new")?, None | Some(RawBsonRef::String("$$ROOT"))) {
            let message = "'let' may not define a value for the reserved 'new' variable other than \
                           '$$ROOT'";
            return fail(51273, message);
        }
    }
    Ok(merge)
}

fn into(value: RawBsonRef<'_>, reading: &ParseContext<'_>) -> Result<Namespace, PipelineError> {
    match value {
        RawBsonRef::String(name) => Ok(Namespace::checked(reading.db, name)?),
        RawBsonRef::Document(options) => {
            for element in options {
                let name = element?.0.as_str();
                if !["db", "coll"].contains(&name) {
                    let message = format!("BSON field 'into.{name}' is an unknown field.");
                    return fail(Code::IDL_UNKNOWN_FIELD, message);
                }
            }
            let text = |name: &str| -> Result<Option<String>, PipelineError> {
                match options.get(name)? {
                    None
                    | Some(RawBsonRef::Null | RawBsonRef::Undefined | RawBsonRef::String("")) => {
                        Ok(None)
                    }
                    Some(RawBsonRef::String(text)) => Ok(Some(text.to_owned())),
                    Some(other) => {
                        let message = format!(
                            "BSON field 'into.{name}' is the wrong type '{}', expected type 'string'",
                            kind(other)
                        );
                        fail(Code::TYPE_MISMATCH, message)
                    }
                }
            };
            let db = text("db")?.unwrap_or_else(|| reading.db.to_owned());
            let Some(collection) = text("coll")? else {
                let message = "$merge 'into' field must specify a 'coll' that is not empty, null \
                               or undefined";
                return fail(5_786_801, message);
            };
            Ok(Namespace::checked(&db, &collection)?)
        }
        other => fail(
            51178,
            format!(
                "$merge 'into' field must be either a string or an object, but found {}",
                kind(other)
            ),
        ),
    }
}

fn on(value: RawBsonRef<'_>) -> Result<Vec<String>, PipelineError> {
    let mut fields = Vec::new();
    match value {
        RawBsonRef::String(field) => fields.push(field.to_owned()),
        RawBsonRef::Array(array) => {
            for item in array {
                match item? {
                    RawBsonRef::String(field) => fields.push(field.to_owned()),
                    other => {
                        let message = format!(
                            "$merge 'on' array elements must be strings, but found {}",
                            kind(other)
                        );
                        return fail(51134, message);
                    }
                }
            }
        }
        other => {
            let message = format!(
                "$merge 'on' field must be either a string or an array of strings, but found {}",
                kind(other)
            );
            return fail(51186, message);
        }
    }
    if fields.is_empty() {
        let message = "If explicitly specifying $merge 'on', must include at least one field";
        return fail(51187, message);
    }
    for (at, field) in fields.iter().enumerate() {
        // Parsed for its error alone: a path that can't be stored can't be joined by.
        FieldPath::parse(field)?;
        if fields.iter().take(at).any(|other| other == field) {
            return fail(31465, format!("Found a duplicate field '{field}'"));
        }
    }
    Ok(fields)
}

fn when_matched(value: RawBsonRef<'_>) -> Result<WhenMatched, PipelineError> {
    match value {
        RawBsonRef::String("replace") => Ok(WhenMatched::Replace),
        RawBsonRef::String("keepExisting") => Ok(WhenMatched::KeepExisting),
        RawBsonRef::String("merge") => Ok(WhenMatched::Merge),
        RawBsonRef::String("fail") => Ok(WhenMatched::Fail),
        RawBsonRef::String(other) => fail(
            Code::BAD_VALUE,
            format!(
                "Enumeration value '{other}' for field '$merge.whenMatched' is not a valid value."
            ),
        ),
        RawBsonRef::Array(_) => {
            let stages = stages_of(value, "$merge.whenMatched")?;
            Ok(WhenMatched::Pipeline(stages.into_iter().map(RawDocument::to_owned).collect()))
        }
        other => fail(
            51191,
            format!(
                "$merge 'whenMatched' field must be either a string or an array, but found {}",
                kind(other)
            ),
        ),
    }
}

fn when_not_matched(mode: &str) -> Result<WhenNotMatched, PipelineError> {
    match mode {
        "insert" => Ok(WhenNotMatched::Insert),
        "discard" => Ok(WhenNotMatched::Discard),
        "fail" => Ok(WhenNotMatched::Fail),
        other => fail(
            Code::BAD_VALUE,
            format!(
                "Enumeration value '{other}' for field '$merge.whenNotMatched' is not a valid value."
            ),
        ),
    }
}
