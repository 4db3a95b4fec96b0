//! The language: paths, variables, objects, conditions, forms that bind variables.

use super::testing::{check, check_error};

#[test]
fn paths_read_fields_and_map_over_arrays() {
    check("'$a'", "{a: 1}", "1");
    check("'$a.b'", "{a: {b: 2}}", "2");
    check("'$a.b'", "{a: 1}", "missing");
    check("'$a.b'", "{a: [{b: 1}, {c: 1}, 5, {b: 2}]}", "[1, 2]");
    check("'$a.b'", "{a: [[{b: 1}]]}", "[]");
    check("'$a.0'", "{a: [1, 2]}", "[]");
    check("'$a.0'", "{a: {'0': 7}}", "7");
    check("'$$ROOT.a'", "{a: 3}", "3");
    check("'$$CURRENT.a'", "{a: 3}", "3");
    check("'$$REMOVE'", "{}", "missing");
    check_error("'$'", "{}", "'$' by itself is not a valid FieldPath");
    check_error("'$a.'", "{}", "FieldPath must not end with a '.'.");
    check_error("'$a.$b'", "{}", "FieldPath field names may not start with '$'");
    check_error("'$$x'", "{}", "Use of undefined variable: x");
    check_error("'$$CLUSTER_TIME'", "{}", "'$$CLUSTER_TIME' is not available");
}

#[test]
fn objects_and_arrays_are_built() {
    check("{a: '$x', b: '$none'}", "{x: 1}", "{a: 1}");
    check("['$x', '$none', 3]", "{x: 1}", "[1, null, 3]");
    check("{$literal: {$add: 1}}", "{}", "{'$add': 1}");
    check_error("{a: 1, $add: [1]}", "{}", "FieldPath field names may not start with '$'");
    check_error("{$eq: [1, 1], a: 1}", "{}", "must contain exactly one field");
    check_error("{$foo: 1}", "{}", "Unrecognized expression '$foo'");
}

#[test]
fn values_are_compared_across_types() {
    check("{$cmp: [1, 2]}", "{}", "-1");
    check("{$eq: ['$a', 1.0]}", "{a: 1}", "true");
    check("{$lt: ['$none', null]}", "{}", "true");
    check("{$gt: ['x', 5]}", "{}", "true");
    check_error("{$eq: [1]}", "{}", "Expression $eq takes exactly 2 arguments. 1 were passed in.");
}

#[test]
fn conditions_take_one_branch() {
    check("{$and: []}", "{}", "true");
    check("{$or: [0, null, 'x']}", "{}", "true");
    check("{$not: ['$a']}", "{a: 0}", "true");
    check("{$cond: ['$a', 1, 2]}", "{a: true}", "1");
    check("{$cond: {if: '$a', then: 1, else: '$b'}}", "{b: 2}", "2");
    check("{$ifNull: ['$a', '$b', 3]}", "{a: null}", "3");
    check("{$switch: {branches: [{case: '$a', then: 1}], default: 2}}", "{}", "2");
    check_error(
        "{$switch: {branches: [{case: '$a', then: 1}]}}",
        "{}",
        "$switch could not find a matching branch",
    );
    check_error("{$cond: [1, 2]}", "{}", "takes exactly 3 arguments. 2 were passed in.");
    check_error("{$ifNull: [1]}", "{}", "$ifNull needs at least two arguments, had: 1");
}

#[test]
fn forms_bind_variables() {
    check("{$let: {vars: {x: '$a'}, in: {$eq: ['$$x', 1]}}}", "{a: 1}", "true");
    check("{$let: {vars: {CURRENT: '$a'}, in: '$b'}}", "{a: {b: 4}}", "4");
    check("{$map: {input: '$a', as: 'e', in: {$eq: ['$$e', 1]}}}", "{a: [1, 2]}", "[true, false]");
    check("{$map: {input: '$a', in: '$$this.b'}}", "{a: [{b: 1}, {}]}", "[1, null]");
    check("{$map: {input: '$none', in: 1}}", "{}", "null");
    check(
        "{$filter: {input: '$a', cond: {$gt: ['$$this', 1]}, limit: 1}}",
        "{a: [1, 2, 3]}",
        "[2]",
    );
    check(
        "{$reduce: {input: '$a', initialValue: 0, in: ['$$value', '$$this']}}",
        "{a: [1, 2]}",
        "[[0, 1], 2]",
    );
    check_error("{$map: {input: '$a', in: 1}}", "{a: 1}", "input to $map must be an array not int");
    check_error("{$let: {vars: {X: 1}, in: 1}}", "{}", "starts with an invalid character");
    check_error("{$filter: {input: [1], cond: 1, limit: 0}}", "{}", "limit must be greater than 0");
    check_error("{$map: {input: [1], as: 'e', in: '$$f'}}", "{}", "Use of undefined variable: f");
}
