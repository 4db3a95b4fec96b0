//! A collection of a dump: its name, its options and its indexes.

use std::path::PathBuf;

use bson::{Document, doc};

use crate::transfer::{
    DumpCollection, DumpIndex, Leniency, Nonstandard, dump::files::DumpFile, dump::read::EXPIRES,
    limits::DUMP_METADATA_BYTES_MAX, read::input::Input,
};
use crate::{
    catalog::{Dialect, Namespace, rules},
    value::extjson::{Documents, Form, Step},
};

/// The fields that mongodump writes into a collection's metadata.
const METADATA_KEYS: [&str; 5] = ["options", "indexes", "uuid", NAME, "type"];

/// Tools since 100.0 write the collection's name.
const NAME: &str = "collectionName";

/// The files of a collection.
#[derive(Debug, Default)]
pub(super) struct CollectionFiles {
    /// Its documents, in this order.
    pub data: Vec<PathBuf>,
    /// Bytes of them.
    pub bytes: u64,
    pub metadata: Option<DumpFile>,
}

/// Reads what is known of a collection. Metadata that can't be read costs the collection its options
/// and indexes, not its documents, and no other collection anything. The name is that of its file, with
/// a sentence about how that was read.
pub(super) fn collection(
    db: Option<&str>,
    (name, note): (String, Option<String>),
    files: CollectionFiles,
) -> DumpCollection {
    let CollectionFiles { data, bytes, metadata } = files;
    let mut found = DumpCollection {
        db: db.map(str::to_owned),
        name,
        files: data,
        bytes,
        listed: None,
        options: Document::new(),
        indexes: Vec::new(),
        foreign_indexes: Vec::new(),
        refused: None,
        metadata_error: None,
        notes: Vec::new(),
    };
    let (mut has_metadata, mut has_name) = (false, false);
    match metadata.map(read_metadata) {
        Some(Ok(metadata)) => {
            has_metadata = true;
            has_name = metadata.contains_key(NAME);
            take_metadata(&metadata, &mut found);
        }
        Some(Err(what)) => {
            found.notes.push(format!(
                "Its metadata can't be read ({what}), so its options and indexes are left out."
            ));
            found.metadata_error = Some(what);
        }
        None => found.notes.push("It has no metadata file, so its indexes are unknown.".to_owned()),
    }
    found.notes.extend(note.filter(|_| !has_name));
    found.refused = refusal(&found, has_metadata);
    found
}

fn take_metadata(metadata: &Document, found: &mut DumpCollection) {
    if let Ok(name) = metadata.get_str(NAME) {
        name.clone_into(&mut found.name);
    }
    found.options = metadata.get_document("options").cloned().unwrap_or_default();
    take_indexes(metadata, found);
    for key in metadata.keys().filter(|key| !METADATA_KEYS.contains(&key.as_str())) {
        found.notes.push(format!("The metadata has {key}, which is left out."));
    }
}

/// Why a collection can't be imported.
fn refusal(of: &DumpCollection, has_metadata: bool) -> Option<String> {
    let name = of.name.as_str();
    if let Some(db) = of.db.as_deref()
        && let Err(error) = Namespace::checked(db, "c")
    {
        return Some(format!("{error}; import its folder alone, into a database that you name"));
    }
    let what = if name.starts_with("system.buckets.") {
        "the buckets of a time-series collection can't be imported; export its measurements instead"
    } else if name.starts_with("system.") {
        "it belongs to the server and not to the data"
    } else if name.starts_with("$admin.") {
        // `mongodump --dumpDbUsersAndRoles` writes these next to the collections.
        "it has users and roles, which belong to the server and not to the data"
    } else if of.files.is_empty() && of.options.contains_key("timeseries") {
        "it is a time-series collection, of which mongodump writes buckets; export its measurements \
         with mongoexport instead"
    } else if of.files.is_empty() && !of.is_view() {
        "the file with its documents is missing"
    } else if name.contains('$') && !has_metadata {
        "the metadata file that has its whole name is missing; import its .bson file by itself"
    } else {
        return Namespace::checked("d", name).err().map(|error| error.to_string());
    };
    Some(what.to_owned())
}

