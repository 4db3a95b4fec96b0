//! One execution of a pipeline.

use std::{collections::VecDeque, sync::Arc};

use bson::{Document, RawDocumentBuf, raw::RawDocument};

use super::{
    Environment, Input, Origin, ParseContext, Pipeline, PipelineError, Stage, source::Source,
    views::resolve,
};
use crate::{
    catalog::{CatalogSnapshot, Namespace},
    plan::{Hint, Search, Target, choose},
    query::{Code, Context, Filter, Sort},
    value::Direction,
};

/// One execution: the source and the states of the stages.
pub struct Run {
    source: Source,
    stages: Vec<Box<dyn Stage>>,
    /// Stages of the whole pipeline that the search took over, those of views included.
    absorbed: usize,
    filter: RawDocumentBuf,
    sort: Option<Sort>,
    /// The search's `skip` and `limit`.
    slice: (u64, Option<u64>),
    context: Arc<Context>,
    returned: Option<RawDocumentBuf>,
}

/// Refuses a view in a stage whose text compares by other rules than those of the command.
fn check_view_collation(
    catalog: &CatalogSnapshot,
    namespace: &Namespace,
    context: &Context,
) -> Result<(), PipelineError> {
    let view = catalog.collection(namespace).filter(|collection| collection.is_view());
    if view.is_none_or(|view| view.options.collation == context.collation) {
        return Ok(());
    }
    Err(refused!(
        Code::OPTION_NOT_SUPPORTED_ON_VIEW,
        "Cannot override a view's default collation: {namespace}; give the command the collation of \
         the view"
    ))
}

impl Run {
    /// Begins a pipeline.
    ///
    /// # Errors
    /// A bad hint, a broken view, and what the first stage can't open.
    pub fn open(
        environment: &Environment<'_>,
        origin: &Origin,
        pipeline: &Pipeline,
        hint: Option<&Hint>,
        context: Arc<Context>,
    ) -> Result<Self, PipelineError> {
        Self::open_stages(environment, origin, pipeline, pipeline.fresh(), hint, context)
    }

    /// Starts a pipeline after one more stage. A stage that produces documents stays first.
    pub(super) fn open_after(
        environment: &Environment<'_>,
        origin: &Origin,
        pipeline: &Pipeline,
        first: Box<dyn Stage>,
        context: Arc<Context>,
    ) -> Result<Self, PipelineError> {
        // A source stays first, because the join of a `$lookup` filters its documents.
        let mut stages = pipeline.fresh();
        let at = usize::from(pipeline.begins_with_source());
        stages.insert(at.min(stages.len()), first);
        Self::open_stages(environment, origin, pipeline, stages, None, context)
    }

    fn open_stages(
        environment: &Environment<'_>,
        origin: &Origin,
        pipeline: &Pipeline,
        mut stages: VecDeque<Box<dyn Stage>>,
        hint: Option<&Hint>,
        context: Arc<Context>,
    ) -> Result<Self, PipelineError> {
        let mut base = origin.namespace().clone();
        if let (Origin::Collection(namespace), false) = (origin, pipeline.shows_server()) {
            let catalog = environment.collections.catalog();
            if environment.is_nested() {
                check_view_collation(&catalog, namespace, &context)?;
            }
            let (collection, of_views) = resolve(&catalog, namespace)?;
            let of_views: Vec<&RawDocument> = of_views.iter().map(|stage| &**stage).collect();
            let reading = ParseContext::of_view(&collection.db, context.collation.clone());
            let of_views = Pipeline::parse(&of_views, &reading)?;
            // From the last to the first, because each one is put in front of the others.
            for stage in of_views.fresh().into_iter().rev() {
                stages.push_front(stage);
            }
            base = collection;
        }
        if let Some(first) = stages.front()
            && let Some(documents) = first.open(environment, &base, &context)?
        {
            stages.pop_front();
            return Ok(Self::with(Source::Ready(documents), stages, context));
        }
        if matches!(origin, Origin::Database(_)) {
            return Ok(Self::with(Source::Ready(VecDeque::new()), stages, context));
        }
        Self::of_collection(environment, base, stages, hint, context)
    }

