//! `readConcern` and `writeConcern`, as a standalone server accepts them.
//!
//! Every write is durable when it is acknowledged, and reads see only durable writes, so every
//! concern that one server can meet is met. Concerns that need other members are refused, as in
//! MongoDB.

use bson::raw::{RawBsonRef, RawDocument};

use super::{Code, CommandError, Request, as_flag, as_integer, type_name, unknown_field};

/// Members that a write concern may name at most.
const MEMBERS_MAX: i64 = 50;

/// Commands that take a read concern other than `local`.
const READS: [&str; 5] = ["aggregate", "count", "distinct", "explain", "find"];

/// Commands that write nothing and so take no write concern.
const NO_WRITES: [&str; 11] = [
    "collStats",
    "count",
    "dbStats",
    "distinct",
    "explain",
    "find",
    "getMore",
    "listCollections",
    "listDatabases",
    "listIndexes",
    "ping",
];

/// Checks both concerns of a command.
///
/// # Errors
/// `TypeMismatch`, `BadValue`, `FailedToParse`, `IDLUnknownField`, `InvalidOptions`,
/// `NotAReplicaSet`.
pub fn check(request: &Request<'_>) -> Result<(), CommandError> {
    let name = request.name;
    if let Some(concern) = section(request, "readConcern")? {
        check_read(name, concern)?;
    }
    if let Some(concern) = section(request, "writeConcern")? {
        // MongoDB refuses the field for a command that only reads (72), whatever its value is.
        if NO_WRITES.contains(&name) {
            return Err(CommandError::invalid_options("Command does not support writeConcern"));
        }
        check_write(concern)?;
    }
    Ok(())
}

fn section<'c>(
    request: &Request<'c>,
    field: &str,
) -> Result<Option<&'c RawDocument>, CommandError> {
    match request.get(field)? {
        None => Ok(None),
        Some(RawBsonRef::Document(concern)) => Ok(Some(concern)),
        Some(other) => Err(wrong_type(&format!("{}.{field}", request.name), other, "object")),
    }
}

fn check_read(name: &str, concern: &RawDocument) -> Result<(), CommandError> {
    for element in concern {
        match element? {
            (field, RawBsonRef::String(level)) if field == "level" => check_level(name, level)?,
            (field, RawBsonRef::Null) if field == "level" => {}
            (field, other) if field == "level" => {
                return Err(wrong_type("readConcern.level", other, "string"));
            }
            (field, _) => match field.as_str() {
                "provenance"
                | "allowTransactionTableSnapshot"
                | "waitLastStableRecoveryTimestamp" => {}
                // These are times of an oplog. Accepting one would promise an order that a single
                // server doesn't keep.
                "afterClusterTime" | "afterOpTime" | "atClusterTime" => {
                    return Err(needs_replica_set("read concern"));
                }
                other => return Err(unknown_field("readConcern", other)),
            },
        }
    }
    Ok(())
}

fn check_level(name: &str, level: &str) -> Result<(), CommandError> {
    match level {
        "available" | "majority" | "linearizable" | "snapshot" if !READS.contains(&name) => {
            Err(CommandError::invalid_options(format!(
                "Command {name} does not support {{ readConcern: {{ level: \"{level}\", \
                     provenance: \"clientSupplied\" }} }} :: caused by :: read concern not supported"
            )))
        }
        "local" | "available" | "majority" => Ok(()),
        "linearizable" => Err(needs_replica_set("read concern")),
        "snapshot" => Err(needs_replica_set("readConcern: snapshot")),
        other => Err(CommandError::bad_value(format!(
            "Enumeration value '{other}' for field 'readConcern.level' is not a valid value."
        ))),
    }
}

fn check_write(concern: &RawDocument) -> Result<(), CommandError> {
    let (mut journal, mut flush) = (false, false);
    for element in concern {
        let (field, value) = element?;
        match field.as_str() {
            "w" => check_members(value)?,
            "j" => journal = flag("j", value)?,
            "fsync" => flush = flag("fsync", value)?,
            "wtimeout" => check_wait(value)?,
            "provenance" | "getLastError" | "wOpTime" | "wElectionId" => {}
            other => return Err(unknown_field("writeConcern", other)),
        }
    }
    if journal && flush {
        return Err(unreadable("fsync and j options cannot be used together"));
    }
    Ok(())
}

