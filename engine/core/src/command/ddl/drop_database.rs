//! `dropDatabase`: removes a database with all its collections.

use bson::{Document, doc};

use crate::command::core::{
    Answer, Code, Command, CommandError, Context, Request, as_integer,
    monitor::profiler::ProfileSettings, raw,
};

/// `{dropDatabase: 1}`
pub static COMMAND: Command = Command::any("dropDatabase", &[], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    check_is_one(request)?;
    // A client that names no database mostly speaks to this one.
    if request.db == "admin" {
        return Err(CommandError::illegal_operation(
            "Dropping the 'admin' database is prohibited; drop its collections one by one",
        ));
    }
    // The profile entry of this command would create the database again.
    let profile = context.profiler.settings(request.db);
    context.profiler.set(request.db, ProfileSettings::default());
    let removed = context
        .collections
        .drop_database(request.db)
        .inspect_err(|_| context.profiler.set(request.db, profile))?;
    let reply = if removed > 0 {
        doc! { "dropped": request.db }
    } else {
        Document::new()
    };
    raw(&reply)
}

fn check_is_one(request: &Request<'_>) -> Result<(), CommandError> {
    let first = request.first()?;
    // A database name here is an error: the command drops the database that it is sent to.
    match as_integer(first) {
        Some(1) => Ok(()),
        Some(_) => Err(CommandError::new(
            Code::DROP_DATABASE_NOT_1,
            "Have to pass 1 as 'drop' parameter; the database that the command is sent to is dropped",
        )),
        None => Err(request.wrong_type("dropDatabase", first, "long, int, decimal, double")),
    }
}
