//! From a request to its entry among the running operations.

use std::{sync::Arc, time::Duration};

use bson::{
    RawDocumentBuf,
    raw::{RawBsonRef, RawDocument},
};

use super::operations::{OperationGuard, Operations, RunningOperation, short_fields};
use crate::{
    clock::work_time,
    command::core::{CommandError, Request, as_integer},
    limits::SHOWN_COMMAND_BYTES_MAX,
    plan::Operation,
    value::{Decimal, scan::DEPTH_MAX},
};

/// Lists a command among the running operations, until the registration is dropped.
pub fn begin<'o>(
    operations: &'o Operations,
    request: &Request<'_>,
    limit: Option<Duration>,
) -> OperationGuard<'o> {
    operations.register(RunningOperation {
        opid: operations.next_opid(),
        client: request.client.clone(),
        ns: ns(request),
        kind: kind(request.name),
        command: shown(request),
        // Within the limit of the caller, which is how the window stops its commands.
        operation: Arc::new(Operation::within_current(limit)),
        began: work_time(),
    })
}

/// The time limit of a command, `maxTimeMS`.
///
/// # Errors
/// `BadValue` out of range, `TypeMismatch`, `FailedToParse` for a fraction.
pub fn time_limit(request: &Request<'_>) -> Result<Option<Duration>, CommandError> {
    let Some(value) = request.given("maxTimeMS")? else { return Ok(None) };
    let bad = |what: String| CommandError::bad_value(what);
    if matches!(value, RawBsonRef::Null) {
        return Ok(None);
    }
    let Some(ms) = as_integer(value) else {
        return Err(CommandError::type_mismatch("maxTimeMS must be a number"));
    };
    let is_whole = match value {
        // A fraction has another code (9) than a wrong type (14).
        RawBsonRef::Double(given) => given.fract() == 0.0,
        // A saturated number does not fit 64 bits.
        RawBsonRef::Decimal128(given) => {
            Decimal::from(given).is_whole() && !matches!(ms, i64::MIN | i64::MAX)
        }
        _ => true,
    };
    if !is_whole {
        return Err(CommandError::failed_to_parse("maxTimeMS has non-integral value"));
    }
    match u64::try_from(ms) {
        // MongoDB takes 0 as no limit.
        Ok(0) => Ok(None),
        // MongoDB keeps the limit in 32 bits and refuses a longer one (2).
        Ok(ms) if i32::try_from(ms).is_ok() => Ok(Some(Duration::from_millis(ms))),
        _ => Err(bad(format!("{ms} value for maxTimeMS is out of range [0, {}]", i32::MAX))),
    }
}

/// Fields that hold a batch of writes: they are not shown, as MongoDB does not show them.
const BATCH_FIELDS: [&str; 4] = ["documents", "updates", "deletes", "ops"];

/// MongoDB's kind of work of a command.
fn kind(name: &str) -> &'static str {
    match name {
        "find" => "query",
        "insert" => "insert",
        "update" => "update",
        "delete" => "remove",
        "getMore" => "getmore",
        _ => "command",
    }
}

fn ns(request: &Request<'_>) -> String {
    let collection = match request.name {
        "getMore" => request.text("collection").ok().flatten(),
        _ => match request.first() {
            Ok(RawBsonRef::String(collection)) if names_a_collection(request.name) => {
                Some(collection)
            }
            _ => None,
        },
    };
    [request.db, ".", collection.unwrap_or("$cmd")].concat()
}

/// Whether the value of the command's own field is a collection name.
fn names_a_collection(command: &str) -> bool {
    // In these commands the first field is a parameter, a log or a full namespace.
    !matches!(command, "getParameter" | "getLog" | "renameCollection" | "logRotate" | "dataSize")
}

/// Fields that hold secrets.
fn secret_fields(command: &str) -> &'static [&'static str] {
    match command {
        "createUser" | "updateUser" => &["pwd"],
        // A login may start here, with a password typed as the user name.
        "hello" => &["saslSupportedMechs", "speculativeAuthenticate"],
        // An address may contain keys; it is refused then, but still profiled.
        "mayflyArchive" => &["target"],
        _ => &[],
    }
}

/// The command as `currentOp` and the profile show it: without batches, and only with its short
/// fields if it is long. A profile entry nests the command, so it may have one level less than a
/// document.
fn shown(request: &Request<'_>) -> RawDocumentBuf {
    let command = request.document;
    let secrets = secret_fields(request.name);
    let is_small = command.as_bytes().len() <= SHOWN_COMMAND_BYTES_MAX;
    if is_small && request.met.levels < DEPTH_MAX && secrets.is_empty() {
        return command.to_owned();
    }
    short_fields(command, &BATCH_FIELDS, secrets)
}

