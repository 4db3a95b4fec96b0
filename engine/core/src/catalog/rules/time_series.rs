//! Options and indexes of time-series collections.

use bson::{Bson, Document, doc};

use super::{
    index_spec::{ParsedIndex, id_index, wrong_type},
    numbers::Whole,
};
use crate::{
    catalog::{CatalogError, CatalogErrorKind, EntryForm, IndexKey, IndexMeta, KeyKind},
    query::Expr,
    store::IndexId,
    value::bucket::{Span, TimeSeries},
};

/// Longest bucket of a time-series collection in seconds (MongoDB's limit): 365 days.
const BUCKET_SECS_MAX: i32 = 31_536_000;

/// The options of a new time-series collection, with defaults.
///
/// # Errors
/// `TypeMismatch`, `UnknownField`, `MissingField`, `BadValue` and `InvalidOptions`.
pub(super) fn options(given: &Bson) -> Result<Document, CatalogError> {
    let read = fields(given, "create", &["timeField", "metaField"])?;
    let Ok(time_field) = read.get_str("timeField") else {
        return Err(refused!(
            MissingField,
            "BSON field 'create.timeseries.timeField' is missing but a required field; name the \
             field of the time"
        ));
    };
    let meta_field = read.get_str("metaField").ok();
    if meta_field == Some(time_field) || meta_field == Some("_id") {
        return Err(invalid("metaField must be neither the time field nor _id"));
    }
    let (rounding, span) =
        (secs(&read, "bucketRoundingSeconds"), secs(&read, "bucketMaxSpanSeconds"));
    match read.get_str("granularity").ok() {
        Some(granularity) => check_beside_granularity(granularity, rounding, span)?,
        None if rounding != span => return Err(invalid(UNEQUAL)),
        None => {}
    }
    Ok(TimeSeries::with_defaults(&read))
}

const UNEQUAL: &str = "Time-series 'bucketRoundingSeconds' must be equal to 'bucketMaxSpanSeconds'; give both or none";

/// A granularity decides where a bucket begins and how long it is.
fn check_beside_granularity(
    granularity: &str,
    rounding: Option<i64>,
    span: Option<i64>,
) -> Result<(), CatalogError> {
    let default = Span::of(&doc! { "granularity": granularity }).secs();
    if span.is_some_and(|span| span != default) {
        return Err(invalid(format!(
            "Time-series 'bucketMaxSpanSeconds' cannot be set to a value other than the default of \
             {default} for the provided granularity; leave one of them out"
        )));
    }
    if rounding.is_some() {
        return Err(invalid(
            "Time-series 'bucketRoundingSeconds' cannot be set alongside the granularity \
             parameter; leave one of them out",
        ));
    }
    Ok(())
}

/// The options after a `collMod`: buckets may only get longer.
///
/// # Errors
/// `TypeMismatch`, `UnknownField`, `BadValue` and `InvalidOptions`.
pub(super) fn changed(options: &Document, given: &Bson) -> Result<Document, CatalogError> {
    let given = fields(given, "collMod", &[])?;
    let mut after: Document = options.clone();
    let (rounding, span) =
        (secs(&given, "bucketRoundingSeconds"), secs(&given, "bucketMaxSpanSeconds"));
    if let Ok(granularity) = given.get_str("granularity") {
        check_beside_granularity(granularity, rounding, span)?;
        let before = options.get_str("granularity").ok();
        if before == Some(granularity) {
            return Ok(after);
        }
        let rank = |word: &str| ["seconds", "minutes", "hours"].iter().position(|one| *one == word);
        if before.is_some_and(|before| rank(before) > rank(granularity)) {
            return Err(invalid(
                "Invalid transition for timeseries.granularity. Can only transition from 'seconds' \
                 to 'minutes' or 'minutes' to 'hours'.",
            ));
        }
        after.remove("bucketRoundingSeconds");
        after.remove("bucketMaxSpanSeconds");
        after.insert("granularity", granularity);
    } else {
        match (rounding, span) {
            (None, None) => return Ok(after),
            (Some(rounding), Some(span)) if rounding == span => {}
            (Some(_), Some(_)) => return Err(invalid(UNEQUAL)),
            _ => {
                return Err(invalid(
                    "Timeseries 'bucketMaxSpanSeconds' and 'bucketRoundingSeconds' need to be set \
                     alongside each other",
                ));
            }
        }
        after.remove("granularity");
        after.extend(given);
    }
    let (old, new) = (Span::of(options), Span::of(&after));
    let shorter = [
        ("bucketMaxSpanSeconds", new.secs() < old.secs()),
        ("bucketRoundingSeconds", new.rounding_secs() < old.rounding_secs()),
    ];
    match shorter.iter().find(|(_, is_shorter)| *is_shorter) {
        Some((field, _)) => {
            Err(invalid(format!("Timeseries '{field}' needs to be equal or greater to transition")))
        }
        // Without a change the options keep their form.
        None if old == new => Ok(options.clone()),
        None => Ok(TimeSeries::with_defaults(&after)),
    }
}

