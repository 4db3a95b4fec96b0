//! One index specification of `createIndexes`.

use bson::{Bson, Document, RawDocumentBuf, doc};

use super::{
    collation,
    numbers::{Whole, safe_bool, type_name},
    special,
};
use crate::{
    broken_rules::{BrokenRule, is_broken},
    catalog::{
        CatalogError, CatalogErrorKind, Dialect, EntryForm, IndexKey, IndexMeta, IndexState,
        KeyKind,
    },
    query::{Expr, Filter, Test},
    store::IndexId,
    value::{Collation, Path, is_reserved_name},
};

/// Most fields of a compound index (MongoDB's limit).
const KEY_FIELDS_MAX: usize = 32;

/// A parsed specification.
#[derive(Debug)]
pub(super) struct ParsedIndex {
    /// The definition, without its number. A bad `expireAfterSeconds` counts as 2147483647.
    pub(super) meta: IndexMeta,
    /// Number of key fields as given.
    pub(super) key_fields: usize,
    /// Why its `expireAfterSeconds` is refused. Reported after conflicts with existing indexes, as
    /// MongoDB does.
    pub(super) ttl_error: Option<CatalogError>,
}

/// The definition that a specification of `createIndexes` gives, without its number.
///
/// # Errors
/// Why no such index can be created.
pub(crate) fn read_index(spec: &Document, dialect: Dialect) -> Result<IndexMeta, CatalogError> {
    let ParsedIndex { meta, ttl_error, .. } = parse(spec, dialect, None, false)?;
    ttl_error.map_or(Ok(meta), Err)
}

/// Parses a specification. An index without a collation inherits that of its collection.
pub(super) fn parse(
    spec: &Document,
    dialect: Dialect,
    inherited: Option<&Collation>,
    ignore_unknown: bool,
) -> Result<ParsedIndex, CatalogError> {
    let spec = known_options(spec, ignore_unknown)?;
    let key = match spec.get("key") {
        Some(Bson::Document(key)) => key,
        Some(other) => return Err(wrong_type("key", "an object", other)),
        None => {
            return Err(refused!(FailedToParse, "the index has no key; give it a key pattern"));
        }
    };
    let name = match spec.get("name") {
        Some(Bson::String(name)) => name.clone(),
        Some(other) => return Err(wrong_type("name", "a string", other)),
        None => {
            return Err(refused!(FailedToParse, "the index has no name; give it a name"));
        }
    };
    let parsed_key = parse_key(key)?;
    if parsed_key.is_id() {
        return parse_id(&spec, &parsed_key, inherited);
    }
    check_name(&name)?;
    check_version(&spec)?;
    special::check(&parsed_key, &spec, flag(&spec, "unique")?)?;
    check_flags(&spec)?;
    let (key, mut extra) = stored_key(&parsed_key, &spec)?;
    if spec.contains_key("background") {
        extra.insert("background", flag(&spec, "background")?);
    }
    extra.extend(kept_options(&spec, &parsed_key)?);
    let form = entry_form(&key, dialect);
    let collation = collation::of_index(&spec, inherited)?;
    let (expire_after_secs, ttl_error) = seconds(&spec, &parsed_key, form, dialect);
    let meta = IndexMeta {
        id: IndexId(0),
        name,
        key,
        form,
        unique: flag(&spec, "unique")?,
        prepare_unique: flag(&spec, "prepareUnique")?,
        sparse: flag(&spec, "sparse")?,
        hidden: flag(&spec, "hidden")?,
        partial: partial_filter(&spec, collation.as_ref())?,
        collation,
        expire_after_secs,
        ttl_since_ms: None,
        state: IndexState::Ready,
        multikey: false,
        clustered: false,
        has_implicit_ids: false,
        extra,
    };
    check_combination(&meta)?;
    Ok(ParsedIndex { meta, key_fields: parsed_key.parts.len(), ttl_error })
}

/// The index on `_id` of every collection.
pub(crate) fn id_index(id: IndexId, clustered_name: Option<&str>) -> IndexMeta {
    let source = doc! { "_id": 1 };
    let parts = IndexKey::read(&source).map(|key| key.parts).unwrap_or_default();
    IndexMeta {
        id,
        name: clustered_name.unwrap_or("_id_").to_owned(),
        key: IndexKey { parts, source },
        form: EntryForm::Values,
        unique: true,
        prepare_unique: false,
        sparse: false,
        hidden: false,
        collation: None,
        partial: None,
        expire_after_secs: None,
        ttl_since_ms: None,
        state: IndexState::Ready,
        multikey: false,
        clustered: clustered_name.is_some(),
        has_implicit_ids: clustered_name.is_none(),
        extra: Document::new(),
    }
}

