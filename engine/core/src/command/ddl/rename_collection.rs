//! `renameCollection`.

use bson::{RawDocumentBuf, raw::RawBsonRef};

use crate::{
    catalog::{Dialect, Namespace},
    collection::{ExpectedTarget, Replacement},
    command::core::{
        Answer, Code, Command, CommandError, Context, Request, field_value::unsupported_field,
        ignored, missing_field, not_in_cosmos, optional, required,
    },
};

/// `{renameCollection: "db.from", to: "db.to", dropTarget}`
///
/// With `dropTarget`, the renamed collection takes over the archive of the target, unless it has
/// its own, on or off: expired documents of a name stay archived until a client switches that off.
/// Holds belong to indexes: those of the renamed collection stay, those of the target are dropped
/// with it.
pub static COMMAND: Command = Command::admin(
    "renameCollection",
    &[required("to"), optional("dropTarget"), optional("collectionUUID"), ignored("stayTemp")],
    run,
);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let first = request.first()?;
    if first == RawBsonRef::Null {
        return Err(missing_field("renameCollection", "renameCollection"));
    }
    request.flag("stayTemp")?;
    // A UUID names one collection. Ignoring it could rename another one that has the name by now.
    if request.get("collectionUUID")?.is_some() {
        return Err(unsupported_field(request.name, "collectionUUID"));
    }
    let RawBsonRef::String(from) = first else {
        return Err(request.wrong_type("renameCollection", first, "string"));
    };
    let from = Namespace::parse(from)?;
    let to = Namespace::parse(request.text("to")?.unwrap_or_default())?;
    let drop_target = match request.get("dropTarget")? {
        None => false,
        Some(RawBsonRef::Boolean(drop)) => drop,
        Some(other) => return Err(request.wrong_type("dropTarget", other, "bool, binData")),
    };
    for namespace in [&from, &to] {
        check_is_ordinary(namespace)?;
    }
    let catalog = context.collections.catalog();
    // A rename between databases would also move the documents under other rules.
    if [&from.db, &to.db].iter().any(|db| catalog.dialect(db) == Dialect::Cosmos) {
        return Err(not_in_cosmos("renameCollection", "copy it with $out and drop it"));
    }
    let renamed = catalog.collection(&from);
    if renamed.is_some_and(|collection| collection.options.time_series.is_some()) {
        return Err(CommandError::new(
            Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
            format!("{from} is a time-series collection, which can't be renamed"),
        ));
    }
    if drop_target {
        // The archive has to move in the same transaction, so the archives do the replacement.
        let replacement = Replacement { from: &from, to: &to, target: ExpectedTarget::Any };
        context.reaper.archives().replace(replacement)?;
    } else {
        context.collections.rename(&from, &to)?;
    }
    Ok(RawDocumentBuf::new())
}

/// Refuses names that are reserved for the server.
fn check_is_ordinary(namespace: &Namespace) -> Result<(), CommandError> {
    let is_oplog = namespace.db == "local"
        && namespace.collection.strip_prefix("oplog.").is_some_and(|rest| !rest.is_empty());
    if namespace.is_system() || is_oplog {
        return Err(CommandError::illegal_operation(format!(
            "the collection {namespace} belongs to the server and can't be renamed"
        )));
    }
    Ok(())
}
