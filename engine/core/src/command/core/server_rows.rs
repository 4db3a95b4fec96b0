//! Rows that stages read from the server: `$currentOp`, `$collStats`, `$indexStats`, sessions.

use bson::{
    Document, RawDocumentBuf, doc,
    raw::{RawBsonRef, RawDocument},
};

use super::{
    Client, CommandError, Context, long, monitor::operations, server::hostname, shortest,
    stats::storage_stats,
};
use crate::{
    catalog::{CollectionMeta, Namespace},
    pipeline::{PipelineError, Rows, ServerRows},
    query::Code,
    store::Reader,
};

/// The server as one client sees it.
pub struct ServerFacts<'c> {
    pub context: &'c Context,
    pub client: &'c Client,
}

impl Rows for ServerFacts<'_> {
    fn rows(
        &self,
        stage: &ServerRows,
        namespace: &Namespace,
    ) -> Result<Vec<RawDocumentBuf>, PipelineError> {
        let rows = match stage {
            ServerRows::IndexStats => self.index_stats(namespace),
            ServerRows::CollStats { .. } => vec![self.coll_stats(stage, namespace)?],
            ServerRows::CurrentOp(options) => {
                let everyone = options.get_bool("allUsers").unwrap_or(false);
                operations::documents(self.context, (!everyone).then_some(self.client))
            }
            ServerRows::Sessions(options) => self.sessions(options),
        };
        rows.iter().map(|row| Ok(RawDocumentBuf::try_from(row)?)).collect()
    }
}

impl ServerFacts<'_> {
    /// The sessions of all users, of those that are named, or of the client's own user.
    fn sessions(&self, options: &RawDocument) -> Vec<Document> {
        let sessions = &self.context.sessions;
        if matches!(options.get("allUsers"), Ok(Some(RawBsonRef::Boolean(true)))) {
            return sessions.documents(|_| true);
        }
        let Ok(Some(RawBsonRef::Array(users))) = options.get("users") else {
            let own = self.client.user();
            return sessions.documents(|user| user == own.as_deref());
        };
        let named =
            users.into_iter().filter_map(|user| user.ok()?.as_document()?.get_str("user").ok());
        let named: Vec<&str> = named.collect();
        sessions.documents(|user| user.is_some_and(|user| named.contains(&user)))
    }

    fn index_stats(&self, namespace: &Namespace) -> Vec<Document> {
        let catalog = self.context.collections.catalog();
        let Some(collection) = catalog.collection(namespace) else { return Vec::new() };
        self.context.index_uses.track(&catalog, self.context.now_ms());
        let row = |index: &crate::catalog::IndexMeta| {
            let (ops, since_ms) = self.context.index_uses.get(index.id).unwrap_or_default();
            doc! {
                "name": &index.name,
                "key": index.key.source.clone(),
                "host": hostname(),
                "accesses": { "ops": long(ops), "since": bson::DateTime::from_millis(since_ms) },
                "spec": index.to_spec(),
            }
        };
        collection.shown_indexes().map(|index| row(index)).collect()
    }

    fn coll_stats(
        &self,
        stage: &ServerRows,
        namespace: &Namespace,
    ) -> Result<Document, PipelineError> {
        let ServerRows::CollStats { storage, count, latency, query_exec } = stage else {
            return Ok(Document::new());
        };
        let catalog = self.context.collections.catalog();
        let collection = catalog.collection(namespace);
        let mut entry = doc! {
            "ns": namespace.to_string(),
            "host": hostname(),
            "localTime": bson::DateTime::from_millis(self.context.now_ms()),
        };
        if let Some(histograms) = latency {
            entry.insert("latencyStats", latencies(*histograms));
        }
        if storage.is_none() && !count {
            return Ok(entry);
        }
        let Some(collection) = collection else {
            return Err(PipelineError::stage(
                Code::NAMESPACE_NOT_FOUND,
                format!(
                    "Unable to retrieve {} in $collStats stage :: caused by :: Collection \
                     [{namespace}] not found.",
                    if storage.is_some() { "storageStats" } else { "count" }
                ),
            ));
        };
        if collection.is_view() {
            return Err(PipelineError::Catalog(
                collection.check_holds_documents().err().unwrap_or_else(|| no_view(namespace)),
            ));
        }
        let mut read =
            |reader: &Reader<'_>| sizes(&mut entry, reader, &collection, *storage, *count);
        self.context
            .read(|reader, _| read(reader))
            .map_err(|error| PipelineError::stage(Code::BAD_VALUE, error.message))?;
        if *query_exec {
            let scans = doc! { "total": 0_i64, "nonTailable": 0_i64 };
            entry.insert("queryExecStats", doc! { "collectionScans": scans });
        }
        Ok(entry)
    }
}

fn no_view(namespace: &Namespace) -> crate::catalog::CatalogError {
    crate::catalog::CatalogError::new(
        crate::catalog::CatalogErrorKind::CommandNotSupportedOnView,
        format!("{namespace} is a view"),
    )
}

fn sizes(
    entry: &mut Document,
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    storage: Option<u64>,
    count: bool,
) -> Result<(), CommandError> {
    if let Some(scale) = storage {
        entry.insert("storageStats", storage_stats(reader, collection, scale)?);
    }
    if count {
        entry.insert("count", shortest(reader.counters(collection.id.0)?.documents));
    }
    Ok(())
}

/// Times of operations are counted for the whole server only, so those of one collection are 0.
fn latencies(histograms: bool) -> Document {
    let mut one =
        doc! { "latency": 0_i64, "ops": 0_i64, "queryableEncryptionLatencyMicros": 0_i64 };
    if histograms {
        one.insert("histogram", bson::Bson::Array(Vec::new()));
    }
    doc! { "reads": one.clone(), "writes": one.clone(), "commands": one.clone(), "transactions": one }
}
