//! The host functions of JavaScript: commands of the store, the time and the printed lines.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bson::Document;
use mayfly_engine::clock::{Clock as _, SystemClock};
use rquickjs::{Ctx, Exception, Function, Object, Value};

use super::convert::{from_js, functions, to_js};
use super::extension::Extension;
use super::watch::ScriptWatch;
use crate::job::Cancel;
use crate::limits::CONSOLE_SLEEP_STEP;
use crate::source::Source;

/// Why an input is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    Canceled,
    Late,
    Printed,
}

/// Takes each printed line at once.
type Sink = Box<dyn FnMut(String)>;

/// The store and what an input printed.
pub(super) struct Host {
    source: Arc<dyn Source>,
    extension: Option<Rc<dyn Extension>>,
    cancel: RefCell<Cancel>,
    halt: Cell<Option<Halt>>,
    printed: RefCell<Vec<String>>,
    sink: RefCell<Option<Sink>>,
    /// Bytes that this input may still print.
    room: Cell<usize>,
    watch: Arc<ScriptWatch>,
}

impl Host {
    pub(super) fn new(source: Arc<dyn Source>, extension: Option<Rc<dyn Extension>>) -> Self {
        Self {
            source,
            extension,
            cancel: RefCell::default(),
            halt: Cell::default(),
            printed: RefCell::default(),
            sink: RefCell::default(),
            room: Cell::new(0),
            watch: ScriptWatch::of_thread(),
        }
    }

    /// Prints each line as it comes, instead of after its statement.
    pub(super) fn print_to(&self, sink: Sink) {
        self.sink.replace(Some(sink));
    }

