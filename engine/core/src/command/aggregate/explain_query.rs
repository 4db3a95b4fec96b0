//! The query of an explained command, read from its fields without running it.

use bson::{Document, RawDocumentBuf, raw::RawDocument};

use crate::{
    catalog::Namespace,
    command::core::{
        Code, CommandError, Context, LetVariables, Query, Request, missing_field,
        write::update_statement::{
            FIND_AND_MODIFY_NAMES, UPDATE_NAMES, UpdateStatement, read_update,
        },
    },
    plan::{Access, CountedBy, ExecutionSummary, Plan, Purpose, Step},
    query::{Projection, Update},
};

/// Commands that can be explained.
pub const KNOWN: &[&str] =
    &["aggregate", "count", "delete", "distinct", "find", "findAndModify", "update"];

/// An explained command.
pub struct ExplainedQuery {
    pub query: Query,
    /// The filter as it was given.
    pub filter: Document,
    /// The order as it was given.
    pub sort: Option<Document>,
    /// The projection as it was given.
    pub projection: Option<Document>,
    pub purpose: Purpose,
    update: Option<Update>,
    is_upsert: bool,
    returns_documents: bool,
}

/// The plan, and what running it told.
pub struct ExplainRun {
    pub plan: Plan,
    /// There is no such collection.
    pub is_missing: bool,
    pub counted_by: CountedBy,
    pub executed: ExecutionSummary,
}

impl ExplainedQuery {
    /// Reads the command; nothing is run.
    ///
    /// # Errors
    /// An invalid field.
    pub fn read(context: &Context, request: &Request<'_>) -> Result<Self, CommandError> {
        let variables = &LetVariables::read(context, request)?;
        match request.name {
            "count" => {
                let query = Query::read_with_signed_limit(request, "query", variables)?;
                Self::new(request, "query", query, Purpose::Count(CountedBy::Documents))
            }
            "distinct" => {
                let query = Query::read(request, "query", variables)?;
                Self::new(request, "query", query, Purpose::Read)
            }
            "findAndModify" => Self::of_find_and_modify(request, variables),
            "update" => Self::of_update(request, variables),
            "delete" => Self::of_delete(request, variables),
            _ => {
                let query = Query::read(request, "filter", variables)?;
                let mut read = Self::new(request, "filter", query, Purpose::Read)?;
                if let Some(given) = request.document("projection")?
                    && Projection::parse_with(given, &variables.names)?.is_some()
                {
                    read.projection = Some(Document::try_from(given)?);
                }
                Ok(read)
            }
        }
    }

    fn new(
        request: &Request<'_>,
        filter: &str,
        query: Query,
        purpose: Purpose,
    ) -> Result<Self, CommandError> {
        let given = |name: &str| -> Result<Option<Document>, CommandError> {
            Ok(request.document(name)?.map(Document::try_from).transpose()?)
        };
        Ok(Self {
            filter: given(filter)?.unwrap_or_default(),
            sort: given("sort")?.filter(|sort| !sort.is_empty()),
            query,
            projection: None,
            purpose,
            update: None,
            is_upsert: false,
            returns_documents: matches!(purpose, Purpose::Read),
        })
    }

    fn of_find_and_modify(
        request: &Request<'_>,
        variables: &LetVariables,
    ) -> Result<Self, CommandError> {
        let mut query = Query::read(request, "query", variables)?;
        query.target.limit = Some(1);
        let removes = request.flag("remove")?;
        let update = if removes {
            None
        } else {
            Some(read_update(request, &FIND_AND_MODIFY_NAMES, variables)?)
        };
        let purpose = if update.is_some() { Purpose::Update } else { Purpose::Delete };
        let read = Self::new(request, "query", query, purpose)?;
        let is_upsert = request.flag("upsert")?;
        Ok(Self { update, is_upsert, returns_documents: true, ..read })
    }

    fn of_update(request: &Request<'_>, variables: &LetVariables) -> Result<Self, CommandError> {
        let statement = request.within(only_statement(request, "updates")?);
        let UpdateStatement { mut query, update, is_multi, is_upsert } =
            UpdateStatement::read(&statement, &UPDATE_NAMES, variables)?;
        if !is_multi {
            query.target.limit = Some(1);
        }
        let read = Self::new(&statement, "q", query, Purpose::Update)?;
        Ok(Self { update: Some(update), is_upsert, ..read })
    }

    fn of_delete(request: &Request<'_>, variables: &LetVariables) -> Result<Self, CommandError> {
        let statement = request.within(only_statement(request, "deletes")?);
        let filter = statement.document("q")?.map(RawDocument::to_owned);
        let Some(filter) = filter else { return Err(missing_field("delete.deletes", "q")) };
        let filter: RawDocumentBuf = filter;
        let variables = variables.for_statement(&statement)?;
        let mut query = Query::of_statement(&statement, &filter, &variables)?;
        query.target.limit = statement.count("limit")?.filter(|limit| *limit > 0);
        Self::new(&statement, "q", query, Purpose::Delete)
    }

    /// Makes the plan and, if wanted, runs it. Nothing is written.
    ///
    /// # Errors
    /// A bad hint, and what the search meets.
    pub fn find(
        &self,
        context: &Context,
        namespace: &Namespace,
        executes: bool,
    ) -> Result<ExplainRun, CommandError> {
        let returns_documents = self.returns_documents;
        let mut executed = ExecutionSummary { returns_documents, ..ExecutionSummary::default() };
        executed.would_upsert = self.is_upsert;
        context.read(|reader, catalog| {
            let Some(collection) = catalog.collection(namespace) else {
                let plan = Plan { access: Access::Nothing, sort_in_memory: false };
                let counted_by = CountedBy::Documents;
                return Ok(ExplainRun { plan, is_missing: true, counted_by, executed });
            };
            let mut search = self.query.search(&collection)?;
            let plan = search.plan().clone();
            let counted_by = search.counted_by(&collection);
            let now_ms = context.now_ms();
            if executes && matches!(self.purpose, Purpose::Count(_)) {
                search.count(reader, &collection, now_ms)?;
                executed.stats = search.stats();
            } else if executes {
                let mut would_modify = 0;
                search.advance::<CommandError>(
                    reader,
                    &collection,
                    now_ms,
                    &mut |_, document| {
                        would_modify += u64::from(self.would_modify(document, now_ms)?);
                        Ok(Step::Take)
                    },
                )?;
                executed.stats = search.stats();
                executed.would_modify = would_modify;
                executed.would_upsert = self.is_upsert && executed.stats.returned == 0;
            }
            Ok(ExplainRun { plan, is_missing: false, counted_by, executed })
        })
    }

    fn would_modify(&self, document: &RawDocument, now_ms: i64) -> Result<bool, CommandError> {
        let Some(update) = &self.update else { return Ok(false) };
        let seen = self.query.update_context(now_ms, false);
        Ok(update.apply(&Document::try_from(document)?, &seen)?.is_some())
    }
}

/// The statement of a write, of which there must be just one.
fn only_statement<'r>(request: &Request<'r>, list: &str) -> Result<&'r RawDocument, CommandError> {
    match request.documents(list)?.as_slice() {
        [only] => Ok(only),
        _ => Err(CommandError::new(
            Code::INVALID_LENGTH,
            "explained write batches must be of size 1",
        )),
    }
}
