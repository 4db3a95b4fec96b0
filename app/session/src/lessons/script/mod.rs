//! The JavaScript of a lesson: the console's shell with the calls that only lessons have.

mod calls;
mod shell_source;
#[cfg(test)]
mod tests;

pub use calls::{Evaluated, SharedPermit};

use std::rc::Rc;
use std::sync::{Arc, PoisonError};

use bson::{Bson, Document};

use self::calls::Calls;
use self::shell_source::ShellSource;
use super::stage::{Permit, PlayEnd, Stage};
use crate::job::lesson::{Goal, Lesson, Traffic};
use crate::job::{Cancel, ConsoleOutput};
use crate::limits::{CONSOLE_STACK_MAX, LESSON_MEMORY_MAX, LESSON_OUTPUT_MAX, LESSON_TIME_MAX};
use crate::shell::{Output, Shell, ShellLimits};

/// The bounds of each block, expression and input.
const LIMITS: ShellLimits = ShellLimits {
    memory: LESSON_MEMORY_MAX,
    stack: CONSOLE_STACK_MAX,
    time: Some(LESSON_TIME_MAX),
    output: LESSON_OUTPUT_MAX,
};

/// The runtime of a lesson on one stage.
pub struct Script {
    shell: Shell,
    calls: Rc<Calls>,
}

/// The result of a block.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ran {
    /// The printed lines, then why it failed.
    pub output: Vec<ConsoleOutput>,
    pub failure: Option<String>,
    pub code: Option<i32>,
    /// Why it ended early, against its will.
    pub end: Option<PlayEnd>,
    /// The line of its block in the file.
    pub line: Option<usize>,
    pub reply: Option<Document>,
}

impl Script {
    /// A runtime on a stage.
    pub fn open(lesson: &Lesson, stage: Rc<Stage>, permit: SharedPermit) -> Result<Self, String> {
        let source = Arc::new(ShellSource::new(&stage));
        let calls = Rc::new(Calls::new(lesson, stage, permit));
        let shell = Shell::extended(source, Rc::clone(&calls) as _, LIMITS);
        Ok(Self { shell: shell.map_err(|error| error.to_string())?, calls })
    }

    /// Runs a block or an input, statement by statement, and prints each value.
    pub fn run(&mut self, text: &str, cancel: &Cancel) -> Ran {
        self.quietly("__lesson.begin()");
        let mut ran = self.input(text, cancel);
        if ran.failure.is_some() {
            self.quietly("__lesson.code()");
            let code = self.calls.take_answer().map(|answer| answer.value);
            ran.code = code.and_then(|code| super::equality::integer(&code)?.try_into().ok());
        }
        ran
    }

    /// Runs an input of the console, whose database stays in use.
    pub fn input(&mut self, text: &str, cancel: &Cancel) -> Ran {
        self.calls.stage().begin_run(cancel);
        let mut ran = Ran::default();
        self.shell.run_input(text, cancel, &mut |output| ran.add(output));
        ran.end = self.calls.stage().pacer().end();
        ran
    }

    /// Runs a block that prints nothing.
    ///
    /// # Errors
    /// Why it failed.
    pub fn set_up(&mut self, text: &str, cancel: &Cancel) -> Result<(), String> {
        self.quietly("__lesson.begin()");
        self.script(text, cancel)
    }

    /// The value of an expression.
    pub fn evaluate(&mut self, text: &str) -> Result<Evaluated, String> {
        self.script(&format!("__lesson.answer({})", quoted(text)), &Cancel::default())?;
        self.calls.take_answer().ok_or_else(|| "It has no value".to_owned())
    }

    /// Watches a goal from now on, and puts its rules in force.
    pub fn set_goal(&mut self, goal: Option<&Goal>) {
        let when = goal.map_or_else(|| "null".to_owned(), |goal| quoted(&goal.when));
        let fails = goal.and_then(|goal| goal.fail_when.as_deref());
        let fails = fails.map_or_else(|| "null".to_owned(), quoted);
        let permit = goal.map(Permit::of).unwrap_or_default();
        let are_in_force = !permit.is_free();
        self.calls.begin_goal();
        *self.calls.permit().lock().unwrap_or_else(PoisonError::into_inner) = permit;
        self.quietly(&format!(
            "__lesson.setGoal({when}, {fails}); __lesson.setRules({are_in_force})"
        ));
    }

    /// Whether the rules of the goal bind what runs.
    pub fn set_rules(&mut self, are_in_force: bool) {
        self.quietly(&format!("__lesson.setRules({are_in_force})"));
    }

    /// Looks whether the goal is reached or lost now.
    ///
    /// # Errors
    /// Why an expression of the goal has no value.
    pub fn watch(&mut self) -> Result<(), String> {
        self.script("__lesson.watch()", &Cancel::default())
    }

    /// Whether the goal was reached, and whether it was lost.
    pub fn goal_state(&self) -> (bool, bool) {
        self.calls.goal_state()
    }

    /// The message of the first `expect` that did not hold.
    pub fn take_unexpected(&self) -> Option<String> {
        self.calls.take_unexpected()
    }

    /// Starts traffic of the file.
    ///
    /// # Errors
    /// Why it can't be started.
    pub fn start_traffic(&mut self, traffic: &Traffic) -> Result<(), String> {
        let (name, script) = (quoted(&traffic.name), quoted(&traffic.script));
        let every = traffic.every.as_millis();
        self.script(&format!("__lesson.traffic({name}, {every}, {script})"), &Cancel::default())
    }

    pub fn stop_traffic(&mut self, name: &str) {
        self.quietly(&format!("__lesson.stopTraffic({})", quoted(name)));
    }

    /// Lets time pass until an instant, in milliseconds since 1970.
    ///
    /// # Errors
    /// Why it ended before.
    pub fn play_until(&mut self, end_ms: i64, cancel: &Cancel) -> Result<(), String> {
        self.script(&format!("__lesson.play({end_ms})"), cancel)
    }

    /// The next event, and when it happens.
    pub fn next_event(&mut self) -> Option<(String, i64)> {
        self.quietly("__lesson.next()");
        let Some(Bson::Array(parts)) = self.calls.take_answer().map(|answer| answer.value) else {
            return None;
        };
        let [Bson::String(kind), at] = parts.as_slice() else { return None };
        Some((kind.clone(), super::equality::integer(at)?))
    }

    /// The database in use.
    pub fn database(&self) -> String {
        self.shell.database()
    }

    /// Runs what can't fail unless the lesson broke the runtime, which then fails elsewhere.
    fn quietly(&mut self, text: &str) {
        let _ = self.script(text, &Cancel::default());
    }

    fn script(&mut self, text: &str, cancel: &Cancel) -> Result<(), String> {
        self.calls.stage().begin_run(cancel);
        let mut failure = None;
        self.shell.run_eval(text, false, cancel, &mut |output| {
            if let Output::Failed(message) = output {
                failure.get_or_insert(message);
            }
        });
        failure.map_or(Ok(()), Err)
    }
}

impl Ran {
    fn add(&mut self, output: Output) {
        self.output.push(match output {
            Output::Printed(line) => ConsoleOutput::Printed(line),
            Output::Value { text, json } => ConsoleOutput::Value { text, json },
            Output::Failed(message) => {
                self.failure.get_or_insert_with(|| message.clone());
                ConsoleOutput::Failed(message)
            }
        });
    }
}

/// A text as a literal of JavaScript.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
