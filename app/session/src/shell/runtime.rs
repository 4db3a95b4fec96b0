//! The JavaScript runtime with its bounds, and what a console does with one input.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rquickjs::context::EvalOptions;
use rquickjs::{CatchResultExt as _, Context, Ctx, Function, Object, Persistent, Runtime, Value};

use super::extension::Extension;
use super::failure::{Thrown, halted, thrown};
use super::host::Host;
use super::input::{Statement, scripts, statements};
use super::promises::{forget_rejection, take_rejections, track_rejection};
use crate::job::Cancel;
use crate::limits::{
    CONSOLE_MEMORY_MAX, CONSOLE_MEMORY_RESERVE, CONSOLE_OUTPUT_MAX, CONSOLE_PROMISES_END_MAX,
    CONSOLE_STACK_MAX,
};
use crate::source::Source;

/// mongosh in JavaScript, in the order in which the files are evaluated.
const PRELUDE: &[(&str, &str)] = &[
    ("waits.js", include_str!("js/waits.js")),
    ("bounds.js", include_str!("js/bounds.js")),
    ("types.js", include_str!("js/types.js")),
    ("classes.js", include_str!("js/classes.js")),
    ("long.js", include_str!("js/long.js")),
    ("binary.js", include_str!("js/binary.js")),
    ("dates.js", include_str!("js/dates.js")),
    ("inspect.js", include_str!("js/inspect.js")),
    ("ejson.js", include_str!("js/ejson.js")),
    ("errors.js", include_str!("js/errors.js")),
    ("output.js", include_str!("js/output.js")),
    ("cursor.js", include_str!("js/cursor.js")),
    ("collection.js", include_str!("js/collection.js")),
    ("bulk.js", include_str!("js/bulk.js")),
    ("admin.js", include_str!("js/admin.js")),
    ("explain.js", include_str!("js/explain.js")),
    ("database.js", include_str!("js/database.js")),
    ("help.js", include_str!("js/help.js")),
    ("help_topics.js", include_str!("js/help_topics.js")),
    ("commands.js", include_str!("js/commands.js")),
    ("deployment.js", include_str!("js/deployment.js")),
    ("mayfly.js", include_str!("js/mayfly.js")),
    ("complete.js", include_str!("js/complete.js")),
];

/// The bounds of one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShellLimits {
    /// Bytes that JavaScript may hold.
    pub memory: usize,
    pub stack: usize,
    /// How long one input may run. `None` for no limit but cancellation.
    pub time: Option<Duration>,
    /// Bytes that one input may print.
    pub output: usize,
}

impl Default for ShellLimits {
    fn default() -> Self {
        Self {
            memory: CONSOLE_MEMORY_MAX,
            stack: CONSOLE_STACK_MAX,
            time: None,
            output: CONSOLE_OUTPUT_MAX,
        }
    }
}

/// One thing that an input made visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// A line of `print` and its like.
    Printed(String),
    Value {
        /// As mongosh prints it.
        text: String,
        /// As relaxed Extended JSON on one line.
        json: String,
    },
    /// Why a statement failed, as mongosh prints it.
    Failed(String),
}

/// The runtime could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("The console could not start: {0}.")]
pub struct ShellError(String);

impl From<rquickjs::Error> for ShellError {
    fn from(error: rquickjs::Error) -> Self {
        Self(error.to_string())
    }
}

/// A console with its variables, its database and its open cursor.
pub struct Shell {
    context: Context,
    runtime: Runtime,
    host: Rc<Host>,
    limits: ShellLimits,
    /// The last input used up the memory.
    is_full: bool,
}

impl Shell {
    /// Gives the next inputs this time. Returns the time that they had.
    #[cfg(test)]
    pub(super) fn set_time(&mut self, time: Option<Duration>) -> Option<Duration> {
        std::mem::replace(&mut self.limits.time, time)
    }

