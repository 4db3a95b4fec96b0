//! A collection of a dump: its name, its options and its indexes.

use std::path::{Path, PathBuf};

use bson::{Document, doc};

use crate::transfer::{
    DumpCollection, DumpIndex, Leniency, Nonstandard, dump::read::EXPIRES,
    limits::DUMP_METADATA_BYTES_MAX, read::input::Input,
};
use crate::{
    catalog::{Dialect, Namespace, rules},
    value::extjson::{Documents, Form, Step},
};

/// The fields that mongodump writes into a collection's metadata.
const METADATA_KEYS: [&str; 5] = ["options", "indexes", "uuid", "collectionName", "type"];

/// The files of a collection.
#[derive(Debug, Default)]
pub(super) struct CollectionFiles {
    /// Its documents, in this order.
    pub data: Vec<PathBuf>,
    /// Bytes of them.
    pub bytes: u64,
    pub metadata: Option<PathBuf>,
}

/// Reads what is known of a collection. Metadata that can't be read costs the collection its options
/// and indexes, not its documents, and no other collection anything.
pub(super) fn collection(db: Option<&str>, name: String, files: CollectionFiles) -> DumpCollection {
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
    let mut has_metadata = false;
    match metadata.as_deref().map(read_metadata) {
        Some(Ok(metadata)) => {
            has_metadata = true;
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
    found.refused = refusal(&found, has_metadata);
    found
}

fn take_metadata(metadata: &Document, found: &mut DumpCollection) {
    if let Ok(name) = metadata.get_str("collectionName") {
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
fn read_metadata(path: &Path) -> Result<Document, String> {
    let shown = |what: &str| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        format!("{name}: {what}")
    };
    let mut input = Input::open(path, None)
        .map_err(|error| error.to_string().trim_end_matches('.').to_owned())?;
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

/// The name of a collection in that of its file. mongodump writes a space as a plus, and every other
/// character that a file name can't have in hexadecimal.
pub(super) fn decoded_collection(stem: &str) -> String {
    decoded(&stem.replace('+', " "))
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
