//! `$setWindowFields`, by tables.

use super::refused;
use crate::command::testing::Lab;

/// Sales of two states over three years.
const SALES: &str = "{insert: 'c', documents: [\
    {_id: 0, type: 'e', on: Date(1589819400000), state: 'CA', n: 120},\
    {_id: 1, type: 'h', on: Date(1547000000000), state: 'WA', n: 140},\
    {_id: 2, type: 'v', on: Date(1612000000000), state: 'CA', n: 145},\
    {_id: 3, type: 'v', on: Date(1581000000000), state: 'WA', n: 104},\
    {_id: 4, type: 's', on: Date(1551000000000), state: 'CA', n: 162},\
    {_id: 5, type: 's', on: Date(1616000000000), state: 'WA', n: 134}]}";

fn lab() -> Lab {
    let lab = Lab::new();
    lab.ok(SALES);
    lab
}

/// The values of the field `w` of all documents, in the order in which the stage gives them.
fn check(lab: &Lab, spec: &str, expected: &str) {
    lab.check(
        &format!(
            "{{aggregate: 'c', cursor: {{}}, pipeline: [{{$setWindowFields: {{{spec}}}}}, \
             {{$project: {{w: ['$_id', '$w']}}}}, {{$group: {{_id: null, w: {{$push: '$w'}}}}}}]}}"
        ),
        &format!("{{'cursor.firstBatch.0.w': {expected}}}"),
    );
}

/// The values of a function over `{_id: 1, v: 1}, {_id: 2, v: 2} …`, sorted by `_id`.
fn values(inputs: &str, function: &str, expected: &str) {
    let lab = Lab::new();
    lab.check(
        &format!(
            "{{aggregate: 1, cursor: {{}}, pipeline: [{{$documents: {{$map: \
              {{input: {{$range: [0, {{$size: [[{inputs}]]}}]}}, \
                in: {{at: '$$this', v: {{$arrayElemAt: [[{inputs}], '$$this']}}}}}}}}}}, \
              {{$setWindowFields: {{sortBy: {{at: 1}}, output: {{w: {function}}}}}}}, \
              {{$group: {{_id: null, w: {{$push: {{$ifNull: ['$w', 'none']}}}}}}}}]}}"
        ),
        &format!("{{'cursor.firstBatch.0.w': {expected}}}"),
    );
    drop(lab);
}

#[test]
fn sums_of_a_partition_run_up_to_the_document() {
    let lab = lab();
    check(
        &lab,
        "partitionBy: '$state', sortBy: {on: 1}, \
         output: {w: {$sum: '$n', window: {documents: ['unbounded', 'current']}}}",
        "[[4, 162], [0, 282], [2, 427], [1, 140], [3, 244], [5, 378]]",
    );
    check(
        &lab,
        "partitionBy: {$year: '$on'}, sortBy: {on: 1}, output: {w: {$avg: '$n'}}",
        "[[1, 151], [4, 151], [3, 112], [0, 112], [2, 139.5], [5, 139.5]]",
    );
    check(
        &lab,
        "sortBy: {_id: 1}, output: {w: {$max: '$n', window: {documents: [-1, 0]}}}",
        "[[0, 120], [1, 140], [2, 145], [3, 145], [4, 162], [5, 162]]",
    );
    check(
        &lab,
        "sortBy: {_id: -1}, output: {w: {$push: '$_id', window: {documents: ['current', 1]}}}",
        "[[5, [5, 4]], [4, [4, 3]], [3, [3, 2]], [2, [2, 1]], [1, [1, 0]], [0, [0]]]",
    );
    check(&lab, "output: {w: {$count: {}}}", "[[0, 6], [1, 6], [2, 6], [3, 6], [4, 6], [5, 6]]");
}

#[test]
fn a_range_is_one_of_values_and_not_of_positions() {
    let lab = lab();
    check(
        &lab,
        "sortBy: {n: 1}, output: {w: {$push: '$n', window: {range: [-10, 10]}}}",
        "[[3, [104]], [0, [120]], [5, [134, 140]], [1, [134, 140, 145]], [2, [140, 145]], \
          [4, [162]]]",
    );
    check(
        &lab,
        "partitionBy: '$state', sortBy: {on: 1}, \
         output: {w: {$push: '$_id', window: {range: ['unbounded', -10], unit: 'month'}}}",
        "[[4, []], [0, [4]], [2, [4]], [1, []], [3, [1]], [5, [1, 3]]]",
    );
    lab.ok("{insert: 'c', documents: [{_id: 6, n: 140}]}");
    check(
        &lab,
        "sortBy: {n: 1}, output: {w: {$count: {}, window: {range: ['current', 'current']}}}",
        "[[3, 1], [0, 1], [5, 1], [1, 2], [6, 2], [2, 1], [4, 1]]",
    );
    lab.ok("{insert: 'c', documents: [{_id: 7, n: 'x'}]}");
    let range = "{aggregate: 'c', cursor: {}, pipeline: [{$setWindowFields: {sortBy: {n: 1}, \
                  output: {w: {$count: {}, window: {range: [0, 1]}}}}}]}";
    lab.check(range, "{code: 5429413}");
    lab.check(&range.replace("[0, 1]", "[0, 1], unit: 'day'"), "{code: 5429513}");
}