fn check_wait(value: RawBsonRef<'_>) -> Result<(), CommandError> {
    // No member is waited for, so no wait can be too long; MongoDB counts it in 32 bits.
    if as_integer(value).is_some_and(|ms| ms > i64::from(i32::MAX)) {
        return Err(unreadable(&format!("wtimeout must be at most {} milliseconds", i32::MAX)));
    }
    Ok(())
}

/// The number of members, or the name of a set of them, that a write has to reach.
fn check_members(value: RawBsonRef<'_>) -> Result<(), CommandError> {
    let alone = |what: String| Err(CommandError::bad_value(what));
    match value {
        RawBsonRef::String("majority") => Ok(()),
        RawBsonRef::Null | RawBsonRef::Undefined => {
            alone("cannot use 'w' null when a host is not a member of a replica set".to_owned())
        }
        RawBsonRef::String(mode) => alone(format!(
            "cannot use non-majority 'w' mode \"{mode}\" when a host is not a member of a replica set"
        )),
        RawBsonRef::Document(tags) if tags.iter().next().is_none() => {
            Err(unreadable("tagged write concern requires tags"))
        }
        RawBsonRef::Document(tags) => {
            for tag in tags {
                let (name, count) = tag?;
                if as_integer(count).is_none() {
                    return Err(unreadable(&format!(
                        "tags must have numeric values only; found {name}: {}",
                        type_name(count)
                    )));
                }
            }
            alone("cannot use tagged 'w' when a host is not a member of a replica set".to_owned())
        }
        RawBsonRef::Double(number) if number.is_nan() => Err(unreadable("w cannot be NaN")),
        RawBsonRef::Decimal128(number) if number.to_string().contains("NaN") => {
            Err(unreadable("w cannot be NaN"))
        }
        other => match (other, as_integer(other)) {
            (RawBsonRef::Boolean(_), _) | (_, None) => Err(unreadable(&format!(
                "w has to be a number, string, or object; found: {}",
                type_name(other)
            ))),
            // `w: 0` asks for less than every write gets here.
            (_, Some(0 | 1)) => Ok(()),
            (_, Some(2..=MEMBERS_MAX)) => {
                alone("cannot use 'w' > 1 when a host is not replicated".to_owned())
            }
            (_, Some(number)) => Err(unreadable(&format!(
                "w has to be a non-negative number and not greater than {MEMBERS_MAX}; found: {number}"
            ))),
        },
    }
}

fn flag(name: &str, value: RawBsonRef<'_>) -> Result<bool, CommandError> {
    as_flag(value).ok_or_else(|| {
        wrong_type(&format!("writeConcern.{name}"), value, "[bool, long, int, decimal, double]")
    })
}

fn wrong_type(path: &str, found: RawBsonRef<'_>, expected: &str) -> CommandError {
    let kind = if expected.starts_with('[') { "types" } else { "type" };
    CommandError::type_mismatch(format!(
        "BSON field '{path}' is the wrong type '{}', expected {kind} '{expected}'",
        type_name(found)
    ))
}

fn unreadable(message: &str) -> CommandError {
    CommandError::failed_to_parse(message)
}

fn needs_replica_set(what: &str) -> CommandError {
    CommandError::new(
        Code::NOT_A_REPLICA_SET,
        format!("node needs to be a replica set member to use {what}"),
    )
}

#[cfg(test)]
mod tests {
    use crate::command::testing::Lab;

    /// `code` 0: the command succeeds.
    #[track_caller]
    fn check(command: &str, code: i32, words: &str) {
        let reply = Lab::new().run(command);
        let found = reply.get_i32("code").unwrap_or(0);
        let message = reply.get_str("errmsg").unwrap_or_default();
        assert!(found == code && message.contains(words), "{command}: {reply}");
    }

