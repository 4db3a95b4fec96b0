//! The BSON form of a checkpoint. Its field names and words are on disk: never change them.

use bson::{Bson, Document, doc, oid::ObjectId};

use crate::catalog::Namespace;
use crate::transfer::{
    CsvReading, FieldType, ImportFormat, ImportMode, ImportRequest, Leniency, Nonstandard, Reject,
    Tally, TextEncoding, TextPosition, Types, Unconverted, Zone,
    read::text_position::ResumePoint,
    resume::checkpoint::{Checkpoint, ImportState},
    resume::identity::{FileIdentity, bits, path_from_bson, path_to_bson, unbits},
};

const MODES: [(ImportMode, &str); 4] = [
    (ImportMode::Insert, "insert"),
    (ImportMode::Skip, "skip"),
    (ImportMode::Replace, "replace"),
    (ImportMode::Merge, "merge"),
];
const FORMATS: [(ImportFormat, &str); 4] = [
    (ImportFormat::Auto, "auto"),
    (ImportFormat::Json, "json"),
    (ImportFormat::Csv, "csv"),
    (ImportFormat::Bson, "bson"),
];
/// Words on disk.
const FORMS: [(Nonstandard, &str); 5] = [
    (Nonstandard::DuplicateField, "duplicateField"),
    (Nonstandard::BigInteger, "bigInteger"),
    (Nonstandard::NotFinite, "notFinite"),
    (Nonstandard::NoZone, "noZone"),
    (Nonstandard::BrokenText, "brokenText"),
];
const LEAP_SECONDS: &str = "leapSecond";
const CONVERTED: &str = "converted";
const UNCONVERTED: &str = "unconverted";
const IGNORED_BYTES: &str = "ignoredBytes";
const SEPARATORS: &str = "separators";
const SHELL_DOCUMENTS: &str = "shellDocuments";
const FINER_DATES: &str = "finerDates";
const BIG_UNSIGNED: &str = "bigUnsigned";
const AS_TEXT: &str = "asText";
const ERROR_CELLS: &str = "errorCells";
const EMPTY_FORMULAS: &str = "emptyFormulas";
const FAR_DATES: &str = "farDates";
const MISSING_WORDS: &str = "missingWords";
const PADDING_BYTES: &str = "paddingBytes";
/// How CSV is written.
const DECIMAL_COMMA: &str = "decimalComma";
const BACKSLASH_ESCAPES: &str = "backslashEscapes";
const STATES: [(ImportState, &str); 4] = [
    (ImportState::Importing, "importing"),
    (ImportState::Complete, "complete"),
    (ImportState::RollingBack, "rollingBack"),
    (ImportState::Forgetting, "forgetting"),
];

