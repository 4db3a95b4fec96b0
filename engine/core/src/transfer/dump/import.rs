//! Imports collections of a mongodump: options, documents, then indexes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use bson::Document;

use crate::transfer::{
    CreateError, DumpCollection, DumpIndex, DumpTarget, ImportEnd, ImportMode, ImportReport,
    ImportRequest, Progress, ReadOptions, ResumeRequest, TransferError, UnfinishedImport,
    dump::manifest,
    dump::read::{EXPIRES, visit_in_file_order},
    read::container::split,
    read::records::Records,
};
use crate::{catalog::Namespace, collection::Collections};

/// A collection to import.
#[derive(Debug, Clone, PartialEq)]
pub struct DumpChoice {
    /// The contents of the dump.
    pub collection: DumpCollection,
    /// The target; created if missing.
    pub into: Namespace,
    /// Whether indexes without a TTL are created.
    pub indexes: bool,
    /// Whether TTL indexes are created, and a TTL of the collection itself is kept.
    pub ttl: bool,
}

impl DumpChoice {
    /// The chosen indexes.
    #[must_use]
    pub fn wanted(&self) -> Vec<&DumpIndex> {
        let indexes = self.collection.indexes.iter();
        indexes.filter(|index| if index.is_ttl { self.ttl } else { self.indexes }).collect()
    }
}

/// A request to import a dump.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DumpImport {
    /// The collections, in this order.
    pub choices: Vec<DumpChoice>,
    /// The treatment of a document whose `_id` already exists.
    pub mode: ImportMode,
    /// Drop each collection first.
    pub drop: bool,
    /// Stop at the first rejected document.
    pub stop_on_error: bool,
    /// Rejected documents of one collection after which its import stops, as in [`ImportRequest`].
    pub rejects_max: Option<u64>,
    /// Resume an import of these collections that stopped: the one of which a part is stored resumes
    /// where it ended. Of the others the documents are skipped whose `_id` exists.
    pub resume: bool,
    /// How the files are read.
    pub read: ReadOptions,
}

/// The result for a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct DumpOutcome {
    /// The target.
    pub into: Namespace,
    /// How the documents were imported; the error is a sentence, and nothing was changed.
    pub documents: Result<ImportReport, String>,
    /// Names of the indexes that were created.
    pub indexes: Vec<String>,
    /// Omissions and failures, as sentences.
    pub notes: Vec<String>,
}

impl DumpOutcome {
    /// Whether every document and every chosen index was stored.
    pub fn is_complete(&self) -> bool {
        let whole =
            |report: &ImportReport| report.end == ImportEnd::Complete && report.rejected == 0;
        self.documents.as_ref().is_ok_and(whole) && self.notes.is_empty()
    }
}

/// Imports collections into a store, as [`import_dump_into`].
///
/// # Errors
/// As [`import_dump_into`].
pub fn import_dump(
    collections: &Collections,
    request: &DumpImport,
    progress: &Progress,
) -> Result<Vec<DumpOutcome>, TransferError> {
    import_dump_into(collections, request, progress)
}

/// Imports collections one after another, each with its documents first and its indexes after. Those of
/// an archive or a tar are imported as they come in it. A failure in one does not affect others, also
/// where its file differs from the manifest of its folder: the files are checked before the first
/// collection is imported. Stops when the user cancels.
///
/// # Errors
/// When the user cancels before the first collection. Nothing was changed then.
pub fn import_dump_into(
    target: &dyn DumpTarget,
    request: &DumpImport,
    progress: &Progress,
) -> Result<Vec<DumpOutcome>, TransferError> {
    let bytes = |choice: &DumpChoice| choice.collection.bytes;
    let checked = request.choices.iter().filter(|choice| choice.collection.listed.is_some());
    let checked: u64 = checked.map(bytes).sum();
    progress.set_bytes_total(checked + bytes_to_read(&request.choices));
    let mut changed = BTreeMap::new();
    for (at, choice) in request.choices.iter().enumerate() {
        let DumpCollection { files, listed, .. } = &choice.collection;
        if let (Some(file), Some(listed)) = (files.first(), listed) {
            let read = |bytes| progress.add_bytes(bytes);
            match manifest::check_content(file, listed.checksum, progress, read) {
                Err(TransferError::Cancelled) => return Err(TransferError::Cancelled),
                Err(error) => drop(changed.insert(at, error)),
                Ok(()) => {}
            }
        }
    }
    let mut outcomes = BTreeMap::new();
    let collections = request.choices.iter().map(|choice| &choice.collection);
    visit_in_file_order(collections, progress, |at| {
        if let Some(choice) = request.choices.get(at) {
            let changed = changed.remove(&at);
            outcomes.insert(at, import_one(target, request, choice, changed, progress));
        }
    });
    Ok(outcomes.into_values().collect())
}

