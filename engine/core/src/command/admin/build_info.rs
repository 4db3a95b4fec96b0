//! `buildInfo`.

use bson::{Bson, Document, doc};

use crate::{
    command::core::{Answer, Command, Context, Request, Scope, raw, server::MODEL_VERSION},
    value::scan::DOCUMENT_BYTES_MAX,
};

/// `{buildInfo: 1}`
pub static COMMAND: Command =
    Command { name: "buildInfo", aliases: &["buildinfo"], scope: Scope::Any, fields: &[], run };

fn run(_: &Context, _: &Request<'_>) -> Answer {
    raw(&doc! {
        "version": MODEL_VERSION,
        "gitVersion": "mayfly",
        "modules": Vec::<Bson>::new(),
        "allocator": "system",
        "javascriptEngine": "none",
        "sysInfo": "deprecated",
        "versionArray": [8, 2, 0, 0],
        "openssl": { "running": "disabled", "compiled": "disabled" },
        "buildEnvironment": Document::new(),
        "bits": i32::try_from(usize::BITS).unwrap_or(64),
        "debug": cfg!(debug_assertions),
        "maxBsonObjectSize": i32::try_from(DOCUMENT_BYTES_MAX).unwrap_or(i32::MAX),
        "storageEngines": ["lmdb"],
        "mayfly": env!("CARGO_PKG_VERSION"),
    })
}