/// Options that are kept as they are.
const KEPT: &[&str] = &[
    "storageEngine",
    "default_language",
    "language_override",
    "textIndexVersion",
    "2dsphereIndexVersion",
    "bits",
    "min",
    "max",
    "wildcardProjection",
];

fn known_options(spec: &Document, ignore_unknown: bool) -> Result<Document, CatalogError> {
    const KNOWN: &[&str] = &[
        "key",
        "name",
        "ns",
        "v",
        "background",
        "dropDups",
        "unique",
        "prepareUnique",
        "sparse",
        "hidden",
        "expireAfterSeconds",
        "partialFilterExpression",
        "collation",
        "weights",
        "bucketSize",
        "clustered",
    ];
    let is_known = |option: &str| KNOWN.contains(&option) || KEPT.contains(&option);
    let unknown = spec.keys().find(|option| !is_known(option));
    match unknown {
        Some(option) if !ignore_unknown => Err(refused!(
            InvalidIndexSpecificationOption,
            "the field '{option}' is not valid for an index specification; remove it"
        )),
        _ => Ok(spec
            .iter()
            .filter(|(option, _)| is_known(option))
            .map(|(option, value)| (option.clone(), value.clone()))
            .collect()),
    }
}

fn parse_key(key: &Document) -> Result<IndexKey, CatalogError> {
    if key.is_empty() {
        return Err(cannot("the key pattern is empty; name at least one field"));
    }
    if key.len() > KEY_FIELDS_MAX {
        return Err(refused!(
            KeyFields,
            "the key pattern has more than {KEY_FIELDS_MAX} fields; remove some"
        ));
    }
    for (field, value) in key {
        let path =
            field.strip_suffix("$**").map_or(field.as_str(), |rest| rest.trim_end_matches('.'));
        let wildcard_root = field == "$**";
        if !wildcard_root && Path::parse(path).is_err() {
            return Err(cannot(format!(
                "the key pattern has the field name {field:?}, which is not a valid path"
            )));
        }
        if path.split('.').any(is_reserved_name) {
            return Err(cannot(format!(
                "the field name {field:?} has a part that starts with $; rename it"
            )));
        }
        let ends_wild = field == "$**" || field.ends_with(".$**");
        let is_text = |word: &Bson| word.as_str() == Some("text");
        if !ends_wild && value.as_str() == Some("wildcard") {
            return Err(refused!(
                WildcardWord,
                "\"wildcard\" is not an index type; use the field name $** and 1 or -1"
            ));
        }
        let of_words = ends_wild && value.as_str().is_some() && !is_text(value);
        if of_words || KeyKind::of(field, value).is_none() {
            return Err(cannot(format!(
                "the key pattern has the value {value} for {field:?}; use 1, -1 or one of \"hashed\", \
                 \"text\", \"2d\", \"2dsphere\""
            )));
        }
    }
    IndexKey::read(key).ok_or_else(|| cannot("the key pattern can't be read"))
}

fn check_name(name: &str) -> Result<(), CatalogError> {
    match name {
        "" => Err(cannot("the index name is empty; give it a name")),
        "*" => Err(refused!(BadValue, "the index name '*' means all indexes; choose another")),
        "_id_" => Err(refused!(
            BadValue,
            "the index name '_id_' is reserved for the index on _id; choose another"
        )),
        name if name.contains('\0') => Err(cannot("the index name has a NUL character; remove it")),
        _ => Ok(()),
    }
}

fn check_version(spec: &Document) -> Result<(), CatalogError> {
    match spec.get("v").map(|v| (v, Whole::of(v))) {
        None | Some((_, Some(Whole::Number(1 | 2)))) => Ok(()),
        Some((other, None)) => Err(wrong_type("v", "a number", other)),
        Some(_) => Err(cannot("the index version 'v' must be 1 or 2")),
    }
}

fn parse_id(
    spec: &Document,
    key: &IndexKey,
    inherited: Option<&Collation>,
) -> Result<ParsedIndex, CatalogError> {
    const ALLOWED: &[&str] = &["key", "name", "ns", "v", "collation", "clustered"];
    let clustered = spec.get_bool("clustered").unwrap_or(false);
    let other = spec.keys().find(|option| {
        let allowed = ALLOWED.contains(&option.as_str());
        !(allowed || clustered && option.as_str() == "unique")
    });
    if let Some(option) = other {
        return Err(refused!(
            InvalidIndexSpecificationOption,
            "The field '{option}' is not valid for an _id index specification; remove it"
        ));
    }
    if !key.same_pattern(&doc! { "_id": 1 }) {
        return Err(CatalogError::new(
            CatalogErrorKind::BadValue,
            "the key of the index on _id must be {_id: 1}",
        ));
    }
    collation::check_of_id(spec, inherited)?;
    Ok(ParsedIndex { meta: id_index(IndexId(0), None), key_fields: 1, ttl_error: None })
}

