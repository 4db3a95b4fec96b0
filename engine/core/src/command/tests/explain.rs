//! The replies of `explain`, by command.

use crate::command::testing::Lab;

fn with_five() -> Lab {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 2}, {_id: 3, a: 3}, \
            {_id: 4, a: 4}, {_id: 5, a: 5}]}");
    lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}");
    lab
}

/// The stages of a plan from the top, e.g. `FETCH IXSCAN`.
fn stages(lab: &Lab, command: &str) -> String {
    let reply = lab.ok(&format!("{{explain: {command}, verbosity: 'queryPlanner'}}"));
    let mut names = Vec::new();
    let planner = reply.get_document("queryPlanner").expect("a planner");
    let mut at = planner.get_document("winningPlan").ok();
    while let Some(stage) = at {
        names.push(stage.get_str("stage").expect("a stage").to_owned());
        at = stage.get_document("inputStage").ok();
    }
    names.join(" ")
}

#[test]
fn stages_have_the_names_of_mongodb() {
    let lab = with_five();
    let check = |command: &str, expected: &str| assert_eq!(stages(&lab, command), expected);
    check("{find: 'c'}", "COLLSCAN");
    check("{find: 'c', filter: {b: 1}, sort: {c: 1}}", "SORT COLLSCAN");
    check("{find: 'c', filter: {a: 1}}", "FETCH IXSCAN");
    check("{find: 'c', sort: {a: -1}}", "FETCH IXSCAN");
    check("{find: 'c', filter: {a: 1}, hint: {$natural: 1}}", "COLLSCAN");
    check("{find: 'c', filter: {_id: 1}}", "EXPRESS_IXSCAN");
    check("{find: 'c', filter: {_id: {$eq: 1}}, limit: 1}", "EXPRESS_IXSCAN");
    check("{find: 'c', filter: {_id: {$gt: 1}}}", "FETCH IXSCAN");
    check("{find: 'c', filter: {_id: 1, b: 1}}", "FETCH IXSCAN");
    check("{find: 'c', skip: 1, limit: 2}", "LIMIT SKIP COLLSCAN");
    check("{find: 'c', projection: {a: 1}}", "PROJECTION_SIMPLE COLLSCAN");
    check("{find: 'c', projection: {'a.b': 1}}", "PROJECTION_DEFAULT COLLSCAN");
    check("{find: 'none', filter: {a: 1}}", "EOF");
    check("{count: 'c'}", "RECORD_STORE_FAST_COUNT");
    check("{count: 'c', query: {b: 1}}", "COUNT COLLSCAN");
    check("{count: 'none'}", "COUNT EOF");
    check("{distinct: 'c', key: 'b'}", "COLLSCAN");
    check("{update: 'c', updates: [{q: {a: 1}, u: {$set: {b: 1}}}]}", "UPDATE FETCH IXSCAN");
    check("{update: 'c', updates: [{q: {_id: 1}, u: {$set: {b: 1}}}]}", "EXPRESS_UPDATE");
    check("{delete: 'c', deletes: [{q: {}, limit: 0}]}", "DELETE COLLSCAN");
    check("{delete: 'c', deletes: [{q: {_id: 1}, limit: 1}]}", "EXPRESS_DELETE");
    check("{findAndModify: 'c', query: {b: 1}, remove: true}", "DELETE COLLSCAN");
    check("{findAndModify: 'c', query: {b: 1}, update: {$set: {b: 1}}}", "UPDATE COLLSCAN");
    check("{aggregate: 'c', pipeline: [{$match: {a: 1}}], cursor: {}}", "FETCH IXSCAN");
    lab.ok("{collMod: 'c', index: {name: 'a_1', hidden: true}}");
    check("{find: 'c', filter: {a: 5}}", "COLLSCAN");
}

#[test]
fn a_plan_shows_its_bounds_and_what_is_left_to_check() {
    let lab = with_five();
    let check = |filter: &str, expected: &str| {
        lab.check(&format!("{{explain: {{find: 'c', filter: {filter}}}}}"), expected);
    };
    check(
        "{a: {$gte: 2, $lt: 4}}",
        "{'queryPlanner.winningPlan.isCached': false, \
          'queryPlanner.winningPlan.inputStage.keyPattern': {a: 1}, \
          'queryPlanner.winningPlan.inputStage.indexName': 'a_1', \
          'queryPlanner.winningPlan.inputStage.isMultiKey': false, \
          'queryPlanner.winningPlan.inputStage.multiKeyPaths': {a: []}, \
          'queryPlanner.winningPlan.inputStage.isUnique': false, \
          'queryPlanner.winningPlan.inputStage.isSparse': false, \
          'queryPlanner.winningPlan.inputStage.isPartial': false, \
          'queryPlanner.winningPlan.inputStage.indexVersion': 2, \
          'queryPlanner.winningPlan.inputStage.direction': 'forward', \
          'queryPlanner.winningPlan.inputStage.indexBounds': {a: ['[2, 4)']}, \
          '-queryPlanner.winningPlan.filter': 1, 'queryPlanner.rejectedPlans': []}",
    );
    check(
        "{a: {$gt: 2}}",
        "{'queryPlanner.winningPlan.inputStage.indexBounds': {a: ['(2, inf]']}}",
    );
    check(
        "{a: {$lt: 'x'}}",
        "{'queryPlanner.winningPlan.inputStage.indexBounds': {a: ['[\"\", \"x\")']}}",
    );
    check(
        "{a: {$gte: new Date(5)}}",
        "{'queryPlanner.winningPlan.inputStage.indexBounds': \
            {a: ['[new Date(5), new Date(9223372036854775807)]']}}",
    );
    check(
        "{a: 1, b: 2}",
        "{'queryPlanner.winningPlan.filter': {b: {$eq: 2}}, \
          'queryPlanner.parsedQuery': {$and: [{a: {$eq: 1}}, {b: {$eq: 2}}]}}",
    );
    check("{_id: 1}", "{'queryPlanner.winningPlan.keyPattern': '{ _id: 1 }'}");
    lab.ok("{insert: 'c', documents: [{_id: 9, a: [1, 9]}]}");
    check("{a: {$gt: 8, $eq: 1}}", "{'queryPlanner.winningPlan.filter': {a: {$gt: 8}}}");
    check(
        "{a: {$gt: 8, $lt: 2}}",
        "{'queryPlanner.winningPlan.inputStage.multiKeyPaths': {a: ['a']}, \
          'queryPlanner.winningPlan.filter': {a: {$lt: 2}}, 'executionStats.nReturned': 1}",
    );
}

