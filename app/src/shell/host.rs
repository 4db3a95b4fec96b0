//! What JavaScript can reach outside itself: commands of the store, the time and the printed lines.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use bson::{Bson, doc};
use mayfly_engine::clock::{Clock as _, SystemClock};
use rquickjs::{Ctx, Function, Object, Value};

use super::convert::{from_js, functions, to_js};
use crate::job::Cancel;
use crate::source::Source;

/// The store and what an input printed.
pub(super) struct Host {
    source: Arc<dyn Source>,
    cancel: RefCell<Cancel>,
    printed: RefCell<Vec<String>>,
    /// Bytes that this input may still print.
    room: Cell<usize>,
}

impl Host {
    pub(super) fn new(source: Arc<dyn Source>) -> Self {
        Self { source, cancel: RefCell::default(), printed: RefCell::default(), room: Cell::new(0) }
    }

    /// Another input begins.
    pub(super) fn begin(&self, cancel: Cancel, room: usize) {
        self.cancel.replace(cancel);
        self.room.set(room);
    }

    /// The lines printed since the last call.
    pub(super) fn take_printed(&self) -> Vec<String> {
        self.printed.take()
    }

    /// Defines `__host`: `run(db, command)` returns the reply, errors included; `print(line)`;
    /// `now()` in milliseconds; and the [`functions`] on values.
    pub(super) fn install(self: &Rc<Self>, ctx: &Ctx<'_>) -> rquickjs::Result<()> {
        let functions = Object::new(ctx.clone())?;
        functions.set("run", Function::new(ctx.clone(), run(Rc::clone(self)))?)?;
        let host = Rc::clone(self);
        functions
            .set("print", Function::new(ctx.clone(), move |line: String| host.print(line))?)?;
        let host = Rc::clone(self);
        functions.set("now", Function::new(ctx.clone(), move || host.now_ms())?)?;
        functions::install(ctx, &functions)?;
        ctx.globals().set("__host", functions)
    }

    fn run<'js>(&self, db: &str, command: &Value<'js>) -> rquickjs::Result<Value<'js>> {
        let ctx = command.ctx();
        let command = from_js::document(command)?;
        let cancel = self.cancel.borrow().clone();
        to_js::document(ctx, &self.source.run_until(db, &command, &cancel))
    }

    /// The store's time, which differs from the computer's only on a simulated clock. A double,
    /// because JavaScript has no other number.
    fn now_ms(&self) -> f64 {
        let simulated = self.source.capabilities().simulated_clock;
        let reply = simulated.then(|| self.source.run("admin", &doc! {"hello": 1}));
        let ms = match reply.as_ref().and_then(|reply| reply.get("localTime")) {
            Some(Bson::DateTime(time)) => time.timestamp_millis(),
            _ => SystemClock.now_ms(),
        };
        #[expect(clippy::cast_precision_loss, reason = "exact for 280,000 years")]
        let ms = ms as f64;
        ms
    }

    fn print(&self, line: String) {
        let room = self.room.get();
        if room == 0 {
            return;
        }
        self.room.set(room.saturating_sub(line.len() + 1));
        self.printed.borrow_mut().push(line);
    }
}

/// `__host.run`. Named, because a closure's own type can't say that the reply lives as the command does.
fn run(host: Rc<Host>) -> impl for<'js> Fn(String, Value<'js>) -> rquickjs::Result<Value<'js>> {
    move |db, command| host.run(&db, &command)
}
