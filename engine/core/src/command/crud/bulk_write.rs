//! `bulkWrite`: inserts, updates and deletes in several collections.

use std::cmp::Ordering;

use bson::{
    Bson, Document, RawDocumentBuf, doc,
    raw::{RawBsonRef, RawDocument},
};

use crate::{
    catalog::{CatalogSnapshot, Namespace},
    command::core::{
        Answer, Code, Command, CommandError, Context, Cursor, LetVariables, Query, Request,
        as_integer,
        field_value::{unsupported_field, wrong_type_at},
        fields, missing_field, raw,
        target::check_writable,
        unknown_field,
        write::{
            insert_documents::{check_batch_size, insert_all},
            statement_fields::{FieldShape, StatementField, check_statement},
            update_statement::{UpdateFieldNames, UpdateStatement, check_shape},
            write_matching::{StatementResult, delete},
        },
    },
    value::{Layout, order::compare, shell},
};

fields! {
    struct BulkWriteFields from Request<'_> {
        required "ops",
        required "nsInfo",
        optional "ordered": bool_or(true) => is_ordered bool,
        optional "errorsOnly": bool_or(false) => errors_only bool,
        optional "cursor",
        optional "let",
        ignored "bypassDocumentValidation": flag,
        ignored "bypassEmptyTsReplacement": flag,
        ignored "stmtId",
        ignored "stmtIds",
    }
}

/// `{bulkWrite: 1, ops: [{insert | update | delete: index, …}], nsInfo: [{ns}], ordered,
/// errorsOnly, cursor: {batchSize}, let}`
pub static COMMAND: Command = Command::admin("bulkWrite", BulkWriteFields::FIELDS, run);

/// The namespace of the cursor over the results.
const RESULTS: &str = "admin.$cmd.bulkWrite";
const PLACE: &str = "bulkWrite.ops";
const UPDATE: UpdateFieldNames = UpdateFieldNames {
    place: PLACE,
    filter: "filter",
    update: "updateMods",
    constants: "constants",
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let BulkWriteFields { is_ordered, errors_only } = BulkWriteFields::read(request)?;
    let batch_size = batch_size(request)?;
    let namespaces = namespaces(request)?;
    let operations = operations(request)?;
    check_batch_size(operations.len())?;
    let namespaces = valid(&namespaces)?;
    let catalog = context.collections.catalog();
    // A collection with damaged metadata refuses the whole command before any of its operations has
    // run.
    for namespace in &namespaces {
        catalog.check_usable(&namespace.db, &namespace.collection)?;
    }
    // Every index is checked first: an operation must not fail for its shape after others have been
    // written.
    for operation in &operations {
        check_target(operation, &namespaces)?;
    }
    let variables = LetVariables::read(context, request)?;
    let variables: Vec<_> =
        namespaces.iter().map(|name| of_collection(&variables, &catalog, name)).collect();
    let bulk = Bulk { context, request, namespaces: &namespaces, variables: &variables };
    let mut outcome = BulkOutcome { errors_only, ..BulkOutcome::default() };
    let mut at = 0;
    while let Some(rest) = operations.get(at..).filter(|rest| !rest.is_empty()) {
        let handled = bulk.some(rest, at, is_ordered, &mut outcome);
        at += handled;
        if is_ordered && outcome.failed > 0 {
            break;
        }
    }
    outcome.answer(context, batch_size)
}

/// The variables with the default collation of a collection.
fn of_collection(
    variables: &LetVariables,
    catalog: &CatalogSnapshot,
    name: &Namespace,
) -> LetVariables {
    let collection = catalog.collection_named(&name.db, &name.collection);
    variables.collated(collection.and_then(|found| found.options.collation.clone()))
}

/// One entry of `ops`.
#[derive(Clone, Copy)]
struct BulkOperation<'o> {
    kind: BulkOperationKind,
    /// The position of its collection in `nsInfo`.
    target: usize,
    document: &'o RawDocument,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BulkOperationKind {
    Insert,
    Update,
    Delete,
}

impl BulkOperationKind {
    fn of(name: &str) -> Option<Self> {
        match name {
            "insert" => Some(Self::Insert),
            "update" => Some(Self::Update),
            "delete" => Some(Self::Delete),
            _ => None,
        }
    }

