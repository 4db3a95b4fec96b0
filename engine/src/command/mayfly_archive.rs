//! `mayflyArchive`: whether and where a collection's expired documents are kept.

use bson::{Bson, DateTime, Document, doc};

use super::{
    context::Context,
    error::{Answer, Code, CommandError},
    field::optional,
    mayfly_reap::long,
    request::Request,
    run::raw,
    table::{Command, Scope},
};
use crate::archive::{Archive, Settings};

/// `{mayflyArchive: coll, target?, maxBytes?, maxAgeSecs?}` switches on, and changes what was chosen;
/// `off: true` switches off and keeps what was archived.
pub static COMMAND: Command = Command {
    name: "mayflyArchive",
    aliases: &[],
    scope: Scope::Any,
    fields: &[optional("target"), optional("maxBytes"), optional("maxAgeSecs"), optional("off")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let archives = context.reaper.archives();
    if request.flag("off")? {
        let fields = ["target", "maxBytes", "maxAgeSecs"];
        for field in fields {
            if request.get(field)?.is_some() {
                return Err(CommandError::new(
                    Code::BAD_VALUE,
                    format!("'off' switches the archive off, so '{field}' has no meaning with it"),
                ));
            }
        }
        let archive = archives.switch_off(&namespace)?;
        return raw(&describe(context, &archive));
    }
    let target = request.text("target")?.unwrap_or_default().to_owned();
    check_may_choose(request, &target)?;
    let settings = Settings {
        target,
        max_bytes: request.count("maxBytes")?,
        max_age_secs: request.count("maxAgeSecs")?,
    };
    let archive = archives.switch_on(&namespace, settings)?;
    raw(&describe(context, &archive))
}

/// A folder or an address of one's own is for those who are known: it lets the program write where
/// its user may.
fn check_may_choose(request: &Request<'_>, target: &str) -> Result<(), CommandError> {
    let client = request.client;
    if target.is_empty() || client.connection_id == 0 || client.user().is_some() {
        return Ok(());
    }
    Err(CommandError::new(
        Code::UNAUTHORIZED,
        "a client that has not logged in can't choose the target of an archive; leave it out, and \
         the archive lies in the data folder",
    ))
}

/// What was chosen for an archive, and whether it works.
pub(super) fn describe(context: &Context, archive: &Archive) -> Document {
    let settings = archive.settings();
    let is_on = context.reaper.archives().is_at_work(archive);
    let mut document = doc! {
        "ns": context.reaper.archives().name_of(archive).to_string(),
        "on": is_on,
        "target": &settings.target,
        "maxBytes": settings.max_bytes.map(long),
        "maxAgeSecs": settings.max_age_secs.map(long),
    };
    let state = match archive.failure() {
        _ if !is_on => "off",
        None => "ready",
        Some(failure) => {
            document.insert("sentence", failure.sentence);
            document.insert("since", DateTime::from_millis(failure.since_ms));
            document.insert("attempts", i64::from(failure.attempts));
            "failing"
        }
    };
    document.insert("state", state);
    document
}

/// The collections whose removals wait for their archive.
pub(super) fn held(context: &Context) -> Vec<Bson> {
    let archives = context.reaper.archives();
    let on = archives.all().into_iter().filter(|archive| archives.is_at_work(archive));
    on.filter_map(|archive| {
        let failure = archive.failure()?;
        Some(Bson::Document(doc! {
            "ns": archives.name_of(&archive).to_string(),
            "reason": "archiveFailed",
            "sentence": failure.sentence,
            "since": DateTime::from_millis(failure.since_ms),
            "attempts": i64::from(failure.attempts),
        }))
    })
    .collect()
}