    /// A pipeline over documents in memory.
    pub(super) fn over(
        documents: VecDeque<RawDocumentBuf>,
        pipeline: &Pipeline,
        context: Arc<Context>,
    ) -> Self {
        Self::with(Source::Ready(documents), pipeline.fresh(), context)
    }

    fn with(source: Source, stages: VecDeque<Box<dyn Stage>>, context: Arc<Context>) -> Self {
        let filter = RawDocumentBuf::new();
        Self {
            source,
            stages: stages.into(),
            absorbed: 0,
            filter,
            sort: None,
            slice: (0, None),
            context,
            returned: None,
        }
    }

    fn of_collection(
        environment: &Environment<'_>,
        namespace: Namespace,
        mut stages: VecDeque<Box<dyn Stage>>,
        hint: Option<&Hint>,
        context: Arc<Context>,
    ) -> Result<Self, PipelineError> {
        let mut target = Target::matching(Filter::matches_all());
        target.collation.clone_from(&context.collation);
        let mut absorbed = 0;
        // The first stage that can't be absorbed ends this: a later one must not be applied before
        // it.
        while let Some(first) = stages.front()
            && first.absorb(&mut target)?
        {
            stages.pop_front();
            absorbed += 1;
        }
        let (filter, sort) = (target.filter.source().to_owned(), target.sort.clone());
        let slice = (target.skip, target.limit);
        let source = environment.read(|reader, catalog| {
            let Some(collection) = catalog.collection(&namespace) else {
                return Ok(Source::Ready(VecDeque::new()));
            };
            collection.check_is_no_view()?;
            let plan = choose(&collection, &target.filter, target.sort.as_ref(), hint)?;
            // A count may take the entries of an index alone, so no document has to be read.
            if stages.front().is_some_and(|stage| stage.only_counts()) {
                let mut search = Search::new(&collection, target, plan);
                let n = search.count(reader, &collection, environment.now_ms())?;
                if let Some(first) = stages.pop_front()
                    && let Some(documents) = first.counted(n)?
                {
                    return Ok(Source::Ready(documents));
                }
                return Ok(Source::Ready(VecDeque::new()));
            }
            Ok(Source::search(namespace, Search::new(&collection, target, plan)))
        })?;
        let mut run = Self::with(source, stages, context);
        run.absorbed = absorbed;
        (run.filter, run.sort, run.slice) = (filter, sort, slice);
        Ok(run)
    }

    /// The next document.
    ///
    /// # Errors
    /// Those of a stage. The run must not be advanced after one.
    pub fn advance(
        &mut self,
        environment: &Environment<'_>,
    ) -> Result<Option<RawDocumentBuf>, PipelineError> {
        // This document did not fit the batch before. It has passed all stages already.
        if let Some(document) = self.returned.take() {
            return Ok(Some(document));
        }
        let Self { source, stages, context, .. } = self;
        Input { stages, source, environment, context }.next_document()
    }

    /// Takes a document back; it comes first the next time.
    pub fn take_back(&mut self, document: RawDocumentBuf) {
        self.returned = Some(document);
    }

    /// The context of the expressions in its stages.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The search in front of the stages, if there is one, and its filter.
    pub fn search(&self) -> Option<(&Search, &RawDocument)> {
        self.source.as_search().map(|search| (search, &*self.filter))
    }

    /// The order of the search.
    pub fn sort(&self) -> Option<Document> {
        let number = |direction| if direction == Direction::Ascending { 1 } else { -1 };
        self.sort.as_ref().map(|sort| {
            let fields = sort.fields().iter();
            fields.map(|(path, way)| (path.to_string(), number(*way).into())).collect()
        })
    }

    /// The search's `skip` and `limit`.
    pub fn slice(&self) -> (u64, Option<u64>) {
        self.slice
    }

    /// How many stages became part of the search.
    pub fn absorbed(&self) -> usize {
        self.absorbed
    }
}
