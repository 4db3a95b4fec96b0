//! `mayflyRelease`: answers what the guard asks, for all removals or for those of one index.

use bson::Document;

use crate::{
    command::core::{Answer, Code, Command, CommandError, Context, Request, fields, long, raw},
    reaper::{RuleId, targets},
};

fields! {
    struct ReleaseFields<'r> from Request<'r> {
        optional "action": text => action Option<&'r str>,
        // A script that did not find a name sends null, which would select everything on hold.
        optional "ns": given_text => namespace Option<&'r str>,
        optional "index": given_text => index Option<&'r str>,
    }
}

/// `{mayflyRelease: 1, action: "deleteNow" | "keepPaused", ns: "db.c", index: "name"}`. Without an
/// action, removals continue with the next pass.
pub static COMMAND: Command = Command::admin("mayflyRelease", ReleaseFields::FIELDS, run);

/// An action on removals on hold.
enum ReleaseAction {
    /// Trust the clock; the next pass removes what is due.
    Release,
    /// Trust the clock, and make a pass now.
    DeleteNow,
    KeepPaused,
}

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let ReleaseFields { action, namespace, index } = ReleaseFields::read(request)?;
    let action = match action {
        None => ReleaseAction::Release,
        Some("deleteNow") => ReleaseAction::DeleteNow,
        Some("keepPaused") => ReleaseAction::KeepPaused,
        Some(other) => {
            return Err(CommandError::bad_value(format!(
                "Enumeration value '{other}' for field 'mayflyRelease.action' is not a valid \
                 value: it is \"deleteNow\" or \"keepPaused\""
            )));
        }
    };
    let rules = rules(context, namespace, index)?;
    let mut reply = Document::new();
    if let ReleaseAction::KeepPaused = action {
        reply.insert("kept", each(rules, |rule| context.reaper.keep_held(rule))?);
        return raw(&reply);
    }
    let was_held = each(rules, |rule| context.reaper.release(rule))?;
    reply.insert("released", was_held);
    if let ReleaseAction::DeleteNow = action {
        // All other holds stay.
        let pass = context.reaper.run_released_pass();
        reply.insert("deletedDocuments", long(pass.map_or(0, |pass| pass.deleted)));
    }
    raw(&reply)
}

/// The selected rules; `None` selects everything on hold.
fn rules(
    context: &Context,
    namespace: Option<&str>,
    index: Option<&str>,
) -> Result<Option<Vec<RuleId>>, CommandError> {
    let Some(namespace) = namespace else {
        return match index {
            None => Ok(None),
            Some(_) => Err(CommandError::bad_value("the field 'index' needs the field 'ns'")),
        };
    };
    let all = targets(&context.collections.catalog());
    let found: Vec<RuleId> = all
        .iter()
        .filter(|target| target.collection.namespace.to_string() == namespace)
        .filter(|target| index.is_none_or(|index| index == target.name()))
        .map(crate::reaper::Target::identity)
        .collect();
    if found.is_empty() {
        let named = index.map_or_else(String::new, |index| format!(" named {index}"));
        return Err(CommandError::new(
            Code::INDEX_NOT_FOUND,
            format!("no TTL index{named} found on {namespace}"),
        ));
    }
    Ok(Some(found))
}

/// Whether anything was held.
fn each<E>(
    rules: Option<Vec<RuleId>>,
    change: impl Fn(Option<RuleId>) -> Result<bool, E>,
) -> Result<bool, E> {
    let Some(rules) = rules else { return change(None) };
    let mut any = false;
    for rule in rules {
        any |= change(Some(rule))?;
    }
    Ok(any)
}

#[cfg(test)]
mod tests {
    use crate::command::testing::Lab;

    #[test]
    fn nothing_is_held_on_a_simulated_clock() {
        let lab = Lab::new();
        lab.check("{mayflyHeld: 1}", "{held: false, rules: [], holds: [], due: 0, ok: 1}");
        lab.check("{mayflyRelease: 1}", "{released: false, '-deletedDocuments': 1, ok: 1}");
        lab.check(
            "{mayflyRelease: 1, action: 'deleteNow'}",
            "{released: false, deletedDocuments: 0, ok: 1}",
        );
        lab.check("{mayflyRelease: 1, action: 'keepPaused'}", "{kept: false, ok: 1}");
    }

    #[test]
    fn what_is_named_must_be_there() {
        let lab = Lab::new();
        lab.check("{mayflyRelease: 1, action: 'else'}", "{ok: 0, code: 2}");
        lab.check("{mayflyRelease: 1, action: 5}", "{ok: 0, code: 14}");
        lab.check("{mayflyRelease: 1, index: 'x'}", "{ok: 0, code: 2}");
        lab.check("{mayflyRelease: 1, action: 'deleteNow', ns: null}", "{ok: 0, code: 14}");
        lab.check("{mayflyRelease: 1, ns: 'test.c', index: null}", "{ok: 0, code: 14}");
        lab.check("{mayflyRelease: 1, ns: 'test.c'}", "{ok: 0, code: 27}");
        lab.ok("{createIndexes: 'c', indexes: [{key: {t: 1}, name: 't', expireAfterSeconds: 5}]}");
        lab.check("{mayflyRelease: 1, ns: 'test.c', index: 'u'}", "{ok: 0, code: 27}");
        lab.check("{mayflyRelease: 1, ns: 'test.c', index: 't'}", "{released: false, ok: 1}");
    }
}