/// The options of a command, types checked. `texts` are those that it has besides the bounds of
/// buckets.
fn fields(given: &Bson, command: &str, texts: &[&str]) -> Result<Document, CatalogError> {
    let Bson::Document(given) = given else {
        return Err(wrong_type("timeseries", "an object", given));
    };
    let mut read = Document::new();
    for (field, value) in given {
        let read_value: Bson = match (field.as_str(), value) {
            (_, Bson::Null) => continue,
            ("granularity", Bson::String(word)) => granularity(command, word)?.into(),
            ("bucketMaxSpanSeconds" | "bucketRoundingSeconds", number) => {
                let secs =
                    Whole::of(number).ok_or_else(|| wrong_type(field, "a number", number))?;
                bucket_secs(field, secs)?.into()
            }
            (name, Bson::String(text)) if texts.contains(&name) => text.as_str().into(),
            (name, other) if name == "granularity" || texts.contains(&name) => {
                return Err(wrong_type(field, "a string", other));
            }
            _ => {
                return Err(refused!(
                    UnknownField,
                    "BSON field '{command}.timeseries.{field}' is an unknown field; remove it"
                ));
            }
        };
        read.insert(field, read_value);
    }
    Ok(read)
}

fn granularity<'w>(command: &str, word: &'w str) -> Result<&'w str, CatalogError> {
    if matches!(word, "seconds" | "minutes" | "hours") {
        return Ok(word);
    }
    Err(refused!(
        BadValue,
        "Enumeration value '{word}' for field '{command}.timeseries.granularity' is not a valid \
         value; choose \"seconds\", \"minutes\" or \"hours\""
    ))
}

/// The length of a bucket in seconds.
fn bucket_secs(field: &str, secs: Whole) -> Result<i32, CatalogError> {
    let secs = secs.or_zero();
    let bounded = i32::try_from(secs).ok().filter(|secs| (1..=BUCKET_SECS_MAX).contains(secs));
    bounded.ok_or_else(|| {
        refused!(
            BadValue,
            "BSON field 'timeseries.{field}' must be from 1 to {BUCKET_SECS_MAX}, actual value \
             '{secs}'"
        )
    })
}

fn secs(options: &Document, field: &str) -> Option<i64> {
    options.get_i32(field).ok().map(i64::from)
}

/// The indexes of every new time-series collection, without numbers yet: one on the buckets' `_id`,
/// which is in order of time, and with a meta field MongoDB's index on it and the time.
pub(crate) fn bucket_indexes(options: &TimeSeries) -> Vec<IndexMeta> {
    let mut id = id_index(IndexId(0), None);
    id.form = EntryForm::Buckets;
    id.unique = false;
    id.has_implicit_ids = false;
    let mut indexes = vec![id.clone()];
    if let Some(meta) = &options.meta_field {
        let time = &options.time_field;
        let source = doc! { meta: 1, time: 1 };
        if let Some(key) = IndexKey::read(&source) {
            let name = format!("{meta}_1_{time}_1");
            indexes.push(IndexMeta { name, key, ..id });
        }
    }
    indexes
}