fn word<T: PartialEq>(words: &[(T, &'static str)], value: &T) -> &'static str {
    words.iter().find(|(known, _)| known == value).map_or("", |(_, word)| word)
}

fn value<T: Copy>(words: &[(T, &str)], from: &Document, name: &str) -> Option<T> {
    let word = from.get_str(name).ok()?;
    words.iter().find(|(_, known)| *known == word).map(|(value, _)| *value)
}

pub(in crate::transfer) fn to_bson(of: &Checkpoint) -> Document {
    let request = &of.request;
    let reasons = of.reasons.iter();
    let reasons: Vec<_> =
        reasons.map(|(reason, count)| doc! { "reason": reason, "count": bits(*count) }).collect();
    let mut document = doc! {
        "startedMs": of.started_ms,
        "state": word(&STATES, &of.state),
        "db": &request.namespace.db,
        "collection": &request.namespace.collection,
        "format": word(&FORMATS, &request.format),
        "mode": word(&MODES, &request.mode),
        "drop": request.drop,
        "stopOnError": request.stop_on_error,
        "keepsInserted": request.keeps_inserted,
        "files": of.identities.iter().map(FileIdentity::to_bson).collect::<Vec<_>>(),
        "created": of.created,
        "file": bits(of.file as u64),
        "place": position_to_bson(of.resume_point.position),
        "legacy": bits(of.resume_point.tally.legacy_values),
        "oddities": nonstandard_to_bson(&of.resume_point.tally),
        "legacyBefore": bits(of.tally_before.legacy_values),
        "odditiesBefore": nonstandard_to_bson(&of.tally_before),
        "imported": bits(of.imported),
        "replaced": bits(of.replaced),
        "skipped": bits(of.skipped),
        "rejected": bits(of.rejected),
        "forgiven": bits(of.forgiven),
        "reasons": reasons,
        "rejectsBefore": of.rejects_before.iter().map(|file| path_to_bson(file)).collect::<Vec<_>>(),
        "lists": bits(of.lists),
    };
    insert_options(request, &mut document);
    if let Some(id) = of.collection {
        document.insert("collectionId", i64::from(id));
    }
    if let Some((file, bytes)) = &of.rejects {
        document.insert("rejects", doc! { "path": path_to_bson(file), "bytes": bits(*bytes) });
    }
    if of.has_tail {
        document.insert("tail", true);
    }
    if let Some(is_in_array) = of.resume_point.is_in_array {
        document.insert("inArray", is_in_array);
    }
    if let Some(Reject { file, position, start_line, reason }) = &of.broken {
        let (path, position) = (path_to_bson(file), position_to_bson(*position));
        let start_line = bits(*start_line);
        let broken =
            doc! { "path": path, "place": position, "startLine": start_line, "reason": reason };
        document.insert("broken", broken);
    }
    document
}

/// Adds the options of a request that older versions don't know, unless they have their defaults.
fn insert_options(request: &ImportRequest, document: &mut Document) {
    if request.leniency != Leniency::default() {
        document.insert("lenience", leniency_to_bson(request.leniency));
    }
    // A zone without fields is for the dates of a header with types.
    if request.types != Types::default() {
        document.insert("types", types_to_bson(&request.types));
    }
    if !request.renames.is_empty() {
        let rename = |(from, to): &(String, String)| doc! { "from": from, "to": to };
        document.insert("renames", request.renames.iter().map(rename).collect::<Vec<_>>());
    }
    if let Some(encoding) = request.encoding {
        document.insert("encoding", encoding.name());
    }
    if let Some(sheet) = &request.sheet {
        document.insert("sheet", sheet);
    }
    document.extend(csv_to_bson(request.csv));
    if let Some(wanted) = &request.rejects {
        document.insert("rejectsWanted", path_to_bson(wanted));
    }
    if let Some(max) = request.rejects_max {
        document.insert("rejectsMax", bits(max));
    }
}

fn position_to_bson(position: TextPosition) -> Vec<Bson> {
    let numbers = [position.line, position.column, position.offset, position.document];
    numbers.map(|number| Bson::Int64(bits(number))).to_vec()
}

fn position_from_bson(from: &Document) -> Option<TextPosition> {
    let numbers = from.get_array("place").ok()?.iter().map(|number| number.as_i64().map(unbits));
    let numbers: Vec<u64> = numbers.collect::<Option<_>>()?;
    let [line, column, offset, document] = numbers.try_into().ok()?;
    Some(TextPosition { line, column, offset, document })
}

fn leniency_to_bson(of: Leniency) -> Document {
    let taken = FORMS.iter().filter(|(nonstandard, _)| of.takes(*nonstandard));
    doc! { "takes": taken.map(|(_, word)| *word).collect::<Vec<_>>(), "zone": of.zone.to_string() }
}

/// Old checkpoints without this field accept no non-standard JSON.
fn leniency_from_bson(from: &Document) -> Option<Leniency> {
    let mut leniency = Leniency::default();
    let Ok(from) = from.get_document("lenience") else { return Some(leniency) };
    for taken in from.get_array("takes").ok()? {
        let (nonstandard, _) = FORMS.iter().find(|(_, word)| taken.as_str() == Some(word))?;
        leniency.set(*nonstandard, true);
    }
    leniency.zone = Zone::parse(from.get_str("zone").ok()?)?;
    Some(leniency)
}

fn types_to_bson(of: &Types) -> Document {
    let field = |field: &FieldType| doc! { "as": field.arguments(), "shiftMs": field.shift_ms };
    doc! {
        "fields": of.fields.iter().map(field).collect::<Vec<_>>(),
        "zone": of.zone.to_string(),
        "unconverted": of.unconverted.name(),
    }
}

/// Old checkpoints without this field give no types.
fn types_from_bson(from: &Document) -> Option<Types> {
    let mut types = Types::default();
    let Ok(from) = from.get_document("types") else { return Some(types) };
    for field in from.get_array("fields").ok()? {
        let field = field.as_document()?;
        for argument in field.get_array("as").ok()? {
            types.add(FieldType::parse(argument.as_str()?).ok()?);
        }
        types.fields.last_mut()?.shift_ms = field.get_i64("shiftMs").ok()?;
    }
    types.zone = Zone::parse(from.get_str("zone").ok()?)?;
    types.unconverted = value(&Unconverted::ALL, from, "unconverted")?;
    Some(types)
}

/// Old checkpoints without this field rename nothing.
fn renames_from_bson(from: &Document) -> Option<Vec<(String, String)>> {
    let Ok(renames) = from.get_array("renames") else { return Some(Vec::new()) };
    let rename = |rename: &Bson| {
        let rename = rename.as_document()?;
        Some((rename.get_str("from").ok()?.to_owned(), rename.get_str("to").ok()?.to_owned()))
    };
    renames.iter().map(rename).collect()
}

/// Old checkpoints without this field read UTF-8.
fn encoding_from_bson(from: &Document) -> Result<Option<TextEncoding>, String> {
    from.get_str("encoding").ok().map(TextEncoding::parse).transpose()
}

fn csv_to_bson(of: CsvReading) -> Document {
    let words = [(DECIMAL_COMMA, of.decimal_comma), (BACKSLASH_ESCAPES, of.backslash_escapes)];
    let chosen = words.into_iter().filter(|(_, is_chosen)| *is_chosen);
    chosen.map(|(word, is_chosen)| (word.to_owned(), is_chosen.into())).collect()
}

/// Old checkpoints without these fields have neither.
fn csv_from_bson(from: &Document) -> CsvReading {
    CsvReading {
        decimal_comma: from.get_bool(DECIMAL_COMMA).unwrap_or(false),
        backslash_escapes: from.get_bool(BACKSLASH_ESCAPES).unwrap_or(false),
    }
}

fn nonstandard_to_bson(of: &Tally) -> Document {
    let forms = FORMS.iter().map(|(nonstandard, word)| (*word, of[*nonstandard]));
    let others = [
        (LEAP_SECONDS, of.leap_seconds),
        (CONVERTED, of.converted),
        (UNCONVERTED, of.unconverted),
        (IGNORED_BYTES, of.ignored_bytes),
        (SEPARATORS, of.separators),
        (SHELL_DOCUMENTS, of.shell_documents),
        (FINER_DATES, of.finer_dates),
        (BIG_UNSIGNED, of.big_unsigned),
        (AS_TEXT, of.as_text),
        (ERROR_CELLS, of.error_cells),
        (EMPTY_FORMULAS, of.empty_formulas),
        (FAR_DATES, of.far_dates),
        (MISSING_WORDS, of.missing_words),
        (PADDING_BYTES, of.padding_bytes),
    ];
    let all = forms.chain(others);
    all.map(|(word, count)| (word.to_owned(), bits(count).into())).collect()
}

fn tally_from_bson(from: &Document, legacy: &str, forms: &str) -> Option<Tally> {
    let mut tally = Tally::default();
    tally.legacy_values = unbits(from.get_i64(legacy).ok()?);
    let Ok(from) = from.get_document(forms) else { return Some(tally) };
    for (nonstandard, word) in FORMS {
        tally.set(nonstandard, unbits(from.get_i64(word).ok()?));
    }
    let number = |name| from.get_i64(name).map_or(0, unbits);
    tally.leap_seconds = number(LEAP_SECONDS);
    tally.converted = number(CONVERTED);
    tally.unconverted = number(UNCONVERTED);
    tally.ignored_bytes = number(IGNORED_BYTES);
    tally.separators = number(SEPARATORS);
    tally.shell_documents = number(SHELL_DOCUMENTS);
    tally.finer_dates = number(FINER_DATES);
    tally.big_unsigned = number(BIG_UNSIGNED);
    tally.as_text = number(AS_TEXT);
    tally.error_cells = number(ERROR_CELLS);
    tally.empty_formulas = number(EMPTY_FORMULAS);
    tally.far_dates = number(FAR_DATES);
    tally.missing_words = number(MISSING_WORDS);
    tally.padding_bytes = number(PADDING_BYTES);
    Some(tally)
}

/// Reads a checkpoint; `None` if it is damaged. Fields that later versions added may be missing.
pub(in crate::transfer) fn from_bson(id: ObjectId, from: &Document) -> Option<Checkpoint> {
    let number = |name: &str| Some(unbits(from.get_i64(name).ok()?));
    let documents = |name: &str| {
        let all = from.get_array(name).ok()?.iter().map(Bson::as_document);
        all.collect::<Option<Vec<_>>>()
    };
    let identities = documents("files")?.into_iter().map(FileIdentity::from_bson);
    let identities: Vec<FileIdentity> = identities.collect::<Option<_>>()?;
    let namespace =
        Namespace::checked(from.get_str("db").ok()?, from.get_str("collection").ok()?).ok()?;
    let request = ImportRequest {
        files: identities.iter().map(|identity| identity.path.clone()).collect(),
        namespace,
        format: value(&FORMATS, from, "format")?,
        leniency: leniency_from_bson(from)?,
        types: types_from_bson(from)?,
        renames: renames_from_bson(from)?,
        encoding: encoding_from_bson(from).ok()?,
        sheet: from.get_str("sheet").ok().map(str::to_owned),
        csv: csv_from_bson(from),
        mode: value(&MODES, from, "mode")?,
        drop: from.get_bool("drop").ok()?,
        stop_on_error: from.get_bool("stopOnError").ok()?,
        keeps_inserted: from.get_bool("keepsInserted").unwrap_or(false),
        rejects: from.get("rejectsWanted").and_then(path_from_bson),
        rejects_max: from.get_i64("rejectsMax").ok().map(unbits),
    };
    let reasons = documents("reasons")?.into_iter().map(|reason| {
        let count = unbits(reason.get_i64("count").ok()?);
        Some((reason.get_str("reason").ok()?.to_owned(), count))
    });
    let before = from.get_array("rejectsBefore").ok()?.iter();
    Some(Checkpoint {
        id,
        started_ms: from.get_i64("startedMs").ok()?,
        state: value(&STATES, from, "state")?,
        request,
        identities,
        collection: from.get_i64("collectionId").ok().and_then(|id| u32::try_from(id).ok()),
        created: from.get_bool("created").ok()?,
        file: usize::try_from(number("file")?).ok()?,
        resume_point: ResumePoint {
            position: position_from_bson(from)?,
            tally: tally_from_bson(from, "legacy", "oddities")?,
            is_in_array: from.get_bool("inArray").ok(),
        },
        tally_before: tally_from_bson(from, "legacyBefore", "odditiesBefore")?,
        imported: number("imported")?,
        replaced: number("replaced")?,
        skipped: number("skipped")?,
        rejected: number("rejected")?,
        forgiven: number("forgiven")?,
        reasons: reasons.collect::<Option<_>>()?,
        rejects: from.get_document("rejects").ok().and_then(|rejects| {
            let bytes = unbits(rejects.get_i64("bytes").ok()?);
            Some((path_from_bson(rejects.get("path")?)?, bytes))
        }),
        has_tail: from.get_bool("tail").unwrap_or(false),
        rejects_before: before.filter_map(path_from_bson).collect(),
        broken: from.get_document("broken").ok().and_then(|broken| {
            let position = position_from_bson(broken)?;
            Some(Reject {
                file: path_from_bson(broken.get("path")?)?,
                position,
                start_line: broken.get_i64("startLine").map_or(position.line, unbits),
                reason: broken.get_str("reason").ok()?.to_owned(),
            })
        }),
        lists: number("lists")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_read_as_it_was_written_also_by_a_version_without_options() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let namespace = Namespace::new("db", "c");
        let mut request = ImportRequest::new(vec![file.path().to_owned()], namespace);
        request.leniency.set(Nonstandard::NoZone, true);
        request.leniency.zone = Zone::parse("+05:45").unwrap();
        for text in ["at=date", "at=date:%d/%m/%Y", "n.x=long"] {
            request.types.add(FieldType::parse(text).unwrap());
        }
        request.types.fields[0].shift_ms = -5;
        request.types.zone = Zone::parse("Europe/Berlin").unwrap();
        request.types.unconverted = Unconverted::Reject;
        request.renames = vec![("field0".to_owned(), "_id".to_owned())];
        request.sheet = Some("2024".to_owned());
        request.csv = CsvReading { decimal_comma: true, backslash_escapes: true };
        request.encoding = Some(TextEncoding::parse("shift_jis").unwrap());
        request.rejects_max = Some(5);
        let mut written = Checkpoint::new(&request, 7).unwrap();
        for tally in [&mut written.resume_point.tally, &mut written.tally_before] {
            tally.legacy_values = 3;
            tally.leap_seconds = 4;
            (tally.converted, tally.unconverted) = (6, 7);
            (tally.ignored_bytes, tally.separators, tally.shell_documents) = (8, 9, 10);
            (tally.finer_dates, tally.big_unsigned) = (11, 12);
            (tally.as_text, tally.error_cells) = (13, 14);
            (tally.empty_formulas, tally.far_dates) = (15, 16);
            (tally.missing_words, tally.padding_bytes) = (17, 18);
            tally.set(Nonstandard::NoZone, 5);
        }
        written.resume_point.is_in_array = Some(false);
        let mut bson = to_bson(&written);
        let read = from_bson(written.id, &bson).unwrap();
        assert_eq!(read.request.leniency, request.leniency);
        assert_eq!((&read.request.types, read.request.csv), (&request.types, request.csv));
        assert_eq!(
            (&read.request.renames, &read.request.sheet, read.request.encoding),
            (&request.renames, &request.sheet, request.encoding)
        );
        assert_eq!(read.request.rejects_max, Some(5));
        assert_eq!(
            (read.resume_point, read.tally_before),
            (written.resume_point, written.tally_before)
        );
        let later = [
            "lenience",
            "types",
            "renames",
            "sheet",
            "encoding",
            DECIMAL_COMMA,
            BACKSLASH_ESCAPES,
            "oddities",
            "odditiesBefore",
            "inArray",
            "rejectsMax",
        ];
        for since in later {
            assert!(bson.remove(since).is_some(), "{since}");
        }
        let old = from_bson(written.id, &bson).unwrap();
        assert_eq!(old.request.leniency, Leniency::default());
        assert_eq!(old.request.types, Types::default());
        assert_eq!(old.request.csv, CsvReading::default());
        assert!(old.request.renames.is_empty() && old.request.sheet.is_none());
        assert_eq!((old.request.encoding, old.request.rejects_max), (None, None));
        let mut known = Tally::default();
        known.legacy_values = 3;
        assert_eq!((old.resume_point.tally, old.tally_before), (known, known));
        assert_eq!(old.resume_point.is_in_array, None);
    }
}
