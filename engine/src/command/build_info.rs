//! `buildInfo`.

use bson::doc;

use super::{
    context::Context,
    error::Answer,
    request::Request,
    run::raw,
    table::{Command, Scope},
};
use crate::value::scan::DOCUMENT_BYTES_MAX;

/// The MongoDB version whose behaviour is the model. Clients choose their commands by it.
const MODEL_VERSION: &str = "8.2.0";

/// `{buildInfo: 1}`
pub static COMMAND: Command =
    Command { name: "buildInfo", aliases: &["buildinfo"], scope: Scope::Any, fields: &[], run };

fn run(_: &Context, _: &Request<'_>) -> Answer {
    raw(&doc! {
        "version": MODEL_VERSION,
        "gitVersion": "mayfly",
        "modules": [],
        "sysInfo": "deprecated",
        "versionArray": [8, 2, 0, 0],
        "bits": 64,
        "debug": cfg!(debug_assertions),
        "maxBsonObjectSize": i32::try_from(DOCUMENT_BYTES_MAX).unwrap_or(i32::MAX),
        "storageEngines": ["lmdb"],
        "mayfly": env!("CARGO_PKG_VERSION"),
    })
}
