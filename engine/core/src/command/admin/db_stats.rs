//! `dbStats`.

use bson::doc;

use crate::command::core::{
    Answer, Command, Context, Request, Scope, optional, raw, shortest, stats::Sizes,
};

/// `{dbStats: 1, scale}`
pub static COMMAND: Command = Command {
    name: "dbStats",
    aliases: &["dbstats"],
    scope: Scope::Any,
    fields: &[optional("scale"), optional("freeStorage")],
    run,
};

#[expect(clippy::cast_precision_loss, reason = "MongoDB shows these sizes as doubles")]
fn run(context: &Context, request: &Request<'_>) -> Answer {
    let scale = request.scale()?;
    let (mut total, mut collections, mut views) = (Sizes::default(), 0, 0);
    context.read(|reader, catalog| {
        for collection in catalog.collections(request.db) {
            if collection.is_view() {
                views += 1;
                continue;
            }
            collections += 1;
            let sizes = Sizes::of(reader, collection)?;
            total.documents += sizes.documents;
            total.bytes += sizes.bytes;
            total.indexes += sizes.indexes;
            total.index_bytes += sizes.index_bytes;
        }
        Ok(())
    })?;
    let average =
        if total.documents == 0 { 0.0 } else { total.bytes as f64 / total.documents as f64 };
    let data = total.bytes as f64 / scale as f64;
    let used = context.collections.store().used_bytes() as f64 / scale as f64;
    let whole = context.collections.store().file_bytes() as f64 / scale as f64;
    let mut reply = doc! {
        "db": request.db,
        "collections": shortest(collections),
        "views": shortest(views),
        "objects": shortest(total.documents),
        "avgObjSize": average,
        "dataSize": data,
        "storageSize": data,
        "indexes": shortest(total.indexes),
        "indexSize": total.index_bytes as f64 / scale as f64,
        "totalSize": (total.bytes + total.index_bytes) as f64 / scale as f64,
        "scaleFactor": shortest(scale),
        "fsUsedSize": used,
        "fsTotalSize": whole,
    };
    if request.flag("freeStorage")? {
        for free in ["freeStorageSize", "indexFreeStorageSize", "totalFreeStorageSize"] {
            reply.insert(free, 0.0);
        }
    }
    raw(&reply)
}
