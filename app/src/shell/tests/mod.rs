//! The console on an embedded store.

mod values;

use std::sync::Arc;

mod crud;
mod cursors;

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

/// What an input prints, a line each.
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
    let mut inputs = text.split("\n> ");
    assert_eq!(inputs.next(), Some(""), "the first line is an input");
    for part in inputs {
        let (input, expected) = part.split_once('\n').unwrap_or((part, ""));
        let printed = run(&mut shell, input).join("\n");
        assert_eq!(printed.trim_end(), expected.trim_end(), "> {input}");
    }
}

#[test]
fn a_command_reaches_the_store() {
    let mut shell = shell();
    assert_eq!(run(&mut shell, "print(db.runCommand({ping: 1}).ok)"), ["1"]);
    assert_eq!(run(&mut shell, "use demo"), ["switched to db demo"]);
    assert_eq!(shell.database(), "demo");
}