/// Bytes of the files with documents, each container once.
fn bytes_to_read(choices: &[DumpChoice]) -> u64 {
    let mut containers = BTreeSet::new();
    let bytes = choices.iter().map(|choice| {
        let container = choice.collection.files.first().and_then(|file| split(file));
        let Some((container, _)) = container else { return choice.collection.bytes };
        let bytes = fs::metadata(&container).map_or(0, |about| about.len());
        if containers.insert(container) { bytes } else { 0 }
    });
    bytes.sum()
}

fn import_one(
    target: &dyn DumpTarget,
    request: &DumpImport,
    choice: &DumpChoice,
    changed: Option<TransferError>,
    progress: &Progress,
) -> DumpOutcome {
    let mut outcome = DumpOutcome {
        into: choice.into.clone(),
        documents: Err(String::new()),
        indexes: Vec::new(),
        notes: choice.collection.notes.clone(),
    };
    let imported = match changed {
        Some(error) => Err(error),
        None => documents(target, request, choice, progress, &mut outcome.notes),
    };
    outcome.documents = imported.map_err(|error| error.to_string());
    let is_whole = matches!(&outcome.documents, Ok(report) if report.end == ImportEnd::Complete);
    if is_whole {
        create_dump_indexes(target, choice, progress, &mut outcome);
    } else if !choice.wanted().is_empty() {
        let what = "Its indexes were not created, because the documents are incomplete.";
        outcome.notes.push(what.to_owned());
    }
    outcome
}

/// Creates the chosen indexes of a collection whose documents are all there. `outcome` gets those that
/// were created, and why others were not.
pub fn create_dump_indexes(
    target: &dyn DumpTarget,
    choice: &DumpChoice,
    progress: &Progress,
    outcome: &mut DumpOutcome,
) {
    create_indexes(target, &choice.into, &choice.wanted(), progress, outcome);
}

/// Creates the collection with its options and imports its documents.
fn documents(
    target: &dyn DumpTarget,
    request: &DumpImport,
    choice: &DumpChoice,
    progress: &Progress,
    notes: &mut Vec<String>,
) -> Result<ImportReport, TransferError> {
    let DumpChoice { collection, into, .. } = choice;
    let is_view = collection.is_view();
    let files = collection.files.as_slice();
    let what = collection.refused.clone();
    if let Some(what) = what.or_else(|| (files.is_empty() && !is_view).then(String::new)) {
        let name = || collection.name.clone();
        let path = files.first().map_or_else(name, |file| file.display().to_string());
        return Err(TransferError::NotReadable { path, what });
    }
    if request.drop {
        // An unreadable file must not cost the documents that are there.
        for file in files {
            let in_container = split(file).map(|_| progress);
            Records::open(file, &request.read, in_container)?;
            if in_container.is_some() {
                // The list says that the others are there, and to open them is to pass this one.
                break;
            }
        }
        target.drop(into)?;
    }
    let exists = target.exists(into)?;
    if is_view {
        if exists && request.resume {
            return Ok(ImportReport::new());
        }
        // A view without one of its options would be another view, or a collection.
        target.create(into, &collection.options).map_err(CreateError::into_inner)?;
        return Ok(ImportReport::new());
    }
    if exists {
        if !collection.options.is_empty() && !request.resume {
            notes.push(format!("{into} exists, so it keeps its own options."));
        }
    } else {
        create(target, choice, notes)?;
    }
    let ReadOptions { format, encoding, leniency, types, .. } = request.read.clone();
    let mode = match request.mode {
        // The documents stored before the import stopped are there.
        ImportMode::Insert if request.resume => ImportMode::Skip,
        mode => mode,
    };
    let import_request = ImportRequest {
        format,
        encoding,
        leniency,
        types,
        mode,
        stop_on_error: request.stop_on_error,
        rejects_max: request.rejects_max,
        ..ImportRequest::new(files.to_vec(), into.clone())
    };
    if request.resume {
        let known = target.unfinished()?.into_iter().rev().find(|it| it.is_of(&import_request));
        if let Some(UnfinishedImport { id, .. }) = known {
            let rejects_max = request.rejects_max;
            return target.resume(ResumeRequest { id, rejects_max }, progress);
        }
    }
    target.import(&import_request, progress)
}

