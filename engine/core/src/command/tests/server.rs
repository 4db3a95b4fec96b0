//! The commands that clients and tools send in addition to the real work.

use bson::doc;

use crate::{
    catalog::Namespace,
    command::testing::{Lab, at},
};

#[track_caller]
fn refused(lab: &Lab, command: &str, code: i32, words: &str) {
    let reply = lab.run(command);
    assert_eq!(reply.get_i32("code").ok(), Some(code), "{command}: {reply}");
    assert!(reply.get_str("errmsg").is_ok_and(|text| text.contains(words)), "{command}: {reply}");
}

#[test]
fn what_shells_ask_at_their_start() {
    let lab = Lab::new();
    lab.check("{getLog: '*'}", "{names: ['global', 'startupWarnings'], ok: 1}");
    let warnings = lab.ok("{getLog: 'startupWarnings'}");
    assert_eq!(at(&warnings, "totalLinesWritten"), Some(1.into()));
    let text = at(&warnings, "log.0").and_then(|line| line.as_str().map(str::to_owned));
    let parsed = text.and_then(|line| serde_json::from_str::<serde_json::Value>(&line).ok());
    let message = parsed.as_ref().and_then(|line| line.get("msg")?.as_str());
    assert!(message.is_some_and(|message| message.contains("simulated clock")), "{warnings}");
    refused(&lab, "{getLog: 'rs'}", 96, "No log named 'rs'");
    refused(&lab, "{getLog: 1}", 14, "must be of type String");
    refused(&lab, "{atlasVersion: 1}", 59, "no such command: 'atlasVersion'");
    refused(&lab, "{getFreeMonitoringStatus: 1}", 59, "no such command");
    refused(&lab, "{replSetGetStatus: 1}", 76, "not running with --replSet");
    refused(&lab, "{getDefaultRWConcern: 1}", 51300, "standalone");
    lab.check("{getCmdLineOpts: 1}", "{argv: ['mayfly']}");
    lab.check("{hostInfo: 1}", "{'system.hostname': 'localhost', ok: 1}");
    lab.check("{whatsmyuri: 1}", "{you: ''}");
    lab.check(
        "{listCommands: 1}",
        "{'commands.find.adminOnly': false, 'commands.find.apiVersions': ['1'], 'commands.top.adminOnly': true}",
    );
}

#[test]
fn who_is_logged_in() {
    let lab = Lab::new();
    lab.check("{connectionStatus: 1}", "{'authInfo.authenticatedUsers': [], ok: 1}");
    lab.check(
        "{connectionStatus: 1, showPrivileges: true}",
        "{'authInfo.authenticatedUserPrivileges': []}",
    );
    lab.check("{usersInfo: 1}", "{users: []}");
    lab.check("{rolesInfo: 1}", "{roles: []}");
    refused(&lab, "{createUser: 'x', pwd: 'y', roles: []}", 238, "not supported");

    let client = crate::command::Client::of_connection(7, "127.0.0.1:4242".to_owned());
    client.log_in(Some("mayfly".to_owned()));
    let ask = |db: &str, command: bson::Document| {
        let command = bson::RawDocumentBuf::try_from(&command).expect("a command");
        let reply = lab.engine.run_for(&client, db, &command);
        bson::Document::try_from(reply).expect("a reply")
    };
    let status = ask("test", doc! { "connectionStatus": 1 });
    assert_eq!(at(&status, "authInfo.authenticatedUsers.0.user"), Some("mayfly".into()));
    assert_eq!(at(&status, "authInfo.authenticatedUserRoles.0.role"), Some("root".into()));
    for (db, what, found) in [
        ("admin", bson::Bson::Int32(1), true),
        ("test", bson::Bson::Int32(1), false),
        ("admin", "mayfly".into(), true),
        ("admin", "other".into(), false),
        ("test", doc! { "user": "mayfly", "db": "admin" }.into(), true),
        ("test", doc! { "forAllDBs": true }.into(), true),
        ("admin", vec![bson::Bson::from("mayfly")].into(), true),
    ] {
        let users = ask(db, doc! { "usersInfo": what.clone() });
        assert_eq!(at(&users, "users.0.user").is_some(), found, "{db} {what}");
    }
    for (filter, count) in [(doc! { "roles.role": "root" }, 1), (doc! { "user": "other" }, 0)] {
        let users = ask("admin", doc! { "usersInfo": 1, "filter": filter });
        assert_eq!(users.get_array("users").map(Vec::len).ok(), Some(count), "{users}");
    }
    assert_eq!(ask("test", doc! { "whatsmyuri": 1 }).get_str("you").ok(), Some("127.0.0.1:4242"));
    let hello = doc! { "hello": 1, "client": { "application": { "name": "shell" } } };
    assert_eq!(ask("admin", hello).get_i32("connectionId").ok(), Some(7));
    let operations = ask("admin", doc! { "currentOp": 1, "appName": "shell" });
    assert_eq!(at(&operations, "inprog.0.desc"), Some("conn7".into()));
    assert_eq!(at(&operations, "inprog.0.client"), Some("127.0.0.1:4242".into()));
}

