//! All archives of a store.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use bson::{Bson, Document, doc};

use super::{
    Archive, ArchiveError, Settings,
    backend::Backend,
    inventory::Inventory,
    local::Folder,
    settings::{Record, Target, folder_name, writer_of},
};
use crate::{
    catalog::Namespace,
    collection::{Collections, Replacement, WaitingRows, WriteError},
    limits::ARCHIVES_MAX,
    store::{CollectionId, Store, StoreError},
    value::counted,
};

/// The `meta` key of the list of archives.
pub(crate) const ARCHIVES_META: &str = "archives";

/// All archives of a store, by the number of their collection.
pub struct Archives {
    collections: Arc<Collections>,
    all: RwLock<BTreeMap<CollectionId, Arc<Archive>>>,
    /// Held while an archive is turned on or off.
    changing: Mutex<()>,
    /// The store's list of them was damaged.
    is_lost: bool,
}

impl Archives {
    /// The archives in the store's list; none if the list is damaged, see [`Archives::is_lost`].
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn open(collections: Arc<Collections>) -> Result<Self, StoreError> {
        let records = StoreError::unless_damaged(stored(collections.store()))?;
        let (all, changing, is_lost) = (RwLock::default(), Mutex::default(), records.is_none());
        let archives = Self { collections, all, changing, is_lost };
        for record in records.unwrap_or_default() {
            // A store that can't be written lists all files of the archive instead.
            let _ = archives.convert_inventory(&archives.made(record.clone()));
            archives.put(record);
        }
        Ok(archives)
    }

    /// Gives the list of segments of the version before to the present target.
    fn convert_inventory(&self, archive: &Archive) -> Result<(), StoreError> {
        let store = self.collections.store();
        let (earlier, name) = (archive.earlier_inventory_name(), archive.inventory_name());
        let bytes =
            store.read(|reader| Ok::<_, StoreError>(reader.meta(&earlier)?.map(<[u8]>::to_vec)))?;
        let Some(bytes) = bytes else { return Ok(()) };
        let bytes = Inventory::from_bytes(&bytes).to_bytes()?;
        store.write(|writer| {
            writer.put_meta(&name, &bytes)?;
            writer.delete_meta(&earlier).map(drop)
        })
    }

