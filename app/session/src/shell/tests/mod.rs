//! The console on an embedded store.

mod bounds;
mod complete;
mod mayfly;
mod traffic;
mod transcripts;
mod values;

use std::sync::Arc;

use super::{Output, Shell, ShellLimits};
use crate::job::{Cancel, OpenRequest};
use crate::source::embedded;

/// Bounds that no test reaches by accident.
const LIMITS: ShellLimits =
    ShellLimits { memory: 64 << 20, stack: 512 << 10, time: None, output: 1 << 20 };

/// A console on an empty store in a temporary folder, with a simulated clock at 2026-01-01T00:00Z.
fn shell() -> Shell {
    let request = OpenRequest {
        sandbox: Some(crate::job::Sandbox::Empty),
        simulated_start_ms: Some(1_767_225_600_000),
        ..OpenRequest::default()
    };
    let opened = embedded::opener()(&request).expect("a sandbox opens");
    Shell::new(Arc::clone(&opened.source), LIMITS).expect("a shell starts")
}

/// The output of an input, a line each.
fn run(shell: &mut Shell, text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    shell.run_input(text, &Cancel::default(), &mut |output| {
        lines.push(match output {
            Output::Printed(line) | Output::Failed(line) => line,
            Output::Value { text, .. } => text,
        });
    });
    lines
}

/// Runs the lines after `> ` and compares what each prints with the lines that follow it.
fn transcript(text: &str) {
    let mut shell = shell();
    let mut different = Vec::new();
    for part in text.strip_prefix("> ").expect("the first line is an input").split("\n> ") {
        let (input, expected) = part.split_once('\n').unwrap_or((part, ""));
        let printed = masked(&run(&mut shell, input).join("\n"));
        if printed.trim_end() != expected.trim_end() {
            different.push(format!("> {input}\nexpected:\n{expected}\nprinted:\n{printed}\n"));
        }
    }
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}

/// A text without the digits of its ids, which differ from run to run.
fn masked(text: &str) -> String {
    let mut parts = text.split("ObjectId('");
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, after) = part.split_once('\'').expect("an id ends with a quote");
        masked.push_str("ObjectId('…'");
        masked.push_str(after);
    }
    masked
}

#[test]
fn help_names_methods_that_exist() {
    let classes = [
        ("Database", "db"),
        ("Collection", "db.c"),
        ("Cursor", "db.c.find()"),
        ("AggregationCursor", "db.c.aggregate()"),
        ("Explainable", "db.c.explain()"),
        ("Bulk", "db.c.initializeOrderedBulkOp()"),
        ("Mongo", "db.getMongo()"),
    ];
    let mut shell = shell();
    for (class, object) in classes {
        let missing = format!(
            "__shell.help('{class}').text.split('\\n').slice(3).map(line => line.trim().split(' ')[0]) \
             .filter(name => name !== '' && !(name in {object})).join()"
        );
        assert_eq!(run(&mut shell, &missing).concat(), "", "{class}");
        let shown = run(&mut shell, &format!("{object}.help()")).concat();
        assert!(shown.lines().count() > 5, "{class}: {shown}");
    }
}

#[test]
fn a_command_reaches_the_store() {
    let mut shell = shell();
    assert_eq!(run(&mut shell, "print(db.runCommand({ping: 1}).ok)"), ["1"]);
    assert_eq!(run(&mut shell, "use demo"), ["switched to db demo"]);
    assert_eq!(shell.database(), "demo");
}