    /// A console on a store, using the database `test`. Its thread needs a stack of
    /// [`CONSOLE_THREAD_STACK`](crate::limits::CONSOLE_THREAD_STACK).
    ///
    /// # Errors
    /// The runtime could not be made.
    pub fn new(source: Arc<dyn Source>, limits: ShellLimits) -> Result<Self, ShellError> {
        Self::open(source, None, limits)
    }

    /// The same with more than mongosh.
    ///
    /// # Errors
    /// As [`Shell::new`].
    pub fn extended(
        source: Arc<dyn Source>,
        extension: Rc<dyn Extension>,
        limits: ShellLimits,
    ) -> Result<Self, ShellError> {
        Self::open(source, Some(extension), limits)
    }

    fn open(
        source: Arc<dyn Source>,
        extension: Option<Rc<dyn Extension>>,
        limits: ShellLimits,
    ) -> Result<Self, ShellError> {
        let host = Rc::new(Host::new(source, extension));
        let (runtime, context) = start(&host, &limits)?;
        Ok(Self { context, runtime, host, limits, is_full: false })
    }

    /// Hands over each printed line at once. Without it, lines come after their statement.
    pub fn print_to(&self, sink: impl FnMut(String) + 'static) {
        self.host.print_to(Box::new(sink));
    }

    /// The name of the database in use.
    pub fn database(&self) -> String {
        self.call("database", "").unwrap_or_default()
    }

    /// Runs what was typed or pasted, statement by statement. Ends with the first that fails, or
    /// once `cancel` is set. Returns whether all of it ran.
    pub fn run_input(&mut self, text: &str, cancel: &Cancel, out: &mut dyn FnMut(Output)) -> bool {
        self.run(&statements(text), None, Values::Each, cancel, out)
    }

    /// Runs a file as mongosh does: as one script, whose values are not printed.
    pub fn run_file(
        &mut self,
        name: &str,
        text: &str,
        cancel: &Cancel,
        out: &mut dyn FnMut(Output),
    ) -> bool {
        self.run(&scripts(text), Some(name), Values::None, cancel, out)
    }

    /// Runs a text as one script, as `mongosh --eval` does, and prints its last value if it `shows`.
    pub fn run_eval(
        &mut self,
        text: &str,
        shows: bool,
        cancel: &Cancel,
        out: &mut dyn FnMut(Output),
    ) -> bool {
        let values = if shows { Values::Last } else { Values::None };
        self.run(&scripts(text), None, values, cancel, out)
    }

    fn run(
        &mut self,
        steps: &[Statement],
        file: Option<&str>,
        values: Values,
        cancel: &Cancel,
        out: &mut dyn FnMut(Output),
    ) -> bool {
        self.begin(cancel);
        let mut holds = true;
        for (index, step) in steps.iter().enumerate() {
            let shows = match values {
                Values::Each => true,
                Values::Last => index + 1 == steps.len(),
                Values::None => false,
            };
            let result = self.step(step, file, shows);
            // Before the statement's value or error, so that the lines are in the order in which
            // they happened.
            self.host.take_printed().into_iter().map(Output::Printed).for_each(&mut *out);
            match result {
                Ok(value) => value.into_iter().for_each(&mut *out),
                Err(messages) => {
                    messages.into_iter().map(Output::Failed).for_each(&mut *out);
                    holds = false;
                    break;
                }
            }
        }
        self.host.end();
        holds
    }

