//! `create`.

use bson::{Bson, Document, doc};

use super::{
    coll_mod::check_own_seconds,
    collation,
    index_spec::{TTL_ON_TS_ONLY, wrong_type},
    numbers::{Whole, safe_bool},
    time_series, validation,
};
use crate::{
    catalog::{
        Capped, CatalogError, CatalogErrorKind, Clustered, CollectionOptions, Dialect, Namespace,
        Validation, View, index_key::same_document,
    },
    value::Collation,
};

/// Largest size of a capped collection in bytes (MongoDB's limit).
const CAPPED_BYTES_MAX: i64 = 1 << 50;

/// A collection or view to create.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateRequest {
    /// Its name.
    pub namespace: Namespace,
    /// The fields of the command except its name and the generic ones (`$db`, `lsid`, `comment`,
    /// `writeConcern` and so on).
    pub options: Document,
}

/// Parses and checks the options.
///
/// # Errors
/// `InvalidOptions`, `TypeMismatch`, `UnknownField` and others; `CommandNotSupported` for
/// unsupported options.
pub fn options(options: &Document, now_ms: i64) -> Result<CollectionOptions, CatalogError> {
    check_known(options)?;
    let options = &given(options);
    check_beside_clustered(options)?;
    let view = view(options)?;
    let time_series = options.get("timeseries").map(time_series::options).transpose()?;
    let clustered = clustered(options)?;
    let capped = capped(options, clustered.is_some())?;
    let expire_after_secs = match options.get("expireAfterSeconds") {
        None => None,
        Some(value) => {
            let whole = Whole::of(value)
                .ok_or_else(|| wrong_type("expireAfterSeconds", "a number", value))?;
            Some(whole.or_zero())
        }
    };
    let mut made = CollectionOptions {
        capped,
        clustered,
        expire_after_secs,
        time_series,
        view,
        collation: collation::read(options, "create.collation")?.flatten(),
        validation: Validation::default(),
        extra: kept(options),
    };
    validation::apply(&mut made.validation, options, made.collation.as_ref(), "create")?;
    check_id_index(options, made.collation.as_ref())?;
    check_combination(&made, now_ms)?;
    Ok(made)
}

/// Removes null options, which MongoDB treats as absent, except `clusteredIndex`.
fn given(options: &Document) -> Document {
    let options = options
        .iter()
        .filter(|(field, value)| **value != Bson::Null || field.as_str() == "clusteredIndex");
    options.map(|(field, value)| (field.clone(), value.clone())).collect()
}

/// Refuses a collection's own TTL, which uses the date in its `_id`, in a dialect where only `_ts`
/// may have one.
///
/// # Errors
/// `BadValue`.
pub fn check_dialect(options: &CollectionOptions, dialect: Dialect) -> Result<(), CatalogError> {
    if dialect == Dialect::Cosmos && options.expire_after_secs.is_some() {
        return Err(CatalogError::new(CatalogErrorKind::BadValue, TTL_ON_TS_ONLY));
    }
    Ok(())
}

/// Refuses names reserved for the server: `system.` (except the profile), and those of unfinished
/// `$out` collections, which are dropped when the store is opened.
///
/// # Errors
/// `InvalidNamespace`.
pub fn check_name(namespace: &Namespace) -> Result<(), CatalogError> {
    if namespace.is_unfinished_output() {
        return Err(refused!(
            InvalidNamespace,
            "the name {namespace} is reserved for the output of $out; choose another"
        ));
    }
    if namespace.is_system() && namespace.collection != "system.profile" {
        return Err(refused!(
            InvalidNamespace,
            "the name {namespace} is reserved for the system; choose another"
        ));
    }
    Ok(())
}

fn check_known(options: &Document) -> Result<(), CatalogError> {
    const KNOWN: &[&str] = &[
        "capped",
        "size",
        "max",
        "clusteredIndex",
        "expireAfterSeconds",
        "timeseries",
        "viewOn",
        "pipeline",
        "collation",
        "storageEngine",
        "indexOptionDefaults",
        "idIndex",
        "autoIndexId",
        "flags",
        "changeStreamPreAndPostImages",
        "validator",
        "validationLevel",
        "validationAction",
        "encryptedFields",
    ];
    if let Some(unknown) = options.keys().find(|field| !KNOWN.contains(&field.as_str())) {
        return Err(refused!(UnknownField, "the field 'create.{unknown}' is unknown; remove it"));
    }
    let is_off = |given: &Document| given.get("enabled").and_then(safe_bool) != Some(true);
    check_inert(options, "encryptedFields", Document::is_empty)?;
    check_inert(options, "changeStreamPreAndPostImages", is_off)?;
    check_inert(options, "idIndex", |_| true)
}