/// The stored key and the options derived from it: a text index keeps its fields as weights.
fn stored_key(key: &IndexKey, spec: &Document) -> Result<(IndexKey, Document), CatalogError> {
    if key.has(KeyKind::Geo2dSphere) {
        return Ok((key.clone(), doc! { "2dsphereIndexVersion": 3 }));
    }
    if !key.has(KeyKind::Text) {
        return Ok((key.clone(), Document::new()));
    }
    let mut source = Document::new();
    let mut weights = Document::new();
    for part in &key.parts {
        let field = part.path.as_str();
        if part.kind == KeyKind::Text {
            // The listed key of a text index names no document fields.
            if field != "_fts" {
                weights.insert(field, 1);
            }
            source.insert("_fts", "text");
            source.insert("_ftsx", 1);
        } else if let Some(value) = key.source.get(field) {
            source.insert(field, value.clone());
        }
    }
    if let Ok(given) = spec.get_document("weights") {
        weights.extend(given.clone());
    }
    let extra = doc! {
        "weights": weights, "default_language": "english", "language_override": "language", "textIndexVersion": 3,
    };
    let key = IndexKey::read(&source).ok_or_else(|| cannot("the key pattern can't be read"))?;
    Ok((key, extra))
}

fn kept_options(spec: &Document, key: &IndexKey) -> Result<Document, CatalogError> {
    if spec.contains_key("wildcardProjection") && !key.has(KeyKind::Wildcard) {
        return Err(refused!(
            BadValue,
            "wildcardProjection is only for a key pattern with $**; remove it"
        ));
    }
    check_kept(spec, key)?;
    Ok(spec
        .iter()
        .filter(|(option, _)| KEPT.contains(&option.as_str()))
        .map(|(option, value)| (option.clone(), value.clone()))
        .collect())
}

/// Checks the types of options that have no effect here, and what they can be combined with.
fn check_kept(spec: &Document, key: &IndexKey) -> Result<(), CatalogError> {
    const NUMBERS: [&str; 5] = ["bits", "min", "max", "textIndexVersion", "2dsphereIndexVersion"];
    for (option, value) in spec {
        let option = option.as_str();
        match (option, value) {
            ("storageEngine" | "wildcardProjection", Bson::Document(_))
            | ("default_language" | "language_override", Bson::String(_))
            | ("weights", Bson::Document(_) | Bson::String(_)) => {}
            ("storageEngine" | "wildcardProjection" | "weights", other) => {
                return Err(wrong_type(option, "an object", other));
            }
            ("default_language" | "language_override", other) => {
                return Err(wrong_type(option, "a string", other));
            }
            (number, other) if NUMBERS.contains(&number) && Whole::of(other).is_none() => {
                return Err(wrong_type(option, "a number", other));
            }
            _ => {}
        }
    }
    if spec.get_document("storageEngine").is_ok_and(|engine| !engine.is_empty()) {
        return Err(refused!(
            InvalidOptions,
            "storageEngine names an engine that is not there; remove it"
        ));
    }
    if spec.get_document("wildcardProjection").is_ok_and(Document::is_empty) {
        return Err(refused!(
            FailedToParse,
            "The 'wildcardProjection' field can't be an empty object"
        ));
    }
    if spec.contains_key("weights") && !key.has(KeyKind::Text) {
        return Err(cannot("weights are only for a text index; remove them"));
    }
    Ok(())
}

fn entry_form(key: &IndexKey, dialect: Dialect) -> EntryForm {
    let on_ts = key.single().is_some_and(|part| part.path.as_str() == "_ts");
    if !key.is_plain() {
        EntryForm::Nothing
    } else if on_ts && dialect.has_last_modified_index() {
        EntryForm::LastModified
    } else {
        EntryForm::Values
    }
}

/// Types of yes and no: `hidden` must be a bool, the others may be numbers.
fn check_flags(spec: &Document) -> Result<(), CatalogError> {
    for option in ["background", "dropDups"] {
        flag(spec, option)?;
    }
    match spec.get("hidden") {
        None | Some(Bson::Boolean(_)) => Ok(()),
        Some(other) => Err(wrong_type("hidden", "a bool", other)),
    }
}

fn flag(spec: &Document, option: &str) -> Result<bool, CatalogError> {
    spec.get(option).map_or(Ok(false), |value| {
        safe_bool(value).ok_or_else(|| wrong_type(option, "true or false", value))
    })
}