#[test]
fn ranks_count_ties_once_or_with_gaps() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, n: 5}, {_id: 2, n: 7}, {_id: 3, n: 5}, \
         {_id: 4, n: 9}]}");
    let rank = |function: &str, expected: &str| {
        check(&lab, &format!("sortBy: {{n: 1}}, output: {{w: {{{function}: {{}}}}}}"), expected);
    };
    rank("$documentNumber", "[[1, 1], [3, 2], [2, 3], [4, 4]]");
    rank("$rank", "[[1, 1], [3, 1], [2, 3], [4, 4]]");
    rank("$denseRank", "[[1, 1], [3, 1], [2, 2], [4, 3]]");
    lab.check(
        "{aggregate: 'c', cursor: {}, pipeline: [{$setWindowFields: {sortBy: {n: 1}, \
          output: {w: {$rank: {}}}}}, {$limit: 1}, {$project: {_id: 0, t: {$type: '$w'}}}]}",
        "{'cursor.firstBatch': [{t: 'long'}]}",
    );
}

#[test]
fn functions_of_the_order() {
    values("10, 20, 30", "{$shift: {output: '$v', by: 1}}", "[20, 30, 'none']");
    values("10, 20, 30", "{$shift: {output: '$v', by: -1, default: 0}}", "[0, 10, 20]");
    values("10, 20, 30", "{$first: '$v'}", "[10, 10, 10]");
    values("10, 20, 30", "{$last: '$v', window: {documents: [-1, -1]}}", "['none', 10, 20]");
    values("1, 2, 3", "{$expMovingAvg: {input: '$v', N: 3}}", "[1, 1.5, 2.25]");
    values("1, null, 3", "{$expMovingAvg: {input: '$v', alpha: 0.75}}", "[1, 1, 2.5]");
    values("null, 5, null, null, 6", "{$locf: '$v'}", "['none', 5, 5, 5, 6]");
    values("null, 5, null, null, 11, null", "{$linearFill: '$v'}", "['none', 5, 7, 9, 11, 'none']");
}

#[test]
fn functions_of_slopes_and_areas() {
    let pair = "window: {documents: [-1, 0]}";
    values("1, 3, 9", &format!("{{$derivative: {{input: '$v'}}, {pair}}}"), "['none', 2, 6]");
    let up_to = "window: {documents: ['unbounded', 'current']}";
    values("1, 3, 9", &format!("{{$integral: {{input: '$v'}}, {up_to}}}"), "[0, 2, 8]");
    values("1, 3, 'x', 5", &format!("{{$integral: {{input: '$v'}}, {up_to}}}"), "[0, 2, 2, 10]");
    values(
        "1, 3, 8",
        &format!("{{$covariancePop: ['$at', '$v'], {up_to}}}"),
        "[0, 0.5, 2.3333333333333335]",
    );
    values("1, 3, 8", &format!("{{$covarianceSamp: ['$at', '$v'], {up_to}}}"), "['none', 1, 3.5]");
    values("1, 3, 9", "{$minMaxScaler: {input: '$v'}}", "[0, 0.25, 1]");
    values("1, 3, 9", "{$minMaxScaler: {input: '$v', min: 10, max: 18}}", "[10, 12, 18]");
    values("4, 4", "{$minMaxScaler: {input: '$v'}}", "[0, 0]");
    let lab = Lab::new();
    lab.ok(
        "{insert: 'c', documents: [{_id: 1, t: Date(0), km: 0}, {_id: 2, t: Date(1800000), km: 30}, \
         {_id: 3, t: Date(3600000), km: 90}]}",
    );
    check(
        &lab,
        "sortBy: {t: 1}, output: {w: {$derivative: {input: '$km', unit: 'hour'}, \
         window: {range: [-30, 0], unit: 'minute'}}}",
        "[[1, null], [2, 60], [3, 120]]",
    );
    let bare = "{aggregate: 'c', cursor: {}, pipeline: [{$setWindowFields: {sortBy: {t: 1}, output: \
                 {w: {$derivative: {input: '$km'}, window: {documents: [-1, 0]}}}}}]}";
    lab.check(bare, "{code: 5624901}");
    lab.check(
        &bare.replace("{t: 1}", "{_id: 1}").replace("'$km'", "'$km', unit: 'day'"),
        "{code: 5624900}",
    );
}