    fn fields(self) -> &'static [StatementField] {
        match self {
            Self::Insert => {
                &[("insert", FieldShape::Any, true), ("document", FieldShape::Object, true)]
            }
            Self::Update => &[
                ("update", FieldShape::Any, true),
                ("filter", FieldShape::Object, true),
                ("sort", FieldShape::Object, false),
                ("multi", FieldShape::Bool, false),
                ("updateMods", FieldShape::Update, true),
                ("upsert", FieldShape::Bool, false),
                ("upsertSupplied", FieldShape::Bool, false),
                ("arrayFilters", FieldShape::Objects, false),
                ("hint", FieldShape::Hint, false),
                ("constants", FieldShape::Object, false),
                ("collation", FieldShape::Object, false),
                ("sampleId", FieldShape::Any, false),
                ("allowShardKeyUpdatesWithoutFullShardKeyInQuery", FieldShape::Any, false),
            ],
            Self::Delete => &[
                ("delete", FieldShape::Any, true),
                ("filter", FieldShape::Object, true),
                ("multi", FieldShape::Bool, false),
                ("hint", FieldShape::Hint, false),
                ("collation", FieldShape::Object, false),
                ("sampleId", FieldShape::Any, false),
            ],
        }
    }
}

fn operations<'r>(request: &Request<'r>) -> Result<Vec<BulkOperation<'r>>, CommandError> {
    let array = match request.document.get("ops")? {
        Some(RawBsonRef::Array(array)) => array,
        Some(RawBsonRef::Null) | None => return Err(missing_field("bulkWrite", "ops")),
        Some(other) => return Err(wrong_type_at(PLACE, other, "type 'array'")),
    };
    let mut operations = Vec::new();
    for (index, item) in array.into_iter().enumerate() {
        match item? {
            RawBsonRef::Document(document) => operations.push(operation(request, document)?),
            other => {
                return Err(wrong_type_at(&format!("{PLACE}.{index}"), other, "type 'object'"));
            }
        }
    }
    Ok(operations)
}

/// Checks the fields of an operation; the first field names its kind.
fn operation<'r>(
    request: &Request<'r>,
    document: &'r RawDocument,
) -> Result<BulkOperation<'r>, CommandError> {
    let (first, target) = match document.iter().next() {
        Some(element) => {
            let (name, value) = element?;
            (name.as_str(), value)
        }
        None => ("", RawBsonRef::Null),
    };
    let Some(kind) = BulkOperationKind::of(first) else {
        return Err(unknown_field("bulkWrite", first));
    };
    let target = index(first, target)?;
    match kind {
        BulkOperationKind::Update => {
            check_shape(&UPDATE, &request.within(document), kind.fields())?;
        }
        BulkOperationKind::Insert | BulkOperationKind::Delete => {
            // The first field names the kind and is one of the fields that the kind declares.
            check_statement(PLACE, document, kind.fields())?;
        }
    }
    Ok(BulkOperation { kind, target, document })
}

fn index(name: &str, value: RawBsonRef<'_>) -> Result<usize, CommandError> {
    if value == RawBsonRef::Null {
        return Err(missing_field(PLACE, name));
    }
    let number = as_integer(value).ok_or_else(|| {
        wrong_type_at(&format!("{PLACE}.{name}"), value, "types '[long, int, decimal, double]'")
    })?;
    // Without its fraction it would name a collection that was not meant, and NaN the first one.
    if compare(value, RawBsonRef::Int64(number)) != Ordering::Equal {
        return Err(CommandError::bad_value(format!(
            "BSON field '{PLACE}.{name}' must be a whole number: a place in nsInfo"
        )));
    }
    usize::try_from(number).map_err(|_| negative(name, number))
}

/// The names in `nsInfo`.
fn namespaces<'r>(request: &Request<'r>) -> Result<Vec<&'r str>, CommandError> {
    const IGNORED: [&str; 3] = ["isTimeseriesNamespace", "shardVersion", "databaseVersion"];
    const UNSUPPORTED: [&str; 2] = ["collectionUUID", "encryptionInformation"];
    const LIST: &str = "bulkWrite.nsInfo";
    let array = match request.document.get("nsInfo")? {
        Some(RawBsonRef::Array(array)) => array,
        Some(RawBsonRef::Null) | None => return Err(missing_field("bulkWrite", "nsInfo")),
        Some(other) => return Err(wrong_type_at(LIST, other, "type 'array'")),
    };
    let mut namespaces = Vec::new();
    for (index, item) in array.into_iter().enumerate() {
        let entry = match item? {
            RawBsonRef::Document(entry) => entry,
            other => {
                return Err(wrong_type_at(&format!("{LIST}.{index}"), other, "type 'object'"));
            }
        };
        let mut namespace = None;
        for element in entry {
            match element? {
                (name, RawBsonRef::String(ns)) if name == "ns" => namespace = Some(ns),
                (name, RawBsonRef::Null) if name == "ns" => {}
                (name, other) if name == "ns" => {
                    return Err(wrong_type_at("bulkWrite.nsInfo.ns", other, "type 'string'"));
                }
                (name, _) if IGNORED.contains(&name.as_str()) => {}
                // Null counts as absent, as for every optional field that MongoDB's command parser
                // reads.
                (name, RawBsonRef::Null) if UNSUPPORTED.contains(&name.as_str()) => {}
                // A UUID narrows the operation to one collection. Ignoring it could change another
                // one that has the name by now.
                (name, _) if UNSUPPORTED.contains(&name.as_str()) => {
                    return Err(unsupported_field(LIST, name.as_str()));
                }
                (name, _) => return Err(unknown_field(LIST, name.as_str())),
            }
        }
        namespaces.push(namespace.ok_or_else(|| missing_field(LIST, "ns"))?);
    }
    Ok(namespaces)
}

