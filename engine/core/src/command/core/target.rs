//! Which collections a command may use and write.

use bson::raw::RawBsonRef;

use super::{Code, CommandError, Context, Request};
use crate::catalog::Namespace;

/// Refuses a collection that can't be used, for whatever command, and the stored form of a time
/// series.
pub fn check_usable(context: &Context, request: &Request<'_>) -> Result<(), CommandError> {
    let is_raw = request.bool_or("rawData", false)?;
    if let Ok(RawBsonRef::String(name)) = request.first() {
        let catalog = context.collections.catalog();
        catalog.check_usable(request.db, name)?;
        let found = catalog.collection_named(request.db, name).filter(|_| is_raw);
        if found.is_some_and(|collection| collection.options.time_series.is_some()) {
            return Err(CommandError::new(
                Code::NOT_SUPPORTED,
                "rawData: true asks for the buckets of a time-series collection, which Mayfly \
                 doesn't give out; leave it out to use the documents",
            ));
        }
    }
    Ok(())
}

pub fn check_target(request: &Request<'_>) -> Result<(), CommandError> {
    let writes = matches!(request.name, "insert" | "update" | "delete" | "findAndModify");
    if writes && let Ok(namespace) = request.namespace() {
        return check_writable(&namespace);
    }
    Ok(())
}

/// The profile and the other collections of the system are written by the server alone.
///
/// # Errors
/// `InvalidNamespace`
pub fn check_writable(namespace: &Namespace) -> Result<(), CommandError> {
    if namespace.is_system() {
        return Err(CommandError::new(
            Code::INVALID_NAMESPACE,
            format!("cannot write to '{namespace}'"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::command::testing::Lab;

    #[test]
    fn raw_data_is_that_of_documents_and_not_of_buckets() {
        let lab = Lab::new();
        lab.ok("{create: 'ts', timeseries: {timeField: 't'}}");
        lab.ok("{insert: 'c', documents: [{_id: 1}], rawData: true}");
        lab.check("{find: 'c', rawData: true}", "{'cursor.firstBatch': [{_id: 1}]}");
        lab.check("{count: 'c', rawData: false}", "{n: 1}");
        lab.check("{find: 'c', rawData: 1}", "{code: 14}");
        lab.check("{find: 'ts', rawData: false}", "{ok: 1}");
        for command in ["find: 'ts'", "aggregate: 'ts', pipeline: [], cursor: {}", "count: 'ts'"] {
            lab.check(&format!("{{{command}, rawData: true}}"), "{code: 238}");
        }
    }
}