    #[test]
    fn read_concerns_of_one_server() {
        let find = |concern: &str, code, words| {
            check(&format!("{{find: 'c', readConcern: {concern}}}"), code, words);
        };
        find("{}", 0, "");
        find("{level: 'local'}", 0, "");
        find("{level: 'available'}", 0, "");
        find("{level: 'majority'}", 0, "");
        find("{level: 'linearizable'}", 123, "to use read concern");
        find("{level: 'snapshot'}", 123, "to use readConcern: snapshot");
        find("{level: null}", 0, "");
        find("{level: 'x'}", 2, "Enumeration value 'x' for field 'readConcern.level'");
        find("{level: 1}", 14, "'readConcern.level' is the wrong type 'int'");
        find("{levels: 'local'}", 40415, "'readConcern.levels' is an unknown field");
        find("{afterClusterTime: Timestamp(1, 1)}", 123, "read concern");
        find(
            "'local'",
            14,
            "'find.readConcern' is the wrong type 'string', expected type 'object'",
        );
    }

    #[test]
    fn writes_take_no_read_concern_but_local() {
        let insert = |level: &str, code| {
            let concern = format!("readConcern: {{level: '{level}'}}");
            check(&format!("{{insert: 'c', documents: [{{a: 1}}], {concern}}}"), code, "");
        };
        insert("local", 0);
        insert("majority", 72);
        insert("snapshot", 72);
    }

    #[test]
    fn write_concerns_of_one_server() {
        let insert = |concern: &str, code, words| {
            let rest = format!("documents: [{{a: 1}}], writeConcern: {concern}");
            check(&format!("{{insert: 'c', {rest}}}"), code, words);
        };
        insert("{}", 0, "");
        insert("{w: 0}", 0, "");
        insert("{w: 1, j: true, wtimeout: 100}", 0, "");
        insert("{w: 1.0}", 0, "");
        insert("{w: 'majority'}", 0, "");
        insert("{w: 2}", 2, "cannot use 'w' > 1 when a host is not replicated");
        insert("{w: NumberLong(50)}", 2, "not replicated");
        insert("{w: 51}", 9, "not greater than 50; found: 51");
        insert("{w: -1}", 9, "non-negative");
        insert("{w: 'all'}", 2, "cannot use non-majority 'w' mode");
        insert("{w: NaN}", 9, "w cannot be NaN");
        insert("{w: true}", 9, "w has to be a number, string, or object; found: bool");
        insert("{w: {}}", 9, "requires tags");
        insert("{w: {dc: 'x'}}", 9, "numeric");
        insert("{w: null}", 2, "null");
        insert("{w: NumberDecimal('NaN')}", 9, "NaN");
        insert("{w: 1, wtimeout: NumberLong(2147483647)}", 0, "");
        insert("{w: 1, wtimeout: NumberLong(2147483648)}", 9, "wtimeout");
        insert("{w: {dc: 1}}", 2, "replica set");
        insert("{j: 'x'}", 14, "'writeConcern.j'");
        insert("{j: true, fsync: true}", 9, "cannot be used together");
        insert("{x: 1}", 40415, "'writeConcern.x'");
        insert("1", 14, "'insert.writeConcern' is the wrong type 'int', expected type 'object'");
    }

    #[test]
    fn reads_take_no_write_concern() {
        check("{find: 'c', writeConcern: {w: 1}}", 72, "Command does not support writeConcern");
        check("{ping: 1, writeConcern: {}}", 72, "Command does not support writeConcern");
        check("{aggregate: 'c', pipeline: [], cursor: {}, writeConcern: {w: 1}}", 0, "");
    }

    #[test]
    fn a_refused_concern_writes_nothing() {
        let lab = Lab::new();
        let _ = lab.run("{insert: 'c', documents: [{a: 1}], writeConcern: {w: 2}}");
        lab.check("{count: 'c'}", "{n: 0}");
    }

    #[test]
    fn numbers_of_transactions_need_a_replica_set() {
        let words = "Transaction numbers are only allowed on a replica set member or mongos";
        check("{insert: 'c', documents: [{a: 1}], txnNumber: NumberLong(1)}", 20, words);
        check("{find: 'c', txnNumber: NumberLong(1), autocommit: false}", 20, words);
        check("{find: 'c', startTransaction: true}", 20, words);
        check("{abortTransaction: 1, txnNumber: NumberLong(1), autocommit: false}", 20, words);
    }
}