/// The filter of a partial index. Its text compares by the collation of the index.
///
/// # Errors
/// `TypeMismatch`, `CannotCreateIndex`, and errors of the filter.
pub fn partial_filter(
    spec: &Document,
    collation: Option<&Collation>,
) -> Result<Option<Filter>, CatalogError> {
    let filter = match spec.get("partialFilterExpression") {
        None => return Ok(None),
        Some(Bson::Document(filter)) => filter,
        Some(other) => return Err(wrong_type("partialFilterExpression", "an object", other)),
    };
    let raw = RawDocumentBuf::try_from(filter)
        .map_err(|_| cannot("the partialFilterExpression can't be written as BSON"))?;
    let filter = Filter::parse_in(&raw, collation)?;
    if is_partial(filter.root()) {
        Ok(Some(filter))
    } else {
        Err(cannot(
            "the partialFilterExpression has an operator that is not supported there; use $eq, $gt, \
             $gte, $lt, $lte, $in, $type, $exists: true, $and and $or",
        ))
    }
}

fn is_partial(expr: &Expr) -> bool {
    match expr {
        Expr::True => true,
        Expr::And(parts) | Expr::Or(parts) => parts.iter().all(is_partial),
        Expr::Field { test, .. } => match test.collated().0 {
            Test::Compare { .. } | Test::Exists | Test::Type(_) => true,
            Test::In { patterns, .. } => patterns.is_empty(),
            _ => false,
        },
        _ => false,
    }
}

fn check_combination(meta: &IndexMeta) -> Result<(), CatalogError> {
    if meta.sparse && meta.partial.is_some() {
        return Err(cannot(
            "an index can't be both sparse and partial; remove one of the two options",
        ));
    }
    collation::check_kind(meta)?;
    if meta.refuses_duplicates() && meta.form != EntryForm::Values {
        return Err(cannot("an index of this kind can't be unique; remove the option"));
    }
    Ok(())
}

/// The stored `expireAfterSeconds`, and why it is refused.
fn seconds(
    spec: &Document,
    key: &IndexKey,
    form: EntryForm,
    dialect: Dialect,
) -> (Option<i64>, Option<CatalogError>) {
    let Some(value) = spec.get("expireAfterSeconds") else { return (None, None) };
    let checked = check_seconds(value, form).and_then(|secs| {
        check_ttl_key(key)?;
        check_ttl_dialect(form, secs, dialect)?;
        Ok(secs)
    });
    match checked {
        Ok(secs) => (Some(secs), None),
        Err(refused) => (Some(i64::from(i32::MAX)), Some(refused)),
    }
}

fn check_seconds(value: &Bson, form: EntryForm) -> Result<i64, CatalogError> {
    let refuse = |what: &str| Err(cannot(format!("TTL index 'expireAfterSeconds' option {what}")));
    let Some(whole) = Whole::of(value) else {
        return refuse(&format!("must be numeric, but received a type of '{}'", type_name(value)));
    };
    match whole {
        Whole::Nan => refuse("must not be NaN"),
        Whole::Number(-1) if form == EntryForm::LastModified => Ok(-1),
        Whole::Number(secs) if i32::try_from(secs).is_err() => {
            refuse(&format!("must be within the range of a 32-bit integer, but got {value}"))
        }
        Whole::Number(secs) if secs < 0 => {
            refuse(&format!("cannot be less than 0, but got {value}"))
        }
        Whole::Number(secs) => Ok(secs),
    }
}

fn check_ttl_key(key: &IndexKey) -> Result<(), CatalogError> {
    if key.parts.len() > 1 && !is_broken(BrokenRule::CompoundIndexes) {
        return Err(cannot(
            "TTL indexes are single-field indexes, compound indexes do not support TTL",
        ));
    }
    if key.has(KeyKind::Wildcard) {
        return Err(cannot(
            "the index type 'wildcard' does not support the expireAfterSeconds option",
        ));
    }
    Ok(())
}

/// The refusal of any other TTL in the cosmos dialect.
pub(super) const TTL_ON_TS_ONLY: &str =
    "The 'expireAfterSeconds' option is supported on '_ts' field only";

fn check_ttl_dialect(form: EntryForm, secs: i64, dialect: Dialect) -> Result<(), CatalogError> {
    if dialect != Dialect::Cosmos || is_broken(BrokenRule::CosmosAnyField) {
        return Ok(());
    }
    if form != EntryForm::LastModified {
        return Err(CatalogError::new(CatalogErrorKind::BadValue, TTL_ON_TS_ONLY));
    }
    if secs == 0 {
        return Err(refused!(BadValue, "expireAfterSeconds must be -1 or from 1 to 2147483647"));
    }
    Ok(())
}

pub(super) fn wrong_type(option: &str, wanted: &str, found: &Bson) -> CatalogError {
    refused!(
        TypeMismatch,
        "the field '{option}' must be {wanted}, but is of type '{}'",
        type_name(found)
    )
}

fn cannot(message: impl Into<String>) -> CatalogError {
    CatalogError::new(CatalogErrorKind::CannotCreateIndex, message)
}