/// The index on `_id` has the collation of its collection.
fn check_id_index(
    options: &Document,
    of_collection: Option<&Collation>,
) -> Result<(), CatalogError> {
    let Ok(id_index) = options.get_document("idIndex") else { return Ok(()) };
    match collation::read(id_index, "create.idIndex.collation")? {
        Some(given) if given.as_ref() != of_collection => Err(refused!(
            BadValue,
            "'idIndex' must have the same collation as the collection; leave it out"
        )),
        _ => Ok(()),
    }
}

/// Refuses an unsupported option, unless its value has no effect.
fn check_inert(
    options: &Document,
    field: &str,
    changes_nothing: impl Fn(&Document) -> bool,
) -> Result<(), CatalogError> {
    match options.get(field) {
        None | Some(Bson::Null) => Ok(()),
        Some(Bson::Document(given)) if changes_nothing(given) => Ok(()),
        Some(Bson::Document(_)) => {
            Err(refused!(CommandNotSupported, "the option '{field}' is not supported; remove it"))
        }
        Some(other) => Err(wrong_type(field, "an object", other)),
    }
}

/// The view that the options define.
///
/// # Errors
/// The first invalid option.
pub(super) fn view(options: &Document) -> Result<Option<View>, CatalogError> {
    let on = match options.get("viewOn") {
        None if options.contains_key("pipeline") => {
            return Err(invalid("a pipeline is only for a view; give viewOn as well"));
        }
        None => return Ok(None),
        Some(Bson::String(on)) if on.is_empty() => {
            return Err(refused!(BadValue, "viewOn is empty; name a collection"));
        }
        Some(Bson::String(on)) => on.clone(),
        Some(other) => return Err(wrong_type("viewOn", "a string", other)),
    };
    let stages = match options.get("pipeline") {
        None => Vec::new(),
        Some(Bson::Array(stages)) => stages
            .iter()
            .filter(|stage| **stage != Bson::Null)
            .map(|stage| {
                stage
                    .as_document()
                    .cloned()
                    .ok_or_else(|| wrong_type("pipeline", "an array of objects", stage))
            })
            .collect::<Result<_, _>>()?,
        Some(other) => return Err(wrong_type("pipeline", "an array", other)),
    };
    Ok(Some(View { on, pipeline: stages }))
}

fn clustered(options: &Document) -> Result<Option<Clustered>, CatalogError> {
    let given = match options.get("clusteredIndex") {
        None => return Ok(None),
        Some(Bson::Document(given)) => given,
        Some(other) => {
            return match safe_bool(other) {
                Some(false) => Ok(None),
                Some(true) => Err(refused!(
                    ClusteredLegacy,
                    "clusteredIndex: true is reserved for the server's own collections; give the \
                     key and \
                     unique"
                )),
                None => Err(wrong_type("clusteredIndex", "an object", other)),
            };
        }
    };
    check_clustered(given)?;
    let name = match part(given, "name") {
        None => "_id_".to_owned(),
        Some(Bson::String(name)) if !name.is_empty() && name != "*" => name.clone(),
        Some(other) => return Err(wrong_type("clusteredIndex.name", "a name", other)),
    };
    Ok(Some(Clustered { name }))
}

/// A field of the clustered index; null counts as absent.
fn part<'d>(given: &'d Document, field: &str) -> Option<&'d Bson> {
    given.get(field).filter(|value| **value != Bson::Null)
}

fn check_clustered(given: &Document) -> Result<(), CatalogError> {
    let missing = |field: &str| {
        refused!(
            MissingField,
            "BSON field 'create.clusteredIndex.{field}' is missing but a required field"
        )
    };
    let known = ["key", "unique", "name", "v"];
    if let Some(other) = given.keys().find(|field| !known.contains(&field.as_str())) {
        return Err(refused!(
            UnknownField,
            "the field 'create.clusteredIndex.{other}' is unknown; remove it"
        ));
    }
    let key = match part(given, "key").ok_or_else(|| missing("key"))? {
        Bson::Document(key) => key,
        other => return Err(wrong_type("clusteredIndex.key", "an object", other)),
    };
    let unique = part(given, "unique").ok_or_else(|| missing("unique"))?;
    let is_unique = safe_bool(unique)
        .ok_or_else(|| wrong_type("clusteredIndex.unique", "true or false", unique))?;
    if let Some(version) = part(given, "v") {
        let whole = Whole::of(version)
            .ok_or_else(|| wrong_type("clusteredIndex.v", "a number", version))?;
        if whole.or_zero() != 2 {
            return Err(refused!(
                ClusteredVersion,
                "the version 'v' of a clustered index must be 2"
            ));
        }
    }
    if !same_document(key, &doc! { "_id": 1 }) {
        return Err(CatalogError::new(
            CatalogErrorKind::InvalidIndexSpecificationOption,
            "the key of a clustered index must be {_id: 1}",
        ));
    }
    if !is_unique {
        return Err(refused!(ClusteredNotUnique, "a clustered index must be unique"));
    }
    Ok(())
}