#[test]
fn every_accumulator_of_a_window() {
    let two = "window: {documents: [-1, 0]}";
    for (function, expected) in [
        ("$sum: '$v'", "[1, 3, 5]"),
        ("$avg: '$v'", "[1, 1.5, 2.5]"),
        ("$min: '$v'", "[1, 1, 2]"),
        ("$push: '$v'", "[[1], [1, 2], [2, 3]]"),
        ("$addToSet: '$v'", "[[1], [1, 2], [2, 3]]"),
        ("$stdDevPop: '$v'", "[0, 0.5, 0.5]"),
        ("$stdDevSamp: '$v'", "['none', 0.7071067811865476, 0.7071067811865476]"),
        ("$firstN: {n: 1, input: '$v'}", "[[1], [1], [2]]"),
        ("$lastN: {n: 1, input: '$v'}", "[[1], [2], [3]]"),
        ("$minN: {n: 1, input: '$v'}", "[[1], [1], [2]]"),
        ("$maxN: {n: 2, input: '$v'}", "[[1], [2, 1], [3, 2]]"),
        ("$top: {sortBy: {v: -1}, output: '$v'}", "[1, 2, 3]"),
        ("$bottom: {sortBy: {v: -1}, output: '$v'}", "[1, 1, 2]"),
        ("$topN: {n: 1, sortBy: {v: -1}, output: '$v'}", "[[1], [2], [3]]"),
        ("$bottomN: {n: 1, sortBy: {v: 1}, output: '$v'}", "[[1], [2], [3]]"),
        ("$median: {input: '$v', method: 'approximate'}", "[1, 1, 2]"),
        ("$percentile: {input: '$v', p: [1], method: 'approximate'}", "[[1], [2], [3]]"),
        ("$concatArrays: ['$v']", "[[1], [1, 2], [2, 3]]"),
        ("$setUnion: ['$v']", "[[1], [1, 2], [2, 3]]"),
    ] {
        values("1, 2, 3", &format!("{{{function}, {two}}}"), expected);
    }
}

#[test]
fn output_fields_are_set_as_added_ones() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, a: [{b: 1}, {}], x: 2}]}");
    let one = |output: &str, expected: &str| {
        lab.check(
            &format!(
                "{{aggregate: 'c', cursor: {{}}, pipeline: [{{$setWindowFields: \
                 {{output: {{{output}}}}}}}]}}"
            ),
            &format!("{{'cursor.firstBatch': [{expected}]}}"),
        );
    };
    one("", "{_id: 1, a: [{b: 1}, {}], x: 2}");
    one("x: {$count: {}}", "{_id: 1, a: [{b: 1}, {}], x: 1}");
    one("'a.b': {$sum: '$x'}", "{_id: 1, a: [{b: 2}, {b: 2}], x: 2}");
    one("y: {$first: '$none'}, 'z.w': {$max: '$x'}", "{_id: 1, a: [{b: 1}, {}], x: 2, z: {w: 2}}");
}

#[test]
fn partitions_are_those_of_equal_values() {
    let lab = Lab::new();
    lab.ok(
        "{insert: 'c', documents: [{_id: 1, p: 1}, {_id: 2}, {_id: 3, p: 1.0}, {_id: 4, p: null}, \
         {_id: 5, p: 'A'}, {_id: 6, p: 'a'}]}",
    );
    let of = "partitionBy: '$p', output: {w: {$push: '$_id'}}";
    check(&lab, of, "[[2, [2, 4]], [4, [2, 4]], [1, [1, 3]], [3, [1, 3]], [5, [5]], [6, [6]]]");
    let loose = "collation: {locale: 'en', strength: 2}";
    lab.check(
        &format!(
            "{{aggregate: 'c', cursor: {{}}, {loose}, pipeline: [{{$setWindowFields: {{{of}}}}}, \
             {{$match: {{_id: 6}}}}]}}"
        ),
        "{'cursor.firstBatch.0.w': [5, 6]}",
    );
    lab.ok("{insert: 'c', documents: [{_id: 7, p: []}]}");
    lab.check(
        &format!("{{aggregate: 'c', cursor: {{}}, pipeline: [{{$setWindowFields: {{{of}}}}}]}}"),
        "{code: 14}",
    );
}