    /// Whether the list of archives was damaged. Then it is unknown which collections have one, so
    /// nothing may be removed until the user releases the hold.
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Deletes a damaged list, once a stored hold stops the removals instead.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn forget_damaged_list(&self) -> Result<(), StoreError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        if StoreError::unless_damaged(stored(self.collections.store()))?.is_some() {
            return Ok(());
        }
        self.collections.store().write(|writer| writer.delete_meta(ARCHIVES_META).map(drop))
    }

    /// The archive of a collection, or of a dropped one of this name.
    pub fn find(&self, namespace: &Namespace) -> Option<Arc<Archive>> {
        let present = self.collections.catalog().collection(namespace);
        // A collection that was created again with the name has its own archive.
        let of_present = present.and_then(|present| self.read().get(&present.id).cloned());
        of_present.or_else(|| {
            // The newest one.
            self.all().into_iter().rev().find(|archive| self.name_of(archive) == *namespace)
        })
    }

    /// All archives, including those that are off.
    pub fn all(&self) -> Vec<Arc<Archive>> {
        self.read().values().cloned().collect()
    }

    /// The current name of an archive's collection; for a dropped one, its original name.
    pub fn name_of(&self, archive: &Archive) -> Namespace {
        let catalog = self.collections.catalog();
        let present = catalog.collection_by_id(archive.collection());
        present.map_or_else(|| archive.original_name().clone(), |present| present.namespace.clone())
    }

    /// Whether the archive receives documents: it is on, and its collection exists.
    pub fn is_active(&self, archive: &Archive) -> bool {
        let catalog = self.collections.catalog();
        archive.is_on() && catalog.collection_by_id(archive.collection()).is_some()
    }

    /// Turns the archive on: what is removed from now on is moved there when its time in the trash is up.
    ///
    /// # Errors
    /// `BadSetting`, `NotSupported`, `Catalog`, or the store fails.
    pub fn switch_on(
        &self,
        namespace: &Namespace,
        settings: Settings,
    ) -> Result<Arc<Archive>, ArchiveError> {
        settings.check()?;
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(collection) = self.collections.catalog().collection(namespace) else {
            return Err(ArchiveError::NoCollection { namespace: namespace.to_string() });
        };
        collection.check_holds_documents()?;
        let before = self.read().get(&collection.id).cloned();
        // An archive that exists already may be changed, even if the store has the most it may
        // have.
        if before.is_none() && self.read().len() >= ARCHIVES_MAX {
            return Err(ArchiveError::bad(format!(
                "the store already has the maximum of {ARCHIVES_MAX} archives"
            )));
        }
        // A collection that was created again continues the archive of the one that was dropped.
        let left = self.left_by(namespace, &settings.target);
        let folder = match before.as_ref().or(left.as_ref()) {
            Some(before) => before.record.folder.clone(),
            None => self.free_folder(namespace),
        };
        let record = Record {
            collection: collection.id,
            namespace: namespace.clone(),
            folder,
            is_on: true,
            settings,
        };
        // Finds an unreachable target now instead of in the next pass.
        let archive = self.made(record.clone());
        archive.backend()?.begin()?;
        let inventory = archive.new_inventory()?;
        let left = left.filter(|_| before.is_none()).map(|left| left.collection());
        self.save_on(&record, left)?;
        // Turning it on again, or at another target, is the user's answer to a lost list or to lost files.
        if let Some(inventory) = inventory {
            let (name, bytes) = (archive.inventory_name(), inventory.to_bytes()?);
            self.collections.store().write(|writer| writer.put_meta(&name, &bytes))?;
        }
        if let Some(left) = left {
            self.all.write().unwrap_or_else(PoisonError::into_inner).remove(&left);
        }
        Ok(self.put(record))
    }

    /// The archive that a dropped collection of this name left at this target. The new archive
    /// continues it.
    fn left_by(&self, namespace: &Namespace, target: &str) -> Option<Arc<Archive>> {
        let catalog = self.collections.catalog();
        let is_dropped =
            |archive: &Archive| catalog.collection_by_id(archive.collection()).is_none();
        self.all().into_iter().rev().find(|archive| {
            archive.original_name() == namespace
                && archive.settings().target == target
                && is_dropped(archive)
        })
    }

    /// Turns the archive off: what is removed from now on leaves the trash permanently. Archived
    /// documents are kept, and what waits is still moved.
    ///
    /// # Errors
    /// `NoArchive`, or the store fails.
    pub fn switch_off(&self, namespace: &Namespace) -> Result<Arc<Archive>, ArchiveError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(archive) = self.find(namespace) else {
            return Err(ArchiveError::NoArchive { namespace: namespace.to_string() });
        };
        let record = Record { is_on: false, ..archive.record.clone() };
        let bytes = list(&self.records_with(&record, None))?;
        self.collections.store().write(|writer| writer.put_meta(ARCHIVES_META, &bytes))?;
        Ok(self.put(record))
    }

    /// Replaces a collection as [`Collections::replace`] does. The archive moves in the same
    /// transaction, so no document that expires under this name is removed unarchived. A collection
    /// that has its own archive, on or off, keeps it: that was a choice of the user.
    ///
    /// # Errors
    /// As [`Collections::replace`].
    pub fn replace(&self, replacement: Replacement<'_>) -> Result<(), WriteError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.records();
        let result = self.collections.replace(replacement, &|replaced, heir| {
            let Some(record) = before.get(&replaced.id) else { return Ok(None) };
            // The heir has an archive, on or off, and the user's choice for it counts.
            if before.contains_key(&heir.id) {
                return Ok(None);
            }
            let record = Record { collection: heir.id, ..record.clone() };
            let mut records = before.clone();
            records.remove(&replaced.id);
            records.insert(heir.id, record.clone());
            // Before the new name becomes visible, so that a pass that finds the collection finds
            // its archive.
            self.put(record);
            Ok(Some((ARCHIVES_META, list(&records)?)))
        });
        // One of the two is superfluous; the stored list says which. Keeping both is harmless.
        if let Ok(records) = stored(self.collections.store()) {
            let is_stored = |id| records.iter().any(|record| record.collection == id);
            let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
            all.retain(|id, _| is_stored(*id));
        }
        self.publish();
        result
    }

    /// The collections of the store.
    pub(super) fn collections(&self) -> &Collections {
        &self.collections
    }

    /// Tells the collections which archives there are, for the next transactions.
    fn publish(&self) {
        let all = self.read();
        let on = all.iter().filter(|(_, archive)| archive.is_on());
        let archives = on.map(|(id, archive)| (*id, Arc::from(archive.folder()))).collect();
        drop(all);
        self.collections.change_trash_policy(|policy| policy.archives = archives);
    }

    /// One sentence for each archive in a folder that lacks documents, or of which that is unknown.
    pub fn missing_in_words(&self) -> Vec<String> {
        let sentence = |archive: Arc<Archive>| {
            if archive.has_lost_inventory() {
                return Some(format!(
                    "The list of the files of the archive of {} is damaged, so files that are deleted or \
                     cut are not noticed. Turn the archive on again to begin a new list.",
                    self.name_of(&archive)
                ));
            }
            let missing = archive.missing_locally()?;
            Some(format!(
                "The archive of {} lacks {} documents: {} of its files were deleted or cut. Restore them \
                 from a copy of the folder.",
                self.name_of(&archive),
                missing.documents,
                missing.segments
            ))
        };
        let unknown = self.unclaimed_in_words().map(|(_, sentence)| sentence);
        self.all().into_iter().filter_map(sentence).chain(unknown).collect()
    }

    /// The rows that wait for an archive which the list doesn't have, by its folder: the list was
    /// damaged. They stay in the trash until they are discarded or the archive is turned on again.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn unclaimed(&self) -> Result<BTreeMap<String, WaitingRows>, StoreError> {
        let mut waiting = self.collections.waiting_rows()?;
        for archive in self.all() {
            waiting.remove(archive.folder());
        }
        Ok(waiting)
    }

    /// The folders of [`Archives::unclaimed`], and a sentence on them; `None` without such rows.
    pub fn unclaimed_in_words(&self) -> Option<(String, String)> {
        let rows = self.unclaimed().ok().filter(|rows| !rows.is_empty())?;
        let folders = rows.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let documents = rows.values().map(|rows| rows.documents).sum();
        let documents = counted(documents, "removed document waits", "removed documents wait");
        let sentence = format!(
            "{documents} for an archive that the store no longer knows ({folders}). They stay in the \
             trash until you turn that archive on again, restore them or discard them."
        );
        Some((folders, sentence))
    }

    /// Whether [`Archives::prune`] may remove something by age. An unreadable archive counts as
    /// yes.
    pub fn may_hold_expired(&self, now_ms: i64) -> bool {
        // An unreachable archive may hold expired documents.
        let mut on = self.all().into_iter().filter(|archive| archive.is_on());
        on.any(|archive| archive.may_hold_expired(now_ms).unwrap_or(true))
    }

    /// A folder name that no other archive uses.
    fn free_folder(&self, namespace: &Namespace) -> String {
        let name = folder_name(namespace);
        let all = self.all();
        // Archives of dropped collections keep their folders.
        let is_taken = |name: &str| all.iter().any(|archive| archive.record.folder == name);
        let numbered = (2..).map(|number: u32| format!("{name}-{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        names.find(|name| !is_taken(name)).unwrap_or(name)
    }

    fn made(&self, record: Record) -> Archive {
        let store = self.collections.store();
        let target = record.settings.target(store.folder());
        let backend = target.and_then(|target| {
            let chosen = target.chosen_folder(store.folder());
            backend(target.of_store(store.folder(), &store.uuid()), chosen, &record.folder)
        });
        let archive = Archive::new(record, backend, writer_of(store));
        archive.load_inventory(store);
        archive
    }

    fn put(&self, record: Record) -> Arc<Archive> {
        let archive = Arc::new(self.made(record));
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(archive.collection(), Arc::clone(&archive));
        drop(all);
        // A segment that was written since the list was read counts as well.
        archive.load_inventory(self.collections.store());
        self.publish();
        archive
    }

    /// Stores an archive as on, unless this name belongs to another collection.
    fn save_on(&self, record: &Record, gone: Option<CollectionId>) -> Result<(), ArchiveError> {
        let bytes = list(&self.records_with(record, gone))?;
        let is_saved = self.collections.write(|writer| {
            let present = writer.collection(&record.namespace);
            // The target may have taken long to answer, and the name may belong to another
            // collection by now.
            if present.is_none_or(|present| present.id != record.collection) {
                return Ok(false);
            }
            writer.put_meta(ARCHIVES_META, &bytes)?;
            Ok::<_, WriteError>(true)
        });
        match is_saved {
            Ok(true) => Ok(()),
            Ok(false) => Err(ArchiveError::bad(format!(
                "the collection {} was dropped or renamed while its archive was turned on, so the \
 archive is off; try again",
                record.namespace
            ))),
            Err(WriteError::Store(error)) => Err(error.into()),
            Err(error) => Err(ArchiveError::Backend { what: error.to_string() }),
        }
    }

    fn records_with(
        &self,
        changed: &Record,
        gone: Option<CollectionId>,
    ) -> BTreeMap<CollectionId, Record> {
        let mut records = self.records();
        if let Some(gone) = gone {
            records.remove(&gone);
        }
        records.insert(changed.collection, changed.clone());
        records
    }

    fn records(&self) -> BTreeMap<CollectionId, Record> {
        self.read().iter().map(|(id, archive)| (*id, archive.record.clone())).collect()
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, BTreeMap<CollectionId, Arc<Archive>>> {
        self.all.read().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg_attr(
    feature = "s3",
    expect(clippy::unnecessary_wraps, reason = "without the feature there is something to refuse")
)]
fn backend(
    target: Target,
    chosen: Option<PathBuf>,
    folder: &str,
) -> Result<Box<dyn Backend>, ArchiveError> {
    match target {
        Target::Folder(path) => Ok(Box::new(Folder::new(path.join(folder), chosen))),
        #[cfg(feature = "s3")]
        Target::Bucket { bucket, prefix } => {
            Ok(Box::new(super::s3::Bucket::new(&bucket, &prefix, folder)))
        }
        #[cfg(not(feature = "s3"))]
        Target::Bucket { .. } => Err(ArchiveError::NotSupported {
            message:
                "this build has no S3 support, so an archive can't be in a bucket; use a folder"
                    .to_owned(),
        }),
    }
}

/// One sentence on the archives that a backup leaves out; `None` without any.
///
/// # Errors
/// When the store can't be read.
pub fn missing_from_backup(store: &Store) -> Result<Option<String>, StoreError> {
    // The backup reports a damaged list by itself.
    let records = StoreError::unless_damaged(stored(store))?.unwrap_or_default();
    // Several archives may share a target.
    let mut places: Vec<String> =
        records.iter().map(|record| record.settings.location(store.folder())).collect();
    places.sort_unstable();
    places.dedup();
    Ok((!places.is_empty()).then(|| {
        format!("The backup doesn't include archived documents; they are in {}.", places.join(", "))
    }))
}

/// Reads the stored list of archives.
fn stored(store: &Store) -> Result<Vec<Record>, StoreError> {
    store.read(|reader| {
        let Some(bytes) = reader.meta(ARCHIVES_META)? else { return Ok(Vec::new()) };
        read_records(bytes).ok_or_else(|| StoreError::Damaged {
            what: "the list of archives can't be read".to_owned(),
        })
    })
}

fn list(records: &BTreeMap<CollectionId, Record>) -> Result<Vec<u8>, StoreError> {
    let records: Vec<Bson> =
        records.values().map(|record| Bson::Document(record.to_document())).collect();
    doc! { "v": 1, "archives": records }.to_vec().map_err(|error| StoreError::Bug {
        what: format!("the list of archives can't be written: {error}"),
    })
}

fn read_records(bytes: &[u8]) -> Option<Vec<Record>> {
    let document = Document::from_reader(bytes).ok()?;
    let archives = document.get_array("archives").ok()?;
    archives.iter().map(|record| Record::from_document(record.as_document()?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalog::rules::CreateRequest, clock::SystemClock, store::StoreOptions};

    #[test]
    fn an_archive_is_not_switched_on_for_a_collection_that_was_made_anew_meanwhile() {
        let folder = tempfile::tempdir().expect("a folder");
        let (store, _) = Store::open(folder.path(), &StoreOptions::default()).expect("a store");
        let collections = Collections::new(Arc::new(store), Arc::new(SystemClock));
        let archives = Archives::open(Arc::new(collections.expect("readable"))).expect("none");
        let namespace = Namespace::new("test", "c");
        let create = || {
            let request = CreateRequest { namespace: namespace.clone(), options: Document::new() };
            archives.collections.create(&request).expect("created");
            archives.collections.catalog().collection(&namespace).expect("there").id
        };
        let record = |collection| Record {
            collection,
            namespace: namespace.clone(),
            folder: "c".to_owned(),
            is_on: true,
            settings: Settings { target: String::new(), max_bytes: None, max_age_secs: None },
        };
        let first = create();
        archives.collections.drop_collection(&namespace).expect("dropped");
        let second = create();
        let refused = archives.save_on(&record(first), None).expect_err("another one").to_string();
        assert!(refused.contains("was dropped or renamed"), "{refused}");
        assert_eq!(stored(archives.collections.store()), Ok(Vec::new()));
        archives.save_on(&record(second), None).expect("this one");
        assert_eq!(stored(archives.collections.store()), Ok(vec![record(second)]));
    }
}
