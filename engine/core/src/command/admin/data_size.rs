//! `dataSize`: how large a collection is.

use bson::{doc, raw::RawBsonRef};

use crate::{
    catalog::Namespace,
    clock::work_time,
    command::core::{
        Answer, Code, Command, CommandError, Context, Request, ignored,
        monitor::operations::millis, raw, shortest, stats::Sizes, unsupported,
    },
};

/// `{dataSize: 'db.collection'}`
pub static COMMAND: Command = Command::any(
    "dataSize",
    &[ignored("keyPattern"), ignored("estimate"), unsupported("min"), unsupported("max")],
    run,
);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let RawBsonRef::String(full) = request.first()? else {
        return Err(request.wrong_type("dataSize", request.first()?, "string"));
    };
    let Some((db, collection)) = full.split_once('.') else {
        return Err(CommandError::new(
            Code::INVALID_NAMESPACE,
            format!("Invalid namespace specified '{full}'; write db.collection"),
        ));
    };
    let namespace = Namespace::checked(db, collection)?;
    let began = work_time();
    let sizes = context.read(|reader, catalog| match catalog.collection(&namespace) {
        None => Ok(Sizes::default()),
        Some(collection) => Sizes::of(reader, &collection),
    })?;
    raw(&doc! {
        "estimate": false,
        "size": shortest(sizes.bytes),
        "numObjects": shortest(sizes.documents),
        "millis": millis(work_time().saturating_sub(began)),
    })
}