/// The statements of an update or delete.
pub fn statements<'r>(request: &Request<'r>) -> Vec<&'r RawDocument> {
    let field = match request.name {
        "update" => "updates",
        "delete" => "deletes",
        _ => return Vec::new(),
    };
    request.documents(field).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use crate::command::testing::Lab;

    #[test]
    fn commands_end_at_their_time_limit() {
        let lab = Lab::new();
        lab.check("{ping: 1, maxTimeMS: 0}", "{ok: 1}");
        lab.check("{ping: 1, maxTimeMS: 2147483647}", "{ok: 1}");
        lab.check("{ping: 1, maxTimeMS: 60000.0}", "{ok: 1}");
        lab.check("{ping: 1, maxTimeMS: null}", "{ok: 1}");
        let refused = [
            ("-1", 2),
            ("2147483648", 2),
            ("0.1", 9),
            ("NaN", 9),
            ("{$numberDecimal: '1.5'}", 9),
            ("'x'", 14),
            ("true", 14),
            ("{}", 14),
        ];
        for (bad, code) in refused {
            let reply = lab.run(&format!("{{ping: 1, maxTimeMS: {bad}}}"));
            assert_eq!(reply.get_i32("code").ok(), Some(code), "{bad}: {reply}");
        }
    }

    #[test]
    fn a_cursor_keeps_the_limit_it_was_opened_with() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{}, {}]}");
        let reply = lab.ok("{find: 'c', batchSize: 1}");
        let id = crate::command::testing::at(&reply, "cursor.id").expect("a cursor");
        let get_more = |ms: i32| {
            let command = bson::doc! { "getMore": id.clone(), "collection": "c", "maxTimeMS": ms };
            lab.run_document(&command).get_i32("code").ok()
        };
        assert_eq!(get_more(5), Some(2));
        assert_eq!(get_more(0), None);
        assert_eq!(get_more(5), Some(43));
    }

    #[test]
    fn a_get_more_has_what_the_batches_before_it_have_left() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}]}");
        let endless = endless();
        let slow_at_3 = format!("{{$cond: [{{$eq: ['$_id', 3]}}, {endless}, 0]}}");
        for command in [
            format!("find: 'c', projection: {{a: {slow_at_3}}}, batchSize: 1, maxTimeMS: 500"),
            format!(
                "aggregate: 'c', pipeline: [{{$set: {{a: {slow_at_3}}}}}], cursor: {{batchSize: 1}}, \
                 maxTimeMS: 500"
            ),
        ] {
            let reply = lab.ok(&format!("{{{command}}}"));
            let id = crate::command::testing::at(&reply, "cursor.id").expect("a cursor");
            let late = lab.run_document(&bson::doc! { "getMore": id, "collection": "c" });
            assert_eq!(late.get_i32("code").ok(), Some(50), "{late}");
        }
    }

    /// Four thousand rounds in each of four thousand in each of four thousand: half a day.
    fn endless() -> String {
        let mut found = "'$$this'".to_owned();
        for _ in 0..3 {
            let input = "{$range: [0, 4000]}";
            found = format!(
                "{{$size: {{$filter: {{input: {input}, cond: {{$gt: [{found}, 4000]}}}}}}}}"
            );
        }
        found
    }

    #[test]
    fn loops_within_an_expression_end_at_the_time_limit() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        let endless = endless();
        let late =
            |command: &str| lab.check(&format!("{{{command}, maxTimeMS: 20}}"), "{code: 50}");
        late(&format!("find: 'c', filter: {{$expr: {{$gt: [{endless}, 0]}}}}"));
        late(&format!("aggregate: 'c', pipeline: [{{$project: {{a: {endless}}}}}], cursor: {{}}"));
        let each = |body: &str| format!("{{input: {{$range: [0, 10]}}, {body}}}");
        let map = format!("{{$map: {}}}", each(&format!("in: {endless}")));
        late(&format!("find: 'c', projection: {{a: {map}}}"));
        let reduce = format!("{{$reduce: {}}}", each(&format!("initialValue: 0, in: {endless}")));
        late(&format!("find: 'c', projection: {{a: {reduce}}}"));
        let update = format!("{{q: {{}}, u: [{{$set: {{a: {endless}}}}}]}}");
        let update = format!("{{update: 'c', updates: [{update}], maxTimeMS: 20}}");
        lab.check(&update, "{n: 0, 'writeErrors.0.code': 50}");
    }

    #[test]
    fn a_validator_that_was_not_evaluated_to_its_end_accepts_and_refuses_nothing() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        let endless = endless();
        lab.ok(&format!(
            "{{collMod: 'c', validator: {{$expr: {{$gt: [{endless}, 0]}}}}, \
               validationLevel: 'moderate'}}"
        ));
        let update = "{update: 'c', updates: [{q: {}, u: {$set: {a: 1}}}], maxTimeMS: 20}";
        lab.check(update, "{n: 0, 'writeErrors.0.code': 50}");
        lab.check("{find: 'c'}", "{'cursor.firstBatch': [{_id: 1}]}");
    }

    #[test]
    fn a_command_sees_itself() {
        let lab = Lab::new();
        let own = "{currentOp: 1, $ownOps: true, 'command.currentOp': 1}";
        lab.check(
            own,
            "{'inprog.0.op': 'command', 'inprog.0.ns': 'admin.$cmd', 'inprog.0.active': true}",
        );
        lab.check("{currentOp: 1, op: 'insert'}", "{inprog: []}");
        lab.check("{currentOp: 1, $all: true, active: true}", "{'inprog.0.type': 'op'}");
    }

    #[test]
    fn the_profile_shows_no_secret() {
        let check = |command: &str, shown: &str| {
            let lab = Lab::new();
            lab.ok("{profile: 2}");
            lab.run(command);
            lab.ok("{profile: 0}");
            lab.check(
                "{find: 'system.profile', filter: {'command.profile': {$exists: false}}}",
                &format!("{{'cursor.firstBatch.0.command': {shown}}}"),
            );
        };
        check("{createUser: 'u', pwd: 'p', roles: []}", "{createUser: 'u', pwd: 'xxx', roles: []}");
        check("{updateUser: 'u', pwd: {a: 'p'}}", "{updateUser: 'u', pwd: 'xxx'}");
        let long = "x".repeat(super::SHOWN_COMMAND_BYTES_MAX);
        let command = format!("{{updateUser: 'u', customData: '{long}', pwd: '{long}'}}");
        check(&command, "{updateUser: 'u'}");
        let login = "speculativeAuthenticate: {saslStart: 1, payload: 'n,,n=p,r=x', db: 'admin'}";
        for name in ["hello", "isMaster", "ismaster"] {
            check(
                &format!("{{{name}: 1, saslSupportedMechs: 'admin.p', {login}}}"),
                &format!(
                    "{{{name}: 1, saslSupportedMechs: 'xxx', speculativeAuthenticate: 'xxx'}}"
                ),
            );
        }
        check(
            "{mayflyArchive: 'c', target: 'https://key:word@host/bucket'}",
            "{mayflyArchive: 'c', target: 'xxx'}",
        );
        // The field is secret only in its own command.
        check("{find: 'c', filter: {pwd: 'p'}}", "{find: 'c', filter: {pwd: 'p'}}");
    }

    #[test]
    fn no_entry_of_the_profile_is_deeper_than_a_document_may_be() {
        let lab = Lab::new();
        lab.ok("{profile: 2}");
        for levels in [97, 98, 99, 150] {
            let nested = (1..levels).fold(doc! {}, |inner, _| doc! { "a": inner });
            let reply =
                lab.run_document(&doc! { "find": "c", "batchSize": levels, "comment": nested });
            assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{reply}");
        }
        lab.ok("{profile: 0}");
        lab.check("{validate: 'system.profile'}", "{valid: true, nrecords: 4}");
        let kept = "{find: 'system.profile', filter: {'command.comment': {$exists: true}}}";
        let batch_size = "'cursor.firstBatch.1.command.batchSize'";
        lab.check(kept, &format!("{{{batch_size}: 98, '-cursor.firstBatch.2': 1}}"));
    }

    #[test]
    fn operations_are_killed_by_number() {
        let lab = Lab::new();
        lab.check("{killOp: 1, op: 77}", "{info: 'attempting to kill op', ok: 1}");
        lab.check("{killOp: 1}", "{code: 4}");
        lab.check("{killOp: 1, op: 'x'}", "{code: 14}");
        lab.check("{killOp: 1, op: 4294967296}", "{code: 26823}");
    }
}