/// Creates a collection with the options that the target accepts. The others are noted.
fn create(
    target: &dyn DumpTarget,
    choice: &DumpChoice,
    notes: &mut Vec<String>,
) -> Result<(), TransferError> {
    let mut kept = choice.collection.options.clone();
    if !choice.ttl && kept.remove(EXPIRES).is_some() {
        notes.push(format!("The collection's {EXPIRES} is left out."));
    }
    loop {
        let error = match target.create(&choice.into, &kept) {
            Ok(()) => return Ok(()),
            Err(CreateError::Refused(error)) if !kept.is_empty() => error.to_string(),
            Err(error) => return Err(error.into_inner()),
        };
        let error = error.trim_end_matches('.').to_owned();
        // The option without which the reason is another one, or none.
        let Some((name, is_created)) = culprit(target, &choice.into, &kept, &error)? else {
            notes.push(format!("The collection's options are left out: {error}."));
            kept.clear();
            continue;
        };
        notes.push(format!("The option {name} is left out: {error}."));
        kept.remove(&name);
        if is_created {
            return Ok(());
        }
    }
}

/// The option because of which a collection is refused, and whether it was created without it.
fn culprit(
    target: &dyn DumpTarget,
    into: &Namespace,
    kept: &Document,
    error: &str,
) -> Result<Option<(String, bool)>, TransferError> {
    for name in kept.keys() {
        let mut rest = kept.clone();
        rest.remove(name);
        match target.create(into, &rest) {
            Ok(()) => return Ok(Some((name.clone(), true))),
            Err(CreateError::Refused(other)) => {
                if other.to_string().trim_end_matches('.') != error {
                    return Ok(Some((name.clone(), false)));
                }
            }
            Err(error) => return Err(error.into_inner()),
        }
    }
    Ok(None)
}

/// Creates indexes together, so that the documents are read once. If that fails, one by one.
fn create_indexes(
    target: &dyn DumpTarget,
    into: &Namespace,
    wanted: &[&DumpIndex],
    progress: &Progress,
    outcome: &mut DumpOutcome,
) {
    if wanted.is_empty() {
        return;
    }
    let create = |indexes: &[&DumpIndex]| {
        let specs = indexes.iter().map(|index| index.spec.clone()).collect();
        target.create_indexes(into, specs, progress)
    };
    if create(wanted).is_ok() {
        outcome.indexes.extend(wanted.iter().map(|index| index.name.clone()));
        return;
    }
    for index in wanted {
        match create(&[*index]) {
            Ok(()) => outcome.indexes.push(index.name.clone()),
            Err(error) => {
                let (name, error) = (&index.name, error.to_string());
                let error = error.trim_end_matches('.');
                outcome.notes.push(format!("The index {name} was not created: {error}."));
            }
        }
    }
}
