//! From a view to the collection under it.

use bson::RawDocumentBuf;

use super::{PipelineError, StageErrorKind};
use crate::{
    catalog::{CatalogSnapshot, Namespace},
    limits::PIPELINE_DEPTH_MAX,
};

/// The collection that is read in the end, and the stages of all views on the way, those of the
/// lowest view first. A name that is no view is itself.
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
        let collection = catalog.collection(&namespace);
        let Some(view) = collection.as_ref().and_then(|found| found.options.view.as_ref()) else {
            return Ok((namespace, stages));
        };
        if seen.contains(&view.on) {
            return Err(PipelineError::stage(
                StageErrorKind::ViewCycle,
                format!("View cycle detected: {namespace} reads itself"),
            ));
        }
        if seen.len() >= PIPELINE_DEPTH_MAX {
            return Err(PipelineError::stage(
                StageErrorKind::ViewTooDeep,
                format!(
                    "View depth too deep or view cycle detected; maximum depth is {PIPELINE_DEPTH_MAX}"
                ),
            ));
        }
        let own = view.pipeline.iter().map(RawDocumentBuf::try_from);
        let mut own = own.collect::<Result<Vec<_>, _>>()?;
        own.append(&mut stages);
        stages = own;
        seen.push(namespace.collection.clone());
        namespace = Namespace::new(&namespace.db, &view.on)?;
    }
}