fn valid(names: &[&str]) -> Result<Vec<Namespace>, CommandError> {
    let parse = |name: &&str| {
        let invalid = |shown: &str| {
            CommandError::new(
                Code::INVALID_NAMESPACE,
                format!("Invalid namespace specified for bulkWrite: '{shown}'"),
            )
        };
        match name.split_once('.') {
            Some((db, "")) => Err(invalid(db)),
            Some((db, collection)) => {
                let namespace = Namespace::checked(db, collection).map_err(|_| invalid(name))?;
                check_writable(&namespace)?;
                Ok(namespace)
            }
            None => Err(invalid(name)),
        }
    };
    names.iter().map(parse).collect()
}

fn check_target(
    operation: &BulkOperation<'_>,
    namespaces: &[Namespace],
) -> Result<(), CommandError> {
    if operation.target < namespaces.len() {
        return Ok(());
    }
    let shown = Bson::Document(Document::try_from(operation.document)?);
    Err(CommandError::bad_value(format!(
        "BulkWrite ops entry {} has an invalid nsInfo index.",
        shell::write_value(&shown, Layout::OneLine)
    )))
}

/// The state that all operations share.
struct Bulk<'b> {
    context: &'b Context,
    request: &'b Request<'b>,
    namespaces: &'b [Namespace],
    /// One for each of the collections.
    variables: &'b [LetVariables],
}

impl Bulk<'_> {
    /// Does the first operation, with the inserts into the same collection that follow an insert:
    /// how many those are.
    fn some(
        &self,
        rest: &[BulkOperation<'_>],
        at: usize,
        is_ordered: bool,
        outcome: &mut BulkOutcome,
    ) -> usize {
        let Some(first) = rest.first() else { return 0 };
        let Some(namespace) = self.namespaces.get(first.target) else { return 1 };
        if first.kind == BulkOperationKind::Insert {
            let belongs = |other: &&BulkOperation<'_>| {
                other.kind == BulkOperationKind::Insert && other.target == first.target
            };
            // Inserts in a row share transactions. Another kind of operation ends the run, to keep
            // the order.
            let run: Vec<_> = rest.iter().take_while(belongs).copied().collect();
            self.inserts(namespace, &run, at, is_ordered, outcome);
            return run.len();
        }
        match (self.one(first, namespace), first.kind) {
            (Ok((done, None)), BulkOperationKind::Update) => outcome.updated(at, done),
            (Ok((done, None)), _) => outcome.deleted(at, &done),
            (Ok((done, Some(error))), kind) => outcome.refused(at, kind, &done, &error),
            (Err(error), kind) => outcome.refused(at, kind, &StatementResult::default(), &error),
        }
        1
    }

    fn inserts(
        &self,
        namespace: &Namespace,
        run: &[BulkOperation<'_>],
        at: usize,
        is_ordered: bool,
        outcome: &mut BulkOutcome,
    ) {
        let refuse = |outcome: &mut BulkOutcome, index: usize, error: &CommandError| {
            outcome.refused(
                at + index,
                BulkOperationKind::Insert,
                &StatementResult::default(),
                error,
            );
        };
        let documents =
            run.iter().filter_map(|operation| operation.document.get_document("document").ok());
        match insert_all(self.context, self.request, namespace, documents, is_ordered) {
            Ok(done) => {
                let mut errors = done.errors.into_iter().peekable();
                for index in 0..run.len() {
                    match errors.next_if(|(place, _)| *place == index) {
                        None => outcome.inserted(at + index),
                        Some((_, error)) => {
                            refuse(outcome, index, &error);
                            if is_ordered {
                                break;
                            }
                        }
                    }
                }
            }
            Err(error) => {
                let refused = if is_ordered { 1 } else { run.len() };
                // An ordered command stops at its first error, so the rest is not tried and has no
                // result.
                (0..refused).for_each(|index| refuse(outcome, index, &error));
            }
        }
    }

    fn one(
        &self,
        operation: &BulkOperation<'_>,
        namespace: &Namespace,
    ) -> Result<(StatementResult, Option<CommandError>), CommandError> {
        let fields = self.request.within(operation.document);
        let Some(variables) = self.variables.get(operation.target) else {
            return Err(missing_field(PLACE, "nsInfo"));
        };
        if operation.kind == BulkOperationKind::Update {
            return UpdateStatement::read(&fields, &UPDATE, variables)?
                .run(self.context, namespace);
        }
        let Some(filter) = fields.document("filter")? else {
            return Err(missing_field(PLACE, "filter"));
        };
        let variables = variables.for_statement(&fields)?;
        let query = Query::of_statement(&fields, filter, &variables)?;
        delete(self.context, namespace, query, fields.flag("multi")?)
    }
}

