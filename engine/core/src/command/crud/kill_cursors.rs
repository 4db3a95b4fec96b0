//! `killCursors`: closes cursors.

use bson::{doc, raw::RawBsonRef};

use crate::command::core::{Answer, Command, Context, Request, raw, required};

/// `{killCursors: collection, cursors: [id]}`
pub static COMMAND: Command = Command::any("killCursors", &[required("cursors")], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    if !matches!(request.first()?, RawBsonRef::String(_)) {
        request.namespace()?;
    }
    let (mut killed, mut missing) = (Vec::new(), Vec::new());
    let value = request.get("cursors")?.unwrap_or(RawBsonRef::Null);
    let RawBsonRef::Array(ids) = value else {
        return Err(request.wrong_type("cursors", value, "array"));
    };
    for id in ids {
        let id = id?;
        let id = match id {
            RawBsonRef::Int64(id) => id,
            RawBsonRef::Null => continue,
            other => return Err(request.wrong_type("cursors", other, "long")),
        };
        if context.cursors.kill(id) { killed.push(id) } else { missing.push(id) }
    }
    raw(&doc! {
        "cursorsKilled": killed,
        "cursorsNotFound": missing,
        "cursorsAlive": [],
        "cursorsUnknown": [],
    })
}
