//! `mayflyDialect`: reads or sets a database's dialect.

use bson::{doc, raw::RawBsonRef};

use crate::{
    catalog::Dialect,
    command::core::{Answer, Command, CommandError, Context, Request, raw},
};

/// `{mayflyDialect: 1}`; `{mayflyDialect: "cosmos"}`
pub static COMMAND: Command = Command::any("mayflyDialect", &[], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    if let RawBsonRef::String(name) = request.first()? {
        let Some(dialect) = Dialect::from_name(name) else {
            return Err(CommandError::bad_value(format!(
                "{name:?} is not a dialect; use \"open\", \"mongodb\" or \"cosmos\""
            )));
        };
        context.collections.set_dialect(request.db, dialect)?;
    }
    let catalog = context.collections.catalog();
    catalog.check_dialect(request.db)?;
    catalog.check_writable(request.db)?;
    raw(&doc! { "dialect": catalog.dialect(request.db).name() })
}