    /// Runs Rust with access to its variables.
    #[cfg(test)]
    pub(super) fn with<R>(&self, run: impl FnOnce(&Ctx<'_>) -> R) -> R {
        self.context.with(|ctx| run(&ctx))
    }

    fn begin(&mut self, cancel: &Cancel) {
        let mut memory = self.limits.memory;
        if self.is_full {
            // Values that the user kept may fill the memory. Without a reserve, nothing could be
            // set to null.
            self.runtime.run_gc();
            let held = usize::try_from(self.runtime.memory_usage().malloc_size).unwrap_or_default();
            let needed = held.saturating_add(CONSOLE_MEMORY_RESERVE);
            self.is_full = needed > memory;
            memory = memory.max(needed);
        }
        self.runtime.set_memory_limit(memory);
        let cancel = self.limits.time.map_or_else(|| cancel.clone(), |time| cancel.within(time));
        self.host.begin(cancel, self.limits.output);
    }

    /// Runs one step. Errors: why it failed, and which promises were rejected.
    fn step(
        &mut self,
        step: &Statement,
        file: Option<&str>,
        shows: bool,
    ) -> Result<Option<Output>, Vec<String>> {
        let result = self.context.with(|ctx| {
            let value = match step {
                Statement::Script(text) => self.script(&ctx, file.unwrap_or(CONSOLE), text),
                Statement::Command(words) => {
                    internal(&ctx, "command").and_then(|run| run.call((words.clone(),)))
                }
            };
            let shown = value.and_then(|value| if shows { show(&ctx, value) } else { Ok(None) });
            shown.map_err(|error| match error {
                rquickjs::Error::Exception => Ok(Persistent::save(&ctx, ctx.catch())),
                other => Err(other.to_string()),
            })
        });
        if let Ok(Some(Output::Value { text, json })) = &result {
            self.host.reserve(text.len() + json.len());
        }
        if let Some(halt) = self.host.halted() {
            let restarted = self.drop_promises();
            return Err([Some(halted(halt, &self.limits)), restarted]
                .into_iter()
                .flatten()
                .collect());
        }
        // To say that the memory is used up takes memory.
        self.runtime.set_memory_limit(self.limits.memory + 2 * CONSOLE_MEMORY_RESERVE);
        let mut messages = match &result {
            Err(Err(sentence)) => vec![sentence.clone()],
            Err(Ok(value)) => vec![self.thrown(value.clone(), step, file)],
            Ok(_) => Vec::new(),
        };
        messages.extend(self.context.with(|ctx| self.rejected(&ctx, file)));
        if messages.is_empty() { Ok(result.unwrap_or_default()) } else { Err(messages) }
    }

    /// Evaluates a script and waits for the promises that it leaves.
    fn script<'js>(&self, ctx: &Ctx<'js>, name: &str, text: &str) -> rquickjs::Result<Value<'js>> {
        // Slower, and `await` is rare.
        let is_async = text.contains("await");
        let value = evaluate(ctx, name, text, is_async);
        // QuickJS runs no pending job by itself.
        while self.host.halt().is_none() && ctx.execute_pending_job() {}
        let value = settled(ctx, value?)?;
        if !is_async {
            return Ok(value);
        }
        let value = value.as_object().map_or(Ok(value.clone()), |result| result.get("value"))?;
        settled(ctx, value)
    }

    /// Ends the promises of an input that was stopped, so that they don't stop the next one too. If
    /// that isn't enough, the console starts again, and says so.
    fn drop_promises(&mut self) -> Option<String> {
        let late = Cancel::default().within(CONSOLE_PROMISES_END_MAX);
        let has_more = self.context.with(|ctx| {
            // Each interrupt ends one promise.
            while !late.is_late() && ctx.execute_pending_job() {}
            drop(take_rejections(&ctx));
            late.is_late()
        });
        if !has_more {
            return None;
        }
        self.host.begin(Cancel::default(), 0);
        let restarted = start(&self.host, &self.limits);
        let sentence = match restarted {
            Ok((runtime, context)) => {
                self.context = context;
                self.runtime = runtime;
                "The console started again without its variables: its promises did not end."
                    .to_owned()
            }
            Err(error) => error.to_string(),
        };
        Some(sentence)
    }

    fn thrown(
        &mut self,
        value: Persistent<Value<'static>>,
        step: &Statement,
        file: Option<&str>,
    ) -> String {
        let thrown: Thrown = self.context.with(|ctx| {
            let value = value.restore(&ctx).unwrap_or_else(|_| Value::new_null(ctx.clone()));
            thrown(&ctx, &value, step.text(), file, &self.limits)
        });
        self.is_full |= thrown.is_out_of_memory;
        thrown.message
    }

    /// The messages of rejected promises that nothing handled.
    fn rejected(&self, ctx: &Ctx<'_>, file: Option<&str>) -> Vec<String> {
        let reasons = take_rejections(ctx).unwrap_or_default();
        reasons.iter().map(|reason| thrown(ctx, reason, "", file, &self.limits).message).collect()
    }

    /// The length of the word before the cursor, then what it may become.
    pub(super) fn completions(&self, before: &str, cancel: Cancel) -> Vec<String> {
        self.host.begin(cancel, 0);
        let found = self.context.with(|ctx| {
            let found = internal(&ctx, "complete").and_then(|complete| complete.call((before,)));
            found.inspect_err(|_| drop(ctx.catch())).unwrap_or_default()
        });
        self.host.end();
        found
    }

    fn call(&self, function: &str, argument: &str) -> Option<String> {
        self.context.with(|ctx| internal(&ctx, function).ok()?.call((argument,)).ok())
    }
}