#[test]
fn refusals() {
    let stage = |spec: &str, code: i32| refused(&format!("[{{$setWindowFields: {spec}}}]"), code);
    stage("1", 9);
    stage("{}", 40414);
    stage("{output: 1}", 14);
    stage("{output: {}, sortBy: 1}", 14);
    stage("{output: {}, other: 1}", 40415);
    stage("{output: {}, partitionBy: [1]}", 14);
    stage("{output: {a: {$sum: 1}, 'a.b': {$sum: 1}}}", 6_307_900);
    stage("{output: {'a.$b': {$sum: 1}}}", 16410);
    let function = |function: &str, code: i32| {
        stage(&format!("{{sortBy: {{a: 1}}, output: {{w: {function}}}}}"), code);
    };
    for spec in [
        "1",
        "{}",
        "{sum: 1}",
        "{$summ: 1}",
        "{$sum: 1, other: 1}",
        "{$sum: 1, $avg: 1}",
        "{$mergeObjects: '$a'}",
        "{$count: 1}",
        "{$locf: '$a', window: {}}",
        "{$shift: {output: '$a'}}",
        "{$shift: {output: '$a', by: 1.5}}",
        "{$shift: {output: '$a', by: 1, default: '$b'}}",
        "{$derivative: {input: '$a'}}",
        "{$derivative: {unit: 'day'}, window: {documents: [-1, 0]}}",
        "{$expMovingAvg: {input: '$a'}}",
        "{$expMovingAvg: {input: '$a', N: 0}}",
        "{$expMovingAvg: {input: '$a', alpha: 1}}",
        "{$covariancePop: '$a'}",
        "{$minMaxScaler: {input: '$a', min: 1}}",
        "{$minMaxScaler: {input: '$a', min: 1, max: 1}}",
        "{$minMaxScaler: {input: '$a'}, window: {documents: [1, 2]}}",
        "{$sum: 1, window: 1}",
        "{$sum: 1, window: {documents: [0]}}",
        "{$sum: 1, window: {documents: ['here', 0]}}",
        "{$sum: 1, window: {documents: [0, '$a']}}",
        "{$sum: 1, window: {documents: [0, 1.5]}}",
        "{$sum: 1, window: {documents: [0, 1], range: [0, 1]}}",
        "{$sum: 1, window: {documents: [0, 1], unit: 'day'}}",
        "{$sum: 1, window: {range: [0, 'x']}}",
        "{$sum: 1, window: {range: [0, 1.5], unit: 'day'}}",
        "{$sum: 1, window: {range: [0, 1], unit: 'era'}}",
        "{$sum: 1, window: {other: 1}}",
    ] {
        function(spec, 9);
    }
    function("{$sum: 1, window: {documents: [1, 0]}}", 5_339_900);
    function("{$sum: 1, window: {range: ['current', -1]}}", 5_339_900);
    function(
        "{$derivative: {input: '$a', unit: 'month'}, window: {documents: [-1, 0]}}",
        5_490_710,
    );
    function("{$rank: 1}", 5_371_603);
    function("{$rank: {}, window: {}}", 5_371_601);
    let unsorted =
        |function: &str, code: i32| stage(&format!("{{output: {{w: {function}}}}}"), code);
    unsorted("{$sum: 1, window: {documents: [-1, 0]}}", 5_339_901);
    unsorted("{$sum: 1, window: {range: [-1, 0]}}", 5_339_902);
    unsorted("{$rank: {}}", 5_371_602);
    unsorted("{$linearFill: '$a'}", 605_001);
    unsorted("{$shift: {output: '$a', by: 1}}", 9);
    unsorted("{$integral: {input: '$a'}}", 9);
    stage("{sortBy: {a: -1}, output: {w: {$sum: 1, window: {range: [-1, 0]}}}}", 8_947_401);
    stage("{sortBy: {a: 1, b: 1}, output: {w: {$denseRank: {}}}}", 5_371_602);
}

#[test]
fn a_stage_holds_no_more_than_it_may_and_ends_at_the_time_limit() {
    let lab = Lab::new();
    for first in (0..20_000).step_by(10_000) {
        let documents: Vec<_> =
            (first..first + 10_000).map(|n| bson::doc! { "_id": n, "n": 1 }).collect();
        lab.run_document(&bson::doc! { "insert": "c", "documents": documents });
    }
    let stage = |function: &str, rest: &str| {
        format!(
            "{{aggregate: 'c', cursor: {{}}, pipeline: [{{$setWindowFields: {{sortBy: {{_id: 1}}, \
             output: {{w: {function}}}}}}}, {{$group: {{_id: null, n: {{$sum: '$w'}}}}}}]{rest}}}"
        )
    };
    let slow =
        stage("{$sum: '$n', window: {documents: ['current', 'unbounded']}}", ", maxTimeMS: 50");
    lab.check(&slow, "{code: 50}");
    let long = "x".repeat(1 << 20);
    for n in 0..110 {
        lab.run_document(&bson::doc! { "insert": "d", "documents": [{ "_id": n, "t": &long }] });
    }
    let large = stage("{$count: {}}", "").replace("aggregate: 'c'", "aggregate: 'd'");
    lab.check(&large, "{code: 292}");
}