/// The entries of a client's index on a time-series collection. Only a TTL index and the one on
/// metadata and time have any.
pub(super) fn form(index: &IndexMeta, options: &Document) -> EntryForm {
    let is_lookup = TimeSeries::of(options).is_some_and(|options| {
        let own = bucket_indexes(&options);
        own.iter().any(|own| own.key.same_pattern(&index.key.source)) && index.partial.is_none()
    });
    // Every read scans all buckets, so other indexes have no use for entries.
    if is_lookup || index.expire_after_secs.is_some() {
        EntryForm::Buckets
    } else {
        EntryForm::Nothing
    }
}

/// Refuses an index on the `_id` of measurements; the existing one holds buckets.
///
/// # Errors
/// `CannotCreateIndex`.
pub(super) fn check_not_id(index: &IndexMeta) -> Result<(), CatalogError> {
    if index.is_id() {
        return Err(refused!(CannotCreateIndex, "a time-series collection has no index on _id"));
    }
    Ok(())
}

/// Refuses an index that a time-series collection can't have.
///
/// # Errors
/// `InvalidOptions`.
pub(super) fn check(parsed: &ParsedIndex, options: &Document) -> Result<(), CatalogError> {
    let index = &parsed.meta;
    let kind = if index.refuses_duplicates() {
        Some("Unique")
    } else if index.key.has(KeyKind::Text) {
        Some("Text")
    } else {
        None
    };
    if let Some(kind) = kind {
        return Err(invalid(format!(
            "{kind} indexes are not supported on time-series collections"
        )));
    }
    check_keys(index, options)?;
    if index.expire_after_secs.is_none() {
        return Ok(());
    }
    let meta_field = options.get_str("metaField").ok();
    let on_time = index.field().is_some_and(|(path, _)| is_time(path, options));
    let partial_on_meta = index
        .partial
        .as_ref()
        .zip(meta_field)
        .is_some_and(|(filter, meta)| only_on(filter.root(), meta));
    if parsed.key_fields == 1 && on_time && partial_on_meta {
        return Ok(());
    }
    Err(invalid(
        "on a time-series collection a TTL index must be on the time field and have a \
         partialFilterExpression on the meta field only",
    ))
}

/// Values other than numbers are only for the metadata, and `2dsphere` for measurements too.
///
/// # Errors
/// `InvalidOptions` for a sparse index on a measurement, `CannotCreateIndex` for its other kinds.
fn check_keys(index: &IndexMeta, options: &Document) -> Result<(), CatalogError> {
    let meta_field = options.get_str("metaField").ok();
    let is_meta = |name: &str| Some(name.split('.').next().unwrap_or(name)) == meta_field;
    let is_time = |name: &str| options.get_str("timeField").is_ok_and(|field| field == name);
    let source = &index.key.source;
    if index.sparse && !source.keys().all(|name| is_meta(name) || is_time(name)) {
        return Err(invalid("Sparse indexes are not supported on time-series measurements"));
    }
    for (name, value) in source.iter().filter(|(name, _)| !is_meta(name)) {
        let is_number = matches!(value, Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_));
        let is_wildcard = name.split('.').any(|part| part == "$**");
        let allowed = match value {
            _ if is_number && !is_wildcard => continue,
            Bson::String(kind) if kind == "2dsphere" && !is_time(name) => continue,
            _ if is_time(name) => {
                "on the time field must be ascending or descending (numbers only)"
            }
            _ => {
                "on measurement fields must be ascending or descending (numbers only), or '2dsphere'"
            }
        };
        return Err(refused!(
            CannotCreateIndex,
            "Invalid index spec for time-series collection: {source}. Indexes {allowed}: \
             {name}: {value}"
        ));
    }
    Ok(())
}

fn is_time(path: &crate::value::Path, options: &Document) -> bool {
    options.get_str("timeField").is_ok_and(|field| field == path.as_str())
}

fn only_on(expr: &Expr, field: &str) -> bool {
    match expr {
        Expr::And(parts) | Expr::Or(parts) => parts.iter().all(|part| only_on(part, field)),
        Expr::Field { path, .. } => path.parts().first().is_some_and(|part| part.name == field),
        _ => false,
    }
}

fn invalid(message: impl Into<String>) -> CatalogError {
    CatalogError::new(CatalogErrorKind::InvalidOptions, message)
}
