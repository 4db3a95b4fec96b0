//! `profile`: what is written to a database's `system.profile`.

use bson::{Document, doc, raw::RawBsonRef};

use crate::{
    command::core::{
        Answer, Command, CommandError, Context, Request, as_integer, int32_or_long,
        monitor::profiler::{ProfileSettings, create_collection},
        optional, raw, type_name,
    },
    query::Filter,
};

/// `{profile: -1 | 0 | 1 | 2, slowms, sampleRate, filter: {…} | 'unset'}`. The level and the filter
/// belong to the database, the other two to the whole server.
pub static COMMAND: Command =
    Command::any("profile", &[optional("slowms"), optional("sampleRate"), optional("filter")], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let given = request.first()?;
    let Some(level) = as_integer(given) else {
        return Err(request.wrong_type("profile", given, "int, decimal, double, long"));
    };
    let slow_ms = request.integer("slowms")?;
    let sample_rate = sample_rate(request)?;
    let profiler = &context.profiler;
    let before = profiler.settings(request.db);
    let filter = filter(request, before.filter.clone())?;
    let mut reply = doc! {
        "was": before.level,
        "slowms": int32_or_long(profiler.slow_ms()),
        "sampleRate": profiler.sample_rate(),
    };
    if let Some((source, _)) = &before.filter {
        reply.insert("filter", source.clone());
        reply.insert(
            "note",
            "When a filter expression is set, slowms and sampleRate are not used for profiling and \
             slow-query log lines.",
        );
    }
    let level = match level {
        -1 => before.level,
        0..=2 => i32::try_from(level).unwrap_or(0),
        _ => {
            return Err(CommandError::bad_value(format!(
                "profiling level must be from -1 (read only) to 2, not {level}"
            )));
        }
    };
    if level > 0 {
        create_collection(context, request.db)?;
    }
    profiler.set(request.db, ProfileSettings { level, filter });
    if let Some(slow_ms) = slow_ms {
        profiler.set_slow_ms(slow_ms);
    }
    if let Some(sample_rate) = sample_rate {
        profiler.set_sample_rate(sample_rate);
    }
    raw(&reply)
}

fn sample_rate(request: &Request<'_>) -> Result<Option<f64>, CommandError> {
    let Some(given) = request.get("sampleRate")? else { return Ok(None) };
    let rate = match given {
        RawBsonRef::Double(rate) => rate,
        // Only 0 and 1 are whole and allowed.
        other => match as_integer(other) {
            Some(0) => 0.0,
            Some(1) => 1.0,
            Some(_) => f64::INFINITY,
            None => {
                return Err(request.wrong_type("sampleRate", given, "double, int, long, decimal"));
            }
        },
    };
    if (0.0..=1.0).contains(&rate) {
        return Ok(Some(rate));
    }
    Err(CommandError::bad_value("'sampleRate' must be between 0.0 and 1.0 inclusive"))
}

