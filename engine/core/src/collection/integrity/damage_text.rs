//! Sentences about damaged rows, with the names users know.

use crate::{
    catalog::CatalogSnapshot,
    store::{BackupReport, CollectionId, DamagedRow, DamagedRows, IndexId, Store},
    value::id_number::RecordName,
};

/// The damage in words; `None` when there is none. Names that can't be looked up stay numbers.
pub fn damage_in_words(store: &Store, rows: &DamagedRows) -> Option<String> {
    if rows.count == 0 {
        return None;
    }
    let catalog = store.read(CatalogSnapshot::load).unwrap_or_default();
    rows.summary(rows.first.iter().map(|row| named(&catalog, row)))
}

/// The sentence about damaged rows that the walk of the opening found; `None` without any.
pub fn opening_damage(store: &Store, rows: &DamagedRows) -> Option<String> {
    let damage = damage_in_words(store, rows)?;
    Some(format!(
        "The check at opening found damage: {damage}. You can still export everything else; run Verify \
         for a full report."
    ))
}

/// The sentence about a backup with damaged rows; `None` for a sound one.
pub fn backup_damage(store: &Store, report: &BackupReport) -> Option<String> {
    let damage = damage_in_words(store, &report.damaged)?;
    let file = report.file.display();
    Some(format!("{damage}, so the copy is saved as {file} and earlier backups are unchanged."))
}

/// The name of a row, or its numbers where it has none.
pub(in crate::collection) fn named(catalog: &CatalogSnapshot, row: &DamagedRow) -> String {
    let of = |id| catalog.collection_by_id(CollectionId(id)).map(|it| it.namespace.to_string());
    let index = |id: u32| {
        let mut all = catalog.all_collections();
        all.find_map(|it| {
            let index = it.index_by_id(IndexId(id))?;
            Some(format!("the index {} of {}", index.name, it.namespace))
        })
    };
    let named = match row {
        DamagedRow::Document { collection, record } => {
            of(collection.0).map(|name| format!("{} of {name}", RecordName(*record)))
        }
        DamagedRow::Entry { index: id } => index(id.0).map(|name| format!("an entry of {name}")),
        DamagedRow::Counters { id } => {
            of(*id).or_else(|| index(*id)).map(|name| format!("the counters of {name}"))
        }
        DamagedRow::Definition { .. } | DamagedRow::Meta { .. } | DamagedRow::Unknown { .. } => {
            None
        }
    };
    named.unwrap_or_else(|| row.to_string())
}