/// Options that can't be combined with `clusteredIndex`, even if false.
fn check_beside_clustered(options: &Document) -> Result<(), CatalogError> {
    if !options.contains_key("clusteredIndex") {
        return Ok(());
    }
    let refused = [
        ("viewOn", CatalogErrorKind::ClusteredView, "a view stores no documents"),
        ("size", CatalogErrorKind::ClusteredSize, "use expireAfterSeconds to bound it"),
        ("max", CatalogErrorKind::ClusteredMax, "use expireAfterSeconds to bound it"),
        ("idIndex", CatalogErrorKind::InvalidOptions, "it has no other index on _id"),
    ];
    match refused.iter().find(|(option, ..)| options.contains_key(*option)) {
        Some((option, kind, why)) => Err(CatalogError::new(
            *kind,
            format!("'{option}' is not allowed on a clustered collection: {why}"),
        )),
        None => Ok(()),
    }
}

fn capped(options: &Document, clustered: bool) -> Result<Option<Capped>, CatalogError> {
    let on = match options.get("capped") {
        None => false,
        Some(value) => {
            safe_bool(value).ok_or_else(|| wrong_type("capped", "true or false", value))?
        }
    };
    let number = |field: &str| {
        options.get(field).map_or(Ok(None), |value| {
            let whole = Whole::of(value).ok_or_else(|| wrong_type(field, "a number", value))?;
            Ok::<_, CatalogError>(Some(whole.or_zero()))
        })
    };
    let (size_bytes, max) = (number("size")?, number("max")?);
    if !on {
        return match (size_bytes, max) {
            (None, None) => Ok(None),
            _ => Err(invalid(
                "the 'capped' field needs to be true when either the 'size' or 'max' fields are present",
            )),
        };
    }
    match size_bytes {
        None if !clustered => {
            return Err(invalid("the 'size' field is required when 'capped' is true"));
        }
        Some(size) => check_capped_size(size)?,
        None => {}
    }
    max.map_or(Ok(()), check_capped_max)?;
    Ok(Some(Capped { size_bytes, docs_max: max.filter(|max| *max > 0) }))
}

/// Checks the size of a capped collection in bytes.
///
/// # Errors
/// `BadValue`
pub fn check_capped_size(size: i64) -> Result<(), CatalogError> {
    if (1..=CAPPED_BYTES_MAX).contains(&size) {
        return Ok(());
    }
    Err(refused!(
        BadValue,
        "the size of a capped collection must be from 1 to {CAPPED_BYTES_MAX} bytes"
    ))
}

/// Checks the document limit of a capped collection; 0 and less mean no limit.
///
/// # Errors
/// `BadValue`
pub(super) fn check_capped_max(max: i64) -> Result<(), CatalogError> {
    if max < i64::from(i32::MAX) {
        return Ok(());
    }
    Err(refused!(BadValue, "max of a capped collection must be less than 2147483647"))
}

fn check_combination(options: &CollectionOptions, now_ms: i64) -> Result<(), CatalogError> {
    let special = [
        options.capped.is_some() || options.clustered.is_some(),
        options.time_series.is_some(),
        options.view.is_some(),
    ];
    if special.iter().filter(|given| **given).count() > 1 {
        return Err(invalid("capped or clustered, timeseries and viewOn can't be combined"));
    }
    if let Some(secs) = options.expire_after_secs {
        if options.clustered.is_none() && options.time_series.is_none() {
            return Err(invalid(
                "expireAfterSeconds of a collection is only for clustered and time-series collections; \
                 create a TTL index instead",
            ));
        }
        check_own_seconds(secs, now_ms)?;
    }
    if options.capped.is_some()
        && options.clustered.is_some()
        && options.expire_after_secs.is_none()
    {
        return Err(refused!(
            CappedClusteredWithoutTtl,
            "a capped clustered collection needs expireAfterSeconds"
        ));
    }
    Ok(())
}

fn kept(options: &Document) -> Document {
    const KEPT: &[&str] = &["storageEngine", "indexOptionDefaults"];
    options
        .iter()
        .filter(|(field, _)| KEPT.contains(&field.as_str()))
        .map(|(field, value)| (field.clone(), value.clone()))
        .collect()
}

fn invalid(message: impl Into<String>) -> CatalogError {
    CatalogError::new(CatalogErrorKind::InvalidOptions, message)
}
