//! A store that collections of a folder are imported into: one of this process, or a server.

use bson::Document;

use crate::transfer::{
    ImportReport, ImportRequest, Progress, ResumeRequest, TransferError, UnfinishedImport, import,
    resume_import, unfinished_imports,
};
use crate::{
    catalog::{
        Namespace,
        rules::{CreateIndexesRequest, CreateRequest, create},
    },
    collection::{Collections, WriteError},
};

/// A target of collections.
pub trait DumpTarget {
    /// Drops a collection, if it exists.
    ///
    /// # Errors
    /// When the target refuses.
    fn drop(&self, namespace: &Namespace) -> Result<(), TransferError>;

    /// Whether there is a collection or view of this name.
    ///
    /// # Errors
    /// When it is not known.
    fn exists(&self, namespace: &Namespace) -> Result<bool, TransferError>;

    /// Creates a collection or a view.
    ///
    /// # Errors
    /// When the target refuses, perhaps because of an option, or can't be reached.
    fn create(&self, namespace: &Namespace, options: &Document) -> Result<(), CreateError>;

    /// Imports a file.
    ///
    /// # Errors
    /// When nothing was changed; a later failure is in the report.
    fn import(
        &self,
        request: &ImportRequest,
        progress: &Progress,
    ) -> Result<ImportReport, TransferError>;

    /// The imports that did not reach the end of their files.
    ///
    /// # Errors
    /// When they are not known.
    fn unfinished(&self) -> Result<Vec<UnfinishedImport>, TransferError>;

    /// Resumes one of them.
    ///
    /// # Errors
    /// When nothing was changed; a later failure is in the report.
    fn resume(
        &self,
        request: ResumeRequest,
        progress: &Progress,
    ) -> Result<ImportReport, TransferError>;

    /// Creates indexes, all or none.
    ///
    /// # Errors
    /// When the target refuses one, or the user cancels.
    fn create_indexes(
        &self,
        namespace: &Namespace,
        specs: Vec<Document>,
        progress: &Progress,
    ) -> Result<(), TransferError>;
}

/// Why a collection was not created.
#[derive(Debug)]
pub enum CreateError {
    /// The target refuses it; without one of its options it may not.
    Refused(TransferError),
    /// Other options would change nothing.
    Failed(TransferError),
}

impl CreateError {
    pub(in crate::transfer) fn into_inner(self) -> TransferError {
        match self {
            Self::Refused(error) | Self::Failed(error) => error,
        }
    }
}

impl DumpTarget for Collections {
    fn drop(&self, namespace: &Namespace) -> Result<(), TransferError> {
        Ok(self.drop_collection(namespace).map(|_| ())?)
    }

    fn exists(&self, namespace: &Namespace) -> Result<bool, TransferError> {
        Ok(self.catalog().collection(namespace).is_some())
    }

    fn create(&self, namespace: &Namespace, options: &Document) -> Result<(), CreateError> {
        create::options(options, self.clock().now_ms())
            .map_err(|error| CreateError::Refused(WriteError::from(error).into()))?;
        let request = CreateRequest { namespace: namespace.clone(), options: options.clone() };
        let created = Self::create(self, &request);
        created.map(drop).map_err(|error| CreateError::Failed(error.into()))
    }

    fn import(
        &self,
        request: &ImportRequest,
        progress: &Progress,
    ) -> Result<ImportReport, TransferError> {
        import(self, request, progress)
    }

    fn unfinished(&self) -> Result<Vec<UnfinishedImport>, TransferError> {
        unfinished_imports(self)
    }

    fn resume(
        &self,
        request: ResumeRequest,
        progress: &Progress,
    ) -> Result<ImportReport, TransferError> {
        resume_import(self, request, progress)
    }

    fn create_indexes(
        &self,
        namespace: &Namespace,
        specs: Vec<Document>,
        progress: &Progress,
    ) -> Result<(), TransferError> {
        let request = CreateIndexesRequest {
            namespace: namespace.clone(),
            indexes: specs,
            ignore_unknown_options: false,
        };
        let continues = || !progress.is_cancelled();
        self.create_indexes_while(&request, &continues, &mut |_| {})?;
        Ok(())
    }
}