/// The note on an index that this program's own stores can't have.
pub(super) fn left_out(name: &str, error: &str) -> String {
    format!("The index {name} is left out: {error}.")
}

fn take_indexes(metadata: &Document, found: &mut DumpCollection) {
    let Ok(indexes) = metadata.get_array("indexes") else { return };
    let options = metadata.get_document("options");
    let has_collation = options.is_ok_and(|options| options.contains_key("collation"));
    for spec in indexes.iter().filter_map(bson::Bson::as_document) {
        let mut spec = spec.clone();
        for old in ["v", "ns"] {
            spec.remove(old);
        }
        let name = spec.get_str("name").unwrap_or("without a name").to_owned();
        if name == "_id_" {
            // It has the collation of its collection.
            continue;
        }
        // A dump shows no simple collation, and an index would inherit that of its collection.
        if has_collation && !spec.contains_key("collation") {
            spec.insert("collation", doc! { "locale": "simple" });
        }
        match rules::read_index(&spec, Dialect::Open) {
            Ok(meta) => {
                let is_ttl = meta.expire_after_secs.is_some();
                found.indexes.push(DumpIndex { name, spec, is_ttl });
            }
            Err(error) => {
                found.notes.push(left_out(&name, &error.to_string()));
                let is_ttl = spec.contains_key(EXPIRES);
                found.foreign_indexes.push(DumpIndex { name, spec, is_ttl });
            }
        }
    }
    found.indexes.sort_by_key(|index| !index.is_ttl);
}

/// The metadata of a collection, in Extended JSON. Old tools wrote `NaN` and `Infinity` without
/// quotes.
///
/// # Errors
/// One sentence without its full stop.
fn read_metadata(file: DumpFile) -> Result<Document, String> {
    let DumpFile { name, path, content, .. } = file;
    let shown = |what: &str| format!("{name}: {what}");
    let open = match content {
        Some(content) => Input::of_bytes(content, &path),
        None => Input::open(&path, None),
    };
    let mut input = open.map_err(|error| error.to_string().trim_end_matches('.').to_owned())?;
    input.fill_to(DUMP_METADATA_BYTES_MAX + 1).map_err(|what| shown(&what))?;
    if input.bytes().len() > DUMP_METADATA_BYTES_MAX {
        return Err(shown("it is too large for the metadata of a collection"));
    }
    if input.bytes().iter().all(u8::is_ascii_whitespace) {
        return Err(shown("it is empty"));
    }
    let mut leniency = Leniency::default();
    for form in Nonstandard::ALL {
        leniency.set(form, true);
    }
    let mut documents = Documents::new(Form::Stream).lenient(leniency);
    match documents.step(input.bytes(), true) {
        Ok(Step::Document { .. }) => {
            Document::try_from(documents.document()).map_err(|error| shown(&error.to_string()))
        }
        Ok(_) => Err(shown("it is empty")),
        Err(error) => Err(shown(&error.to_string())),
    }
}

/// The name of a collection in that of its file, and how a plus in it was read, as a sentence.
///
/// mongodump writes every character in hexadecimal that a file name can't have. Tools before 100.0 also
/// did so with other marks, and wrote a space as a plus; later ones leave a plus, and write the name into
/// the metadata too.
pub(super) fn decoded_collection(stem: &str) -> (String, Option<String>) {
    if !stem.contains('+') {
        return (decoded(stem), None);
    }
    let is_kept = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~+%".contains(&byte);
    let is_of_old_tool = stem.bytes().all(is_kept) && !stem.contains("%20");
    let (name, what) = if is_of_old_tool {
        (decoded(&stem.replace('+', " ")), "a space, as mongodump wrote it before version 100.0")
    } else {
        (decoded(stem), "itself, because mongodump did not write the name in its old way")
    };
    let note = format!("The + in the name of the file {stem}.bson is read as {what}.");
    (name, Some(note))
}

/// A name with its percent-encoded bytes decoded.
pub(super) fn decoded(name: &str) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(name.len()), name.as_bytes());
    while let Some((byte, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let code =
            code.filter(|_| *byte == b'%').and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(code.unwrap_or(*byte));
        rest = if code.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}
