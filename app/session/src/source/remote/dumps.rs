//! Databases of a server to and from folders.

use std::fmt::Write as _;
use std::path::Path;

use bson::{Bson, Document, doc};
use mayfly_engine::transfer::{
    Compression, CreateError, DumpSource, DumpTarget, DumpedCollection, ExportReport, ImportReport,
    ImportRequest, Progress, ResumeRequest, TransferError, UnfinishedImport, write_bson,
};
use mayfly_engine::value::whole;

use super::Remote;
use super::transfers::elsewhere;
use crate::job::reply::{is_ok, sentence};
use crate::job::{Cancel, Namespace};
use crate::source::Source as _;

/// Databases of a server that hold no data of users.
const OWN: [&str; 3] = ["admin", "config", "local"];

/// `NamespaceNotFound`.
const NOT_FOUND: i64 = 26;

/// Codes of refusals that no other option changes: `HostUnreachable`, `Unauthorized`,
/// `NamespaceExists`, `NetworkTimeout`, `NotWritablePrimary`, `Interrupted`.
const NO_OPTION: [i64; 6] = [6, 13, 48, 89, 10_107, 11_601];

impl Remote {
    /// The databases with data of users.
    fn user_databases(&self) -> Result<Vec<String>, TransferError> {
        let reply = self.run("admin", &doc! { "listDatabases": 1, "nameOnly": true });
        let Ok(databases) = reply.get_array("databases") else { return Err(refused(&reply)) };
        let names = databases.iter().filter_map(|one| one.as_document()?.get_str("name").ok());
        Ok(names.filter(|name| !OWN.contains(name)).map(str::to_owned).collect())
    }

    /// All documents that a command's cursor gives.
    fn all(&self, db: &str, command: &Document) -> Result<Vec<Document>, TransferError> {
        let mut found = Vec::new();
        let read = self.read_batches(db, command, &Cancel::default(), &mut |batch| {
            let documents = batch.iter().map(|one| Document::try_from(*one));
            let documents: Result<Vec<_>, _> = documents.collect();
            found.extend(documents.map_err(|error| error.to_string())?);
            Ok(())
        });
        read.map(|()| found).map_err(|sentence| elsewhere(format!("{sentence}.")))
    }
}

fn refused(reply: &Document) -> TransferError {
    elsewhere(format!("{}.", sentence(reply)))
}

impl DumpSource for Remote {
    fn collections(&self, db: Option<&str>) -> Result<Vec<DumpedCollection>, TransferError> {
        let dbs = match db {
            Some(db) => vec![db.to_owned()],
            None => self.user_databases()?,
        };
        let mut found = Vec::new();
        for db in &dbs {
            let listed = self.all(db, &doc! { "listCollections": 1 })?;
            found.extend(listed.iter().filter_map(|one| {
                Some(DumpedCollection {
                    namespace: Namespace::new(db, one.get_str("name").ok()?),
                    kind: one.get_str("type").unwrap_or("collection").to_owned(),
                    options: one.get_document("options").cloned().unwrap_or_default(),
                    uuid: uuid(one),
                })
            }));
        }
        Ok(found)
    }

    fn indexes(&self, namespace: &Namespace) -> Result<Vec<Document>, TransferError> {
        self.all(&namespace.db, &doc! { "listIndexes": &namespace.collection })
    }

    fn write(
        &self,
        namespace: &Namespace,
        path: &Path,
        compression: Compression,
        progress: &Progress,
    ) -> Result<ExportReport, TransferError> {
        let find = doc! { "find": &namespace.collection };
        write_bson(path, compression, progress, |take| {
            let mut failed = None;
            let cancel = Cancel::of(progress);
            let read = self.read_batches(&namespace.db, &find, &cancel, &mut |documents| {
                take(documents).map_err(|error| {
                    failed = Some(error);
                    String::new()
                })
            });
            let failure = |sentence| elsewhere(format!("{namespace}: {sentence}."));
            failed.map_or(read.map_err(failure), Err)
        })
    }

    fn data_folder(&self) -> &Path {
        Path::new("")
    }

    fn now_ms(&self) -> i64 {
        crate::source::Source::now_ms(self)
    }
}

impl DumpTarget for Remote {
    fn drop(&self, namespace: &Namespace) -> Result<(), TransferError> {
        let reply = self.run(&namespace.db, &doc! { "drop": &namespace.collection });
        let is_absent = reply.get("code").and_then(whole) == Some(NOT_FOUND);
        if is_ok(&reply) || is_absent { Ok(()) } else { Err(refused(&reply)) }
    }

    fn exists(&self, namespace: &Namespace) -> Result<bool, TransferError> {
        let list = doc! { "listCollections": 1, "filter": { "name": &namespace.collection } };
        Ok(!self.all(&namespace.db, &list)?.is_empty())
    }

    fn create(&self, namespace: &Namespace, options: &Document) -> Result<(), CreateError> {
        let mut command = doc! { "create": &namespace.collection };
        command.extend(options.clone());
        let reply = self.run(&namespace.db, &command);
        if is_ok(&reply) {
            return Ok(());
        }
        let code = reply.get("code").and_then(whole);
        let is_of_option = !code.is_some_and(|code| NO_OPTION.contains(&code));
        let kind = if is_of_option && !self.lock.is_locked() {
            CreateError::Refused
        } else {
            CreateError::Failed
        };
        Err(kind(refused(&reply)))
    }

    fn import(
        &self,
        request: &ImportRequest,
        progress: &Progress,
    ) -> Result<ImportReport, TransferError> {
        crate::source::Transfers::import(self, request, progress)
    }

    fn unfinished(&self) -> Result<Vec<UnfinishedImport>, TransferError> {
        crate::source::Transfers::unfinished(self)
    }

    fn resume(
        &self,
        request: ResumeRequest,
        progress: &Progress,
    ) -> Result<ImportReport, TransferError> {
        crate::source::Transfers::resume(self, request, progress)
    }

    fn create_indexes(
        &self,
        namespace: &Namespace,
        specs: Vec<Document>,
        _: &Progress,
    ) -> Result<(), TransferError> {
        let command = doc! { "createIndexes": &namespace.collection, "indexes": specs };
        let reply = self.run(&namespace.db, &command);
        if is_ok(&reply) { Ok(()) } else { Err(refused(&reply)) }
    }
}

/// The id of a collection in hexadecimal; empty where the server has none.
fn uuid(listed: &Document) -> String {
    let id = listed.get_document("info").ok().and_then(|info| info.get("uuid"));
    let Some(Bson::Binary(id)) = id else { return String::new() };
    id.bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
