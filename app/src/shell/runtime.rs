//! The JavaScript runtime with its bounds, and what a console does with one input.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use mayfly_engine::clock::{Clock, SystemClock};
use rquickjs::context::EvalOptions;
use rquickjs::{CatchResultExt as _, CaughtError, Context, Ctx, Function, Object, Runtime, Value};

use super::host::Host;
use super::input::{Statement, statements};
use crate::job::Cancel;
use crate::source::Source;

/// mongosh in JavaScript, in the order in which the files are evaluated.
const PRELUDE: &[(&str, &str)] = &[
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
];

/// The bounds of one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShellLimits {
    /// Bytes that JavaScript may hold.
    pub memory: usize,
    /// Bytes of its stack.
    pub stack: usize,
    /// How long one input may run; `None`: until it is canceled.
    pub time: Option<Duration>,
    /// Bytes that one input may print.
    pub output: usize,
}

/// One thing that an input made visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// A line of `print` and its like.
    Printed(String),
    /// What a statement evaluated to.
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
    /// Freed before its runtime.
    context: Context,
    runtime: Runtime,
    host: Rc<Host>,
    limits: ShellLimits,
}

impl Shell {
    /// A console on a store, using the database `test`.
    ///
    /// # Errors
    /// The runtime could not be made.
    pub fn new(source: Arc<dyn Source>, limits: ShellLimits) -> Result<Self, ShellError> {
        let runtime = Runtime::new()?;
        runtime.set_memory_limit(limits.memory);
        runtime.set_max_stack_size(limits.stack);
        let context = Context::full(&runtime)?;
        let host = Rc::new(Host::new(source));
        context.with(|ctx| {
            host.install(&ctx)?;
            for &(name, text) in PRELUDE {
                evaluate::<()>(&ctx, name, text)
                    .catch(&ctx)
                    .map_err(|error| ShellError(format!("{name}: {error}")))?;
            }
            Ok::<(), ShellError>(())
        })?;
        Ok(Self { context, runtime, host, limits })
    }

    /// The name of the database in use.
    #[must_use]
    pub fn database(&self) -> String {
        self.call("database", "").unwrap_or_default()
    }

    /// Runs what was typed or pasted, statement by statement. Ends with the first that fails, or
    /// once `cancel` is set. Returns whether all of it ran.
    pub fn run_input(&mut self, text: &str, cancel: &Cancel, out: &mut dyn FnMut(Output)) -> bool {
        self.begin(cancel);
        let all = statements(text).into_iter().all(|statement| {
            let (holds, value) = self.run_statement(&statement, out);
            value.into_iter().for_each(&mut *out);
            holds
        });
        self.runtime.set_interrupt_handler(None);
        all
    }

    /// Runs a file as mongosh does: as one script, whose values are not printed.
    pub fn run_file(
        &mut self,
        name: &str,
        text: &str,
        cancel: &Cancel,
        out: &mut dyn FnMut(Output),
    ) -> bool {
        self.begin(cancel);
        let statement = Statement::Script { name: name.to_owned(), text: text.to_owned() };
        let (holds, _) = self.run_statement(&statement, out);
        self.runtime.set_interrupt_handler(None);
        holds
    }

    /// Runs Rust beside its variables.
    #[cfg(test)]
    pub(super) fn with<R>(&self, run: impl FnOnce(&Ctx<'_>) -> R) -> R {
        self.context.with(|ctx| run(&ctx))
    }

    fn begin(&self, cancel: &Cancel) {
        self.host.begin(cancel.clone(), self.limits.output);
        let started = SystemClock.monotonic();
        let (cancel, time) = (cancel.clone(), self.limits.time);
        let late =
            move || time.is_some_and(|time| SystemClock.monotonic().saturating_sub(started) > time);
        self.runtime.set_interrupt_handler(Some(Box::new(move || cancel.is_cancelled() || late())));
    }

    fn run_statement(
        &self,
        statement: &Statement,
        out: &mut dyn FnMut(Output),
    ) -> (bool, Option<Output>) {
        let result = self.context.with(|ctx| match statement {
            Statement::Script { name, text } => {
                let value = evaluate::<Value<'_>>(&ctx, name, text);
                finish(&ctx, value, text)
            }
            Statement::Command { words } => {
                let value = internal(&ctx, "command").and_then(|run| run.call((words.clone(),)));
                finish(&ctx, value, "")
            }
        });
        for line in self.host.take_printed() {
            out(Output::Printed(line));
        }
        match result {
            Ok(value) => (true, value),
            Err(message) => {
                out(Output::Failed(message));
                (false, None)
            }
        }
    }

    fn call(&self, function: &str, argument: &str) -> Option<String> {
        self.context.with(|ctx| internal(&ctx, function).ok()?.call((argument,)).ok())
    }
}

/// Evaluates a script in the global scope, where its `let` and `const` stay.
fn evaluate<'js, V: rquickjs::FromJs<'js>>(
    ctx: &Ctx<'js>,
    name: &str,
    text: &str,
) -> rquickjs::Result<V> {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(name.to_owned());
    ctx.eval_with_options(text, options)
}

/// A function of the prelude that only the host calls.
fn internal<'js>(ctx: &Ctx<'js>, name: &str) -> rquickjs::Result<Function<'js>> {
    ctx.globals().get::<_, Object<'js>>("__shell")?.get(name)
}

/// What the value or exception of a statement with this text looks like.
fn finish<'js>(
    ctx: &Ctx<'js>,
    value: rquickjs::Result<Value<'js>>,
    text: &str,
) -> Result<Option<Output>, String> {
    let shown =
        value.and_then(|value| internal(ctx, "show")?.call::<_, Option<Vec<String>>>((value,)));
    match shown.catch(ctx) {
        Ok(None) => Ok(None),
        Ok(Some(mut parts)) => {
            let json = parts.pop().unwrap_or_default();
            Ok(Some(Output::Value { text: parts.pop().unwrap_or_default(), json }))
        }
        Err(error) => Err(failure(ctx, error, text)),
    }
}

/// What is printed for an exception.
fn failure<'js>(ctx: &Ctx<'js>, error: CaughtError<'js>, text: &str) -> String {
    let thrown = match error {
        CaughtError::Exception(exception) => exception.into_value(),
        CaughtError::Value(value) => value,
        CaughtError::Error(error) => return error.to_string(),
    };
    internal(ctx, "failure")
        .and_then(|describe| describe.call((thrown, text)))
        .catch(ctx)
        .unwrap_or_else(|error| error.to_string())
}
