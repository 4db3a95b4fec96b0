//! Promises that were rejected without anything that handles it.

use rquickjs::function::This;
use rquickjs::{Ctx, Function, Object, Value};

/// Keeps the reason of a rejected promise until something handles it.
#[expect(clippy::needless_pass_by_value, reason = "the form of the runtime's callback")]
pub(super) fn track_rejection<'js>(
    ctx: Ctx<'js>,
    promise: Value<'js>,
    reason: Value<'js>,
    is_handled: bool,
) {
    // Without memory for a note, the input fails for another reason.
    let _ = if is_handled {
        forget_rejection(&ctx, &promise)
    } else {
        call(&ctx, "set", (promise, reason)).map(drop)
    };
}

/// Something handles this promise, or its reason was reported.
pub(super) fn forget_rejection<'js>(ctx: &Ctx<'js>, promise: &Value<'js>) -> rquickjs::Result<()> {
    call(ctx, "delete", (promise.clone(),)).map(drop)
}

/// The reasons that were kept, and none from now on.
pub(super) fn take_rejections<'js>(ctx: &Ctx<'js>) -> rquickjs::Result<Vec<Value<'js>>> {
    let reasons = kept(ctx)?.get::<_, Function<'js>>("take")?.call((This(kept(ctx)?),))?;
    Ok(reasons)
}

fn call<'js>(
    ctx: &Ctx<'js>,
    method: &str,
    arguments: impl rquickjs::function::IntoArgs<'js>,
) -> rquickjs::Result<Value<'js>> {
    let kept = kept(ctx)?;
    let mut args = rquickjs::function::Args::new_unsized(ctx.clone());
    args.this(kept.clone())?;
    arguments.into_args(&mut args)?;
    kept.get::<_, Function<'js>>(method)?.call_arg(args)
}

/// The map that `waits.js` makes, from promise to reason.
fn kept<'js>(ctx: &Ctx<'js>) -> rquickjs::Result<Object<'js>> {
    ctx.globals().get::<_, Object<'js>>("__host")?.get("rejections")
}