/// A runtime with mongosh in it.
fn start(host: &Rc<Host>, limits: &ShellLimits) -> Result<(Runtime, Context), ShellError> {
    let runtime = Runtime::new()?;
    runtime.set_memory_limit(limits.memory);
    runtime.set_max_stack_size(limits.stack);
    let context = Context::full(&runtime)?;
    let halting = Rc::clone(host);
    runtime.set_interrupt_handler(Some(Box::new(move || halting.halt().is_some())));
    context.with(|ctx| {
        host.install(&ctx)?;
        for &(name, text) in PRELUDE.iter().chain(host.prelude()) {
            evaluate(&ctx, name, text, false)
                .catch(&ctx)
                .map_err(|error| ShellError(format!("{name}: {error}")))?;
        }
        Ok::<(), ShellError>(())
    })?;
    runtime.set_host_promise_rejection_tracker(Some(Box::new(track_rejection)));
    Ok((runtime, context))
}

/// The name of a script that isn't a file.
const CONSOLE: &str = "console";

/// Whose values are shown.
#[derive(Clone, Copy)]
enum Values {
    Each,
    Last,
    None,
}

/// Evaluates a script in the global scope, where its variables stay. An asynchronous one gives a
/// promise of an object with its `value`.
fn evaluate<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    text: &str,
    is_async: bool,
) -> rquickjs::Result<Value<'js>> {
    let mut options = EvalOptions::default();
    // mongosh runs scripts in sloppy mode, where assigning to an undeclared name makes a global.
    options.strict = false;
    options.promise = is_async;
    options.filename = Some(name.to_owned());
    ctx.eval_with_options(text, options)
}

/// The result of a promise, or the value itself if it is none or has no result yet.
fn settled<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Value<'js>> {
    let Some(promise) = value.as_promise() else { return Ok(value) };
    let result = promise.result::<Value<'js>>();
    if let Some(Err(_)) = &result {
        // It is reported here, so it isn't unhandled.
        let thrown = ctx.catch();
        forget_rejection(ctx, &value)?;
        return Err(ctx.throw(thrown));
    }
    result.unwrap_or(Ok(value))
}

/// A function of the prelude that only the host calls.
pub(super) fn internal<'js>(ctx: &Ctx<'js>, name: &str) -> rquickjs::Result<Function<'js>> {
    ctx.globals().get::<_, Object<'js>>("__shell")?.get(name)
}

/// A statement's value as mongosh prints it.
fn show<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Option<Output>> {
    let parts: Option<Vec<String>> = internal(ctx, "show")?.call((value,))?;
    Ok(parts.map(|mut parts| {
        let json = parts.pop().unwrap_or_default();
        Output::Value { text: parts.pop().unwrap_or_default(), json }
    }))
}
