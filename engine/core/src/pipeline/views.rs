//! From a view to the collection under it.

use std::collections::HashSet;

use bson::{RawDocumentBuf, raw::RawBsonRef, raw::RawDocument};

use super::PipelineError;
use crate::{
    catalog::{CatalogSnapshot, Namespace},
    limits::PIPELINE_DEPTH_MAX,
    query::Code,
};

/// The collection that is read in the end, and the stages of all views on the way, those of the
/// lowest view first. A name that is not a view is itself.
///
/// # Errors
/// `ViewTooDeep` and `ViewCycle`.
pub fn resolve(
    catalog: &CatalogSnapshot,
    namespace: &Namespace,
) -> Result<(Namespace, Vec<RawDocumentBuf>), PipelineError> {
    let mut namespace = namespace.clone();
    let mut stages: Vec<RawDocumentBuf> = Vec::new();
    let mut seen = Vec::new();
    loop {
        // A definition that can't be read must not count as a missing collection, which has no
        // documents.
        catalog.check_usable(&namespace.db, &namespace.collection)?;
        let collection = catalog.collection(&namespace);
        let Some(view) = collection.as_ref().and_then(|found| found.options.view.as_ref()) else {
            return Ok((namespace, stages));
        };
        if seen.contains(&view.on) {
            return Err(refused!(
                Code::GRAPH_CONTAINS_CYCLE,
                "View cycle detected: {namespace} reads itself"
            ));
        }
        if seen.len() >= PIPELINE_DEPTH_MAX {
            return Err(refused!(
                Code::VIEW_DEPTH_LIMIT_EXCEEDED,
                "View depth too deep or view cycle detected; maximum depth is {PIPELINE_DEPTH_MAX}"
            ));
        }
        let own = view.pipeline.iter().map(RawDocumentBuf::try_from);
        let mut own = own.collect::<Result<Vec<_>, _>>()?;
        // The stages of a lower view run before those of the view that reads it.
        own.append(&mut stages);
        stages = own;
        seen.push(namespace.collection.clone());
        namespace = Namespace::checked(&namespace.db, &view.on)?;
    }
}

/// Whether these stages on a collection give something else each time: something in them, or in a
/// view that they read, is named as what draws lots.
pub(super) fn draws_lots(
    catalog: &CatalogSnapshot,
    namespace: &Namespace,
    stages: &[RawDocumentBuf],
) -> bool {
    let mut unseen = vec![namespace.collection.clone()];
    if stages.iter().any(|stage| has_lots(stage, &mut unseen)) {
        return true;
    }
    let mut seen = HashSet::new();
    while let Some(name) = unseen.pop() {
        let collection = catalog.collection_named(&namespace.db, &name);
        let Some(view) = collection.and_then(|found| found.options.view.as_ref()) else { continue };
        // Views may name each other in a circle.
        if !seen.insert(name) {
            continue;
        }
        unseen.push(view.on.clone());
        let mut stages = view.pipeline.iter().filter_map(|it| RawDocumentBuf::try_from(it).ok());
        if stages.any(|stage| has_lots(&stage, &mut unseen)) {
            return true;
        }
    }
    false
}

/// Whether a stage draws lots itself; adds what may be a collection that it reads. Recursion is
/// bounded by the depth of the command.
fn has_lots(stage: &RawDocument, read: &mut Vec<String>) -> bool {
    stage.into_iter().map_while(Result::ok).any(|(name, value)| {
        let name = name.as_str();
        ["$sample", "$rand", "$sampleRate"].contains(&name)
            || match value {
                RawBsonRef::String(text) => {
                    // Another field may have such a name. One look too many costs nothing, one too
                    // few gives wrong results.
                    if ["from", "coll", "$unionWith"].contains(&name) {
                        read.push(text.to_owned());
                    }
                    false
                }
                RawBsonRef::Document(inner) => has_lots(inner, read),
                // An array has the bytes of a document.
                RawBsonRef::Array(array) => RawDocument::from_bytes(array.as_bytes())
                    .is_ok_and(|inner| has_lots(inner, read)),
                _ => false,
            }
    })
}
