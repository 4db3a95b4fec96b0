//! Refusals by `create` and `collMod` of the definition of a view.

use bson::{Bson, Document, RawDocumentBuf, raw::RawDocument};

use crate::{
    catalog::Namespace,
    command::core::{Code, CommandError, Context},
    pipeline::{ParseContext, Pipeline},
};

/// The longest chain of views; longer ones are refused when they are read.
const CHAIN_MAX: usize = 20;

/// Checks `viewOn` and `pipeline` as far as they are given. Their types are the catalog's matter.
///
/// # Errors
/// An invalid stage, `OptionNotSupportedOnView`, `InvalidNamespace`, `GraphContainsCycle`.
pub fn check(
    context: &Context,
    namespace: &Namespace,
    options: &Document,
) -> Result<(), CommandError> {
    if let Ok(on) = options.get_str("viewOn") {
        check_chain(context, namespace, on)?;
    }
    let Ok(stages) = options.get_array("pipeline") else { return Ok(()) };
    let stages: Vec<&Document> = stages.iter().filter_map(Bson::as_document).collect();
    for stage in &stages {
        check_stage(stage)?;
    }
    let raw = stages
        .iter()
        .map(|stage| RawDocumentBuf::try_from(*stage))
        .collect::<Result<Vec<_>, _>>()?;
    let raw: Vec<&RawDocument> = raw.iter().map(|stage| &**stage).collect();
    Pipeline::parse(&raw, &ParseContext::of_view(&namespace.db, None))?;
    Ok(())
}

fn check_stage(stage: &Document) -> Result<(), CommandError> {
    let Some(name) = stage.keys().next().filter(|_| stage.len() == 1) else { return Ok(()) };
    let refused = |code, why: &str| {
        Err(CommandError::new(code, format!("{name} can't be used in a view definition: {why}")))
    };
    match name.as_str() {
        "$out" | "$merge" => refused(Code::OPTION_NOT_SUPPORTED_ON_VIEW, "a view writes nothing"),
        "$documents" | "$currentOp" | "$listSessions" | "$listLocalSessions" => {
            refused(Code::INVALID_NAMESPACE, "it reads no collection")
        }
        _ => Ok(()),
    }
}

/// A view must not read itself, nor a view that does.
fn check_chain(context: &Context, namespace: &Namespace, on: &str) -> Result<(), CommandError> {
    let catalog = context.collections.catalog();
    let mut on = on.to_owned();
    for _ in 0..CHAIN_MAX {
        if on == namespace.collection {
            return Err(CommandError::new(
                Code::GRAPH_CONTAINS_CYCLE,
                format!("View cycle detected: {namespace} reads itself"),
            ));
        }
        let next = Namespace::checked(&namespace.db, &on).ok().and_then(|read| {
            let collection = catalog.collection(&read)?;
            collection.options.view.as_ref().map(|view| view.on.clone())
        });
        match next {
            Some(next) => on = next,
            None => break,
        }
    }
    Ok(())
}