#[test]
fn a_run_tells_its_costs_and_writes_nothing() {
    let lab = with_five();
    let check = |command: &str, expected: &str| {
        lab.check(&format!("{{explain: {command}, verbosity: 'executionStats'}}"), expected);
    };
    check(
        "{find: 'c', filter: {a: {$gte: 2}}}",
        "{'executionStats.executionSuccess': true, 'executionStats.nReturned': 4, \
          'executionStats.totalKeysExamined': 4, 'executionStats.totalDocsExamined': 4, \
          'executionStats.executionStages.stage': 'FETCH', \
          'executionStats.executionStages.inputStage.keysExamined': 4, \
          '-executionStats.allPlansExecution': 1}",
    );
    check(
        "{find: 'c', skip: 1, limit: 2}",
        "{'executionStats.nReturned': 2, 'executionStats.executionStages.nReturned': 2, \
          'executionStats.executionStages.inputStage.inputStage.nReturned': 3}",
    );
    check("{count: 'c'}", "{'executionStats.executionStages.nCounted': 5}");
    check(
        "{update: 'c', updates: [{q: {}, u: {$set: {a: 1}}, multi: true}]}",
        "{'executionStats.nReturned': 0, 'executionStats.executionStages.nMatched': 5, \
          'executionStats.executionStages.nWouldModify': 4, \
          'executionStats.executionStages.nWouldUpsert': 0}",
    );
    check(
        "{update: 'c', updates: [{q: {a: 77}, u: {$set: {b: 1}}, upsert: true}]}",
        "{'executionStats.executionStages.nMatched': 0, \
          'executionStats.executionStages.nWouldUpsert': 1}",
    );
    check(
        "{delete: 'c', deletes: [{q: {a: {$gt: 1}}, limit: 0}]}",
        "{'executionStats.executionStages.nWouldDelete': 4}",
    );
    check("{findAndModify: 'c', query: {a: 3}, remove: true}", "{'executionStats.nReturned': 1}");
    lab.check("{count: 'c', query: {a: {$gt: 0}}}", "{n: 5}");
    lab.check("{explain: {find: 'c'}}", "{'executionStats.allPlansExecution': []}");
    lab.check("{explain: {find: 'c'}, verbosity: 'queryPlanner'}", "{'-executionStats': 1}");
}

#[test]
fn every_explain_says_where_it_comes_from() {
    let lab = with_five();
    for command in ["{find: 'c'}", "{aggregate: 'c', pipeline: [], cursor: {}}"] {
        lab.check(
            &format!("{{explain: {command}}}"),
            "{explainVersion: '1', 'queryPlanner.namespace': 'test.c', \
              'queryPlanner.indexFilterSet': false, 'command.$db': 'test', \
              'serverInfo.version': '8.2.0', ok: 1}",
        );
    }
}

#[test]
fn a_view_is_explained_as_the_pipeline_that_it_is() {
    let lab = with_five();
    lab.ok("{create: 'v', viewOn: 'c', pipeline: [{$match: {a: {$gt: 1}}}]}");
    for command in ["{find: 'v'}", "{count: 'v'}", "{distinct: 'v', key: 'a'}"] {
        lab.check(
            &format!("{{explain: {command}}}"),
            "{'queryPlanner.winningPlan.stage': 'FETCH', 'executionStats.nReturned': 4}",
        );
    }
}

#[test]
fn what_can_not_be_explained_is_refused() {
    let lab = with_five();
    let check = |command: &str, code: i32| lab.check(command, &format!("{{code: {code}}}"));
    check("{explain: {find: 'c'}, verbosity: 'bad'}", 2);
    check("{explain: {find: 'c'}, verbosity: 1}", 14);
    check("{explain: {find: 'c'}, unknown: 1}", 40415);
    check("{explain: 'c'}", 14);
    check("{explain: {explain: {find: 'c'}}}", 20);
    check("{explain: {ping: 1}}", 20);
    check("{explain: {nothing: 'c'}}", 59);
    check("{explain: {find: 'c', $db: 'other'}}", 73);
    check("{explain: {find: 'c', unknown: 1}}", 40415);
    check("{explain: {find: 'c', filter: {$bad: 1}}}", 2);
    check("{explain: {find: 'c', hint: 'none'}}", 2);
    check("{explain: {delete: 'c', deletes: []}}", 16);
    check("{explain: {update: 'c', updates: [{q: {}, u: {}}, {q: {}, u: {}}]}}", 16);
}