#[test]
fn sessions_change_nothing() {
    let lab = Lab::new();
    lab.check("{startSession: 1}", "{timeoutMinutes: 30, ok: 1}");
    for name in [
        "refreshSessions",
        "killSessions",
        "killAllSessions",
        "killAllSessionsByPattern",
        "endSessions",
    ] {
        lab.check(&format!("{{{name}: []}}"), "{ok: 1}");
        refused(&lab, &format!("{{{name}: 1}}"), 14, "array");
    }
    refused(&lab, "{find: 'c', txnNumber: 1, startTransaction: true}", 20, "Transaction numbers");
    refused(&lab, "{commitTransaction: 1, autocommit: false}", 20, "Transaction numbers");
}

#[test]
fn the_stable_api_is_checked() {
    let lab = Lab::new();
    lab.check("{ping: 1, apiVersion: '1', apiStrict: true}", "{ok: 1}");
    refused(&lab, "{ping: 1, apiVersion: '2'}", 322, "API version");
    refused(&lab, "{ping: 1, apiStrict: true}", 72, "without passing apiVersion");
    refused(&lab, "{dbStats: 1, apiVersion: '1', apiStrict: true}", 323, "dbStats");
    let pipeline = |stage: &str| {
        format!(
            "{{aggregate: 'c', pipeline: [{stage}], cursor: {{}}, apiVersion: '1', apiStrict: true}}"
        )
    };
    lab.ok("{create: 'c'}");
    lab.check(&pipeline("{$collStats: {count: {}}}"), "{ok: 1}");
    refused(&lab, &pipeline("{$collStats: {storageStats: {}}}"), 323, "$collStats");
    refused(&lab, &pipeline("{$listLocalSessions: {}}"), 323, "$listLocalSessions");
    refused(&lab, &pipeline("{$indexStats: {}}"), 323, "$indexStats");
    lab.ok("{drop: 'c'}");
}

#[test]
fn maintenance() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}]}");
    lab.check("{dataSize: 'test.c'}", "{numObjects: 2, ok: 1}");
    lab.check("{dataSize: 'test.none'}", "{numObjects: 0, size: 0}");
    refused(&lab, "{dataSize: 'c'}", 73, "Invalid namespace");
    lab.check("{compact: 'c'}", "{bytesFreed: 0}");
    refused(&lab, "{compact: 'none'}", 26, "none");
    lab.check("{fsync: 1}", "{numFiles: 1}");
    refused(&lab, "{fsync: 1, lock: true}", 238, "lock");
    refused(&lab, "{fsyncUnlock: 1}", 20, "not locked");
    lab.check("{planCacheClear: 'c'}", "{ok: 1}");
    lab.check("{lockInfo: 1}", "{lockInfo: []}");
    lab.check("{connPoolStats: 1}", "{totalCreated: 0}");
    lab.check("{getClusterParameter: '*'}", "{clusterParameters: []}");
    refused(&lab, "{getClusterParameter: 'x'}", 4, "x");
    lab.check("{validateDBMetadata: 1, apiParameters: {version: '1'}}", "{apiVersionErrors: []}");
    refused(&lab, "{validateDBMetadata: 1, apiParameters: {}}", 40414, "version");
    refused(&lab, "{reIndex: 'c'}", 238, "not supported");
}

#[test]
fn a_damaged_counter_hides_no_database() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, text: 'of some length'}]}");
    let other = lab.engine.run("other", &doc! { "insert": "c", "documents": [{ "_id": 1 }] });
    assert_eq!(other.get_i32("n").ok(), Some(1), "{other}");
    let namespace = Namespace::new("test", "c");
    let collection = lab.engine.collections().catalog().collection(&namespace).expect("there");
    lab.spoil_counters(collection.id.0);
    lab.check(
        "{listDatabases: 1}",
        "{'databases.0.name': 'other', 'databases.1.name': 'test', 'databases.1.empty': false}",
    );
    assert_eq!(lab.ids("{find: 'c'}"), [1.into()]);
}

#[test]
fn the_history_of_passes_is_read_in_spans() {
    let lab = Lab::new();
    lab.check("{mayflyPasses: 1}", "{spans: [], ok: 1}");
    lab.ok("{insert: 'c', documents: [{_id: 1, at: ISODate('2000-01-01T00:00:00Z')}]}");
    lab.ok("{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'ttl', expireAfterSeconds: 0}]}");
    lab.ok("{mayflyReap: 1}");
    lab.check(
        "{mayflyPasses: 1}",
        "{'spans.0.secs': 60, 'spans.0.passes': 1, 'spans.0.removed': 1, 'spans.0.left': 0}",
    );
    lab.check("{mayflyPasses: 1, until: ISODate('1990-01-01T00:00:00Z')}", "{spans: []}");
    refused(&lab, "{mayflyPasses: 1, spans: 0}", 2, "between 1 and 10000, but is 0");
    refused(&lab, "{mayflyPasses: 1, from: 5}", 14, "date");
}
