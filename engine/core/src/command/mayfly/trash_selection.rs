//! Which rows of the trash a command selects.

use std::{collections::BTreeMap, sync::Arc};

use bson::{Bson, raw::RawBsonRef};

use super::archive_selection::RemovedFilter;
use crate::{
    archive::{Archive, Archived},
    catalog::Namespace,
    collection::TrashRow,
    command::core::{CommandError, Context, Request},
    interrupt::tick,
    reply,
    store::CollectionId,
};

/// Which rows of the trash are meant, and which documents of archives.
pub struct TrashSelection {
    /// `None` is every collection.
    namespace: Option<Namespace>,
    pass: Option<u64>,
    names: BTreeMap<CollectionId, Namespace>,
    /// Pass numbers restart with each session.
    first_of_session: u64,
    pub filter: RemovedFilter,
    /// The archives whose documents are meant too.
    pub archives: Option<Vec<Arc<Archive>>>,
}

impl TrashSelection {
    /// Reads the command's own field, `pass`, `filter` and `archived`.
    pub fn read(context: &Context, request: &Request<'_>) -> Result<Self, CommandError> {
        let is_all = matches!(
            request.first()?,
            RawBsonRef::Int32(_) | RawBsonRef::Int64(_) | RawBsonRef::Double(_)
        );
        let namespace = if is_all { None } else { Some(request.namespace()?) };
        let pass = request.count("pass")?;
        if pass == Some(0) {
            return Err(CommandError::bad_value("passes are counted from 1"));
        }
        let catalog = context.collections.catalog();
        let names = catalog.all_collections().map(|one| (one.id, one.namespace.clone()));
        let first_of_session = context.reaper.first_trashed();
        let archives = request.flag("archived")?.then(|| {
            let archives = context.reaper.archives();
            let mut all = archives.all();
            // An archive doesn't know which pass removed its documents.
            all.retain(|archive| {
                let is_chosen = |chosen: &Namespace| archives.name_of(archive) == *chosen;
                pass.is_none() && namespace.as_ref().is_none_or(is_chosen)
            });
            all
        });
        let filter = RemovedFilter::read(context, request)?;
        Ok(Self { namespace, pass, names: names.collect(), first_of_session, filter, archives })
    }

    /// Whether a row is selected. Called for each row of the trash, so it also ends the command when asked.
    pub fn has(&self, row: &TrashRow<'_>) -> Result<bool, CommandError> {
        tick()?;
        let is_of_pass = self.pass.is_none_or(|pass| self.pass_of(row) == Some(pass));
        let is_chosen = is_of_pass
            && self.namespace.as_ref().is_none_or(|chosen| match self.names.get(&row.collection) {
                Some(present) => present == chosen,
                None => chosen.to_string() == row.namespace,
            });
        Ok(is_chosen && self.filter.matches(row.document)?)
    }

    /// The collection to restore the row to: its own under the current name, or the former name if
    /// it was dropped.
    pub fn home(&self, row: &TrashRow<'_>) -> Result<Namespace, CommandError> {
        match self.names.get(&row.collection) {
            Some(present) => Ok(present.clone()),
            None => Ok(Namespace::parse(row.namespace)?),
        }
    }

    fn pass_of(&self, row: &TrashRow<'_>) -> Option<u64> {
        (row.pass > 0 && row.number >= self.first_of_session).then_some(row.pass)
    }

    pub fn describe(&self, row: &TrashRow<'_>) -> reply::TrashRow {
        let id = row.document.get("_id").ok().flatten();
        let present = self.names.get(&row.collection).map(ToString::to_string);
        reply::TrashRow {
            number: row.number,
            ns: present.unwrap_or_else(|| row.namespace.to_owned()),
            id: id.and_then(|id| Bson::try_from(id).ok()).unwrap_or(Bson::Null),
            bytes: row.document.as_bytes().len() as u64,
            index: row.index.to_owned(),
            pass: self.pass_of(row),
            expired_ms: row.threshold_ms,
            removed_ms: row.removed_ms,
            until_ms: Some(row.until_ms),
            modified_ms: row.modified_ms,
            archive: row.archive.map(str::to_owned),
            target: None,
            document: None,
        }
    }

    /// A document that was moved to an archive.
    pub fn describe_archived(&self, archive: &Archive, archived: &Archived) -> reply::TrashRow {
        let id = archived.document.get("_id").ok().flatten();
        let present = self.names.get(&archive.collection());
        reply::TrashRow {
            number: 0,
            ns: present.unwrap_or(&archived.namespace).to_string(),
            id: id.and_then(|id| Bson::try_from(id).ok()).unwrap_or(Bson::Null),
            bytes: archived.document.as_bytes().len() as u64,
            index: archived.index.clone(),
            pass: None,
            expired_ms: archived.threshold_ms,
            removed_ms: archived.removed_ms,
            until_ms: None,
            modified_ms: archived.modified_ms,
            archive: Some(archive.folder().to_owned()),
            target: Some(archive.settings().target.clone()),
            document: None,
        }
    }
}
