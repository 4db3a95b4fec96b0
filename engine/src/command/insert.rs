//! `insert`: new documents, in bounded transactions.

use std::{borrow::Cow, time::Duration};

use bson::{
    Document, RawDocumentBuf,
    oid::ObjectId,
    raw::{RawBsonRef, RawDocument, cstr},
};

use super::{
    batch::Written,
    context::Context,
    error::{Answer, Code, CommandError},
    field::{ignored, optional, required},
    request::Request,
    table::{Command, Scope},
};
use crate::{
    catalog::{CollectionMeta, Namespace},
    collection::{DocumentWriter, WriteError},
    limits::{BATCH_DOCS_MAX, BATCH_MS_MAX, WRITE_STATEMENTS_MAX},
    value::scan,
};

/// `{insert: collection, documents, ordered}`
pub static COMMAND: Command = Command {
    name: "insert",
    aliases: &[],
    scope: Scope::Any,
    fields: &[
        required("documents"),
        optional("ordered"),
        ignored("bypassDocumentValidation"),
        ignored("bypassEmptyTsReplacement"),
        ignored("stmtId"),
        ignored("stmtIds"),
        ignored("isTimeseriesNamespace"),
    ],
    run,
};

type Prepared<'d> = Result<Cow<'d, RawDocument>, CommandError>;

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let documents = request.documents("documents")?;
    let is_ordered = request.bool_at("insert", "ordered", true)?;
    request.flag("bypassDocumentValidation")?;
    check_batch_size(documents.len())?;
    let done = insert_all(context, &namespace, documents, is_ordered)?;
    let errors =
        done.errors.into_iter().map(|(index, error)| error.to_write_error(index)).collect();
    Written { n: done.n, errors }.answer(Document::new())
}

/// What an insert of several documents did.
#[derive(Debug, Default)]
pub struct Inserted {
    /// Documents inserted.
    pub n: u64,
    /// Those that were refused, by their place.
    pub errors: Vec<(usize, CommandError)>,
}

/// Inserts documents; in order means that the first refusal is the end.
///
/// # Errors
/// Why not even the first one could be tried.
pub fn insert_all<'d>(
    context: &Context,
    namespace: &Namespace,
    documents: impl IntoIterator<Item = &'d RawDocument>,
    is_ordered: bool,
) -> Result<Inserted, CommandError> {
    let prepared: Vec<Prepared<'_>> = documents.into_iter().map(with_id_first).collect();
    let mut done = Inserted::default();
    let mut start = 0;
    while start < prepared.len() {
        match insert_some(context, namespace, &prepared, start, is_ordered) {
            Ok((next, n, errors)) => {
                done.n += n;
                let stops = is_ordered && !errors.is_empty();
                done.errors.extend(errors);
                start = next;
                if stops {
                    break;
                }
            }
            Err(error) if start == 0 => return Err(error),
            Err(error) => {
                done.errors.push((start, error));
                break;
            }
        }
    }
    Ok(done)
}

/// One transaction from document `start` on: where to go on, how many were inserted, and errors.
fn insert_some(
    context: &Context,
    namespace: &Namespace,
    prepared: &[Prepared<'_>],
    start: usize,
    is_ordered: bool,
) -> Result<(usize, u64, Vec<(usize, CommandError)>), CommandError> {
    let time_max = Duration::from_millis(BATCH_MS_MAX);
    context.write(|writer| {
        let collection = writer.create_if_missing(namespace)?;
        collection.check_holds_documents()?;
        let began = context.clock().monotonic();
        let (mut at, mut n, mut errors) = (start, 0, Vec::new());
        for document in prepared.iter().skip(start).take(BATCH_DOCS_MAX) {
            let outcome = match document {
                Ok(document) => insert_one(writer, &collection, document),
                Err(error) => Err(Refused::Statement(error.clone())),
            };
            match outcome {
                Ok(_) => n += 1,
                Err(Refused::Transaction(error)) => return Err(error),
                Err(Refused::Statement(error)) => errors.push((at, error)),
            }
            at += 1;
            let is_late = context.clock().monotonic().saturating_sub(began) > time_max;
            if is_late || (is_ordered && !errors.is_empty()) {
                break;
            }
        }
        Ok((at, n, errors))
    })
}

/// Why a document was not written, and what that means for the transaction.
pub enum Refused {
    /// The transaction is good and can go on.
    Statement(CommandError),
    /// The transaction must be given up.
    Transaction(CommandError),
}

impl From<WriteError> for Refused {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Store(error) => Self::Transaction(error.into()),
            error => Self::Statement(error.into()),
        }
    }
}

impl From<Refused> for CommandError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Statement(error) | Refused::Transaction(error) => error,
        }
    }
}

/// Inserts one document. A document that is past its threshold in a collection that hides such ones
/// does not stand in its way.
///
/// # Errors
/// Why it was refused.
pub fn insert_one(
    writer: &mut DocumentWriter<'_>,
    collection: &CollectionMeta,
    document: &RawDocument,
) -> Result<u64, Refused> {
    Ok(writer.insert(collection, document)?)
}

/// Refuses an empty batch and one that is too long.
///
/// # Errors
/// `InvalidLength`.
pub fn check_batch_size(statements: usize) -> Result<(), CommandError> {
    if (1..=WRITE_STATEMENTS_MAX).contains(&statements) {
        return Ok(());
    }
    Err(CommandError::new(
        Code::INVALID_LENGTH,
        format!(
            "Write batch sizes must be between 1 and {WRITE_STATEMENTS_MAX}. Got {statements} \
             operations."
        ),
    ))
}

/// A checked document with its `_id` in front; a new `ObjectId` when it has none.
///
/// # Errors
/// What the scan finds; `InvalidIdField`.
pub fn with_id_first(document: &RawDocument) -> Prepared<'_> {
    let document = scan::check(document.as_bytes())?;
    let id = document.get("_id")?;
    if let Some(id) = id {
        check_id(id)?;
    }
    let is_first = matches!(document.iter().next(), Some(Ok((name, _))) if name.as_str() == "_id");
    if is_first {
        return Ok(Cow::Borrowed(document));
    }
    let mut moved = RawDocumentBuf::new();
    match id {
        Some(id) => moved.append(cstr!("_id"), id),
        None => moved.append(cstr!("_id"), ObjectId::new()),
    }
    for element in document {
        let (name, value) = element?;
        if name.as_str() != "_id" {
            moved.append(name, value);
        }
    }
    scan::check(moved.as_bytes())?;
    Ok(Cow::Owned(moved))
}

fn check_id(id: RawBsonRef<'_>) -> Result<(), CommandError> {
    let kind = match id {
        RawBsonRef::Array(_) => "array",
        RawBsonRef::RegularExpression(_) => "regex",
        RawBsonRef::Undefined => "undefined",
        _ => return Ok(()),
    };
    Err(CommandError::new(
        Code::INVALID_ID_FIELD,
        format!("The '_id' value cannot be of type {kind}"),
    ))
}
