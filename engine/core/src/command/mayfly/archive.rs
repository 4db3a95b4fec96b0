//! `mayflyArchive`: whether and where a collection's expired documents are kept.

use super::archive_document::describe;
use crate::{
    archive::Settings,
    command::core::{Answer, Code, Command, CommandError, Context, Field, Request, fields, raw},
};

fields! {
    struct ArchiveFields<'r> from Request<'r> {
        optional "target": text => target Option<&'r str>,
        optional "maxBytes": count => max_bytes Option<u64>,
        optional "maxAgeSecs": count => max_age_secs Option<u64>,
        optional "off": flag => off bool,
    }
}

/// `{mayflyArchive: coll, target?, maxBytes?, maxAgeSecs?}` switches on, and changes what was
/// chosen; `off: true` switches off and keeps what was archived.
pub static COMMAND: Command = Command::any("mayflyArchive", ArchiveFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let archives = context.reaper.archives();
    let ArchiveFields { target, max_bytes, max_age_secs, off } = ArchiveFields::read(request)?;
    if off {
        for Field { name: field, .. } in ArchiveFields::FIELDS {
            if *field != "off" && request.get(field)?.is_some() {
                return Err(CommandError::bad_value(format!(
                    "'off' switches the archive off, so '{field}' has no meaning with it"
                )));
            }
        }
        let archive = archives.switch_off(&namespace)?;
        context.reaper.wake_drain();
        return raw(&describe(context, &archive));
    }
    let target = target.unwrap_or_default().to_owned();
    check_may_choose(request, &target)?;
    let settings = Settings { target, max_bytes, max_age_secs };
    let archive = archives.switch_on(&namespace, settings)?;
    context.reaper.wake_drain();
    raw(&describe(context, &archive))
}

/// Only authenticated clients may choose a target.
fn check_may_choose(request: &Request<'_>, target: &str) -> Result<(), CommandError> {
    let client = request.client;
    // The program writes to that folder or address with the rights of its user.
    if target.is_empty() || client.connection_id == 0 || client.user().is_some() {
        return Ok(());
    }
    Err(CommandError::new(
        Code::UNAUTHORIZED,
        "an unauthenticated client can't set the archive target; omit it to use the data folder",
    ))
}