    /// The files of the extension.
    pub(super) fn prelude(&self) -> &'static [(&'static str, &'static str)] {
        self.extension.as_ref().map_or(&[], |extension| extension.prelude())
    }

    /// Another input begins.
    pub(super) fn begin(&self, cancel: Cancel, room: usize) {
        self.watch.begin(&cancel);
        self.cancel.replace(cancel);
        self.halt.set(None);
        self.room.set(room);
    }

    /// The input ended.
    pub(super) fn end(&self) {
        self.begin(Cancel::default(), 0);
        self.watch.end();
    }

    /// Why the input is stopped; checks whether it should be.
    pub(super) fn halt(&self) -> Option<Halt> {
        // An abandoned thread must not reach its store any more.
        if self.watch.is_abandoned() {
            self.halt.set(Some(Halt::Canceled));
        }
        if self.halt.get().is_none() {
            let cancel = self.cancel.borrow();
            // In this order: the time may end between the two questions.
            let is_over = cancel.is_cancelled();
            let halt = if cancel.is_late() { Halt::Late } else { Halt::Canceled };
            self.halt.set(is_over.then_some(halt));
        }
        self.halt.get()
    }

    /// Why the input was stopped.
    pub(super) fn halted(&self) -> Option<Halt> {
        self.halt.get()
    }

    /// The lines printed since the last call.
    pub(super) fn take_printed(&self) -> Vec<String> {
        self.printed.take()
    }

    /// Whether this many more bytes may be printed. If not, the input stops.
    pub(super) fn reserve(&self, bytes: usize) -> bool {
        match self.room.get().checked_sub(bytes) {
            Some(room) => self.room.set(room),
            None => self.halt.set(self.halt().or(Some(Halt::Printed))),
        }
        self.halt.get().is_none()
    }

    /// Defines `__host`: `run(db, command)` returns the reply, errors included; `print(line)`;
    /// `sleep(ms)`; `now()` in milliseconds since 1970; `poll()`, which throws if the input is
    /// stopped; `isProxy(value)`; `call(name, argument)` of an [`Extension`]; and the [`functions`] on
    /// values.
    pub(super) fn install(self: &Rc<Self>, ctx: &Ctx<'_>) -> rquickjs::Result<()> {
        let functions = Object::new(ctx.clone())?;
        functions.set("run", Function::new(ctx.clone(), run(Rc::clone(self)))?)?;
        if self.extension.is_some() {
            functions.set("call", Function::new(ctx.clone(), call(Rc::clone(self)))?)?;
        }
        let host = Rc::clone(self);
        let print = move |ctx: Ctx<'_>, line: String| host.print(&ctx, line);
        functions.set("print", Function::new(ctx.clone(), print)?)?;
        let host = Rc::clone(self);
        let sleep = move |ctx: Ctx<'_>, millis: f64| host.sleep(&ctx, millis);
        functions.set("sleep", Function::new(ctx.clone(), sleep)?)?;
        let host = Rc::clone(self);
        functions.set("now", Function::new(ctx.clone(), move || host.now())?)?;
        let host = Rc::clone(self);
        functions.set("poll", Function::new(ctx.clone(), move |ctx: Ctx<'_>| host.check(&ctx))?)?;
        let is_proxy = |value: Value<'_>| value.is_proxy();
        functions.set("isProxy", Function::new(ctx.clone(), is_proxy)?)?;
        functions::install(ctx, &functions)?;
        ctx.globals().set("__host", functions)
    }

    fn run<'js>(&self, db: &str, command: &Value<'js>) -> rquickjs::Result<Value<'js>> {
        let ctx = command.ctx();
        // Asked before and after the command, which may take long: a stopped script must not go any
        // further.
        self.check(ctx)?;
        let command = from_js::document(command)?;
        let cancel = self.cancel.borrow().clone();
        let reply = self.watched(|_| self.source.run_until(db, &command, &cancel));
        self.check(ctx)?;
        to_js::document(ctx, &reply)
    }

    fn call<'js>(&self, name: &str, argument: &Value<'js>) -> rquickjs::Result<Value<'js>> {
        let ctx = argument.ctx();
        self.check(ctx)?;
        let argument = from_js::document(argument)?;
        let reply = self.watched(|extension| extension.map(|it| it.call(name, &argument)));
        self.check(ctx)?;
        match reply.unwrap_or_else(|| Ok(Document::new())) {
            Ok(reply) => to_js::document(ctx, &reply),
            Err(message) => Err(Exception::throw_message(ctx, &message)),
        }
    }

    /// Extends the input's time by the time that the user watched during the work.
    fn watched<R>(&self, work: impl FnOnce(Option<&dyn Extension>) -> R) -> R {
        let extension = self.extension.as_deref();
        let watched = || extension.map_or(Duration::ZERO, Extension::watched);
        let before = watched();
        // While the store works, the supervisor doesn't count the thread as stuck.
        self.watch.set_in_call(true);
        let result = work(extension);
        self.watch.set_in_call(false);
        let more = watched().saturating_sub(before);
        if !more.is_zero() {
            let later = self.cancel.borrow().later_by(more);
            self.watch.begin(&later);
            self.cancel.replace(later);
        }
        result
    }

    fn print(&self, ctx: &Ctx<'_>, line: String) -> rquickjs::Result<()> {
        self.check(ctx)?;
        if !self.reserve(line.len() + 1) {
            return self.check(ctx);
        }
        match &mut *self.sink.borrow_mut() {
            Some(sink) => sink(line),
            None => self.printed.borrow_mut().push(line),
        }
        Ok(())
    }

    /// Waits on the computer's clock.
    fn sleep(&self, ctx: &Ctx<'_>, millis: f64) -> rquickjs::Result<()> {
        let time = Duration::try_from_secs_f64(millis / 1000.0).unwrap_or_default();
        let deadline = SystemClock.monotonic().saturating_add(time);
        loop {
            self.check(ctx)?;
            let left = deadline.saturating_sub(SystemClock.monotonic());
            if left.is_zero() {
                return Ok(());
            }
            // In steps, so that stopping the input ends a long sleep.
            thread::sleep(left.min(CONSOLE_SLEEP_STEP));
        }
    }

    /// The store's time in milliseconds since 1970, which differs from the computer's only on a
    /// simulated clock.
    #[expect(clippy::cast_precision_loss, reason = "exact for 280,000 years")]
    fn now(&self) -> f64 {
        self.source.now_ms() as f64
    }

    /// Throws if the input is stopped. The interrupt that follows can't be caught.
    fn check(&self, ctx: &Ctx<'_>) -> rquickjs::Result<()> {
        match self.halt() {
            None => Ok(()),
            Some(_) => Err(Exception::throw_message(ctx, "stopped")),
        }
    }
}

/// `__host.run`.
fn run(host: Rc<Host>) -> impl for<'js> Fn(String, Value<'js>) -> rquickjs::Result<Value<'js>> {
    // In a named function, because a closure's own type can't say that the reply lives as the
    // command does.
    move |db, command| host.run(&db, &command)
}

/// `__host.call`, as [`run`].
fn call(host: Rc<Host>) -> impl for<'js> Fn(String, Value<'js>) -> rquickjs::Result<Value<'js>> {
    move |name, argument| host.call(&name, &argument)
}
