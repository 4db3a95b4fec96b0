//! An archive in a bucket.

use std::{
    iter,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use object_store::{
    BackoffConfig, ClientOptions, Error, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions,
    PutPayload, RetryConfig, aws::AmazonS3Builder, path::Path,
};
use tokio::runtime::{Builder, Runtime};

use super::access::{ACCESS_NAMES, Access};
use crate::{
    archive::{
        ArchiveError,
        backend::Backend,
        segment::{self, SegmentContents, SegmentFile},
    },
    limits::{ARCHIVE_CONNECT_TIMEOUT, ARCHIVE_REQUEST_TIMEOUT, ARCHIVE_RETRIES},
};

/// Longest quotation of a server's message, in characters.
const WORDS_MAX: usize = 300;

/// A bucket, or a prefix in it.
pub(in crate::archive) struct Bucket {
    name: String,
    prefix: Path,
    connection: Mutex<Option<Arc<Connection>>>,
    /// Whether the server lacks conditional writes, so that a put may overwrite.
    overwrites: AtomicBool,
}

/// A connection with the credentials at the time it was opened.
pub(super) struct Connection {
    runtime: Runtime,
    store: Arc<dyn ObjectStore>,
    access: Access,
}

impl Bucket {
    /// A bucket without a connection yet.
    pub(in crate::archive) fn new(name: &str, prefix: &str, folder: &str) -> Self {
        let parts = prefix.split('/').chain([folder]).filter(|part| !part.is_empty());
        Self {
            name: name.to_owned(),
            prefix: parts.collect(),
            connection: Mutex::default(),
            overwrites: AtomicBool::default(),
        }
    }

    /// Sends a request. A failure drops the connection.
    fn ask<T>(
        &self,
        tried: &str,
        question: impl AsyncFnOnce(&dyn ObjectStore) -> Result<T, Error>,
    ) -> Result<T, ArchiveError> {
        let backend = || format!("{tried} in s3://{}/{}", self.name, self.prefix);
        let connection = self.connection().map_err(|why| failed(&backend(), &why))?;
        let answer = connection.runtime.block_on(question(&*connection.store));
        answer.map_err(|error| {
            // A token may have expired, so the next request must read the credentials again.
            *self.connection.lock().unwrap_or_else(PoisonError::into_inner) = None;
            failed(&backend(), &words(&error, &connection.access))
        })
    }

    fn connection(&self) -> Result<Arc<Connection>, String> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*connection {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(Connection::open(&self.name, Access::find())?);
        *connection = Some(Arc::clone(&made));
        Ok(made)
    }

    /// A bucket over an existing object store.
    #[cfg(test)]
    pub(super) fn over(store: Arc<dyn ObjectStore>, prefix: &str) -> Self {
        let runtime = runtime().expect("made");
        Self::connected(prefix, Connection { runtime, store, access: Access::default() })
    }

    /// A bucket of the server at this address.
    #[cfg(test)]
    pub(super) fn at(endpoint: String) -> Self {
        Self::connected("", Connection::open("bucket", Access::of_test(endpoint)).expect("made"))
    }

    #[cfg(test)]
    fn connected(prefix: &str, connection: Connection) -> Self {
        let bucket = Self::new("bucket", prefix, "a");
        *bucket.connection.lock().expect("free") = Some(Arc::new(connection));
        bucket
    }
}

impl Connection {
    fn open(bucket: &str, access: Access) -> Result<Self, String> {
        if !access.has_credentials() {
            return Err(
                "no credentials found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or add a \
 profile to ~/.aws/credentials"
                    .to_owned(),
            );
        }
        // Fails if a provider is installed already, which is just as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let options = ClientOptions::new()
            .with_connect_timeout(ARCHIVE_CONNECT_TIMEOUT)
            .with_timeout(ARCHIVE_REQUEST_TIMEOUT);
        let retry = RetryConfig {
            backoff: BackoffConfig::default(),
            max_retries: ARCHIVE_RETRIES,
            retry_timeout: ARCHIVE_CONNECT_TIMEOUT,
        };
        let is_plain = access.endpoint().is_some_and(|endpoint| endpoint.starts_with("http://"));
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(bucket)
            .with_client_options(options.with_allow_http(is_plain))
            .with_retry(retry);
        for (name, key) in ACCESS_NAMES {
            if let Some(value) = access.get(name) {
                builder = builder.with_config(key, value);
            }
        }
        let store = builder.build().map_err(|error| words(&error, &access))?;
        let runtime = runtime().map_err(|error| error.to_string())?;
        Ok(Self { runtime, store: Arc::new(store), access })
    }
}

impl Backend for Bucket {
    fn is_local(&self) -> bool {
        false
    }

    fn put(&self, segment: &str, frame: &[u8]) -> Result<(), ArchiveError> {
        let (path, payload) = (self.prefix.clone().join(segment), PutPayload::from(frame.to_vec()));
        self.ask("Can't write the archive", async |store| {
            if !self.overwrites.load(Ordering::Relaxed) {
                // A copy of this store may write here too.
                let only_new = PutOptions::from(PutMode::Create);
                match store.put_opts(&path, payload.clone(), only_new).await {
                    Err(error) if is_unknown(&error) => {
                        self.overwrites.store(true, Ordering::Relaxed);
                    }
                    other => return other,
                }
            }
            store.put(&path, payload).await
        })?;
        Ok(())
    }

    fn list(&self) -> Result<Vec<SegmentFile>, ArchiveError> {
        let found = self.ask("Can't read the archive", async |store| {
            store.list_with_delimiter(Some(&self.prefix)).await
        })?;
        let named = |object: &object_store::ObjectMeta| {
            let name = object.location.filename()?.to_owned();
            segment::number(&name).map(|_| SegmentFile { name, bytes: object.size })
        };
        let mut listed: Vec<SegmentFile> = found.objects.iter().filter_map(named).collect();
        listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }

    fn read(&self, segment: &str, offset: u64, len: usize) -> Result<Vec<u8>, ArchiveError> {
        let path = self.prefix.clone().join(segment);
        let range = offset..offset.saturating_add(len as u64);
        let bytes = self.ask(&format!("Can't read {segment}"), async |store| {
            store.get_range(&path, range).await
        })?;
        Ok(bytes.to_vec())
    }

    fn contents(&self, segment: &SegmentFile) -> Result<SegmentContents, ArchiveError> {
        match SegmentContents::of_batch(segment) {
            Some(contents) => Ok(contents),
            None => SegmentContents::find(segment.bytes, |offset, len| {
                self.read(&segment.name, offset, len)
            }),
        }
    }

    fn remove(&self, segment: &str) -> Result<(), ArchiveError> {
        let path = self.prefix.clone().join(segment);
        self.ask(&format!("Can't remove {segment}"), async |store| store.delete(&path).await)
    }
}

fn runtime() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

fn failed(tried: &str, why: &str) -> ArchiveError {
    ArchiveError::Backend { what: format!("{tried}: {why}") }
}

/// An error and what caused it, the deepest last.
fn causes(error: &Error) -> impl Iterator<Item = &dyn std::error::Error> {
    iter::successors(Some(error as &dyn std::error::Error), |error| (*error).source())
}

/// Whether the server does not implement the request (HTTP status 501).
fn is_unknown(error: &Error) -> bool {
    matches!(error, Error::NotImplemented { .. })
        || causes(error).any(|cause| cause.to_string().contains("501 Not Implemented"))
}

/// The error in a few words, without secrets.
fn words(error: &Error, access: &Access) -> String {
    let known = match error {
        Error::AlreadyExists { .. } => {
            Some("an object with this name already exists, possibly from a copy of this store")
        }
        Error::NotFound { .. } => Some("the server has no such bucket or object"),
        Error::PermissionDenied { .. } => Some("access denied"),
        Error::Unauthenticated { .. } => Some("the credentials are not valid"),
        _ => None,
    };
    if let Some(known) = known {
        return known.to_owned();
    }
    let deepest = causes(error).last().map(ToString::to_string).unwrap_or_default();
    let told = access.without_secrets(&deepest);
    let line = told.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(WORDS_MAX).collect::<String>().trim_end_matches('.').to_owned()
}