fn filter(
    request: &Request<'_>,
    before: Option<(Document, Filter)>,
) -> Result<Option<(Document, Filter)>, CommandError> {
    match request.get("filter")? {
        None => Ok(before),
        Some(RawBsonRef::String("unset")) => Ok(None),
        Some(RawBsonRef::Document(source)) => {
            let filter = Filter::parse(source)?;
            Ok(Some((Document::try_from(source)?, filter)))
        }
        Some(other) => Err(CommandError::bad_value(format!(
            "Expected an object, or the string \"unset\", as 'filter', found {}",
            type_name(other)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use crate::command::testing::{Lab, at};

    #[test]
    fn settings_are_kept_and_read() {
        let lab = Lab::new();
        lab.check("{profile: -1}", "{was: 0, slowms: 100, sampleRate: 1, '-filter': 1, ok: 1}");
        lab.check("{profile: 1, slowms: 20, sampleRate: 0.5}", "{was: 0, slowms: 100}");
        lab.check("{profile: 0}", "{was: 1, slowms: 20, sampleRate: 0.5}");
        lab.check("{profile: 1, filter: {op: 'query'}}", "{was: 0}");
        lab.check("{profile: 1, filter: 'unset'}", "{was: 1, filter: {op: 'query'}}");
        lab.check("{profile: -1}", "{was: 1, '-filter': 1}");
        lab.check("{profile: 3}", "{code: 2}");
        lab.check("{profile: 'x'}", "{code: 14}");
        lab.check("{profile: 0, sampleRate: 2}", "{code: 2}");
        lab.check("{profile: 0, filter: 1}", "{code: 2}");
    }

    #[test]
    fn level_2_writes_every_operation() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 2}]}");
        lab.ok("{profile: 2}");
        lab.ok("{find: 'c', filter: {a: 1}}");
        lab.ok("{delete: 'c', deletes: [{q: {_id: 2}, limit: 1}]}");
        lab.run("{find: 'c', filter: {a: {$bad: 1}}}");
        lab.ok("{profile: 0}");
        lab.check(
            "{find: 'system.profile', filter: {op: 'query', errCode: {$exists: false}}}",
            "{'cursor.firstBatch.0.ns': 'test.c', 'cursor.firstBatch.0.nreturned': 1,
              'cursor.firstBatch.0.docsExamined': 2, 'cursor.firstBatch.0.planSummary': 'COLLSCAN',
              'cursor.firstBatch.0.command.filter': {a: 1}}",
        );
        lab.check(
            "{find: 'system.profile', filter: {op: 'remove'}}",
            "{'cursor.firstBatch.0.ndeleted': 1, 'cursor.firstBatch.0.keysExamined': 1}",
        );
        lab.check(
            "{find: 'system.profile', filter: {errCode: 2}}",
            "{'cursor.firstBatch.0.ok': 0}",
        );
        lab.check("{insert: 'system.profile', documents: [{}]}", "{code: 73}");
    }

    #[test]
    fn the_commands_that_change_the_profile_are_not_in_it() {
        let lab = Lab::new();
        lab.ok("{profile: 2}");
        lab.check("{count: 'system.profile'}", "{n: 0}");
        lab.ok("{profile: -1}");
        lab.ok("{profile: 1}");
        lab.check("{find: 'system.profile'}", "{'cursor.firstBatch.0.command.count':                   'system.profile', '-cursor.firstBatch.1': 1}");
    }

    #[test]
    fn each_statement_of_a_write_has_its_own_entry() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 1}, {_id: 3, a: 2}]}");
        lab.ok("{profile: 2}");
        lab.ok(
            "{update: 'c', updates: [{q: {a: 1}, u: {$set: {b: 1}}, multi: true, hint: '_id_'},              {q: {_id: 9}, u: {$set: {b: 1}}, upsert: true}]}",
        );
        lab.ok("{delete: 'c', deletes: [{q: {a: 2}, limit: 1}, {q: {_id: 8}, limit: 0}]}");
        lab.run("{update: 'c', updates: [{q: {a: 1}}]}");
        lab.ok("{profile: 0}");
        let entries =
            "{find: 'system.profile', filter: {op: 'update', ok: {$ne: 0}}, sort: {$natural: 1}}";
        lab.check(
            entries,
            "{'cursor.firstBatch.0.command': {q: {a: 1}, u: {$set: {b: 1}}, multi: true,                hint: '_id_', upsert: false}, 'cursor.firstBatch.0.nMatched': 2,               'cursor.firstBatch.0.nModified': 2, 'cursor.firstBatch.0.nUpserted': 0,               'cursor.firstBatch.0.docsExamined': 3,               'cursor.firstBatch.1.command': {q: {_id: 9}, u: {$set: {b: 1}}, upsert: true,                multi: false}, 'cursor.firstBatch.1.nMatched': 0,               'cursor.firstBatch.1.nUpserted': 1, 'cursor.firstBatch.1.docsExamined': 0,               '-cursor.firstBatch.2': 1}",
        );
        lab.check(
            "{find: 'system.profile', filter: {op: 'remove'}, sort: {$natural: 1}}",
            "{'cursor.firstBatch.0.command': {q: {a: 2}, limit: 1},               'cursor.firstBatch.0.ndeleted': 1,               'cursor.firstBatch.1.command': {q: {_id: 8}, limit: 0},               'cursor.firstBatch.1.ndeleted': 0, '-cursor.firstBatch.2': 1}",
        );
    }

    #[test]
    fn what_is_dropped_stays_dropped() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        lab.ok("{profile: 2}");
        lab.check("{drop: 'system.profile'}", "{code: 20}");
        lab.ok("{dropDatabase: 1}");
        lab.check("{listDatabases: 1}", "{databases: []}");
        lab.check("{profile: -1}", "{was: 0}");
        lab.ok("{profile: 1}");
        lab.ok("{profile: 0}");
        lab.check("{drop: 'system.profile'}", "{ok: 1}");
        lab.check("{listDatabases: 1}", "{databases: []}");
        lab.ok("{profile: 1}");
        lab.check("{dropDatabase: 2}", "{ok: 0}");
        lab.check("{profile: -1}", "{was: 1}");
    }

    #[test]
    fn level_1_writes_what_is_slow_or_matches() {
        let lab = Lab::new();
        let count = |lab: &Lab| {
            let reply = lab.ok("{find: 'system.profile'}");
            at(&reply, "cursor.firstBatch").and_then(|batch| Some(batch.as_array()?.len()))
        };
        lab.ok("{profile: 1, slowms: 3600000}");
        lab.ok("{find: 'c'}");
        assert_eq!(count(&lab), Some(0));
        lab.ok("{profile: 1, filter: {ns: 'test.c'}}");
        lab.ok("{find: 'c'}");
        lab.ok("{find: 'other'}");
        assert_eq!(count(&lab), Some(1));
    }

    #[test]
    fn slow_commands_stand_in_the_log() {
        let lab = Lab::new();
        lab.ok("{profile: 0, slowms: 0}");
        lab.ok("{find: 'c', filter: {secret: 'x'}}");
        let reply = lab.ok("{getLog: 'global'}");
        let lines = reply.get_array("log").expect("lines");
        let line =
            lines.iter().filter_map(|line| line.as_str()).find(|line| line.contains("test.c"));
        assert!(line.is_some_and(|line| line.contains("\"id\":51803") && !line.contains("secret")));
    }

    #[test]
    fn removals_of_the_monitor_are_profiled_and_logged() {
        let lab = Lab::new();
        lab.ok(
            "{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'at_1', expireAfterSeconds: 60}]}",
        );
        lab.ok("{insert: 'c', documents: [{_id: 1, at: Date(0)}, {_id: 2, at: Date(0)}]}");
        lab.ok("{profile: 2, slowms: 0}");
        lab.ok("{mayflyReap: 1}");
        lab.check(
            "{find: 'system.profile', filter: {op: 'remove'}}",
            "{'cursor.firstBatch.0.ns': 'test.c', 'cursor.firstBatch.0.ndeleted': 2,
              'cursor.firstBatch.0.planSummary': 'IXSCAN { at: 1 }'}",
        );
        let reply = lab.ok("{getLog: 'global'}");
        let lines = reply.get_array("log").expect("lines");
        let is_there = lines
            .iter()
            .filter_map(|line| line.as_str())
            .any(|line| line.contains("\"id\":5479200") && line.contains("\"numDeleted\":2"));
        assert!(is_there, "{reply}");
    }
}