/// The results so far.
#[derive(Default)]
struct BulkOutcome {
    errors_only: bool,
    items: Vec<RawDocumentBuf>,
    failed: u64,
    inserted: u64,
    matched: u64,
    modified: u64,
    upserted: u64,
    deleted: u64,
}

impl BulkOutcome {
    fn inserted(&mut self, at: usize) {
        self.inserted += 1;
        self.success(at, doc! { "n": 1 });
    }

    fn updated(&mut self, at: usize, done: StatementResult) {
        self.count_update(&done);
        let n = done.matched + u64::from(done.upserted.is_some());
        let mut item = doc! { "n": int(n), "nModified": int(done.changed) };
        if let Some(id) = done.upserted {
            item.insert("upserted", doc! { "_id": id });
        }
        self.success(at, item);
    }

    fn deleted(&mut self, at: usize, done: &StatementResult) {
        self.deleted += done.matched;
        self.success(at, doc! { "n": int(done.matched) });
    }

    fn refused(
        &mut self,
        at: usize,
        kind: BulkOperationKind,
        done: &StatementResult,
        error: &CommandError,
    ) {
        self.failed += 1;
        let mut item = doc! {
            "ok": 0.0,
            "idx": place(at),
            "code": error.code.0,
            "errmsg": &*error.reply_message(),
        };
        item.extend(error.details.as_ref().clone());
        // An operation that failed may have done a part of its work before.
        item.insert("n", int(done.matched));
        match kind {
            BulkOperationKind::Insert => {}
            BulkOperationKind::Update => {
                self.count_update(done);
                item.insert("nModified", int(done.changed));
            }
            BulkOperationKind::Delete => self.deleted += done.matched,
        }
        self.push(&item);
    }

    fn count_update(&mut self, done: &StatementResult) {
        self.matched += done.matched;
        self.modified += done.changed;
        self.upserted += u64::from(done.upserted.is_some());
    }

    fn success(&mut self, at: usize, item: Document) {
        if !self.errors_only {
            let mut whole = doc! { "ok": 1.0, "idx": place(at) };
            whole.extend(item);
            self.push(&whole);
        }
    }

    fn push(&mut self, item: &Document) {
        // Names in a result come from documents that have been checked.
        self.items.extend(RawDocumentBuf::try_from(item).ok());
    }

    fn answer(self, context: &Context, batch_size: Option<u64>) -> Answer {
        let counts = doc! {
            "nErrors": int(self.failed),
            "nInserted": int(self.inserted),
            "nMatched": int(self.matched),
            "nModified": int(self.modified),
            "nUpserted": int(self.upserted),
            "nDeleted": int(self.deleted),
        };
        let cursor = Cursor::ready(RESULTS.to_owned(), self.items);
        let mut reply = cursor.first_batch(context, Some(batch_size.unwrap_or(u64::MAX)), false)?;
        for element in &raw(&counts)? {
            let (name, value) = element?;
            reply.append(name, value);
        }
        Ok(reply)
    }
}

fn batch_size(request: &Request<'_>) -> Result<Option<u64>, CommandError> {
    const PLACE: &str = "bulkWrite.cursor";
    let options = match request.get("cursor")? {
        None => return Ok(None),
        Some(RawBsonRef::Document(options)) => options,
        Some(other) => return Err(wrong_type_at(PLACE, other, "type 'object'")),
    };
    let mut size = None;
    for element in options {
        let (name, value) = element?;
        if name.as_str() != "batchSize" {
            return Err(unknown_field(PLACE, name.as_str()));
        }
        let number = as_integer(value).ok_or_else(|| {
            wrong_type_at(
                "bulkWrite.cursor.batchSize",
                value,
                "types '[long, int, decimal, double]'",
            )
        })?;
        size = Some(u64::try_from(number).map_err(|_| negative("batchSize", number))?);
    }
    Ok(size)
}

fn negative(name: &str, number: i64) -> CommandError {
    CommandError::bad_value(format!(
        "BSON field '{name}' value must be >= 0, actual value '{number}'"
    ))
}

fn place(at: usize) -> i32 {
    i32::try_from(at).unwrap_or(i32::MAX)
}

fn int(number: u64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
